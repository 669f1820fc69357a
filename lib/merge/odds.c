/* SPDX-License-Identifier: MIT
 *
 * Counts on several levels to one distribution, and a number parted by it. The hard thing is to do
 * both in integers, so that no order of summing and no compiler changes a bit of the result.
 */
#include "merge/odds.h"

static struct ff_odd *find_way(struct ff_odds *odds, uint32_t way)
{
    uint32_t low = 0, high = odds->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (odds->at[middle].way < way)
            low = middle + 1;
        else
            high = middle;
    }
    return low < odds->count && odds->at[low].way == way ? &odds->at[low] : NULL;
}

/* The broadest level holds every way that a narrower one has: its entries make the list. */
static void set_broadest(struct ff_odds *odds, const struct ff_reference *reference,
                         const struct ff_reference_key *key)
{
    const struct ff_reference_entry *entries = reference->at + key->first;
    odds->at = ff_grow(odds->at, &odds->capacity, key->count, sizeof *odds->at, &odds->failed);
    odds->count = key->count < odds->capacity ? key->count : odds->capacity;
    for (uint32_t i = 0; i < odds->count; i++)
        odds->at[i] = (struct ff_odd){entries[i].way, entries[i].count * FF_ODDS_ONE /
                                                          (key->total ? key->total : 1)};
}

static void narrow(struct ff_odds *odds, const struct ff_reference *reference,
                   const struct ff_reference_key *key)
{
    const struct ff_reference_entry *entries = reference->at + key->first;
    for (uint32_t i = 0; i < odds->count; i++)
        odds->at[i].share /= key->total + 1;
    for (uint32_t i = 0; i < key->count; i++) {
        struct ff_odd *odd = find_way(odds, entries[i].way);
        if (odd)
            odd->share += entries[i].count * FF_ODDS_ONE / (key->total + 1);
    }
}

void ff_odds_find(struct ff_odds *odds, const struct ff_reference *reference, const uint64_t *keys,
                  uint32_t levels)
{
    const struct ff_reference_key *seen = NULL;
    uint32_t last = 0; /* the broadest level that is used */
    odds->count = 0;
    odds->level = levels;
    odds->seen = odds->key = 0;
    for (uint32_t level = 0; level < levels && (!seen || seen->total < FF_ODDS_ENOUGH); level++) {
        const struct ff_reference_key *key = ff_reference_find(reference, keys[level]);
        if (!key)
            continue;
        seen = key;
        last = level;
        odds->level = odds->level == levels ? level : odds->level;
    }
    if (!seen)
        return;
    odds->seen = seen->total;
    odds->key = seen->key;
    set_broadest(odds, reference, seen);
    for (uint32_t level = last; level-- > odds->level;) {
        const struct ff_reference_key *key = ff_reference_find(reference, keys[level]);
        if (key)
            narrow(odds, reference, key);
    }
}

/* total * share / whole, rounded down, without overflow. */
static uint64_t scale(uint64_t total, uint64_t share, uint64_t whole)
{
    return total / whole * share + total % whole * share / whole;
}

void ff_odds_part(const struct ff_odds *odds, uint64_t total, uint64_t *parts)
{
    uint64_t whole = 0, passed = 0, given = 0;
    for (uint32_t i = 0; i < odds->count; i++)
        whole += odds->at[i].share;
    for (uint32_t i = 0; i < odds->count; i++) {
        passed += odds->at[i].share;
        uint64_t upto = whole ? scale(total, passed, whole) : 0;
        parts[i] = upto - given;
        given = upto;
    }
}

void ff_odds_thin(struct ff_odds *odds, uint32_t many, uint64_t seed)
{
    uint64_t whole = 0, passed = 0;
    uint32_t kept = 0, taken = 0;
    if (odds->count <= many || !many)
        return;
    for (uint32_t i = 0; i < odds->count; i++)
        whole += odds->at[i].share;
    uint64_t step = whole / many, next = step ? seed % step : 0;
    for (uint32_t i = 0; i < odds->count; i++) {
        uint64_t hits = 0;
        passed += odds->at[i].share;
        for (; taken < many && next < passed; taken++, next += step)
            hits++;
        if (hits)
            odds->at[kept++] = (struct ff_odd){odds->at[i].way, hits};
    }
    odds->count = kept;
}

void ff_odds_release(struct ff_odds *odds)
{
    ff_free(odds->at);
    *odds = (struct ff_odds){0};
}
