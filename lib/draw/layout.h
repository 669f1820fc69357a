/* SPDX-License-Identifier: MIT
 *
 * A call tree to boxes: which nodes are drawn, in which row, from where to where. No text, no
 * colour.
 */
#ifndef FF_DRAW_LAYOUT_H
#define FF_DRAW_LAYOUT_H

#include "fold/tree.h"

/* Widths and places are in 1/100 pixel from the left edge of the drawing. */
struct ff_box {
    uint32_t node;
    uint32_t x, width;
    uint64_t start; /* amount to the left of the box */
};

struct ff_layout_options {
    uint32_t width;     /* of node 0; at most 1 000 000 */
    uint32_t min_width; /* narrower boxes are left out */
    uint32_t box_limit; /* the smallest ones beyond this number are left out; 0: 2000 */
    uint32_t row_limit; /* deeper boxes are left out; 0: those that under 0.5 % of all reaches */
};

struct ff_layout {
    struct ff_box *boxes; /* in the order of the tree */
    uint32_t count;
    uint32_t row_count; /* the row of a box is the depth of its node */
    uint32_t left_out;  /* nodes without a box; never the parent of one that has a box */
};

/* False when memory is out. */
bool ff_layout_make(struct ff_layout *layout, const struct ff_tree *tree,
                    const struct ff_layout_options *options);
void ff_layout_release(struct ff_layout *layout);

#endif
