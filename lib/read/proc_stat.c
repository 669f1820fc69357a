/* SPDX-License-Identifier: MIT
 *
 * `/proc/PID/task/TID/stat` lines into facts. The hard thing: the name between the parentheses may
 * hold any character, so fields are counted from the last parenthesis.
 */
#include "read/side.h"

/* Fields by their numbers in proc(5), from 1; the 3rd is the first behind the name. */
static const struct {
    uint32_t field;
    const char *fact, *unit;
} fields[] = {
    {10, "faults-minor", "faults"},  {12, "faults-major", "faults"},
    {14, "cpu-time-user", "ticks"},  {15, "cpu-time-system", "ticks"},
    {20, "threads", "threads"},      {22, "start-time", "ticks"},
    {23, "memory-virtual", "bytes"}, {24, "memory-resident", "pages"},
    {39, "cpu", "number"},           {42, "io-delay", "ticks"},
};

#define FIELDS sizeof fields / sizeof *fields

/* A line as its file has it, behind `PATH:` of grep, behind a time stamp in seconds. */
struct stat_line {
    uint32_t pid, tid; /* pid 0: not told */
    uint64_t stamp;    /* ns; 0 none */
    struct ff_text comm, rest;
};

/* "/proc/627/task/630/stat:" tells the process. */
static void cut_path(struct stat_line *stat, struct ff_text *line)
{
    uint64_t pid;
    struct ff_text rest = *line;
    struct ff_text path = ff_text_cut(&rest, ':');
    ptrdiff_t proc = ff_text_find_text(path, FF_TEXT("/proc/"));
    if (!rest.at || proc < 0)
        return;
    path = ff_text_from(path, (size_t)proc + 6);
    if (ff_text_decimal(ff_text_cut(&path, '/'), &pid) && pid <= UINT32_MAX)
        stat->pid = (uint32_t)pid;
    *line = rest;
}

static bool parse(struct ff_text line, struct stat_line *stat)
{
    uint64_t tid;
    *stat = (struct stat_line){0};
    cut_path(stat, &line);
    struct ff_text rest = line;
    struct ff_text word = ff_side_cut_word(&rest);
    if (ff_text_find(word, '.') > 0 && ff_side_scaled(word, 1000000000, &stat->stamp))
        word = ff_side_cut_word(&rest);
    ptrdiff_t open = ff_text_find(rest, '('), close = ff_text_find_last(rest, ')');
    if (!ff_text_decimal(word, &tid) || tid > UINT32_MAX || open != 1 || close < open)
        return false;
    stat->tid = (uint32_t)tid;
    stat->comm = ff_text_slice(rest, (size_t)open + 1, (size_t)close);
    stat->rest = ff_text_from(rest, (size_t)close + 1);
    struct ff_text behind = stat->rest;
    uint64_t parent, group;
    return ff_side_cut_word(&behind).size == 1 &&
           ff_text_decimal(ff_side_cut_word(&behind), &parent) &&
           ff_text_decimal(ff_side_cut_word(&behind), &group);
}

static bool begins(struct ff_text line)
{
    struct stat_line stat;
    return parse(line, &stat);
}

static bool take(struct ff_side *side, struct ff_text line)
{
    struct stat_line stat;
    uint32_t at = 0;
    if (!parse(line, &stat))
        return false;
    uint32_t thread = ff_side_thread(side, stat.pid, stat.tid, stat.comm);
    if (stat.stamp)
        ff_side_fact(side, thread, "time", 0, stat.stamp, "ns");
    ff_side_word(side, thread, "state", 0, ff_side_cut_word(&stat.rest));
    for (uint32_t field = 4;; field++) {
        uint64_t value;
        struct ff_text word = ff_side_cut_word(&stat.rest);
        if (!word.size)
            break;
        if (at == FIELDS || field != fields[at].field) {
            side->cells_unused++;
        } else if (ff_text_decimal(word, &value)) {
            ff_side_fact(side, thread, fields[at].fact, 0, value, fields[at].unit);
            at++;
        } else {
            side->cells_bad++;
            at++;
        }
    }
    side->cells_missing += FIELDS - at;
    return true;
}

const struct ff_side_format ff_side_stat = {FF_TOOL_PROC, begins, take, NULL};
