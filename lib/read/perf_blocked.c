/* SPDX-License-Identifier: MIT
 *
 * Switches to waiting. The hard thing is that the stack and the duration stand in different records: the
 * thread's own, when it leaves, and that of whoever makes room for it when it comes back.
 */
#include "read/perf_blocked.h"
#include "base/cursor.h"
#include "profile/moment.h"

#include <stdio.h>

/* The payload of sched_switch since Linux 2.6.29: 8 bytes common to all tracepoints, comm[16], pid, prio,
 * state as 8 bytes, comm[16], pid. Source: linux include/trace/events/sched.h. */
#define PREVIOUS_PID_AT   24u
#define PREVIOUS_STATE_AT 32u
#define NEXT_PID_AT       56u
#define STATE_WAITING     0xffu /* any bit: not runnable; what lies above says that it was pushed off */

void ff_perf_blocked_release(struct ff_perf_blocked *blocked)
{
    ff_free(blocked->threads);
    ff_free(blocked->away);
    ff_map_release(&blocked->away_map);
}

uint32_t ff_perf_blocked_source(struct ff_perf_blocked *blocked, uint32_t main)
{
    if (blocked->source)
        return blocked->source;
    char name[400];
    struct ff_profile *profile = blocked->profile;
    struct ff_source source = profile->sources.at[main];
    snprintf(name, sizeof name, "%.*s:blocked",
             FF_TEXT_ARGS(ff_text_slice(ff_profile_text(profile, source.name), 0, 300)));
    source = (struct ff_source){.name = ff_profile_intern(profile, ff_text(name)),
                                .tool = source.tool,
                                .population = FF_POPULATION_BLOCKED,
                                .host = source.host};
    return blocked->source = ff_source_add(profile, source);
}

uint32_t ff_perf_blocked_thread(struct ff_perf_blocked *blocked, uint32_t main, uint32_t thread)
{
    struct ff_profile *profile = blocked->profile;
    if (thread >= blocked->thread_capacity)
        blocked->threads =
            ff_grow(blocked->threads, &blocked->thread_capacity, (uint64_t)thread + 1,
                    sizeof *blocked->threads, &profile->out_of_memory);
    if (thread >= blocked->thread_capacity)
        return 0;
    if (!blocked->threads[thread]) {
        struct ff_thread row = profile->threads.at[thread];
        struct ff_process process = profile->processes.at[row.process];
        process.source = ff_perf_blocked_source(blocked, main);
        row.process = ff_process_add(profile, process);
        blocked->threads[thread] = ff_thread_add(profile, row);
    }
    return blocked->threads[thread];
}

static struct ff_perf_away *away_of(struct ff_perf_blocked *blocked, uint32_t tid)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(2, tid);
    for (uint32_t id = ff_map_first(&blocked->away_map, hash, &probe); id;
         id = ff_map_next(&blocked->away_map, &probe)) {
        if (blocked->away[id].tid == tid)
            return &blocked->away[id];
    }
    uint32_t id = blocked->away_count ? blocked->away_count : 1;
    blocked->away = ff_grow(blocked->away, &blocked->away_capacity, (uint64_t)id + 1,
                            sizeof *blocked->away, &blocked->profile->out_of_memory);
    if (id >= blocked->away_capacity)
        return NULL;
    blocked->away[id] = (struct ff_perf_away){.tid = tid};
    blocked->away_count = id + 1;
    ff_map_add(&blocked->away_map, hash, id);
    return &blocked->away[id];
}

static uint32_t pairs_event(struct ff_perf_blocked *blocked, uint32_t main)
{
    struct ff_profile *profile = blocked->profile;
    if (!blocked->pairs_event)
        blocked->pairs_event = ff_event_add(
            profile, (struct ff_event){.source = ff_perf_blocked_source(blocked, main),
                                       .name = ff_profile_intern(profile, FF_TEXT("sched-blocked")),
                                       .unit = ff_profile_intern(profile, FF_TEXT("ns"))});
    return blocked->pairs_event;
}

/* A thread that was away comes back. */
static void come_back(struct ff_perf_blocked *blocked, uint32_t main, struct ff_perf_away *away,
                      uint64_t time_ns)
{
    struct ff_sample sample = {
        .event = pairs_event(blocked, main),
        .thread = ff_perf_blocked_thread(blocked, main, away->thread),
        .stack = away->stack,
        .state = away->state,
        .count = FF_COUNT_ONE,
        .weight = time_ns - away->since_ns,
        .moments = ff_moment_add(blocked->profile, blocked->source, away->since_ns),
    };
    ff_sample_add(blocked->profile, sample);
    blocked->samples++;
    away->since_ns = 0;
}

void ff_perf_blocked_switch(struct ff_perf_blocked *blocked, uint32_t main,
                            const struct ff_perf_sample *sample, const struct ff_sample *row)
{
    struct ff_cursor cursor = ff_cursor(sample->raw.at, sample->raw.size, false);
    ff_cursor_bytes(&cursor, PREVIOUS_PID_AT);
    uint32_t previous = ff_cursor_u32(&cursor);
    ff_cursor_u32(&cursor);
    uint64_t state = ff_cursor_u64(&cursor);
    ff_cursor_bytes(&cursor, NEXT_PID_AT - PREVIOUS_STATE_AT - 8);
    uint32_t next = ff_cursor_u32(&cursor);
    if (cursor.failed || !sample->time_ns)
        return;
    struct ff_perf_away *away = next ? away_of(blocked, next) : NULL;
    if (away && away->since_ns && away->since_ns <= sample->time_ns)
        come_back(blocked, main, away, sample->time_ns);
    away = previous && previous == sample->tid && state & STATE_WAITING ? away_of(blocked, previous)
                                                                        : NULL;
    if (away)
        *away =
            (struct ff_perf_away){previous, row->thread, row->stack, row->state, sample->time_ns};
}

uint32_t ff_perf_blocked_still(const struct ff_perf_blocked *blocked)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < blocked->away_count; i++)
        count += blocked->away[i].since_ns != 0;
    return count;
}
