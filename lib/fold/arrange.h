/* SPDX-License-Identifier: MIT
 *
 * From nodes in order of appearance to the order of a finished tree, with totals and shares.
 */
#ifndef FF_FOLD_ARRANGE_H
#define FF_FOLD_ARRANGE_H

#include "fold/tree.h"

/* What one sample row adds to the tree. */
struct ff_entry {
    uint32_t node;
    uint32_t stack;  /* of the profile; not used by ff_tree_arrange */
    uint32_t bucket; /* index into tree->buckets */
    uint64_t amount;
};

/* Reorders tree->nodes (in: name, parent, kinds; a parent before its children) and the entries'
 * nodes, and fills all other fields and tree->shares. False when memory is out. */
bool ff_tree_arrange(struct ff_tree *tree, struct ff_entry *entries, uint32_t count);

#endif
