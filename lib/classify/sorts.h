/* SPDX-License-Identifier: MIT
 *
 * Frames that look the same to the rules (kind, module, name) are of one sort; for every sort, the
 * groups of the rules that it is in.
 */
#ifndef FF_CLASSIFY_SORTS_H
#define FF_CLASSIFY_SORTS_H

#include "classify/rules.h"
#include "profile/profile.h"

/* groups[first .. first + count), ascending. */
struct ff_sort {
    uint32_t frame; /* one of them */
    uint32_t first, count;
};

struct ff_sorts {
    uint32_t *of_frame;            /* by frame id */
    FF_RULES_TABLE(ff_sort) sorts; /* row 0 is in no group */
    uint32_t *groups;
    uint32_t group_count, group_capacity;
    bool out_of_memory;
};

/* FF_NO_MEMORY leaves sorts that still must be released. */
enum ff_status ff_sorts_init(struct ff_sorts *sorts, const struct ff_profile *profile,
                             const struct ff_rules *rules);
void ff_sorts_release(struct ff_sorts *sorts);

/* Whether frames of SORT are in GROUP. */
bool ff_sort_in(const struct ff_sorts *sorts, uint32_t sort, uint32_t group);

#endif
