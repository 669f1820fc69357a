/* SPDX-License-Identifier: MIT
 *
 * Rows to columns: what the packed part of an SVG is made of. Nothing is known here of what the rows mean,
 * so a new kind of row or a new field of the stream needs no change.
 *
 * The packed bytes (numbers as in draw/deflate.h):
 *   version (1)
 *   text count; for texts 1 .. in byte order: bytes shared with the one before, bytes more, these bytes.
 *     Text 0 is empty.
 *   tables until a kind of 0: kind (text), rows, columns, then column by column:
 *     type 0 decimal, 1 hexadecimal, 2 text;
 *       + 4: differences to the row before (first: to 0), of which even numbers 2n mean n and odd ones
 *       2n + 1 mean -n - 1
 *       + 8: some lines end before this field: 0 is "not there", n + 1 is n (before differences are taken)
 *     one number for each row
 * Lines of one kind are one table, in order; tables are in the order of their first lines.
 */
#ifndef FF_DRAW_COLUMNS_H
#define FF_DRAW_COLUMNS_H

#include "draw/deflate.h"
#include "profile/rows.h"

struct ff_columns;

/* Columns without rows; NULL when memory is out. */
struct ff_columns *ff_columns_new(void);

/* Who takes the rows: lives as long as the columns. A row has at most 16 fields; a line that has more keeps
 * the rest in its last. A number takes one to three bytes mostly, a text is kept once. */
struct ff_rows *ff_columns_rows(struct ff_columns *columns);

/* Writes all rows; false when memory is out, also if it ran out before. Only once. */
bool ff_columns_write(struct ff_columns *columns, struct ff_deflate *deflate);
void ff_columns_free(struct ff_columns *columns); /* NULL is fine */

#endif
