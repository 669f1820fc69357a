/* SPDX-License-Identifier: MIT
 *
 * Sorting by numbers, in time that grows with their count alone.
 */
#ifndef FF_BASE_SORT_H
#define FF_BASE_SORT_H

#include <stdint.h>

struct ff_sort_item {
    uint64_t key;
    uint32_t id; /* the caller's */
};

/* Sorts COUNT items by key; equal keys keep their order. ROOM is for as many items more. */
void ff_sort(struct ff_sort_item *items, uint32_t count, struct ff_sort_item *room);

#endif
