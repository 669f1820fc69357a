/* SPDX-License-Identifier: MIT
 *
 * All rules against all samples of a profile: one walk over the tree of stacks, from the roots to the
 * leaves, so that what stacks share is looked at once. Work is bounded by (distinct frames x patterns
 * that share a piece with them) + (stacks + samples) x (rules / 15), whatever rules and stacks look
 * like; memory by what is distinct, and the words of one path of stacks.
 */
#ifndef FF_CLASSIFY_WALK_H
#define FF_CLASSIFY_WALK_H

#include "classify/program.h"

struct ff_walk;

/* Called once for every sample, in the order of the tree; false ends the walk. */
typedef bool ff_walk_visit(void *context, struct ff_walk *walk, uint32_t sample);

/* Both are borrowed and must not change while the walk is used, but for buckets and tags of samples.
 * NULL when memory is out. */
struct ff_walk *ff_walk_new(const struct ff_profile *profile, const struct ff_rules *rules);
void ff_walk_free(struct ff_walk *walk); /* NULL is fine */

/* False when memory is out, or VISIT said so. */
bool ff_walk_run(struct ff_walk *walk, ff_walk_visit *visit, void *context);

/* For VISIT: the next rule that holds for its sample, in the order of the rules; false: no more. */
bool ff_walk_next(struct ff_walk *walk, uint32_t *rule);

/* The sorts of the profile's frames. */
const struct ff_sorts *ff_walk_sorts(const struct ff_walk *walk);

#endif
