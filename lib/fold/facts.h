/* SPDX-License-Identifier: MIT
 *
 * What a tree's nodes do not tell of the samples that were folded: threads, weight, duration, losses.
 */
#ifndef FF_FOLD_FACTS_H
#define FF_FOLD_FACTS_H

#include "fold/arrange.h"
#include "fold/label.h"

/* Fills labels->tree: thread_count, threads, thread_shares, weight, weight_unit, duration_ns,
 * lost_count, left_count, tool. ENTRIES has one item for each sample row of tree->event, in the order
 * of the profile, with its index into tree->buckets. False when memory is out. */
bool ff_tree_note_facts(struct ff_labels *labels, const struct ff_entry *entries);

#endif
