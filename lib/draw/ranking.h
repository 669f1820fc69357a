/* SPDX-License-Identifier: MIT
 *
 * The functions of a tree by their own amount.
 */
#ifndef FF_DRAW_RANKING_H
#define FF_DRAW_RANKING_H

#include "fold/tree.h"

struct ff_ranked {
    uint32_t name;        /* in tree->names */
    uint32_t node;        /* one with this name, the first of the tree */
    uint64_t self, total; /* total: each sample once, however often the name stands in its stack */
};

struct ff_ranking {
    struct ff_ranked *rows; /* most self first, then most total, then by name */
    uint32_t count;         /* all functions that have self */
};

/* Frames only: no prefixes, no markers. False when memory is out. */
bool ff_ranking_make(struct ff_ranking *ranking, const struct ff_tree *tree);
void ff_ranking_release(struct ff_ranking *ranking);

#endif
