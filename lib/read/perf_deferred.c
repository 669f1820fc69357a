/* SPDX-License-Identifier: MIT
 *
 * A list for each thread. The hard thing is a promise that is never kept: a thread has one cookie at a
 * time, so whatever waits below the newest has waited in vain and is not searched.
 */
#include "read/perf_deferred.h"

#define CONTEXT_USER_DEFERRED ((uint64_t)-640) /* linux include/uapi/linux/perf_event.h */

void ff_perf_deferred_release(struct ff_perf_deferred *deferred)
{
    ff_free(deferred->held);
    ff_free(deferred->threads);
    ff_map_release(&deferred->map);
    ff_arena_release(&deferred->arena);
}

bool ff_perf_deferred_cookie(const struct ff_perf_sample *sample, uint64_t *cookie)
{
    uint64_t marker;
    if (sample->chain_count < 2)
        return false;
    memcpy(&marker, sample->chain + (sample->chain_count - 2) * 8, sizeof marker);
    memcpy(cookie, sample->chain + (sample->chain_count - 1) * 8, sizeof *cookie);
    return marker == CONTEXT_USER_DEFERRED;
}

static uint32_t *newest_of(struct ff_perf_deferred *deferred, uint32_t tid)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(4, tid);
    for (uint32_t id = ff_map_first(&deferred->map, hash, &probe); id;
         id = ff_map_next(&deferred->map, &probe)) {
        if (deferred->threads[id].tid == tid)
            return &deferred->threads[id].newest;
    }
    uint32_t id = deferred->thread_count ? deferred->thread_count : 1;
    deferred->threads = ff_grow(deferred->threads, &deferred->thread_capacity, (uint64_t)id + 1,
                                sizeof *deferred->threads, &deferred->failed);
    if (id >= deferred->thread_capacity)
        return NULL;
    deferred->threads[id].tid = tid;
    deferred->thread_count = id + 1;
    ff_map_add(&deferred->map, hash, id);
    return &deferred->threads[id].newest;
}

void ff_perf_deferred_hold(struct ff_perf_deferred *deferred, uint32_t tid, uint64_t cookie,
                           struct ff_text record, bool own)
{
    uint32_t id = deferred->held_count ? deferred->held_count : 1;
    uint32_t *newest = newest_of(deferred, tid);
    char *copy = ff_arena_take(&deferred->arena, record.size);
    deferred->held = ff_grow(deferred->held, &deferred->held_capacity, (uint64_t)id + 1,
                             sizeof *deferred->held, &deferred->failed);
    deferred->failed |= !copy || !newest;
    if (deferred->failed)
        return;
    record.at = memcpy(copy, record.at, record.size);
    deferred->held[id] = (struct ff_perf_held){record, cookie, own, *newest};
    deferred->held_count = id + 1;
    *newest = id;
}

bool ff_perf_deferred_take(struct ff_perf_deferred *deferred, uint32_t tid, uint64_t cookie,
                           struct ff_perf_held *taken)
{
    uint32_t *newest = newest_of(deferred, tid);
    if (!newest || !*newest || deferred->held[*newest].cookie != cookie)
        return false;
    struct ff_perf_held *held = &deferred->held[*newest];
    *taken = *held;
    held->record.size = 0;
    *newest = held->next;
    return true;
}

bool ff_perf_deferred_next(struct ff_perf_deferred *deferred, struct ff_perf_held *taken)
{
    while (deferred->held_count > 1) {
        *taken = deferred->held[--deferred->held_count];
        if (taken->record.size)
            return true;
    }
    return false;
}
