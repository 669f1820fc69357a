/* SPDX-License-Identifier: MIT
 *
 * Observations to a sorted table that is searched by key. Ways take their ranks as ids while the
 * table is sorted, so that an order of content comes without a comparison of texts.
 */
#include "merge/reference.h"
#include "base/sort.h"

void ff_reference_add(struct ff_reference *reference, uint64_t key, uint32_t way, uint64_t count)
{
    reference->at = ff_grow(reference->at, &reference->capacity, (uint64_t)reference->count + 1,
                            sizeof *reference->at, &reference->failed);
    if (reference->count < reference->capacity)
        reference->at[reference->count++] = (struct ff_reference_entry){key, way, count};
}

/* The entries in the order of their keys, those of one key in the order of their ways. */
static struct ff_reference_entry *sorted(struct ff_reference *reference)
{
    uint32_t count = reference->count;
    struct ff_sort_item *items = ff_alloc((size_t)count * 2, sizeof *items);
    struct ff_reference_entry *sorted = ff_alloc(count, sizeof *sorted);
    for (uint32_t i = 0; items && sorted && i < count; i++)
        items[i] = (struct ff_sort_item){reference->at[i].way, i};
    if (items && sorted && count) {
        ff_sort(items, count, items + count);
        for (uint32_t i = 0; i < count; i++)
            items[i].key = reference->at[items[i].id].key;
        ff_sort(items, count, items + count);
        for (uint32_t i = 0; i < count; i++)
            sorted[i] = reference->at[items[i].id];
    }
    reference->failed |= !items || !sorted;
    ff_free(items);
    return sorted;
}

void ff_reference_settle(struct ff_reference *reference, const uint32_t *rank)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < reference->count; i++)
        reference->at[i].way = rank[reference->at[i].way];
    struct ff_reference_entry *at = sorted(reference);
    if (reference->failed) {
        ff_free(at);
        return;
    }
    for (uint32_t i = 0; i < reference->count; i++) {
        if (kept && at[kept - 1].key == at[i].key && at[kept - 1].way == at[i].way)
            at[kept - 1].count += at[i].count;
        else
            at[kept++] = at[i];
    }
    ff_free(reference->at);
    reference->at = at;
    reference->capacity = reference->count;
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
