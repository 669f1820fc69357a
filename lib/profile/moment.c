/* SPDX-License-Identifier: MIT
 *
 * Times of samples to windows of time. The hard thing: a recording does not say beforehand how long
 * it is, so windows begin narrow and double; what was stored at a finer width is brought to the
 * final one at the end. Widths are powers of two, so the result does not depend on when they doubled.
 */
#include "profile/moment.h"

#include <stdlib.h>

#define FIRST_WIDTH_NS ((uint64_t)1 << 24)
#define FEW            16u

uint32_t ff_moment_add_count(struct ff_profile *profile, uint64_t time_ns, uint64_t count)
{
    uint32_t id = profile->moments.count;
    profile->moments.at = ff_grow(profile->moments.at, &profile->moments.capacity, (uint64_t)id + 1,
                                  sizeof *profile->moments.at, &profile->out_of_memory);
    if (id >= profile->moments.capacity)
        return 0;
    profile->moments.at[id] = (struct ff_moment){.time_ns = time_ns, .count = count};
    profile->moments.count++;
    return id;
}

uint32_t ff_moment_add(struct ff_profile *profile, uint32_t source, uint64_t time_ns)
{
    struct ff_source *row = &profile->sources.at[source];
    if (!row->window_ns)
        row->window_ns = profile->exact_times ? 1 : FIRST_WIDTH_NS;
    if (row->window_ns > 1) {
        if (!row->end_ns)
            row->start_ns = row->end_ns = time_ns;
        row->start_ns = time_ns < row->start_ns ? time_ns : row->start_ns;
        row->end_ns = time_ns > row->end_ns ? time_ns : row->end_ns;
        while (row->end_ns / row->window_ns - row->start_ns / row->window_ns >= FF_WINDOWS)
            row->window_ns *= 2;
    }
    return ff_moment_add_count(profile, time_ns - time_ns % row->window_ns, FF_COUNT_ONE);
}

uint32_t ff_moments_join(struct ff_profile *profile, uint32_t a, uint32_t b)
{
    struct ff_moment *at = profile->moments.at;
    if (!a || !b)
        return a | b;
    if (!at[b].next && at[a].time_ns == at[b].time_ns) {
        at[a].count += at[b].count;
        profile->moments.count -= b + 1 == profile->moments.count;
        return a;
    }
    uint32_t last = b;
    while (at[last].next)
        last = at[last].next;
    at[last].next = a;
    return b;
}

uint32_t ff_moments_merge(struct ff_profile *profile, uint32_t a, uint32_t b)
{
    uint32_t first = 0, last = 0;
    while (a || b) {
        uint64_t of_a = a ? profile->moments.at[a].time_ns : UINT64_MAX;
        uint64_t of_b = b ? profile->moments.at[b].time_ns : UINT64_MAX;
        bool take_a = a && of_a <= of_b, take_b = b && of_b <= of_a;
        uint64_t count = (take_a ? profile->moments.at[a].count : 0) +
                         (take_b ? profile->moments.at[b].count : 0);
        uint32_t id = ff_moment_add_count(profile, take_a ? of_a : of_b, count);
        if (!id)
            return first;
        *(last ? &profile->moments.at[last].next : &first) = id;
        last = id;
        a = take_a ? profile->moments.at[a].next : a;
        b = take_b ? profile->moments.at[b].next : b;
    }
    return first;
}

uint32_t ff_moments_take(struct ff_profile *profile, uint32_t *chain, uint64_t count)
{
    uint32_t first = *chain, last = 0, at = *chain;
    while (at && profile->moments.at[at].count <= count) {
        count -= profile->moments.at[at].count;
        last = at;
        at = profile->moments.at[at].next;
    }
    if (at && count) { /* one moment goes to both */
        uint32_t part = ff_moment_add_count(profile, profile->moments.at[at].time_ns, count);
        if (part) {
            profile->moments.at[at].count -= count;
            *(last ? &profile->moments.at[last].next : &first) = part;
            last = part;
        }
    }
    if (last)
        profile->moments.at[last].next = 0;
    *chain = at;
    return last ? first : 0;
}

static int compare_moments(const void *left, const void *right)
{
    const struct ff_moment *a = left, *b = right;
    return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

/* Most chains are short, or in order from the last time. */
static void sort_moments(struct ff_moment *moments, uint32_t count)
{
    uint32_t sorted = 1;
    while (sorted < count && moments[sorted - 1].time_ns <= moments[sorted].time_ns)
        sorted++;
    if (sorted < count && count > FEW) {
        qsort(moments, count, sizeof *moments, compare_moments);
        return;
    }
    for (; sorted < count; sorted++) {
        struct ff_moment moment = moments[sorted];
        uint32_t at = sorted;
        for (; at && moments[at - 1].time_ns > moment.time_ns; at--)
            moments[at] = moments[at - 1];
        moments[at] = moment;
    }
}

/* The chain's moments into TO, at the final width, in order; returns how many. */
static uint32_t settle_chain(const struct ff_profile *profile, uint32_t chain, uint64_t window_ns,
                             struct ff_moment *to)
{
    uint32_t count = 0, kept = 0;
    for (uint32_t at = chain; at; at = profile->moments.at[at].next) {
        struct ff_moment moment = profile->moments.at[at];
        moment.time_ns -= moment.time_ns % window_ns;
        to[count++] = moment;
    }
    sort_moments(to, count);
    for (uint32_t i = 0; i < count; i++) {
        if (kept && to[kept - 1].time_ns == to[i].time_ns)
            to[kept - 1].count += to[i].count;
        else
            to[kept++] = to[i];
    }
    return kept;
}

void ff_moments_settle(struct ff_profile *profile)
{
    struct ff_moment *settled = ff_alloc(profile->moments.count, sizeof *settled);
    uint32_t used = 1;
    profile->out_of_memory |= !settled;
    for (uint32_t i = 1; settled && i < profile->samples.count; i++) {
        struct ff_sample *sample = &profile->samples.at[i];
        uint64_t window_ns = profile->sources.at[ff_sample_source(profile, sample)].window_ns;
        if (!sample->moments)
            continue;
        uint32_t count =
            settle_chain(profile, sample->moments, window_ns ? window_ns : 1, settled + used);
        sample->moments = used;
        for (uint32_t at = used; at < used + count; at++)
            settled[at].next = at + 1 < used + count ? at + 1 : 0;
        used += count;
    }
    if (!settled)
        return;
    ff_free(profile->moments.at);
    profile->moments.at = settled;
    profile->moments.capacity = profile->moments.count;
    profile->moments.count = used;
}
