/* SPDX-License-Identifier: MIT
 *
 * Frames that look the same to the rules (kind, how known, module, name) are of one sort, and so are
 * equal names of threads; for every sort, the groups of the rules that it is in.
 */
#ifndef FF_CLASSIFY_SORTS_H
#define FF_CLASSIFY_SORTS_H

#include "classify/index.h"
#include "profile/profile.h"

/* groups[first .. first + count), ascending. */
struct ff_sort {
    uint32_t module, symbol; /* texts of `names` */
    uint8_t kind, how;
    uint32_t first, count;
};

struct ff_sorts {
    const struct ff_rules *rules;
    struct ff_index index;
    struct ff_intern names;
    struct ff_map map;
    uint32_t *of_frame;            /* by frame id */
    FF_RULES_TABLE(ff_sort) sorts; /* row 0 is in no group */
    uint32_t *groups;
    uint32_t group_count, group_capacity;
    uint32_t *first_group; /* by pattern id: group_of[first_group[p] .. first_group[p + 1]) */
    uint32_t *group_of;
    uint32_t *seen; /* by group id: the sort that was last found in it */
    bool out_of_memory;
};

/* FF_NO_MEMORY leaves sorts that still must be released. */
enum ff_status ff_sorts_init(struct ff_sorts *sorts, const struct ff_profile *profile,
                             const struct ff_rules *rules);
void ff_sorts_release(struct ff_sorts *sorts);

/* The sort of a thread's name, for groups of plain globs; 0, and out_of_memory set, when memory is
 * out. */
uint32_t ff_sorts_text(struct ff_sorts *sorts, struct ff_text name);

/* Whether frames of SORT are in GROUP. */
bool ff_sort_in(const struct ff_sorts *sorts, uint32_t sort, uint32_t group);

#endif
