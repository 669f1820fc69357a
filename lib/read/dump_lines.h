/* SPDX-License-Identifier: MIT
 *
 * The lines of a text dump: without their colours, counted, and with an end that says what was none.
 */
#ifndef FF_READ_DUMP_LINES_H
#define FF_READ_DUMP_LINES_H

#include "base/input.h"
#include "profile/profile.h"

/* Set profile and input; all else is zero at first. */
struct ff_dump_lines {
    struct ff_profile *profile;
    struct ff_input *input;
    char *plain; /* a line without its colours */
    uint32_t plain_capacity;
    bool open_end; /* the last line has no line end */
    uint64_t count, bad;
    uint64_t unused; /* the reader's to count: heads, source lines, values */
    uint64_t first_bad;
};

/* The next line without colours, which lives until the next call; FF_END behind the last. */
enum ff_status ff_dump_lines_next(struct ff_dump_lines *lines, struct ff_text *line);

/* The line at hand is no part of a dump. */
void ff_dump_lines_bad(struct ff_dump_lines *lines);

/* Writes the ledger of SOURCE and releases what is held. STATUS is what ff_dump_lines_next ended with,
 * and the answer unless it is FF_END: then FF_BAD_INPUT if any line was bad. WHAT: "a dump of x, expected
 * y". */
enum ff_status ff_dump_lines_finish(struct ff_dump_lines *lines, uint32_t source,
                                    enum ff_status status, const char *what);

#endif
