/* SPDX-License-Identifier: MIT
 *
 * A queue that is sorted at each round mark. The hard thing is speed: a round is a few ascending
 * runs, one per CPU, so a natural merge sort touches each entry only log2(runs) times.
 */
#include "read/perf_order.h"

#include <string.h>

#define LINE_BYTES 64u
#define HEAD_BYTES 448u /* of a sample: fields, a short call chain, registers */

static void add_entry(struct ff_perf_order *order, struct ff_perf_entry entry)
{
    order->entries = ff_grow(order->entries, &order->capacity, (uint64_t)order->count + 1,
                             sizeof *order->entries, &order->failed);
    if (order->count == order->capacity)
        return;
    order->entries[order->count++] = entry;
    if (entry.time_ns > order->newest_ns)
        order->newest_ns = entry.time_ns;
    if (entry.time_ns < order->delivered_ns)
        order->late++;
}

void ff_perf_order_add_stable(struct ff_perf_order *order, uint64_t time_ns, struct ff_text record)
{
    add_entry(order, (struct ff_perf_entry){time_ns, record.at, (uint32_t)record.size, false});
}

void ff_perf_order_add(struct ff_perf_order *order, uint64_t time_ns, struct ff_text record)
{
    char *copy = ff_arena_take(&order->arenas[order->current], record.size);
    if (!copy) {
        order->failed = true;
        return;
    }
    memcpy(copy, record.at, record.size);
    add_entry(order, (struct ff_perf_entry){time_ns, copy, (uint32_t)record.size, true});
}

static struct ff_text record_of(const struct ff_perf_entry *entry)
{
    return (struct ff_text){entry->record, entry->size};
}

/* End of the ascending run that begins at START. */
static uint32_t run_end(const struct ff_perf_entry *entries, uint32_t start, uint32_t count)
{
    uint32_t end = start + 1;
    while (end < count && entries[end - 1].time_ns <= entries[end].time_ns)
        end++;
    return end;
}

static void merge(struct ff_perf_entry *to, const struct ff_perf_entry *a, uint32_t a_count,
                  const struct ff_perf_entry *b, uint32_t b_count)
{
    while (a_count && b_count) {
        if (b->time_ns < a->time_ns) {
            *to++ = *b++;
            b_count--;
        } else {
            *to++ = *a++;
            a_count--;
        }
    }
    memcpy(to, a, a_count * sizeof *a);
    memcpy(to + a_count, b, b_count * sizeof *b);
}

/* One pass over the runs, merging each pair; true when one run is left. */
static bool merge_pass(struct ff_perf_order *order)
{
    uint32_t start = 0;
    while (start < order->count) {
        uint32_t middle = run_end(order->entries, start, order->count);
        if (start == 0 && middle == order->count)
            return true;
        uint32_t end =
            middle < order->count ? run_end(order->entries, middle, order->count) : middle;
        merge(order->merged + start, order->entries + start, middle - start,
              order->entries + middle, end - middle);
        start = end;
    }
    struct ff_perf_entry *entries = order->entries;
    order->entries = order->merged;
    order->merged = entries;
    uint32_t capacity = order->capacity;
    order->capacity = order->merged_capacity;
    order->merged_capacity = capacity;
    return order->count == 0;
}

static void sort_entries(struct ff_perf_order *order)
{
    order->merged = ff_grow(order->merged, &order->merged_capacity, order->count,
                            sizeof *order->merged, &order->failed);
    if (order->merged_capacity < order->count)
        return;
    while (!merge_pass(order))
        continue;
}

/* Moves what still waits to the other arena, so that this one's memory serves the next round. */
static void keep_rest(struct ff_perf_order *order, uint32_t delivered)
{
    uint32_t rest = order->count - delivered;
    struct ff_arena *to = &order->arenas[!order->current];
    order->count = 0;
    for (uint32_t i = 0; i < rest; i++) {
        struct ff_perf_entry entry = order->entries[delivered + i];
        if (entry.copied) {
            struct ff_text record = record_of(&entry);
            char *copy = ff_arena_take(to, record.size);
            if (!copy) {
                order->failed = true;
                break;
            }
            entry.record = memcpy(copy, record.at, record.size);
        }
        order->entries[order->count++] = entry;
    }
    ff_arena_reset(&order->arenas[order->current]);
    order->current = !order->current;
}

/* Asks for what is read of every record, which is not in the processor's cache, before it is needed: its
 * head, and the end, where a stack dump says how much was copied. */
static void prefetch(const struct ff_perf_entry *entry)
{
    for (unsigned at = 0; at < HEAD_BYTES; at += LINE_BYTES)
        __builtin_prefetch(entry->record + at);
    __builtin_prefetch(entry->record + entry->size - 1);
}

void ff_perf_order_round(struct ff_perf_order *order, bool at_end,
                         void (*deliver)(void *context, struct ff_text record), void *context)
{
    uint64_t limit_ns = at_end ? UINT64_MAX : order->limit_ns;
    uint32_t delivered = 0;
    order->limit_ns = order->newest_ns;
    if (limit_ns > 0) {
        sort_entries(order);
        while (delivered < order->count && order->entries[delivered].time_ns <= limit_ns) {
            if (delivered + 1 < order->count)
                prefetch(&order->entries[delivered + 1]);
            deliver(context, record_of(&order->entries[delivered++]));
        }
    }
    if (delivered) {
        order->delivered_ns = order->entries[delivered - 1].time_ns;
        keep_rest(order, delivered);
    }
}

void ff_perf_order_release(struct ff_perf_order *order)
{
    ff_free(order->entries);
    ff_free(order->merged);
    ff_arena_release(&order->arenas[0]);
    ff_arena_release(&order->arenas[1]);
}
