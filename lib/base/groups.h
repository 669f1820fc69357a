/* SPDX-License-Identifier: MIT
 *
 * Items distributed by a small integer key, stable and in linear time.
 */
#ifndef FF_BASE_GROUPS_H
#define FF_BASE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

/* items[start[k] .. start[k + 1]) are the items with key k. */
struct ff_groups {
    uint32_t *start, *items;
};

/* KEYS is by item; an item whose key is not below KEY_COUNT is in no group. Within a group items
 * stand in ORDER, NULL: ascending. False when memory is out; release in either case. */
bool ff_groups_make(struct ff_groups *groups, const uint32_t *keys, uint32_t count,
                    uint32_t key_count, const uint32_t *order);
void ff_groups_release(struct ff_groups *groups);

#endif
