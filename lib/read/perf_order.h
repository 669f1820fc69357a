/* SPDX-License-Identifier: MIT
 *
 * Records into the order of their times. The recorder writes each CPU's buffer in turn and puts a
 * mark behind every round: what comes later is never older than the round before the mark.
 */
#ifndef FF_READ_PERF_ORDER_H
#define FF_READ_PERF_ORDER_H

#include "base/memory.h"
#include "base/text.h"

struct ff_perf_entry {
    uint64_t time_ns;
    const char *record;
    uint32_t size;
    bool copied; /* the record is in the arena; else it stays where it is */
};

/* All zero is empty. */
struct ff_perf_order {
    struct ff_perf_entry *entries, *merged; /* waiting; scratch of the sort */
    uint32_t count, capacity, merged_capacity;
    struct ff_arena arenas[2]; /* the waiting records' bytes are in arenas[current] */
    unsigned current;
    uint64_t newest_ns, limit_ns; /* of all records so far; of the round before this one */
    uint64_t delivered_ns;        /* everything up to here was delivered */
    uint64_t late;                /* records that came too late for their place */
    bool failed;
};

/* Takes a copy of a record with its time. */
void ff_perf_order_add(struct ff_perf_order *order, uint64_t time_ns, struct ff_text record);

/* The same without a copy: the record's bytes must outlive the order. */
void ff_perf_order_add_stable(struct ff_perf_order *order, uint64_t time_ns, struct ff_text record);

/* Calls DELIVER for the records that nothing later can precede, in order: at a round mark, or for
 * all that is left (`at_end`). Records of equal time keep their order in the file. */
void ff_perf_order_round(struct ff_perf_order *order, bool at_end,
                         void (*deliver)(void *context, struct ff_text record), void *context);
void ff_perf_order_release(struct ff_perf_order *order);

#endif
