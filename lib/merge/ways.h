/* SPDX-License-Identifier: MIT
 *
 * Ways: the Python frames of a stack without the native ones, root first, parted where native code
 * stood between them. Equal ways have one id, from 1 on.
 */
#ifndef FF_MERGE_WAYS_H
#define FF_MERGE_WAYS_H

#include "merge/part.h"

struct ff_way {
    uint32_t first, count; /* in ff_ways.frames: frames of the profile; 0 parts two clusters */
};

/* All zero is empty. */
struct ff_ways {
    struct ff_way *at; /* by id; row 0 is the empty way */
    uint32_t count, capacity;
    uint32_t *frames;
    uint32_t frame_count, frame_capacity;
    struct ff_map map;
    bool failed; /* memory is out: ids may be 0 */
};

/* The way of a stack. */
uint32_t ff_ways_add(struct ff_ways *ways, const struct ff_profile *profile,
                     const struct ff_parts *parts, uint32_t stack);

/* By content (names, files, lines), so that an order of ways does not depend on the order of input. */
int ff_ways_compare(const struct ff_ways *ways, const struct ff_profile *profile, uint32_t a,
                    uint32_t b);

void ff_ways_release(struct ff_ways *ways);

#endif
