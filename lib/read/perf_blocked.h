/* SPDX-License-Identifier: MIT
 *
 * Time off the CPU: a population of its own, so a source of its own beside that of the recording, with
 * rows of its own for the same threads. It comes from `perf record --off-cpu`, or from pairs of
 * sched_switch: where a thread left the CPU, and when it came back.
 */
#ifndef FF_READ_PERF_BLOCKED_H
#define FF_READ_PERF_BLOCKED_H

#include "profile/profile.h"
#include "read/perf_record.h"

/* A thread that left the CPU. */
struct ff_perf_away {
    uint32_t tid, thread, stack;
    uint8_t state;
    uint64_t since_ns; /* 0: it is back */
};

struct ff_perf_blocked {
    struct ff_profile *profile;
    uint32_t source;   /* 0: not made yet */
    uint32_t *threads; /* by row of the recording's own source; 0: not made yet */
    uint32_t thread_capacity;
    uint32_t pairs_event;      /* of pairs; 0: not made yet */
    struct ff_perf_away *away; /* index 0 unused */
    uint32_t away_count, away_capacity;
    struct ff_map away_map; /* tid to row */
    uint64_t samples;       /* that pairs made */
};

void ff_perf_blocked_release(struct ff_perf_blocked *blocked);

/* The source for time off the CPU of the recording MAIN: "NAME:blocked". */
uint32_t ff_perf_blocked_source(struct ff_perf_blocked *blocked, uint32_t main);

/* That source's row for a thread of MAIN. */
uint32_t ff_perf_blocked_thread(struct ff_perf_blocked *blocked, uint32_t main, uint32_t thread);

/* A sample of sched_switch with its row: the thread leaves, and the one that comes may have been away,
 * which makes a sample there, of the ns between. Whoever was pushed off the CPU does not wait: its time
 * is not blocked. */
void ff_perf_blocked_switch(struct ff_perf_blocked *blocked, uint32_t main,
                            const struct ff_perf_sample *sample, const struct ff_sample *row);

/* How many threads are away. */
uint32_t ff_perf_blocked_still(const struct ff_perf_blocked *blocked);

#endif
