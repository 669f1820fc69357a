/* SPDX-License-Identifier: MIT
 *
 * Perf script text: heads and frames as people have reported them to other folding tools, counts of
 * public texts, and what a cut leaves.
 */
#include "check.h"
#include "text_input.h"

#include <unistd.h>

#include "profile/profile.h"
#include "read/perf_script.h"
#include "read/perf_script_line.h"

#define NONE UINT32_MAX

static const struct {
    const char *line, *comm, *event, *payload;
    uint32_t pid, tid, cpu; /* NONE: not printed */
    uint64_t time_ns, period;
} heads[] = {
    {"java 19983/19990 [003] 100.123456:     1000 cycles:u: ", "java", "cycles:u", "", 19983, 19990,
     3, 100123456000, 1000},
    /* FlameGraph issues 57, 90, 162, 259, 262: blanks, digits, brackets, one letter. */
    {"my prog 1 1234/1235 12.000001: cycles: ", "my prog 1", "cycles", "", 1234, 1235, NONE,
     12000001000, 0},
    {"x 77/77 [001] 100.1: 1000 cycles:u:", "x", "cycles:u", "", 77, 77, 1, 100100000000, 1000},
    {"[ET_NET 0] 12 [001] 1.5: cycles:", "[ET_NET 0]", "cycles", "", 0, 12, 1, 1500000000, 0},
    {"[JIT app cache] 12/13 1.5: cycles:", "[JIT app cache]", "cycles", "", 12, 13, NONE,
     1500000000, 0},
    {"a;b:c 12/13 1.5: cycles:", "a;b:c", "cycles", "", 12, 13, NONE, 1500000000, 0},
    {"at 9.5: x 12/13 [000] 1.5: cycles:", "at 9.5: x", "cycles", "", 12, 13, 0, 1500000000, 0},
    {"#!/bin/sh 12 [000] 1.5: cycles:", "#!/bin/sh", "cycles", "", 0, 12, 0, 1500000000, 0},
    {":-1    -1 [000] 1.5: cycles:", ":-1", "cycles", "", 0, UINT32_MAX, 0, 1500000000, 0},
    /* Without -g perf aligns to the right and the frame stands on the line. */
    {"            perf 47118 [011] 51499.088689:          1 page-faults:            29ebc f (/x)",
     "perf", "page-faults", "29ebc f (/x)", 0, 47118, 11, 51499088689000, 1},
    /* Tracepoints: their second part, a payload that has times and colons. */
    {"sh 5/6 [000] 7.000000001: sched:sched_switch: prev_comm=sh prev_pid=5 ==> next_comm=1.5: x",
     "sh", "sched:sched_switch", "prev_comm=sh prev_pid=5 ==> next_comm=1.5: x", 5, 6, 0,
     7000000001, 0},
    {"sh 5/6 [000] K 7.0: 3 cpu/mem-loads,ldlat=30/P: ", "sh", "cpu/mem-loads,ldlat=30/P", "", 5, 6,
     0, 7000000000, 3},
    /* -F without period, event, CPU, time. */
    {"sh 5 7.000000: ", "sh", "", "", 0, 5, NONE, 7000000000, 0},
    {"sh 5 [001]  7.000000:     250000 ", "sh", "", "", 0, 5, 1, 7000000000, 250000},
    {"java 19983 cycles:", "java", "cycles", "", 0, 19983, NONE, 0, 0},
    {"java 19983          1 cycles:u: ", "java", "cycles:u", "", 0, 19983, NONE, 0, 1},
    {"java 19983/19984 ", "java", "", "", 19983, 19984, NONE, 0, 0},
    /* simpleperf */
    {"a.out 2\t31850 [001] 95637.123456:\t\t50000 cpu-clock:u:", "a.out 2", "cpu-clock:u", "", 0,
     31850, 1, 95637123456000, 50000},
};

static void check_heads(void)
{
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct ff_script_head head;
        int failed = check_failed;
        CHECK(ff_script_head(ff_text(heads[i].line), &head));
        CHECK_TEXT(head.comm, heads[i].comm);
        CHECK_TEXT(head.event, heads[i].event);
        CHECK_TEXT(head.payload, heads[i].payload);
        CHECK_NUMBER(head.pid, heads[i].pid);
        CHECK_NUMBER(head.tid, heads[i].tid);
        CHECK_NUMBER(head.has_cpu ? head.cpu : NONE, heads[i].cpu);
        CHECK_NUMBER(head.time_ns, heads[i].time_ns);
        CHECK_NUMBER(head.period, heads[i].period);
        if (check_failed > failed)
            fprintf(stderr, "  in '%s'\n", heads[i].line);
    }
}

static const struct {
    const char *line, *symbol, *dso;
    uint64_t address;
} frames[] = {
    {"\t          401b97 main+0x1f (/usr/bin/x)", "main", "/usr/bin/x", 0x401b97},
    {"ffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])", "native_write_msr_safe",
     "[kernel.kallsyms]", 0xffffffff8103d0ca},
    {"\t 1000 std::function<void (int)>::operator()(int) const+0xabc (/tmp/a b (1).so)",
     "std::function<void (int)>::operator()(int) const", "/tmp/a b (1).so", 0x1000},
    {"\t 1000 [unknown] (/memfd:x (deleted))", "", "/memfd:x (deleted)", 0x1000},
    {"\t 1000 foo+0x1 (/memfd:x (deleted))", "foo", "/memfd:x (deleted)", 0x1000},
    {"\t               0 [unknown] ([unknown])", "", "", 0},
    {"\t 1000 a->b (/tmp/perf-1.map)", "a->b", "/tmp/perf-1.map", 0x1000},
    {"\t 1000 name+0xZZ (/x)", "name+0xZZ", "/x", 0x1000},
    {"            2ab0\tmain (/data/a.out)", "main", "/data/a.out", 0x2ab0},
    {"\t    7f12\r", "", "", 0x7f12},
};

static void check_frames(void)
{
    struct ff_script_frame frame;
    struct ff_text file;
    uint32_t line;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        CHECK(ff_script_frame(ff_text(frames[i].line), false, &frame));
        CHECK_TEXT(frame.symbol, frames[i].symbol);
        CHECK_TEXT(frame.dso, frames[i].dso);
        CHECK_NUMBER(frame.address, frames[i].address);
    }
    CHECK(ff_script_frame(FF_TEXT("\t 1000 f (inlined)"), false, &frame) && frame.inlined);
    CHECK(!ff_script_frame(FF_TEXT("main (/x)"), false, &frame));
    CHECK(!ff_script_frame(FF_TEXT("\tmain"), false, &frame));
    CHECK(ff_script_frame(FF_TEXT("\tmain"), true, &frame) && frame.symbol.size == 4);
    CHECK(ff_script_srcline(FF_TEXT("  main.c:12"), &file, &line) && line == 12);
    CHECK_TEXT(file, "main.c");
    CHECK(ff_script_srcline(FF_TEXT("  ??:0"), &file, &line) && !line && !file.size);
    CHECK(ff_script_srcline(FF_TEXT("  libc.so.6[28f3]"), &file, &line) && !file.size);
    CHECK(!ff_script_srcline(FF_TEXT("main.c:12"), &file, &line));
}

static struct ff_profile *read_text(struct ff_text text)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_selection selection = {0};
    struct ff_input input;
    text_input(&input, "text", text);
    ff_perf_script_read(profile, &input, FF_TEXT("text"),
                        &(struct ff_script_options){.selection = &selection});
    ff_input_close(&input);
    return profile;
}

struct sum {
    uint64_t samples, weight;
};

static struct sum sum_of(const struct ff_profile *profile)
{
    struct sum sum = {0, 0};
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        sum.samples += profile->samples.at[i].count / FF_COUNT_ONE;
        sum.weight += profile->samples.at[i].weight;
    }
    return sum;
}

/* Counts from facts about the texts: samples that end in a blank line (their authors' README), plus
 * one where the last does not; periods added up by awk. */
static const struct {
    const char *file;
    uint64_t samples, weight;
} texts[] = {
    {"flamegraph/perf-cycles-instructions-01.txt", 444, 444},
    {"flamegraph/perf-funcab-cmd-01.txt", 169, 169},
    {"flamegraph/perf-funcab-pid-01.txt", 228, 228},
    {"flamegraph/perf-iperf-stacks-pidtid-01.txt", 201, 201},
    {"flamegraph/perf-java-faults-01.txt", 23, 200},
    {"flamegraph/perf-java-stacks-02.txt", 2, 2},
    {"flamegraph/perf-js-stacks-01.txt", 2, 2},
    {"flamegraph/perf-mirageos-stacks-01.txt", 53, 53},
    {"flamegraph/perf-vertx-stacks-01.txt", 286, 0},
    {"inferno/empty-line.txt", 2, 500000},
};

static char *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(2 << 20) : NULL;
    *size = text ? fread(text, 1, 2 << 20, file) : 0;
    if (file)
        fclose(file);
    return text;
}

static void check_texts(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char path[512], below[256];
        size_t size;
        snprintf(below, sizeof below, "corpora/folding/%s", texts[i].file);
        char *text = load(shared_path(path, sizeof path, below), &size);
        struct ff_profile *profile = read_text((struct ff_text){text, size});
        struct sum sum = sum_of(profile);
        CHECK_NUMBER(sum.samples, texts[i].samples);
        CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES), texts[i].samples);
        CHECK_NUMBER(ff_ledger_grade_count(profile, FF_GRADE_LOSS), 0);
        if (texts[i].weight)
            CHECK_NUMBER(sum.weight, texts[i].weight);
        ff_profile_free(profile);
        free(text);
    }
}

/* Cut anywhere: never more samples than before, never an event or a thread that was not there. */
static void check_cuts(struct ff_text text)
{
    struct ff_profile *whole = read_text(text);
    struct sum all = sum_of(whole);
    int failed = check_failed;
    for (size_t size = 0; size < text.size && failed == check_failed; size++) {
        struct ff_profile *part = read_text(ff_text_slice(text, 0, size));
        struct sum sum = sum_of(part);
        CHECK(sum.samples <= all.samples && sum.weight <= all.weight);
        CHECK_NUMBER(ff_ledger_count(part, 0, FF_LEDGER_SAMPLES), sum.samples);
        for (uint32_t i = 1; i < part->events.count; i++)
            CHECK(ff_intern_find(&whole->texts, ff_profile_text(part, part->events.at[i].name)));
        for (uint32_t i = 1; i < part->threads.count; i++)
            CHECK(ff_intern_find(&whole->texts, ff_profile_text(part, part->threads.at[i].comm)));
        if (check_failed > failed)
            fprintf(stderr, "  cut at %zu of %zu\n", size, text.size);
        ff_profile_free(part);
    }
    ff_profile_free(whole);
}

/* The same stack by any way through the reader: as a body, line by line, known by its end. */
static void check_ways(void)
{
    static const char text[] =
        "x 1/1 1.0: 5 cycles:\n\t1010 a (/x)\n\t2010 b (/x)\n\t3010 c (/x)\n\n"
        "x 1/1 2.0: 5 cycles:\n\t1110 d (/x)\n\t2010 b (/x)\n\t3010 c (/x)\n\n"
        "x 1/1 3.0: 5 cycles:\n\t1010 a (/x)\n\t2010 b (/x)\n\t3010 c (/x)\n\n"
        "x 1/1 4.0: 5 cycles:\n\t2010 b (/x)\n\t3010 c (/x)\n\n"
        "x 1/1 5.0: 5 cycles:\n\t1010 a (/x)\n\t2010 b (/x)\n\t3010 c (/x)\n \n"
        "x 1/1 6.0: 5 cycles:\n\t1110 d (/x)\n\t2010 b (/x)\n\t3010 c (/x)\n";
    struct ff_profile *profile = read_text(FF_TEXT(text));
    /* c;b;a three times, c;b;d twice, and b where the thread stood, which is another place. */
    CHECK_NUMBER(profile->samples.count, 4);
    CHECK_NUMBER(profile->samples.at[1].count, 3 * FF_COUNT_ONE);
    CHECK_NUMBER(profile->samples.at[2].count, 2 * FF_COUNT_ONE);
    CHECK_NUMBER(profile->samples.at[3].count, FF_COUNT_ONE);
    CHECK_NUMBER(profile->stacks.count, 6);
    CHECK_NUMBER(profile->sources.at[1].start_ns, 1000000000);
    CHECK_NUMBER(profile->sources.at[1].end_ns, 6000000000);
    ff_profile_free(profile);
    check_cuts(FF_TEXT(text));
}

/* perf script -F comm,tid,event: no time, no frames, no blank lines. Comms that look like addresses. */
static void check_untimed(void)
{
    struct ff_profile *profile = read_text(FF_TEXT("            x 12 12222 cpu-clock: \n"
                                                   "             a b 12221 cpu-clock: \n"
                                                   "               1 12225 page-faults: \n"
                                                   "            x 12 12222 cpu-clock: \n"));
    CHECK_NUMBER(sum_of(profile).samples, 4);
    CHECK_NUMBER(profile->samples.count, 4);
    CHECK_NUMBER(profile->samples.at[1].count, 2 * FF_COUNT_ONE);
    CHECK_TEXT(ff_profile_text(profile, profile->threads.at[2].comm), "a b");
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_NO_FRAMES), 4);
    ff_profile_free(profile);
    /* With frames, blank lines part the samples. */
    profile = read_text(FF_TEXT("12222 cpu-clock: \n\t            119e leaf\n\t  123c run\n\n"
                                "12222 cpu-clock: \n\t            119e leaf\n\t  123c run\n\n"));
    CHECK_NUMBER(profile->samples.count, 2);
    CHECK_NUMBER(profile->samples.at[1].count, 2 * FF_COUNT_ONE);
    CHECK_NUMBER(profile->stacks.count, 3);
    ff_profile_free(profile);
}

int main(void)
{
    char path[512];
    check_heads();
    check_untimed();
    check_frames();
    check_ways();
    if (access(shared_path(path, sizeof path, "corpora/folding"), R_OK) != 0) {
        SKIP("needs the shared corpora");
        return check_result();
    }
    size_t size;
    char *text =
        load(shared_path(path, sizeof path, "corpora/folding/inferno/empty-line.txt"), &size);
    check_cuts((struct ff_text){text, size});
    free(text);
    text =
        load(shared_path(path, sizeof path, "corpora/folding/flamegraph/perf-java-stacks-02.txt"),
             &size);
    check_cuts((struct ff_text){text, size});
    free(text);
    check_texts();
    return check_result();
}
