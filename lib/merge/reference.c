/* SPDX-License-Identifier: MIT
 *
 * Observations to a sorted table that is searched by key. Ways take their ranks as ids while the
 * table is sorted, so that an order of content comes without a comparison of texts.
 */
#include "merge/reference.h"

#include <stdlib.h>

void ff_reference_add(struct ff_reference *reference, uint64_t key, uint32_t way, uint64_t count)
{
    reference->at = ff_grow(reference->at, &reference->capacity, (uint64_t)reference->count + 1,
                            sizeof *reference->at, &reference->failed);
    if (reference->count < reference->capacity)
        reference->at[reference->count++] = (struct ff_reference_entry){key, way, count};
}

static int compare_entries(const void *left, const void *right)
{
    const struct ff_reference_entry *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->way < b->way ? -1 : a->way > b->way;
}

void ff_reference_settle(struct ff_reference *reference, const uint32_t *rank)
{
    struct ff_reference_entry *at = reference->at;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < reference->count; i++)
        at[i].way = rank[at[i].way];
    if (reference->count)
        qsort(at, reference->count, sizeof *at, compare_entries);
    for (uint32_t i = 0; i < reference->count; i++) {
        if (kept && at[kept - 1].key == at[i].key && at[kept - 1].way == at[i].way)
            at[kept - 1].count += at[i].count;
        else
            at[kept++] = at[i];
    }
    reference->count = kept;
}

uint32_t ff_reference_find(const struct ff_reference *reference, uint64_t key,
                           const struct ff_reference_entry **entries, uint64_t *total)
{
    uint32_t low = 0, high = reference->count, count = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (reference->at[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    *entries = reference->at ? reference->at + low : NULL;
    *total = 0;
    while (low + count < reference->count && reference->at[low + count].key == key)
        *total += reference->at[low + count++].count;
    return count;
}

void ff_reference_release(struct ff_reference *reference)
{
    ff_free(reference->at);
    *reference = (struct ff_reference){0};
}
