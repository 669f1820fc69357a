/* SPDX-License-Identifier: MIT
 *
 * Counting sort. The starts are counted two places up and advanced one place up while items are
 * placed, so that they are right at the end without a second copy.
 */
#include "base/groups.h"

#include "base/memory.h"

bool ff_groups_make(struct ff_groups *groups, const uint32_t *keys, uint32_t count,
                    uint32_t key_count, const uint32_t *order)
{
    uint32_t *start = groups->start = ff_alloc((size_t)key_count + 2, sizeof *start);
    groups->items = ff_alloc((size_t)count + 1, sizeof *groups->items);
    if (!start || !groups->items)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (keys[i] < key_count)
            start[(size_t)keys[i] + 2]++;
    }
    for (size_t k = 2; k < (size_t)key_count + 2; k++)
        start[k] += start[k - 1];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t item = order ? order[i] : i;
        if (keys[item] < key_count)
            groups->items[start[(size_t)keys[item] + 1]++] = item;
    }
    return true;
}

void ff_groups_release(struct ff_groups *groups)
{
    ff_free(groups->start);
    ff_free(groups->items);
    *groups = (struct ff_groups){0};
}
