/* SPDX-License-Identifier: MIT
 *
 * Where rows of the stream go, field by field: to lines of text, or to the columns of a packed profile.
 * Who writes rows knows what they mean; who takes them only how they are kept.
 */
#ifndef FF_PROFILE_ROWS_H
#define FF_PROFILE_ROWS_H

#include "base/output.h"

/* The verbs of one kind of taker, which has this as its first member. A row is `begin`, its fields in
 * order, `end`. KIND is a constant string. */
struct ff_rows {
    void (*begin)(struct ff_rows *rows, const char *kind);
    void (*number)(struct ff_rows *rows, uint64_t value);    /* printed in decimal */
    void (*hex)(struct ff_rows *rows, uint64_t value);       /* printed as ff_output_hex does */
    void (*text)(struct ff_rows *rows, struct ff_text text); /* escaped; copied if it is kept */
    void (*end)(struct ff_rows *rows);
    void (*line)(struct ff_rows *rows, struct ff_text line); /* a whole row as its line */
    struct ff_output scratch; /* a memory output for texts that must be put together first */
};

/* Escapes TAB, LF, CR and the backslash in TEXT, and gives it as a field. */
void ff_rows_escape(struct ff_rows *rows, struct ff_text text);

static inline void ff_rows_word(struct ff_rows *rows, const char *word)
{
    rows->text(rows, ff_text(word));
}

/* Rows as lines of TAB-separated fields. */
struct ff_rows_lines {
    struct ff_rows rows;
    struct ff_output *output;
};

void ff_rows_lines_init(struct ff_rows_lines *lines, struct ff_output *output);

/* False when memory ran out for a text. */
bool ff_rows_lines_release(struct ff_rows_lines *lines);

#endif
