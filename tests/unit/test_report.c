/* SPDX-License-Identifier: MIT
 *
 * The report's numbers: parts add up to the whole, order is by content, lines are short.
 */
#include "check.h"

#include <jansson.h>

#include "report/report.h"
#include "report/summary.h"

/* Two sources; in the first, thread t has 10 * t samples, every third of them in "gil_wait". */
static struct ff_profile *make(bool reversed)
{
    static const char *const buckets[] = {"gil_wait", "py_interp", "cuda_launch"};
    struct ff_profile *profile = ff_profile_new();
    struct ff_source source = {.tool = FF_TOOL_PERF,
                               .population = FF_POPULATION_ON_CPU,
                               .end_ns = 12300000000,
                               .start_ns = 2000000000,
                               .rate = 99};
    source.name = ff_profile_intern(profile, FF_TEXT("fp.data"));
    uint32_t main_source = ff_source_add(profile, source);
    source.name = ff_profile_intern(profile, FF_TEXT("spy.raw"));
    uint32_t other = ff_source_add(profile, source);
    uint32_t name = ff_profile_intern(profile, FF_TEXT("cpu-clock"));
    uint32_t event = ff_event_add(profile, (struct ff_event){.source = main_source, .name = name});
    uint32_t spy = ff_event_add(profile, (struct ff_event){.source = other, .name = name});
    struct ff_process process = {main_source, 7, 0};
    for (uint32_t k = 1; k <= 5; k++) {
        uint32_t t = reversed ? 6 - k : k;
        char comm[16];
        snprintf(comm, sizeof comm, "worker-%u", t);
        struct ff_thread thread = {.process = ff_process_add(profile, process), .tid = 100 + t};
        thread.comm = ff_profile_intern(profile, ff_text(comm));
        uint32_t thread_id = ff_thread_add(profile, thread);
        for (uint32_t i = 0; i < 10 * t; i++)
            ff_sample_add(profile, (struct ff_sample){.event = event,
                                                      .thread = thread_id,
                                                      .state = FF_STATE_COMPLETE,
                                                      .count = FF_COUNT_ONE,
                                                      .bucket = ff_profile_intern(
                                                          profile, ff_text(buckets[i % 3]))});
    }
    ff_sample_add(profile, (struct ff_sample){.event = spy, .count = 3 * FF_COUNT_ONE});
    ff_ledger_add(profile, main_source, FF_LEDGER_LOST_SAMPLES, 4);
    ff_ledger_add(profile, main_source, FF_LEDGER_SAMPLES, 150);
    return profile;
}

static void test_summary(void)
{
    struct ff_profile *profile = make(false);
    struct ff_summary summary;
    CHECK(ff_summary_init(&summary, profile, 0, 0) == FF_OK);
    CHECK_NUMBER(summary.total, 150 * FF_COUNT_ONE);
    CHECK_NUMBER(summary.thread_count, 5);
    CHECK_NUMBER(summary.bucket_count, 3);
    uint64_t threads = 0, buckets = 0, cells = 0;
    for (uint32_t t = 0; t < 5; t++) {
        CHECK_NUMBER(summary.threads[t].count, (50 - 10 * t) * FF_COUNT_ONE);
        threads += summary.threads[t].count;
        for (uint32_t b = 0; b < 3; b++)
            cells += ff_summary_cell(&summary, t, b);
    }
    for (uint32_t b = 0; b < 3; b++)
        buckets += summary.buckets[b].count;
    CHECK_NUMBER(threads, summary.total);
    CHECK_NUMBER(buckets, summary.total);
    CHECK_NUMBER(cells, summary.total);
    /* 10 t samples: ceil(10 t / 3) of the first bucket: 4 + 7 + 10 + 14 + 17. */
    CHECK_TEXT(ff_profile_text(profile, summary.buckets[0].name), "gil_wait");
    CHECK_NUMBER(summary.buckets[0].count, 52 * FF_COUNT_ONE);
    ff_summary_release(&summary);
    ff_profile_free(profile);
}

static void test_rounding(void)
{
    CHECK_NUMBER(ff_summary_samples(FF_COUNT_ONE / 2), 1);
    CHECK_NUMBER(ff_summary_samples(FF_COUNT_ONE / 2 - 1), 0);
    CHECK_NUMBER(ff_summary_permille(1, 3), 333);
    CHECK_NUMBER(ff_summary_permille(2, 3), 667);
    CHECK_NUMBER(ff_summary_permille(0, 0), 0);
    CHECK_NUMBER(ff_summary_permille(UINT64_MAX, UINT64_MAX), 1000);
}

static bool holds(struct ff_text text, const char *part)
{
    bool found = ff_text_find_text(text, ff_text(part)) >= 0;
    if (!found)
        fprintf(stderr, "  missing: %s\n", part);
    return found;
}

static void test_text(void)
{
    struct ff_profile *a = make(false), *b = make(true);
    struct ff_rules *rules = ff_rules_new();
    struct ff_output one, two;
    struct ff_error error = {0};
    CHECK(ff_rules_parse(rules, "r", FF_TEXT("bucket gil_wait \"waits for the GIL\"")) == FF_OK);
    ff_output_memory(&one);
    ff_output_memory(&two);
    CHECK(ff_report_text(a, &(struct ff_report_view){.rules = rules}, &one) == FF_OK);
    CHECK(ff_report_text(b, &(struct ff_report_view){.rules = rules}, &two) == FF_OK);
    struct ff_text text = {one.buffer, one.used};
    CHECK(ff_text_equal(text, (struct ff_text){two.buffer, two.used}));
    CHECK(holds(text, "fp.data: perf, counts on-cpu threads, 150 samples in 10.3 s at 99 Hz\n"));
    CHECK(holds(text, "event cpu-clock, 150 samples, 5 threads\n"));
    CHECK(holds(text, "also read, not counted here: spy.raw"));
    CHECK(holds(text, "missed           4  samples that the kernel lost (fp.data)\n"));
    CHECK(holds(text, "      150  100.0 %  complete\n"));
    CHECK(holds(text, "       50   33.3 %      105  worker-5       worker-*       gil_wait 34 %"));
    /* 52 of 150: the closed formula gives 0.2753 and 0.4256. */
    CHECK(holds(text,
                "  1        52   34.7 %   27.5 - 42.6 %  gil_wait          waits for the GIL\n"));
    while (text.size)
        CHECK(ff_text_cut(&text, '\n').size <= 100);
    ff_output_close(&one, &error);
    ff_output_close(&two, &error);
    ff_rules_free(rules);
    ff_profile_free(a);
    ff_profile_free(b);
}

static void test_json(void)
{
    struct ff_profile *profile = make(false);
    struct ff_output output;
    struct ff_error error = {0};
    json_error_t why;
    ff_output_memory(&output);
    profile->threads.at[1].comm = ff_profile_intern(profile, FF_TEXT("\xff\"\n"));
    CHECK(ff_report_json(profile, &(struct ff_report_view){.rules = NULL}, &output) == FF_OK);
    json_t *report = json_loadb(output.buffer, output.used, 0, &why);
    CHECK(report != NULL);
    CHECK_NUMBER((uint64_t)json_integer_value(json_object_get(report, "samples")), 150);
    uint64_t sum = 0;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(report, "threads"), i, row) sum +=
        (uint64_t)json_integer_value(json_object_get(row, "samples"));
    CHECK_NUMBER(sum, 150);
    row = json_array_get(json_object_get(report, "threads"), 4);
    CHECK_TEXT(ff_text(json_string_value(json_object_get(row, "comm"))), "?\"\n");
    json_decref(report);
    ff_output_close(&output, &error);
    ff_profile_free(profile);
}

static void test_empty(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_output output;
    struct ff_error error = {0};
    ff_output_memory(&output);
    CHECK(ff_report_text(profile, &(struct ff_report_view){.rules = NULL}, &output) == FF_OK);
    CHECK(holds((struct ff_text){output.buffer, output.used}, "Read\n  nothing\n"));
    CHECK(ff_report_json(profile, &(struct ff_report_view){.rules = NULL}, &output) == FF_OK);
    ff_output_close(&output, &error);
    ff_profile_free(profile);
}

int main(void)
{
    test_summary();
    test_rounding();
    test_text();
    test_json();
    test_empty();
    return check_result();
}
