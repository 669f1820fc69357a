/* SPDX-License-Identifier: MIT
 *
 * One rule and one sample: does it hold, and through which frames? For explanations and for tags whose
 * value is a frame; walk.h finds the rules that hold.
 */
#ifndef FF_CLASSIFY_MATCH_H
#define FF_CLASSIFY_MATCH_H

#include "classify/sorts.h"

#define FF_NO_RULE      UINT32_MAX
#define FF_MATCH_FRAMES 32

/* How a sample was decided. Frames are counted from the leaf, which is 0. */
struct ff_match {
    uint32_t rule;        /* index into rules->rules, or FF_NO_RULE */
    uint32_t frame_count; /* those that fulfilled the rule's terms, in the order of the terms */
    uint32_t frames[FF_MATCH_FRAMES];
};

/* All are borrowed and must not change while the matcher is used, but for buckets and tags of samples.
 * NULL when memory is out. */
struct ff_matcher *ff_matcher_new(const struct ff_profile *profile, const struct ff_rules *rules,
                                  const struct ff_sorts *sorts);
void ff_matcher_free(struct ff_matcher *matcher); /* NULL is fine */

/* Whether rule ID holds; false also when memory is out. */
bool ff_matcher_holds(struct ff_matcher *matcher, uint32_t id, const struct ff_sample *sample,
                      struct ff_match *match);

#endif
