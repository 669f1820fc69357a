/* SPDX-License-Identifier: MIT
 *
 * Side files from texts made here: pidstat's clocks, odd columns, several formats in one file, what
 * is left out. The captures' files are checked by tests/side_facts.py.
 */
#include "check.h"
#include "text_input.h"

#include "base/output.h"
#include "read/side.h"

static struct ff_profile *read_side(const char *text, const struct ff_side_format *format,
                                    enum ff_status expected)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_input input;
    text_input(&input, "side", ff_text(text));
    CHECK_NUMBER(ff_side_read(profile, &input, "side", format, 0), expected);
    ff_input_close(&input);
    return profile;
}

/* The facts as "tid:comm name subject value unit word" lines. */
static void check_facts(const char *text, const struct ff_side_format *format, const char *expected)
{
    struct ff_profile *profile = read_side(text, format, FF_OK);
    struct ff_output got;
    ff_output_memory(&got);
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact *fact = &profile->facts.at[i];
        const struct ff_thread *thread = &profile->threads.at[fact->thread];
        const uint32_t texts[] = {fact->name, fact->subject, fact->unit, fact->text};
        if (fact->thread)
            ff_output_format(&got, "%u/%u:%.*s ", profile->processes.at[thread->process].pid,
                             thread->tid, FF_TEXT_ARGS(ff_profile_text(profile, thread->comm)));
        ff_output_format(
            &got, "%.*s %.*s=%llu%.*s%.*s\n", FF_TEXT_ARGS(ff_profile_text(profile, texts[0])),
            FF_TEXT_ARGS(ff_profile_text(profile, texts[1])), (unsigned long long)fact->value,
            FF_TEXT_ARGS(ff_profile_text(profile, texts[2])),
            FF_TEXT_ARGS(ff_profile_text(profile, texts[3])));
    }
    CHECK_TEXT(((struct ff_text){got.buffer, got.used}), expected);
    struct ff_error error = {0};
    ff_output_close(&got, &error);
    ff_profile_free(profile);
}

static const char pidstat_12[] =
    "Linux 6.1.0 (box) \t11/29/2026 \t_x86_64_\t(32 CPU)\n\n"
    "12:07:35 AM   UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
    "12:07:36 AM     0       627         -   12.00    3.00    0.00    0.00   15.00     3  python3\n"
    "12:07:36 AM     0         -       630   11.25    1.50    0.00    0.50   12.75     3  |__my "
    "py\n\n"
    "12:07:35 PM   UID      TGID       TID   cswch/s nvcswch/s  Command\n"
    "12:07:37 PM     0         -       631      1.99      0.01  |__b\n\n"
    "Average:      UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
    "Average:        0       627         -   10.00    2.00    0.00    0.00   12.00     -  python3\n"
    "Average:        0         -       630    9,00    1.00    0.00    0.00   10.00     -  |__my "
    "py\n";

static void test_pidstat(void)
{
    check_facts(
        pidstat_12, &ff_side_pidstat,
        "time-of-day =456000000000ns\n"
        "cpu-share-user process 627=120000ppm\ncpu-share-system process 627=30000ppm\n"
        "cpu-share-guest process 627=0ppm\ncpu-share-wait process 627=0ppm\n"
        "cpu-share process 627=150000ppm\ncpu process 627=3number\n"
        "627/630:my py cpu-share-user =112500ppm\n627/630:my py cpu-share-system =15000ppm\n"
        "627/630:my py cpu-share-guest =0ppm\n627/630:my py cpu-share-wait =5000ppm\n"
        "627/630:my py cpu-share =127500ppm\n627/630:my py cpu =3number\n"
        "time-of-day =43657000000000ns\n"
        "0/631:b switches-voluntary =1990mHz\n0/631:b switches-involuntary =10mHz\n"
        "cpu-share-user process 627 average=100000ppm\n"
        "cpu-share-system process 627 average=20000ppm\n"
        "cpu-share-guest process 627 average=0ppm\ncpu-share-wait process 627 average=0ppm\n"
        "cpu-share process 627 average=120000ppm\n"
        "627/630:my py cpu-share-user average=90000ppm\n"
        "627/630:my py cpu-share-system average=10000ppm\n"
        "627/630:my py cpu-share-guest average=0ppm\n"
        "627/630:my py cpu-share-wait average=0ppm\n"
        "627/630:my py cpu-share average=100000ppm\n");
    check_facts("Linux 6.1.0 (box) \t11/29/2026 \t_x86_64_\t(32 CPU)\n\n"
                "# Time        UID      TGID       TID    %usr   %CPU   CPU  Command\n"
                "1795964843      0       627         -    1.00   2.00     3  python3\n"
                "1795964843      0         -       630    1.00   2.00     3  |__python3\n",
                &ff_side_pidstat,
                "time =1795964843000000000ns\ncpu-share-user process 627=10000ppm\n"
                "cpu-share process 627=20000ppm\ncpu process 627=3number\n"
                "627/630:python3 cpu-share-user =10000ppm\n627/630:python3 cpu-share =20000ppm\n"
                "627/630:python3 cpu =3number\n");
    struct ff_profile *profile = read_side(pidstat_12, &ff_side_pidstat, FF_OK);
    CHECK_TEXT(ff_profile_text(profile, profile->sources.at[1].host), "box");
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_VALUES_MISSING), 2);
    ff_profile_free(profile);
}

/* Columns in another order, a process column, a command line, long times. */
static void test_top(void)
{
    check_facts("top - 23:59:59 up 1 day\n\n"
                "  S   TGID  PID  TIME+     %CPU    RES   nTH COMMAND\n"
                "  R    627  630  123:45    99,9   1.5t    46 python3 a b\n"
                "  S      1    1  99,12      0.0      8     1 init\n"
                "  S      2    2  5h         0.0      8     1 old\n",
                &ff_side_top,
                "time-of-day =86399000000000ns\n"
                "627/630:python3 a b state =0R\n627/630:python3 a b cpu-time =7425000000000ns\n"
                "627/630:python3 a b cpu-share =999000ppm\n"
                "627/630:python3 a b memory-resident =1649267441664bytes\n"
                "627/630:python3 a b threads =46threads\n"
                "1/1:init state =0S\n1/1:init cpu-time =357120000000000ns\n"
                "1/1:init cpu-share =0ppm\n1/1:init memory-resident =8192bytes\n"
                "1/1:init threads =1threads\n"
                "2/2:old state =0S\n2/2:old cpu-time =18000000000000ns\n2/2:old cpu-share =0ppm\n"
                "2/2:old memory-resident =8192bytes\n2/2:old threads =1threads\n");
}

/* The name of a thread may hold anything; a grep of many files tells the process. */
static void test_proc(void)
{
    check_facts("/proc/627/task/630/stat:630 (a) R (b) S 613 611 575 0 -1 64 5 0 6 0 7 8 0\n",
                &ff_side_stat,
                "627/630:a) R (b state =0S\n627/630:a) R (b faults-minor =5faults\n"
                "627/630:a) R (b faults-major =6faults\n627/630:a) R (b cpu-time-user =7ticks\n"
                "627/630:a) R (b cpu-time-system =8ticks\n");
    check_facts("/proc/627/task/630/comm:my py\n631 b\n", &ff_side_comms,
                "627/630:my py comm =0my py\n0/631:b comm =0b\n");
    check_facts("00400000-00420000 r-xp 00000000 fe:00 79246    /a b (deleted)\n"
                "7f00-7f10 rw-p 00000000 00:00 0 \n",
                &ff_side_maps,
                "0/0: mapping /a b (deleted)=000400000-00420000 r-xp 00000000 fe:00 79246\n"
                "0/0: mapping =07f00-7f10 rw-p 00000000 00:00 0\n");
}

/* A renamed thread is two rows; the same name again is the first. */
static void test_renamed(void)
{
    struct ff_profile *profile = read_side("630 a\n630 b\n630 a\n630 b\n", &ff_side_comms, FF_OK);
    CHECK_NUMBER(profile->threads.count - 1, 2);
    CHECK_NUMBER(profile->facts.at[3].thread, profile->facts.at[1].thread);
    CHECK_NUMBER(profile->facts.at[4].thread, profile->facts.at[2].thread);
    ff_profile_free(profile);
}

/* Which GPU a row is of: told, deduced, or not known. */
static void test_gpus(void)
{
    static const char rows[] = "utilization.gpu [%], power.draw [W], fan.speed [%], ecc.mode\n"
                               "29 %, 198.34 W, [N/A], Enabled\n10 %, 1 W, 5 %, Enabled\n";
    static const char facts[] = "gpu-util %s 0=290000ppm\ngpu-power %s 0=198340mW\n"
                                "gpu-ecc.mode %s 0=0Enabled\ngpu-util %s 1=100000ppm\n"
                                "gpu-power %s 1=1000mW\ngpu-fan.speed %s 1=50000ppm\n"
                                "gpu-ecc.mode %s 1=0Enabled\n";
    static const char dmon[] = "# gpu     sm \n# Idx      % \n    0      0 \n    1      - \n";
    char expected[600], text[600];
    snprintf(expected, sizeof expected, facts, "row", "row", "row", "row", "row", "row", "row");
    check_facts(rows, &ff_side_gpu_query, expected);
    snprintf(text, sizeof text, "%s%s", dmon, rows);
    int used = snprintf(expected, sizeof expected, "gpu-util gpu 0=0ppm\n");
    snprintf(expected + used, sizeof expected - (size_t)used, facts, "gpu", "gpu", "gpu", "gpu",
             "gpu", "gpu", "gpu");
    check_facts(text, &ff_side_dmon, expected);
    /* One row more than GPUs: nothing is known. */
    snprintf(text, sizeof text, "%s%s3 %%, 1 W, 5 %%, Enabled\n", dmon, rows);
    struct ff_profile *profile = read_side(text, &ff_side_dmon, FF_OK);
    CHECK_TEXT(ff_profile_text(profile, profile->facts.at[2].subject), "row 0");
    ff_profile_free(profile);
    check_facts(
        "timestamp, uuid, memory.used [MiB]\n2026/11/29 16:38:29.123, GPU-1, 3\n",
        &ff_side_gpu_query,
        "local-time gpu GPU-1=1795970309123000000ns\ngpu-memory-used gpu GPU-1=3145728bytes\n");
}

/* Two tools in one file are two sources; what fits nowhere is counted, and named once. */
static void test_parts(void)
{
    struct ff_profile *profile = read_side(
        "627 python3\n# gpu     sm \n# Idx      % \n    0     26 \nnonsense\n    x      1\n"
        "    0     99x\n",
        &ff_side_comms, FF_BAD_INPUT);
    CHECK_NUMBER(profile->sources.count - 1, 2);
    CHECK_NUMBER(profile->sources.at[1].tool, FF_TOOL_PROC);
    CHECK_NUMBER(profile->sources.at[2].tool, FF_TOOL_NVIDIA_SMI);
    CHECK_NUMBER(profile->facts.count - 1, 2);
    CHECK_NUMBER(profile->facts.at[2].source, 2);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_LINES), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 2, FF_LEDGER_LINES), 6);
    CHECK_NUMBER(ff_ledger_count(profile, 2, FF_LEDGER_LINES_STRANGE), 2);
    CHECK_NUMBER(ff_ledger_count(profile, 2, FF_LEDGER_VALUES_BAD), 1);
    CHECK(strstr(profile->error.message, "line 5: "));
    ff_profile_free(profile);
}

/* Cut at any byte: no crash, and each line is a fact, unused or strange. */
static void check_cuts(const char *text, const struct ff_side_format *format)
{
    size_t size = strlen(text);
    for (size_t cut = 0; cut <= size; cut++) {
        struct ff_profile *profile = ff_profile_new();
        struct ff_input input;
        text_input(&input, "side", (struct ff_text){text, cut});
        ff_side_read(profile, &input, "side", format, 0);
        uint64_t lines = 0, counted = 0;
        for (uint32_t source = 1; source < profile->sources.count; source++) {
            lines += ff_ledger_count(profile, source, FF_LEDGER_LINES);
            counted += ff_ledger_count(profile, source, FF_LEDGER_LINES_FACTS) +
                       ff_ledger_count(profile, source, FF_LEDGER_LINES_UNUSED) +
                       ff_ledger_count(profile, source, FF_LEDGER_LINES_STRANGE);
        }
        uint64_t expected = cut && text[cut - 1] != '\n';
        for (size_t i = 0; i < cut; i++)
            expected += text[i] == '\n';
        CHECK(lines == expected && counted == expected);
        ff_input_close(&input);
        ff_profile_free(profile);
    }
}

static void check_capture(const char *below, const struct ff_side_format *format)
{
    static char text[6000];
    char path[1000];
    FILE *file = fopen(shared_path(path, sizeof path, below), "r");
    if (!file) {
        SKIP("the shared captures are not here");
        return;
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    check_cuts(text, format);
}

int main(void)
{
    test_pidstat();
    test_top();
    test_proc();
    test_renamed();
    test_gpus();
    test_parts();
    check_cuts(pidstat_12, &ff_side_pidstat);
    check_capture("captures/gil-convoy/top.txt", &ff_side_top);
    check_capture("captures/gil-convoy/gpu.txt", &ff_side_dmon);
    check_capture("captures/gil-convoy/smi.txt", &ff_side_gpu_table);
    check_capture("captures/gil-convoy/stat.0", &ff_side_stat);
    check_capture("captures/gil-convoy/threads", &ff_side_thread_list);
    check_capture("captures/gil-convoy/comms", &ff_side_comms);
    check_capture("captures/gil-convoy/maps", &ff_side_maps);
    check_capture("captures/sync/dmon.txt", &ff_side_dmon);
    check_capture("captures/sync/gpu-query.csv", &ff_side_gpu_query);
    return check_result();
}
