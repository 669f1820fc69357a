/* SPDX-License-Identifier: MIT
 *
 * From a profile to the numbers of a verdict: which samples count, what bad stacks hide, what side
 * files say. All expected numbers follow from how the profile is made.
 */
#include "check.h"

#include "classify/rules.h"
#include "report/evidence.h"
#include "report/interval.h"
#include "report/proof.h"
#include "report/prose.h"
#include "report/summary.h"

struct made {
    struct ff_profile *profile;
    uint32_t source, event, process;
};

static uint32_t text(struct ff_profile *profile, const char *string)
{
    return ff_profile_intern(profile, ff_text(string));
}

static struct made make(uint8_t tool, uint8_t population)
{
    struct made made = {.profile = ff_profile_new()};
    made.source = ff_source_add(made.profile, (struct ff_source){.name = text(made.profile, "a"),
                                                                 .tool = tool,
                                                                 .population = population});
    made.event = ff_event_add(made.profile, (struct ff_event){.source = made.source});
    made.process = ff_process_add(made.profile, (struct ff_process){made.source, 7, 0});
    return made;
}

/* COUNT samples of a stack of DEPTH native frames in a bucket. */
static void add(struct made *made, uint32_t tid, const char *bucket, uint32_t depth,
                enum ff_state state, uint64_t count)
{
    uint32_t stack = 0;
    for (uint32_t i = 0; i < depth; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        struct ff_frame frame = {.kind = FF_FRAME_NATIVE, .symbol = text(made->profile, name)};
        stack = ff_stack_push(made->profile, stack, ff_frame_add(made->profile, frame));
    }
    struct ff_thread thread = {.process = made->process, .tid = tid};
    ff_sample_add(made->profile, (struct ff_sample){.event = made->event,
                                                    .thread = ff_thread_add(made->profile, thread),
                                                    .stack = stack,
                                                    .bucket = text(made->profile, bucket),
                                                    .state = (uint8_t)state,
                                                    .count = count * FF_COUNT_ONE});
}

static struct ff_evidence gather(struct made *made)
{
    struct ff_evidence evidence;
    CHECK(ff_evidence_gather(&evidence, made->profile, made->source, made->event) == FF_OK);
    return evidence;
}

/* A named call decides in a cut stack; a leaf does not, nor in a shallow stack of such a program. */
static void test_hidden(void)
{
    struct made made = make(FF_TOOL_PERF, FF_POPULATION_ON_CPU);
    add(&made, 1, "cuda_launch_spin", 8, FF_STATE_TRUNCATED, 100);
    add(&made, 1, "py_interp", 9, FF_STATE_COMPLETE, 60);
    add(&made, 1, "py_interp", 10, FF_STATE_TRUNCATED, 20);
    add(&made, 2, "torch_dispatch", 5, FF_STATE_COMPLETE, 10);
    add(&made, 2, "truncated", 7, FF_STATE_COMPLETE, 5);
    add(&made, 2, "my_own", 7, FF_STATE_COMPLETE, 5);
    struct ff_evidence evidence = gather(&made);
    CHECK_NUMBER(evidence.gate, FF_GATE_OPEN);
    CHECK_NUMBER(evidence.samples, 200);
    CHECK_NUMBER(evidence.hidden, 40);
    CHECK_NUMBER(evidence.shallow, 10);
    CHECK_NUMBER(evidence.foreign, 5);
    const struct ff_measure *python = &evidence.measures[FF_MEASURE_PYTHON];
    CHECK_NUMBER(python->count, 60);
    CHECK_NUMBER(python->low, ff_interval_wilson(60, 200).low);
    CHECK_NUMBER(python->high, ff_interval_wilson(100, 200).high);
    CHECK_NUMBER(evidence.measures[FF_MEASURE_LAUNCH_WAITS].n, 100);
    CHECK_NUMBER(evidence.measures[FF_MEASURE_THREADS].value, 1);
    CHECK(!evidence.measures[FF_MEASURE_GPU].known && !evidence.measures[FF_MEASURE_LOCK].known);
    ff_profile_free(made.profile);
}

static void test_gates(void)
{
    struct made made = make(FF_TOOL_PERF, FF_POPULATION_ON_CPU);
    add(&made, 1, "native_other", 3, FF_STATE_COMPLETE, 92);
    struct ff_evidence evidence = gather(&made);
    CHECK_NUMBER(evidence.gate, FF_GATE_FEW);
    CHECK_NUMBER(evidence.findings[FF_CPU_WORK].outcome, FF_UNDECIDED);
    CHECK(evidence.findings[FF_CPU_WORK].candidate);
    /* One more, and the shallow stacks of a plain program are enough. */
    add(&made, 1, "native_other", 3, FF_STATE_COMPLETE, 1);
    evidence = gather(&made);
    CHECK_NUMBER(evidence.gate, FF_GATE_OPEN);
    CHECK_NUMBER(evidence.findings[FF_CPU_WORK].outcome, FF_SUPPORTED);
    CHECK(evidence.measures[FF_MEASURE_GPU].known); /* no GPU call on any stack: not the limit */
    add(&made, 1, "truncated", 2, FF_STATE_TRUNCATED, 94);
    CHECK_NUMBER(gather(&made).gate, FF_GATE_UNHEALTHY);
    ff_profile_free(made.profile);

    made = make(FF_TOOL_PERF, FF_POPULATION_ON_CPU);
    add(&made, 1, "my_own", 9, FF_STATE_COMPLETE, 200);
    CHECK_NUMBER(gather(&made).gate, FF_GATE_NO_BUCKETS);
    ff_profile_free(made.profile);

    /* Who holds the GIL, and hits of a tracepoint, are not moments of running threads. */
    made = make(FF_TOOL_PY_SPY, FF_POPULATION_GIL_HELD);
    add(&made, 1, "native_other", 9, FF_STATE_RECORDED, 200);
    CHECK_NUMBER(gather(&made).gate, FF_GATE_NO_STACKS);
    made.profile->sources.at[made.source].population = FF_POPULATION_EVENTS;
    CHECK_NUMBER(gather(&made).gate, FF_GATE_NO_STACKS);
    ff_profile_free(made.profile);
}

static void add_cpu(struct made *made, uint32_t source, uint32_t tid, uint64_t permille)
{
    struct ff_thread thread = {.process = made->process, .tid = tid};
    ff_fact_add(made->profile, (struct ff_fact){.source = source,
                                                .thread = ff_thread_add(made->profile, thread),
                                                .name = text(made->profile, "cpu-share"),
                                                .value = permille * 1000,
                                                .unit = text(made->profile, "ppm")});
}

/* The first table of top is of no interval: 40 %, then 25 and 28 % are 26.5 %. Alone it counts. Rows of
 * pidstat are all of an interval, and of two files the first counts. */
static void test_cpu_share(void)
{
    struct made made = make(FF_TOOL_TOP, FF_POPULATION_UNKNOWN);
    uint32_t second = ff_source_add(
        made.profile, (struct ff_source){.name = text(made.profile, "b"), .tool = FF_TOOL_PIDSTAT});
    uint32_t share = 0;
    add_cpu(&made, made.source, 1, 400);
    add_cpu(&made, made.source, 2, 500);
    add_cpu(&made, made.source, 1, 250);
    add_cpu(&made, made.source, 1, 280);
    add_cpu(&made, second, 1, 999);
    add_cpu(&made, second, 3, 100);
    add_cpu(&made, second, 3, 200);
    CHECK(ff_evidence_cpu_share(made.profile, 1, &share));
    CHECK_NUMBER(share, 265);
    CHECK(ff_evidence_cpu_share(made.profile, 2, &share));
    CHECK_NUMBER(share, 500);
    CHECK(ff_evidence_cpu_share(made.profile, 3, &share));
    CHECK_NUMBER(share, 150);
    CHECK(!ff_evidence_cpu_share(made.profile, 4, &share));
    struct ff_evidence evidence = gather(&made);
    CHECK_NUMBER(evidence.role_count, 1);
    CHECK_NUMBER(evidence.roles[0].threads, 3);
    CHECK_NUMBER(evidence.roles[0].least, 150);
    CHECK_NUMBER(evidence.roles[0].most, 500);
    ff_profile_free(made.profile);
}

/* COUNT samples of one native frame below a Python frame, as a merge parts them. */
static void add_part(struct made *made, const char *python, const char *leaf, const char *bucket,
                     uint64_t count, uint64_t spread)
{
    struct ff_profile *profile = made->profile;
    struct ff_thread thread = {.process = made->process, .tid = 1};
    struct ff_frame frame = {.kind = FF_FRAME_PYTHON, .symbol = text(profile, python)};
    uint32_t stack = ff_stack_push(profile, 0, ff_frame_add(profile, frame));
    frame = (struct ff_frame){.kind = FF_FRAME_NATIVE, .symbol = text(profile, leaf)};
    stack = ff_stack_push(profile, stack, ff_frame_add(profile, frame));
    ff_sample_add(profile, (struct ff_sample){.event = made->event,
                                              .thread = ff_thread_add(profile, thread),
                                              .stack = stack,
                                              .bucket = text(profile, bucket),
                                              .count = count * FF_COUNT_ONE,
                                              .spread = spread * FF_COUNT_ONE});
}

/* 200 of 400 lie in one bucket however they were parted: Wilson's interval. The others' buckets hang on the
 * merge: 150 with a spread of 150 are as unsure as 75 of 200, 50 with 150 as 12.5 of 100. */
static void test_spread(void)
{
    struct made made = make(FF_TOOL_PERF, FF_POPULATION_ON_CPU);
    struct ff_summary summary;
    add_part(&made, "f", "take_gil", "gil_wait", 120, 120);
    add_part(&made, "g", "take_gil", "gil_wait", 80, 80);
    add_part(&made, "f", "read", "io_wait", 150, 150);
    add_part(&made, "g", "read", "py_import", 50, 150);
    CHECK(ff_summary_init(&summary, made.profile, made.source, made.event) == FF_OK);
    CHECK_NUMBER(summary.bucket_count, 3);
    CHECK_NUMBER(summary.buckets[0].spread, 0);
    CHECK_NUMBER(ff_summary_interval(&summary, 0).low, ff_interval_wilson(200, 400).low);
    CHECK_NUMBER(ff_summary_interval(&summary, 1).low, ff_interval_wilson(75, 200).low);
    CHECK_NUMBER(ff_summary_interval(&summary, 1).high, ff_interval_wilson(75, 200).high);
    CHECK_NUMBER(summary.buckets[2].spread, 150 * FF_COUNT_ONE);
    ff_summary_release(&summary);
    ff_profile_free(made.profile);
}

/* Of several processes the one with most samples counts; selecting by bucket leaves no shares. */
static void test_process(void)
{
    struct made made = make(FF_TOOL_PERF, FF_POPULATION_ON_CPU);
    add(&made, 1, "gil_wait", 9, FF_STATE_COMPLETE, 100);
    made.process = ff_process_add(made.profile, (struct ff_process){made.source, 8, 0});
    add(&made, 2, "native_other", 9, FF_STATE_COMPLETE, 60);
    made.process = ff_process_add(made.profile, (struct ff_process){made.source, 8, 1});
    add(&made, 2, "native_other", 9, FF_STATE_COMPLETE, 50);
    struct ff_evidence evidence = gather(&made);
    CHECK_NUMBER(evidence.pid, 8); /* 60 + 50, before and after exec */
    CHECK_NUMBER(evidence.samples, 110);
    CHECK_NUMBER(evidence.others, 100);
    CHECK_NUMBER(evidence.findings[FF_GIL_CONVOY].outcome, FF_RULED_OUT);
    ff_ledger_add(made.profile, 0, FF_LEDGER_PART_SELECTED, 1);
    CHECK_NUMBER(gather(&made).gate, FF_GATE_SELECTED);
    ff_profile_free(made.profile);
}

static void fact(struct made *made, const char *name, const char *subject, uint64_t value)
{
    ff_fact_add(made->profile, (struct ff_fact){.source = made->source,
                                                .name = text(made->profile, name),
                                                .subject = text(made->profile, subject),
                                                .value = value,
                                                .unit = text(made->profile, "ppm")});
}

static void test_gpu(void)
{
    struct made made = make(FF_TOOL_NVIDIA_SMI, FF_POPULATION_UNKNOWN);
    static const uint32_t busy[] = {100, 0, 98, 100, 96, 0, 100};
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) {
        fact(&made, "gpu-util", "gpu 0", busy[i] * 10000);
        fact(&made, "gpu-util", "gpu 1", 0);
    }
    fact(&made, "gpu-util", "gpu 2", 990000);
    for (unsigned i = 0; i < 3; i++)
        fact(&made, "gpu-util", "gpu 2", 0);
    struct ff_evidence evidence = gather(&made);
    CHECK_NUMBER(evidence.gpu_count, 3);
    /* 96 98 100 100 100: the middle one, and with five values the ends. */
    CHECK_TEXT(ff_profile_text(made.profile, evidence.gpus[0].subject), "gpu 0");
    CHECK_NUMBER(evidence.gpus[0].median, 1000);
    CHECK_NUMBER(evidence.gpus[0].low, 960);
    CHECK_NUMBER(evidence.gpus[0].usable, 5);
    CHECK_NUMBER(evidence.gpus[0].dropped, 2);
    /* All zero is idle, not missing. A GPU whose rows are mostly dropped comes last. */
    CHECK_NUMBER(evidence.gpus[1].usable, 7);
    CHECK_NUMBER(evidence.gpus[1].dropped, 0);
    CHECK_NUMBER(evidence.gpus[2].median, 990);
    CHECK_NUMBER(evidence.gpus[2].dropped, 3);
    CHECK(!evidence.measures[FF_MEASURE_GPU].weak && !evidence.measures[FF_MEASURE_GPU].few);
    ff_profile_free(made.profile);
}

/* n = seconds * rate - 1 - errors. */
static void test_gil(void)
{
    struct made made = make(FF_TOOL_PY_SPY, FF_POPULATION_GIL_HELD);
    struct ff_source *source = &made.profile->sources.at[made.source];
    add(&made, 1, "py_interp", 9, FF_STATE_RECORDED, 178);
    struct ff_evidence evidence = gather(&made);
    CHECK(!evidence.measures[FF_MEASURE_GIL_HELD].known && evidence.gil_length_missing);
    source->rate = 49;
    source->duration_ns = 30000000000;
    evidence = gather(&made);
    CHECK_NUMBER(evidence.measures[FF_MEASURE_GIL_HELD].n, 1469);
    CHECK_NUMBER(evidence.measures[FF_MEASURE_GIL_HELD].low, 105);
    CHECK_NUMBER(evidence.measures[FF_MEASURE_GIL_HELD].high, 139);
    source->errors = 9;
    CHECK_NUMBER(gather(&made).measures[FF_MEASURE_GIL_HELD].n, 1460);
    /* A length that cannot be: more samples than instants. */
    source->duration_ns = 2000000000;
    CHECK(!gather(&made).measures[FF_MEASURE_GIL_HELD].known);
    source->duration_ns = UINT64_MAX;
    source->rate = UINT64_MAX;
    CHECK(!gather(&made).measures[FF_MEASURE_GIL_HELD].known);
    ff_profile_free(made.profile);
}

/* Of a dump the threads that are active count, and they only point. */
static void test_dump(void)
{
    struct made made = make(FF_TOOL_PY_SPY, FF_POPULATION_DUMP);
    for (uint32_t tid = 1; tid <= 4; tid++) {
        add(&made, tid, tid < 3 ? "cuda_launch_spin" : "idle", 9, FF_STATE_RECORDED, 1);
        ff_fact_add(made.profile,
                    (struct ff_fact){.source = made.source,
                                     .thread = tid,
                                     .name = text(made.profile, "state"),
                                     .text = text(made.profile, tid < 3 ? "active" : "idle")});
    }
    struct ff_evidence evidence = gather(&made);
    CHECK(evidence.dump);
    CHECK_NUMBER(evidence.gate, FF_GATE_FEW);
    CHECK_NUMBER(evidence.samples, 2);
    CHECK_NUMBER(evidence.measures[FF_MEASURE_SPIN].count, 2);
    CHECK(evidence.findings[FF_QUEUE_FULL].candidate &&
          evidence.findings[FF_DRIVER_LOCK].candidate);
    ff_profile_free(made.profile);
}

/* Every bucket that the built-in rules make is of some use, or is left aside on purpose. */
static void test_buckets(void)
{
    struct ff_rules *rules = ff_rules_new();
    CHECK(ff_rules_parse(rules, "default.rules", ff_rules_default()) == FF_OK);
    CHECK(rules->buckets.count > 30);
    for (uint32_t id = 1; id < rules->buckets.count; id++) {
        struct ff_text name = ff_rules_text(rules, rules->buckets.at[id].name);
        bool fine = ff_bucket_is_known(name) || ff_bucket_in(name, "truncated unknown");
        if (!fine)
            fprintf(stderr, "no measure knows the bucket %.*s\n", FF_TEXT_ARGS(name));
        CHECK(fine);
    }
    ff_rules_free(rules);
}

/* Ranks of the sign test: for n = 9 the 2nd and the 8th value (96.1 %), below 6 the ends. */
static void test_median(void)
{
    uint32_t values[2000];
    for (uint32_t i = 0; i < 2000; i++)
        values[i] = i + 1;
    CHECK_NUMBER(ff_interval_median(values, 1).low, 1);
    CHECK_NUMBER(ff_interval_median(values, 5).high, 5);
    CHECK_NUMBER(ff_interval_median(values, 6).low, 1);
    CHECK_NUMBER(ff_interval_median(values, 8).low, 1);
    CHECK_NUMBER(ff_interval_median(values, 9).low, 2);
    CHECK_NUMBER(ff_interval_median(values, 9).high, 8);
    CHECK_NUMBER(ff_interval_median(values, 100).low, 40); /* tables: ranks 40 and 61 */
    CHECK_NUMBER(ff_interval_median(values, 100).high, 61);
    CHECK(ff_interval_median(values, 2000).low < 1000 &&
          ff_interval_median(values, 2000).high > 1000);
}

static void test_prose(void)
{
    struct ff_output output;
    struct ff_error error = {0};
    ff_output_memory(&output);
    struct ff_prose prose;
    ff_prose_begin(&prose, &output, 2, 4);
    for (unsigned i = 0; i < 60; i++)
        ff_prose_add(&prose, "%s12.5 %%", i ? " " : "");
    ff_prose_end(&prose);
    struct ff_text rest = {output.buffer, output.used};
    unsigned lines = 0;
    while (rest.size) {
        struct ff_text line = ff_text_cut(&rest, '\n');
        CHECK(line.size <= FF_PROSE_WIDTH && ff_text_ends(line, FF_TEXT("12.5 %")));
        lines++;
    }
    CHECK_NUMBER(lines, 5); /* 14 of 7 columns in 98, 13 in 96 */
    ff_output_close(&output, &error);
    /* What does not fit is cut, and says so. */
    ff_output_memory(&output);
    ff_prose_begin(&prose, &output, 0, 0);
    for (unsigned i = 0; i < 400; i++)
        ff_prose_add(&prose, "word%u ", i);
    ff_prose_end(&prose);
    CHECK(ff_text_ends((struct ff_text){output.buffer, output.used}, FF_TEXT("...\n")));
    ff_output_close(&output, &error);
}

int main(void)
{
    test_hidden();
    test_gates();
    test_cpu_share();
    test_spread();
    test_process();
    test_gpu();
    test_gil();
    test_dump();
    test_buckets();
    test_median();
    test_prose();
    return check_result();
}
