/* SPDX-License-Identifier: MIT
 *
 * Words of stack frames and registers to the one that holds the bytecode's address. The hard thing is the company:
 * pointers to frames and code objects recur as well, but one of them goes with many places of call;
 * what an instruction computes goes with one, but does not recur.
 */
#include "unwind/site.h"

#include <stdlib.h>
#include <string.h>

#define MILLION 1000000u
/* What a word must reach, in millionths. */
#define EVEN_LEAST      999000u
#define POSSIBLE_LEAST  900000u
#define RECURRING_LEAST 800000u
#define ONE_CALL_LEAST  970000u
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
    uint64_t value, pc;
    uint32_t stack;
};

/* Threads have stacks of their own, mostly 8 MiB apart; one call chain leaves no such gap. */
#define STACK_GAP ((uint64_t)1 << 18)

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

struct tally {
    uint32_t possible, even, distinct, one_call, recurring, others, shared;
};

/* Counts over pairs sorted by value, then pc. STARTER is the stack that is not asked whether others share
 * its values: while a program starts it is alone. */
static void tally_pairs(const struct pair *pairs, uint32_t count, uint32_t starter,
                        struct tally *tally)
{
    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t most = 0, elsewhere = 0, others = 0;
        for (end = i; end < count && pairs[end].value == pairs[i].value;) {
            uint32_t first = end;
            while (end < count && pairs[end].value == pairs[i].value &&
                   pairs[end].pc == pairs[first].pc) {
                elsewhere += pairs[end].stack != pairs[i].stack;
                others += pairs[end++].stack != starter;
            }
            most = end - first > most ? end - first : most;
        }
        tally->distinct++;
        tally->one_call += most;
        tally->recurring += end - i > 1 ? end - i : 0;
        tally->others += others;
        tally->shared += elsewhere ? others : 0;
    }
}

static uint32_t share(uint32_t part, uint32_t whole)
{
    return whole ? (uint32_t)((uint64_t)part * MILLION / whole) : 0;
}

/* Numbers the stacks of the observations; returns the one that most are of. */
static uint32_t number_stacks(const struct ff_site_finder *finder, struct pair *pairs,
                              uint32_t *stacks)
{
    uint32_t stack = 0, count = 0, most = 0, starter = 0;
    for (uint32_t i = 0; i < finder->count; i++)
        pairs[i] = (struct pair){.value = finder->at[i].sp, .pc = i};
    qsort(pairs, finder->count, sizeof *pairs, compare_pairs);
    for (uint32_t i = 0; i < finder->count; i++) {
        bool next = i && pairs[i].value - pairs[i - 1].value > STACK_GAP;
        stack += next;
        count = next ? 1 : count + 1;
        if (count > most) {
            most = count;
            starter = stack;
        }
        stacks[pairs[i].pc] = stack;
    }
    return starter;
}

/* All zero for a word that is too often no possible site. */
static struct tally tally_word(const struct ff_site_finder *finder, uint32_t word,
                               const uint32_t *stacks, uint32_t starter, struct pair *pairs)
{
    struct tally tally = {0};
    for (uint32_t i = 0; i < finder->count; i++) {
        const struct ff_site_observation *row = &finder->at[i];
        uint64_t value = row->words[word];
        if (!ff_site_is_possible(value & ~(uint64_t)1, row->sp))
            continue;
        tally.even += value % 2 == 0;
        pairs[tally.possible++] = (struct pair){value, row->pc, stacks[i]};
    }
    if (share(tally.possible, finder->count) < POSSIBLE_LEAST ||
        share(tally.even, tally.possible) < EVEN_LEAST)
        return (struct tally){0};
    qsort(pairs, tally.possible, sizeof *pairs, compare_pairs);
    tally_pairs(pairs, tally.possible, starter, &tally);
    return tally;
}

static bool is_site(const struct ff_site_finder *finder, const struct tally *tally)
{
    /* Less than a tenth from other threads tell nothing. */
    if (share(tally->others, finder->count) > 100000u &&
        share(tally->shared, tally->others) < SHARED_LEAST)
        return false;
    return tally->distinct >= DISTINCT_LEAST &&
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
    uint32_t *stacks = ff_alloc(finder->count, sizeof *stacks);
    uint32_t starter = pairs && stacks ? number_stacks(finder, pairs, stacks) : 0;
    uint32_t best = 0;
    for (uint32_t word = 1; pairs && stacks && word < FF_SITE_WORDS; word++) {
        tallies[word] = tally_word(finder, word, stacks, starter, pairs);
        uint32_t score = is_site(finder, &tallies[word]) ? score_of(&tallies[word]) : 0;
        best = score > best ? score : best;
    }
    for (uint32_t word = 1;
         pairs && stacks && finder->count >= FF_SITE_LEAST && word < FF_SITE_WORDS; word++) {
        const struct tally *tally = &tallies[word];
        if (!is_site(finder, tally) || score_of(tally) + SCORE_NEAR < best ||
            tally->distinct <= slot.distinct)
            continue;
        slot.offset = word < FF_SITE_FRAME ? word * 8 : 0;
        slot.in_register = word < FF_SITE_FRAME ? 0 : word - FF_SITE_FRAME;
        slot.distinct = tally->distinct;
        slot.one_call = share(tally->one_call, tally->possible);
        slot.recurring = share(tally->recurring, tally->possible);
    }
    ff_free(stacks);
    ff_free(pairs);
    return slot;
}

void ff_site_finder_release(struct ff_site_finder *finder)
{
    ff_free(finder->at);
    *finder = (struct ff_site_finder){0};
}
