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

/* Entry I goes to the last key, or begins the next one. */
static void add_to_key(struct ff_reference *reference, uint32_t i)
{
    const struct ff_reference_entry *entry = &reference->at[i];
    if (!reference->key_count || reference->keys[reference->key_count - 1].key != entry->key) {
        reference->keys =
            ff_grow(reference->keys, &reference->key_capacity, (uint64_t)reference->key_count + 1,
                    sizeof *reference->keys, &reference->failed);
        if (reference->key_count == reference->key_capacity)
            return;
        reference->keys[reference->key_count++] =
            (struct ff_reference_key){.key = entry->key, .first = i};
    }
    struct ff_reference_key *key = &reference->keys[reference->key_count - 1];
    key->count++;
    key->total += entry->count;
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
    for (uint32_t i = 0; i < kept; i++)
        add_to_key(reference, i);
}

const struct ff_reference_key *ff_reference_find(const struct ff_reference *reference, uint64_t key)
{
    uint32_t low = 0, high = reference->key_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (reference->keys[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < reference->key_count && reference->keys[low].key == key ? &reference->keys[low]
                                                                         : NULL;
}

uint64_t ff_reference_count(const struct ff_reference *reference,
                            const struct ff_reference_key *key, uint32_t way)
{
    const struct ff_reference_entry *entries = reference->at + key->first;
    uint32_t low = 0, high = key->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (entries[middle].way < way)
            low = middle + 1;
        else
            high = middle;
    }
    return low < key->count && entries[low].way == way ? entries[low].count : 0;
}

void ff_reference_release(struct ff_reference *reference)
{
    ff_free(reference->at);
    ff_free(reference->keys);
    *reference = (struct ff_reference){0};
}
