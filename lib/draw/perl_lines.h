/* SPDX-License-Identifier: MIT
 *
 * Folded lines as flamegraph.pl sees them, and the boxes that they become.
 */
#ifndef FF_DRAW_PERL_LINES_H
#define FF_DRAW_PERL_LINES_H

#include "base/memory.h"
#include "draw/perl.h"

struct ff_perl_line {
    struct ff_text stack;
    double count; /* with two counts the second one */
    double delta; /* second minus first */
    bool differs; /* there are two counts */
};

struct ff_perl_lines {
    struct ff_perl_line *at; /* in the order of drawing */
    uint32_t count, capacity;
    struct ff_arena arena; /* of stacks that had to be changed */
    double total;          /* sum of the counts */
    double most;           /* the largest difference, at least 1 */
    bool failed;
};

void ff_perl_lines_read(struct ff_perl_lines *lines, const struct ff_text *texts,
                        uint32_t text_count, const struct ff_perl_options *options,
                        struct ff_perl_result *result);
void ff_perl_lines_release(struct ff_perl_lines *lines);

struct ff_perl_box {
    struct ff_text name; /* empty at depth 0: the root */
    uint32_t depth;
    double start, end, delta;
    bool differs;
};

struct ff_perl_boxes {
    struct ff_perl_box *at;          /* in the order of opening */
    uint32_t count, capacity, depth; /* depth: the largest */
    bool failed;
};

/* Boxes that are LEAST wide or wider. */
void ff_perl_boxes_make(struct ff_perl_boxes *boxes, const struct ff_perl_lines *lines,
                        double least);

#endif
