/* SPDX-License-Identifier: MIT
 *
 * Lines that `perf script` prints, taken apart.
 */
#ifndef FF_TESTS_PERF_TEXT_H
#define FF_TESTS_PERF_TEXT_H

#include "base/text.h"

/* A line of a stack; symbol without its +0xOFFSET, UINT64_MAX where there is none. */
struct frame {
    struct ff_text symbol, module;
    uint64_t address, offset;
};

/* "  10e90b __sched_yield+0xb (/usr/lib/libc.so.6)" */
static inline bool parse_frame(struct ff_text line, struct frame *frame)
{
    line = ff_text_trim(line);
    ptrdiff_t open = -1;
    for (size_t i = 0; i + 1 < line.size; i++)
        open = line.at[i] == ' ' && line.at[i + 1] == '(' ? (ptrdiff_t)i : open;
    if (open < 0 || !ff_text_ends(line, FF_TEXT(")")))
        return false;
    frame->module = ff_text_slice(line, (size_t)open + 2, line.size - 1);
    struct ff_text rest = ff_text_slice(line, 0, (size_t)open);
    if (!ff_text_hex(ff_text_cut(&rest, ' '), &frame->address))
        return false;
    ptrdiff_t plus = ff_text_find_last(rest, '+');
    frame->offset = UINT64_MAX;
    if (plus > 0 && ff_text_starts(ff_text_from(rest, (size_t)plus), FF_TEXT("+0x"))) {
        ff_text_hex(ff_text_from(rest, (size_t)plus + 3), &frame->offset);
        rest = ff_text_slice(rest, 0, (size_t)plus);
    }
    frame->symbol = rest;
    return true;
}

/* "python3   630    51.409120:    5025125 cpu-clock: ", from its end: a comm may hold blanks. */
static inline bool parse_head(struct ff_text line, struct ff_text *comm, uint64_t *tid)
{
    for (int word = 0; word < 3; word++) {
        line = ff_text_trim(line);
        line = ff_text_slice(line, 0, (size_t)(ff_text_find_last(line, ' ') + 1));
    }
    line = ff_text_trim(line);
    ptrdiff_t blank = ff_text_find_last(line, ' ');
    if (blank < 0 || !ff_text_decimal(ff_text_from(line, (size_t)blank + 1), tid))
        return false;
    *comm = ff_text_trim(ff_text_slice(line, 0, (size_t)blank));
    return true;
}

#endif
