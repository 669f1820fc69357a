/* SPDX-License-Identifier: MIT
 *
 * One tree beside another of the same kind: what each node was before.
 */
#ifndef FF_DRAW_DIFFERENCE_H
#define FF_DRAW_DIFFERENCE_H

#include "fold/tree.h"

struct ff_difference {
    uint64_t
        *before; /* by node of the tree: total of the node with the same path; 0: there was none */
    uint64_t whole; /* total of the tree before */
    uint64_t gone;  /* of it, what lies in paths that the tree does not have */
};

/* False when memory is out. */
bool ff_difference_make(struct ff_difference *difference, const struct ff_tree *tree,
                        const struct ff_tree *before);
void ff_difference_release(struct ff_difference *difference);

/* By how much the share of a node grew, in 1/1000 of the whole; less than 0: it shrank. */
int32_t ff_difference_of(const struct ff_difference *difference, const struct ff_tree *tree,
                         uint32_t node);

/* 0xrrggbb: red grew, blue shrank, full at a tenth of the whole; yellow was not there. The viewer has the
 * same rule. */
uint32_t ff_difference_color(const struct ff_difference *difference, const struct ff_tree *tree,
                             uint32_t node);

#endif
