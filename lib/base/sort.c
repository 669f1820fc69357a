/* SPDX-License-Identifier: MIT
 *
 * Radix sort from the lowest byte up. The hard thing is not to do what is not needed: bytes that are
 * equal in all keys are most of a 64-bit number, and few items are sorted faster by insertion.
 */
#include "base/sort.h"

#include <string.h>

#define FEW 48u

static void sort_few(struct ff_sort_item *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct ff_sort_item item = items[i];
        uint32_t at = i;
        for (; at && items[at - 1].key > item.key; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/* FROM in the order of the byte at SHIFT, to TO. */
static void sort_byte(const struct ff_sort_item *from, uint32_t count, struct ff_sort_item *to,
                      unsigned shift)
{
    uint32_t starts[257] = {0};
    for (uint32_t i = 0; i < count; i++)
        starts[(from[i].key >> shift & 255) + 1]++;
    for (unsigned byte = 0; byte < 256; byte++)
        starts[byte + 1] += starts[byte];
    for (uint32_t i = 0; i < count; i++)
        to[starts[from[i].key >> shift & 255]++] = from[i];
}

void ff_sort(struct ff_sort_item *items, uint32_t count, struct ff_sort_item *room)
{
    if (count <= FEW) {
        sort_few(items, count);
        return;
    }
    uint64_t differ = 0;
    struct ff_sort_item *from = items, *to = room;
    for (uint32_t i = 1; i < count; i++)
        differ |= items[i].key ^ items[0].key;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 255))
            continue;
        sort_byte(from, count, to, shift);
        struct ff_sort_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}
