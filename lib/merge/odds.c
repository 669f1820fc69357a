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
static void set_broadest(struct ff_odds *odds, const struct ff_reference_entry *entries,
                         uint32_t count, uint64_t seen)
{
    odds->at = ff_grow(odds->at, &odds->capacity, count, sizeof *odds->at, &odds->failed);
    odds->count = count < odds->capacity ? count : odds->capacity;
    for (uint32_t i = 0; i < odds->count; i++)
        odds->at[i] =
            (struct ff_odd){entries[i].way, entries[i].count * FF_ODDS_ONE / (seen ? seen : 1)};
}

static void narrow(struct ff_odds *odds, const struct ff_reference_entry *entries, uint32_t count,
                   uint64_t seen)
{
    for (uint32_t i = 0; i < odds->count; i++)
        odds->at[i].share /= seen + 1;
    for (uint32_t i = 0; i < count; i++) {
        struct ff_odd *odd = find_way(odds, entries[i].way);
        if (odd)
            odd->share += entries[i].count * FF_ODDS_ONE / (seen + 1);
    }
}

void ff_odds_find(struct ff_odds *odds, const struct ff_reference *reference, const uint64_t *keys,
                  uint32_t levels)
{
    const struct ff_reference_entry *entries;
    uint32_t count = 0, level = 0;
    uint64_t seen = 0;
    odds->count = 0;
    odds->level = levels;
    odds->seen = odds->key = 0;
    for (level = 0; level < levels && seen < FF_ODDS_ENOUGH; level++) {
        count = ff_reference_find(reference, keys[level], &entries, &seen);
        if (count && odds->level == levels)
            odds->level = level;
    }
    if (odds->level == levels)
        return;
    while (!count) /* the last levels were not seen: the one before was */
        count = ff_reference_find(reference, keys[--level - 1], &entries, &seen);
    odds->seen = seen;
    odds->key = keys[level - 1];
    set_broadest(odds, entries, count, seen);
    for (level--; level-- > odds->level;) {
        count = ff_reference_find(reference, keys[level], &entries, &seen);
        if (count)
            narrow(odds, entries, count, seen);
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

bool ff_odds_thin(struct ff_odds *odds, uint32_t many, uint64_t seed)
{
    uint64_t whole = 0, passed = 0;
    uint32_t kept = 0, taken = 0;
    if (odds->count <= many || !many)
        return false;
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
    return true;
}

void ff_odds_release(struct ff_odds *odds)
{
    ff_free(odds->at);
    *odds = (struct ff_odds){0};
}
