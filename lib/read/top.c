/* SPDX-License-Identifier: MIT
 *
 * `top -H -b` into facts of threads. The hard thing: with -H the column PID holds thread ids, and
 * which process they are of stands nowhere unless the column TGID was chosen.
 */
#include "read/side.h"

static const struct ff_side_column columns[] = {
    {"PID", NULL, NULL, FF_SIDE_THREAD},
    {"TGID", NULL, NULL, FF_SIDE_PROCESS},
    {"COMMAND", NULL, NULL, FF_SIDE_COMMAND},
    {"S", "state", NULL, FF_SIDE_WORD},
    {"%CPU", "cpu-share", "ppm", FF_SIDE_SHARE},
    {"%CUU", "cpu-share-lifetime", "ppm", FF_SIDE_SHARE},
    {"%CUC", "cpu-share-lifetime-children", "ppm", FF_SIDE_SHARE},
    {"TIME", "cpu-time", "ns", FF_SIDE_TIME},
    {"TIME+", "cpu-time", "ns", FF_SIDE_TIME},
    {"P", "cpu", "number", FF_SIDE_NUMBER},
    {"nTH", "threads", "threads", FF_SIDE_NUMBER},
    {"%MEM", "memory-share", "ppm", FF_SIDE_SHARE},
    {"VIRT", "memory-virtual", "bytes", FF_SIDE_KIB},
    {"RES", "memory-resident", "bytes", FF_SIDE_KIB},
    {"SHR", "memory-shared", "bytes", FF_SIDE_KIB},
    {"nMin", "faults-minor", "faults", FF_SIDE_NUMBER},
    {"nMaj", "faults-major", "faults", FF_SIDE_NUMBER},
    {"WCHAN", "wait-channel", NULL, FF_SIDE_WORD},
    {0},
};

#define SECOND UINT64_C(1000000000)

enum { PHASE_SUMMARY, PHASE_ROWS };

static bool begins(struct ff_text line)
{
    return ff_text_starts(line, FF_TEXT("top - "));
}

/* "top - 15:07:35 up 0 min,  0 user,  load average: 0.72, 0.18, 0.06" */
static void first_line(struct ff_side *side, struct ff_text line)
{
    static const char *const spans[] = {"1 min", "5 min", "15 min"};
    uint64_t value;
    struct ff_text rest = ff_text_from(line, 6);
    if (ff_side_clock(ff_side_cut_word(&rest), &value))
        ff_side_fact(side, 0, "time-of-day", 0, value * SECOND, "ns");
    ptrdiff_t load = ff_text_find_text(rest, FF_TEXT("load average:"));
    if (load < 0)
        return;
    rest = ff_text_from(rest, (size_t)load + 13);
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        struct ff_text word = ff_side_cut_word(&rest);
        if (ff_text_ends(word, FF_TEXT(",")))
            word.size--;
        if (ff_side_scaled(word, 1000000, &value))
            ff_side_fact(side, 0, "load-average",
                         ff_profile_intern(side->profile, ff_text(spans[i])), value, "ppm");
    }
}

/* "%Cpu(s):  4.6 us,  3.1 sy, ...": a number and what it is, seven or eight times. */
static void cpu_line(struct ff_side *side, struct ff_text line)
{
    uint64_t value;
    struct ff_text rest = line;
    ff_text_cut(&rest, ':');
    while (rest.size) {
        struct ff_text number = ff_side_cut_word(&rest), what = ff_side_cut_word(&rest);
        if (ff_text_ends(what, FF_TEXT(",")))
            what.size--;
        if (what.size && ff_side_scaled(number, 10000, &value))
            ff_side_fact(side, 0, "system-cpu", ff_profile_intern(side->profile, what), value,
                         "ppm");
    }
}

static bool row(struct ff_side *side, struct ff_text line)
{
    uint32_t tid, pid = 0;
    if (!ff_side_row_number(side, line, FF_SIDE_THREAD, &tid))
        return false;
    ff_side_row_number(side, line, FF_SIDE_PROCESS, &pid);
    ff_side_row(side, ff_side_thread(side, pid, tid, ff_side_row_command(side, line)), 0, line);
    return true;
}

/* A summary, a blank line, a head, rows, a blank line. */
static bool take(struct ff_side *side, struct ff_text line)
{
    if (begins(line)) {
        side->phase = PHASE_SUMMARY;
        first_line(side, line);
        return true;
    }
    if (ff_text_starts(line, FF_TEXT("%Cpu(s):"))) {
        cpu_line(side, line);
        return true;
    }
    struct ff_text rest = line;
    struct ff_text word = ff_side_cut_word(&rest);
    bool head = false;
    for (; word.size && !head; word = ff_side_cut_word(&rest))
        head = ff_text_equal(word, FF_TEXT("PID"));
    if (side->phase == PHASE_SUMMARY && head) {
        ff_side_head(side, columns, line);
        side->phase = PHASE_ROWS;
        return true;
    }
    return side->phase == PHASE_SUMMARY || row(side, line);
}

const struct ff_side_format ff_side_top = {FF_TOOL_TOP, begins, take, NULL};
