/* SPDX-License-Identifier: MIT
 *
 * `pidstat -t` into facts of processes and threads. The hard thing is the time before each row: one
 * word, two with AM or PM, seconds since 1970 with -h, or "Average:"; and a thread's row does not
 * repeat its process, which is that of the row above.
 */
#include "read/side.h"

#include <stdio.h>

static const struct ff_side_column columns[] = {
    {"TGID", NULL, NULL, FF_SIDE_PROCESS},
    {"TID", NULL, NULL, FF_SIDE_THREAD},
    {"PID", NULL, NULL, FF_SIDE_PROCESS}, /* without -t */
    {"Command", NULL, NULL, FF_SIDE_COMMAND},
    {"%usr", "cpu-share-user", "ppm", FF_SIDE_SHARE},
    {"%system", "cpu-share-system", "ppm", FF_SIDE_SHARE},
    {"%guest", "cpu-share-guest", "ppm", FF_SIDE_SHARE},
    {"%wait", "cpu-share-wait", "ppm", FF_SIDE_SHARE},
    {"%CPU", "cpu-share", "ppm", FF_SIDE_SHARE},
    {"CPU", "cpu", "number", FF_SIDE_NUMBER},
    {"usr-ms", "cpu-time-user", "ms", FF_SIDE_NUMBER},
    {"system-ms", "cpu-time-system", "ms", FF_SIDE_NUMBER},
    {"guest-ms", "cpu-time-guest", "ms", FF_SIDE_NUMBER},
    {"cswch/s", "switches-voluntary", "mHz", FF_SIDE_RATE},
    {"nvcswch/s", "switches-involuntary", "mHz", FF_SIDE_RATE},
    {"minflt/s", "faults-minor-rate", "mHz", FF_SIDE_RATE},
    {"majflt/s", "faults-major-rate", "mHz", FF_SIDE_RATE},
    {"VSZ", "memory-virtual", "bytes", FF_SIDE_KIB},
    {"RSS", "memory-resident", "bytes", FF_SIDE_KIB},
    {"%MEM", "memory-share", "ppm", FF_SIDE_SHARE},
    {"threads", "threads", "threads", FF_SIDE_NUMBER},
    {"fd-nr", "open-files", "files", FF_SIDE_NUMBER},
    {"iodelay", "io-delay", "ticks", FF_SIDE_NUMBER},
    {0},
};

/* "Linux 6.18.0 (host) 	11/29/2026 	_x86_64_	(32 CPU)" */
static bool begins(struct ff_text line)
{
    return ff_text_starts(line, FF_TEXT("Linux ")) && ff_text_find_text(line, FF_TEXT("(")) > 0 &&
           ff_text_ends(ff_text_trim(line), FF_TEXT(" CPU)"));
}

static void first_line(struct ff_side *side, struct ff_text line)
{
    struct ff_text rest = line;
    ff_text_cut(&rest, '(');
    struct ff_text host = ff_text_cut(&rest, ')');
    side->profile->sources.at[side->source].host = ff_profile_intern(side->profile, host);
}

enum stamp { STAMP_NONE, STAMP_DAY, STAMP_EPOCH, STAMP_AVERAGE };

/* Cuts the time off *line. */
static enum stamp cut_stamp(struct ff_text *line, uint64_t *seconds)
{
    struct ff_text rest = *line;
    struct ff_text word = ff_side_cut_word(&rest);
    enum stamp stamp = STAMP_NONE;
    if (ff_text_equal(word, FF_TEXT("Average:")) || ff_text_equal(word, FF_TEXT("#"))) {
        stamp = STAMP_AVERAGE;
    } else if (ff_side_clock(word, seconds)) {
        struct ff_text behind = rest;
        struct ff_text half = ff_side_cut_word(&behind);
        bool afternoon = ff_text_equal(half, FF_TEXT("PM"));
        stamp = STAMP_DAY;
        if (afternoon || ff_text_equal(half, FF_TEXT("AM"))) {
            rest = behind;
            *seconds = *seconds % 43200 + (afternoon ? 43200 : 0);
        }
    } else if (ff_text_decimal(word, seconds) && *seconds >= 1000000000 && *seconds <= UINT32_MAX) {
        stamp = STAMP_EPOCH;
    }
    if (stamp)
        *line = rest;
    return stamp;
}

/* The head has a column Command, and no row ends in that word alone. */
static bool is_head(struct ff_text line)
{
    return ff_text_ends(ff_text_trim(line), FF_TEXT(" Command")) &&
           (ff_text_find_text(line, FF_TEXT("TID ")) > 0 ||
            ff_text_find_text(line, FF_TEXT("PID ")) > 0);
}

/* Two tables of one interval have one time. */
static void tell_time(struct ff_side *side, enum stamp stamp, uint64_t seconds)
{
    if ((stamp != STAMP_DAY && stamp != STAMP_EPOCH) || side->clock == seconds)
        return;
    side->clock = seconds;
    ff_side_fact(side, 0, stamp == STAMP_DAY ? "time-of-day" : "time", 0,
                 seconds * UINT64_C(1000000000), "ns");
}

static struct ff_text command_of(struct ff_side *side, struct ff_text row)
{
    struct ff_text command = ff_side_row_command(side, row);
    return ff_text_starts(command, FF_TEXT("|__")) ? ff_text_from(command, 3) : command;
}

static bool take_row(struct ff_side *side, struct ff_text row, bool average)
{
    uint32_t pid = 0, tid = 0, subject = 0;
    char text[32];
    bool process = ff_side_row_number(side, row, FF_SIDE_PROCESS, &pid);
    bool thread = ff_side_row_number(side, row, FF_SIDE_THREAD, &tid);
    if (!process && !thread)
        return false;
    side->owner = process ? pid : side->owner;
    if (!thread) {
        snprintf(text, sizeof text, "process %u%s", pid, average ? " average" : "");
        subject = ff_profile_intern(side->profile, ff_text(text));
    } else if (average) {
        subject = ff_profile_intern(side->profile, FF_TEXT("average"));
    }
    ff_side_row(side, thread ? ff_side_thread(side, side->owner, tid, command_of(side, row)) : 0,
                subject, row);
    return true;
}

static bool take(struct ff_side *side, struct ff_text line)
{
    uint64_t seconds = 0;
    struct ff_text row = line;
    if (begins(line)) {
        first_line(side, line);
        return true;
    }
    enum stamp stamp = cut_stamp(&row, &seconds);
    if (is_head(line)) {
        struct ff_text rest = row;
        struct ff_text word = ff_side_cut_word(&rest);
        bool named = ff_text_equal(word, FF_TEXT("Time"));
        ff_side_head(side, columns, named ? rest : row);
        side->owner = 0;
        return true;
    }
    if (!stamp || !side->column_count)
        return false;
    tell_time(side, stamp, seconds);
    return take_row(side, row, stamp == STAMP_AVERAGE);
}

const struct ff_side_format ff_side_pidstat = {FF_TOOL_PIDSTAT, begins, take, NULL};
