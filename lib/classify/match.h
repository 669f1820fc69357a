/* SPDX-License-Identifier: MIT
 *
 * Rules bound to a profile: which rule does a sample fulfil first, and through which frames.
 *
 * Work is bounded by (distinct frames x patterns that share their first bytes) + (samples x stack
 * depth x rules that ask for a frame that is there): rules are found through the rarest frame
 * group that they need, and a path of k steps is followed in one walk over the stack.
 */
#ifndef FF_CLASSIFY_MATCH_H
#define FF_CLASSIFY_MATCH_H

#include "classify/rules.h"
#include "profile/profile.h"

#define FF_NO_RULE      UINT32_MAX
#define FF_MATCH_FRAMES 32

/* How a sample was decided. Frames are counted from the leaf, which is 0. */
struct ff_match {
    uint32_t rule;        /* index into rules->rules, or FF_NO_RULE */
    uint32_t frame_count; /* those that fulfilled the rule's terms, in the order of the terms */
    uint32_t frames[FF_MATCH_FRAMES];
};

/* Both are borrowed and must not change while the matcher is used, but for the samples. NULL when
 * memory is out. */
struct ff_matcher *ff_matcher_new(const struct ff_profile *profile, const struct ff_rules *rules);
void ff_matcher_free(struct ff_matcher *matcher); /* NULL is fine */

/* The first rule that holds. False when memory is out. */
bool ff_matcher_find(struct ff_matcher *matcher, const struct ff_sample *sample,
                     struct ff_match *match);

#endif
