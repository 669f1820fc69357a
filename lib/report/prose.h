/* SPDX-License-Identifier: MIT
 *
 * Sentences in lines of at most 100 columns.
 */
#ifndef FF_REPORT_PROSE_H
#define FF_REPORT_PROSE_H

#include "base/output.h"

#define FF_PROSE_WIDTH 100

/* A paragraph in the making; init, add, end. Text beyond its room is cut with "...". */
struct ff_prose {
    struct ff_output *output;
    unsigned indent, hang; /* blanks before the first line, before the others */
    unsigned used;
    char text[1500];
};

void ff_prose_begin(struct ff_prose *prose, struct ff_output *output, unsigned indent,
                    unsigned hang);
void ff_prose_add(struct ff_prose *prose, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ff_prose_name(struct ff_prose *prose, struct ff_text name); /* control bytes as '?' */

/* Writes it, broken at blanks. A word that is longer than a line gets a line of its own. */
void ff_prose_end(struct ff_prose *prose);

/* begin, add and end in one. */
void ff_prose_put(struct ff_output *output, unsigned indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* " 12.1 %" without blanks ahead: a value of 1/1000 as text, in BYTES (at least 12). */
const char *ff_prose_percent(char *bytes, uint32_t permille);

#endif
