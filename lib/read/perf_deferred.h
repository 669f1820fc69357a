/* SPDX-License-Identifier: MIT
 *
 * Samples whose user side comes later, in a CALLCHAIN_DEFERRED record of the same thread and cookie, when
 * the thread leaves the kernel.
 */
#ifndef FF_READ_PERF_DEFERRED_H
#define FF_READ_PERF_DEFERRED_H

#include "base/map.h"
#include "base/memory.h"
#include "read/perf_record.h"

/* A sample that waits. */
struct ff_perf_held {
    struct ff_text record; /* in the arena */
    uint64_t cookie;
    bool own;      /* as it was held */
    uint32_t next; /* of the same thread, older; 0: none */
};

/* All zero is ready for use. */
struct ff_perf_deferred {
    struct ff_perf_held *held; /* index 0 unused */
    uint32_t held_count, held_capacity;
    struct {
        uint32_t tid, newest;
    } * threads; /* index 0 unused */
    uint32_t thread_count, thread_capacity;
    struct ff_map map; /* tid to threads */
    struct ff_arena arena;
    bool failed;
};

void ff_perf_deferred_release(struct ff_perf_deferred *deferred);

/* Whether a sample's chain ends in a promise, with its cookie. */
bool ff_perf_deferred_cookie(const struct ff_perf_sample *sample, uint64_t *cookie);

/* Keeps a copy of a sample's record. */
void ff_perf_deferred_hold(struct ff_perf_deferred *deferred, uint32_t tid, uint64_t cookie,
                           struct ff_text record, bool own);

/* Takes the newest one of a thread that waits for this cookie; false when there is none. Those of other
 * cookies stay: theirs was lost. */
bool ff_perf_deferred_take(struct ff_perf_deferred *deferred, uint32_t tid, uint64_t cookie,
                           struct ff_perf_held *taken);

/* Takes any that is left; false at the end. */
bool ff_perf_deferred_next(struct ff_perf_deferred *deferred, struct ff_perf_held *taken);

#endif
