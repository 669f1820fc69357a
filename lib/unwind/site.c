/* SPDX-License-Identifier: MIT
 *
 * Words of stack frames to the one that holds the bytecode's address. The hard thing is the company:
 * pointers to frames and code objects recur as well, but one of them goes with many places of call;
 * what an instruction computes goes with one, but does not recur.
 */
#include "unwind/site.h"

#include <stdlib.h>
#include <string.h>

#define MILLION 1000000u
/* What a word must reach, in millionths. */
#define EVEN_LEAST      999000u
#define POSSIBLE_LEAST  700000u /* the word has other uses in some places of call */
#define RECURRING_LEAST 800000u
#define ONE_CALL_LEAST  950000u
#define SHARED_LEAST    500000u
#define SCORE_NEAR      10000u /* as good as the best */
#define DISTINCT_LEAST  8u

struct ff_site_observation *ff_site_finder_next(struct ff_site_finder *finder)
{
    if (finder->count >= FF_SITE_ENOUGH)
        return NULL;
    finder->at = ff_grow(finder->at, &finder->capacity, (uint64_t)finder->count + 1,
                         sizeof *finder->at, &finder->failed);
    return finder->count < finder->capacity ? &finder->at[finder->count++] : NULL;
}

struct pair {
    uint64_t value, pc, stack;
};

/* Threads have stacks of their own, at least that large, mostly 8 MiB. */
#define STACK_SHIFT 20

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

struct tally {
    uint32_t possible, even, distinct, one_call, recurring, shared;
};

/* Counts over pairs sorted by value, then pc. */
static void tally_pairs(const struct pair *pairs, uint32_t count, struct tally *tally)
{
    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t most = 0, elsewhere = 0;
        for (end = i; end < count && pairs[end].value == pairs[i].value;) {
            uint32_t first = end;
            while (end < count && pairs[end].value == pairs[i].value &&
                   pairs[end].pc == pairs[first].pc)
                elsewhere += pairs[end++].stack != pairs[i].stack;
            most = end - first > most ? end - first : most;
        }
        tally->distinct++;
        tally->one_call += most;
        tally->recurring += end - i > 1 ? end - i : 0;
        tally->shared += elsewhere ? end - i : 0;
    }
}

static uint32_t share(uint32_t part, uint32_t whole)
{
    return whole ? (uint32_t)((uint64_t)part * MILLION / whole) : 0;
}

static struct tally tally_word(const struct ff_site_finder *finder, uint32_t word,
                               struct pair *pairs)
{
    struct tally tally = {0};
    for (uint32_t i = 0; i < finder->count; i++) {
        const struct ff_site_observation *row = &finder->at[i];
        uint64_t value = word < row->count ? row->words[word] : 0;
        if (!ff_site_is_possible(value & ~(uint64_t)1, row->sp))
            continue;
        tally.even += value % 2 == 0;
        pairs[tally.possible++] = (struct pair){value, row->pc, row->sp >> STACK_SHIFT};
    }
    if (share(tally.possible, finder->count) < POSSIBLE_LEAST ||
        share(tally.even, tally.possible) < EVEN_LEAST)
        return tally; /* no site, whatever the rest is */
    qsort(pairs, tally.possible, sizeof *pairs, compare_pairs);
    tally_pairs(pairs, tally.possible, &tally);
    return tally;
}

/* Whether observations come from several threads: less than nine of ten from one. */
static bool has_threads(const struct ff_site_finder *finder)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < finder->count; i++)
        first += finder->at[i].sp >> STACK_SHIFT == finder->at[0].sp >> STACK_SHIFT;
    return share(first, finder->count) < 900000u;
}

static bool is_site(const struct ff_site_finder *finder, const struct tally *tally)
{
    if (has_threads(finder) && share(tally->shared, tally->possible) < SHARED_LEAST)
        return false;
    return share(tally->possible, finder->count) >= POSSIBLE_LEAST &&
           tally->distinct >= DISTINCT_LEAST && share(tally->even, tally->possible) >= EVEN_LEAST &&
           share(tally->recurring, tally->possible) >= RECURRING_LEAST &&
           share(tally->one_call, tally->possible) >= ONE_CALL_LEAST;
}

static uint32_t score_of(const struct tally *tally)
{
    return (uint32_t)((uint64_t)share(tally->one_call, tally->possible) *
                      share(tally->recurring, tally->possible) / MILLION);
}

struct ff_site_slot ff_site_finder_decide(const struct ff_site_finder *finder)
{
    struct ff_site_slot slot = {.observed = finder->count};
    struct tally tallies[FF_SITE_WORDS];
    struct pair *pairs = ff_alloc(finder->count, sizeof *pairs);
    uint32_t best = 0;
    for (uint32_t word = 1; pairs && word < FF_SITE_WORDS; word++) {
        tallies[word] = tally_word(finder, word, pairs);
        uint32_t score = is_site(finder, &tallies[word]) ? score_of(&tallies[word]) : 0;
        best = score > best ? score : best;
    }
    for (uint32_t word = 1; pairs && finder->count >= FF_SITE_LEAST && word < FF_SITE_WORDS;
         word++) {
        const struct tally *tally = &tallies[word];
        if (!is_site(finder, tally) || score_of(tally) + SCORE_NEAR < best ||
            tally->distinct <= slot.distinct)
            continue;
        slot.offset = word * 8;
        slot.distinct = tally->distinct;
        slot.one_call = share(tally->one_call, tally->possible);
        slot.recurring = share(tally->recurring, tally->possible);
    }
    ff_free(pairs);
    return slot;
}

void ff_site_finder_release(struct ff_site_finder *finder)
{
    ff_free(finder->at);
    *finder = (struct ff_site_finder){0};
}
