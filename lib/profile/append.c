/* SPDX-License-Identifier: MIT
 *
 * One profile into another, table after table, each by the translations of those before. Nothing is
 * hard: a row cites only rows that were added before it, so one pass does.
 */
#include "profile/append.h"
#include "profile/moment.h"

static uint32_t *new_map(uint32_t count, bool *failed)
{
    uint32_t *map = ff_alloc(count, sizeof *map);
    *failed |= !map;
    return map;
}

static bool make_maps(struct ff_append *maps, const struct ff_profile *from)
{
    *maps = (struct ff_append){0};
    maps->texts = new_map(from->texts.count, &maps->failed);
    maps->modules = new_map(from->modules.count, &maps->failed);
    maps->events = new_map(from->events.count, &maps->failed);
    maps->processes = new_map(from->processes.count, &maps->failed);
    maps->threads = new_map(from->threads.count, &maps->failed);
    maps->frames = new_map(from->frames.count, &maps->failed);
    maps->stacks = new_map(from->stacks.count, &maps->failed);
    return !maps->failed;
}

void ff_append_release(struct ff_append *maps)
{
    ff_free(maps->texts);
    ff_free(maps->modules);
    ff_free(maps->events);
    ff_free(maps->processes);
    ff_free(maps->threads);
    ff_free(maps->frames);
    ff_free(maps->stacks);
    *maps = (struct ff_append){0};
}

/* Events are few, and a reader adds each once. */
static uint32_t same_event(struct ff_profile *to, struct ff_event event)
{
    for (uint32_t i = 1; i < to->events.count; i++) {
        const struct ff_event *row = &to->events.at[i];
        if (row->source == event.source && row->name == event.name && row->unit == event.unit)
            return i;
    }
    return ff_event_add(to, event);
}

static void append_heads(struct ff_profile *to, uint32_t source, const struct ff_profile *from,
                         struct ff_append *maps)
{
    for (uint32_t i = 1; i < from->texts.count; i++)
        maps->texts[i] = ff_profile_intern(to, ff_profile_text(from, i));
    for (uint32_t i = 1; i < from->modules.count; i++) {
        struct ff_module row = from->modules.at[i];
        row.path = maps->texts[row.path];
        row.build_id = maps->texts[row.build_id];
        maps->modules[i] = ff_module_add(to, row);
    }
    for (uint32_t i = 1; i < from->events.count; i++) {
        struct ff_event row = from->events.at[i];
        maps->events[i] =
            same_event(to, (struct ff_event){source, maps->texts[row.name], maps->texts[row.unit]});
    }
    for (uint32_t i = 1; i < from->processes.count; i++) {
        struct ff_process row = from->processes.at[i];
        row.source = source;
        maps->processes[i] = ff_process_add(to, row);
    }
    for (uint32_t i = 1; i < from->threads.count; i++) {
        struct ff_thread row = from->threads.at[i];
        row.process = maps->processes[row.process];
        row.comm = maps->texts[row.comm];
        row.name = maps->texts[row.name];
        row.role = maps->texts[row.role];
        maps->threads[i] = ff_thread_add(to, row);
    }
}

static void append_stacks(struct ff_profile *to, const struct ff_profile *from,
                          struct ff_append *maps)
{
    for (uint32_t i = 1; i < from->frames.count; i++) {
        struct ff_frame row = from->frames.at[i];
        row.module = maps->modules[row.module];
        row.symbol = maps->texts[row.symbol];
        row.file = maps->texts[row.file];
        maps->frames[i] = ff_frame_add(to, row);
    }
    for (uint32_t i = 1; i < from->stacks.count; i++) {
        const struct ff_stack *row = &from->stacks.at[i];
        maps->stacks[i] = ff_stack_push(to, maps->stacks[row->parent], maps->frames[row->frame]);
    }
}

/* The windows of a source that was read in parts span them all. */
static void append_windows(struct ff_source *to, const struct ff_source *from)
{
    if (!from->window_ns)
        return;
    bool first = !to->window_ns;
    to->window_ns = to->window_ns > from->window_ns ? to->window_ns : from->window_ns;
    to->start_ns = first || from->start_ns < to->start_ns ? from->start_ns : to->start_ns;
    to->end_ns = from->end_ns > to->end_ns ? from->end_ns : to->end_ns;
    while (to->window_ns > 1 &&
           to->end_ns / to->window_ns - to->start_ns / to->window_ns >= FF_WINDOWS)
        to->window_ns *= 2;
}

struct ff_sample ff_append_sample(struct ff_profile *to, const struct ff_profile *from,
                                  const struct ff_append *maps, const struct ff_sample *sample)
{
    struct ff_sample row = *sample;
    row.event = maps->events[row.event];
    row.thread = maps->threads[row.thread];
    row.stack = maps->stacks[row.stack];
    row.bucket = maps->texts[row.bucket];
    row.tags = maps->texts[row.tags];
    row.moments = 0;
    for (uint32_t at = sample->moments; at; at = from->moments.at[at].next) {
        const struct ff_moment *moment = &from->moments.at[at];
        row.moments = ff_moments_join(to, row.moments,
                                      ff_moment_add_count(to, moment->time_ns, moment->count));
    }
    return row;
}

static void append_rest(struct ff_profile *to, uint32_t source, const struct ff_profile *from,
                        const struct ff_append *maps)
{
    for (uint32_t i = 1; i < from->samples.count; i++)
        ff_sample_add(to, ff_append_sample(to, from, maps, &from->samples.at[i]));
    for (uint32_t i = 1; i < from->depths.count; i++) {
        struct ff_depth row = from->depths.at[i];
        row.source = source;
        ff_depth_add(to, row);
    }
    for (uint32_t i = 1; i < from->cuts.count; i++) {
        struct ff_cut row = from->cuts.at[i];
        row.source = source;
        row.frame = maps->frames[row.frame];
        ff_cut_add(to, row);
    }
    for (uint32_t i = 1; i < from->ledger.count; i++) {
        struct ff_ledger_entry row = from->ledger.at[i];
        row.source = row.source ? source : 0;
        row.unit = maps->texts[row.unit];
        row.name = maps->texts[row.name];
        ff_ledger_add_entry(to, row);
    }
}

void ff_append(struct ff_profile *to, uint32_t source, const struct ff_profile *from,
               struct ff_append *maps)
{
    if (make_maps(maps, from)) {
        append_heads(to, source, from, maps);
        append_stacks(to, from, maps);
        append_windows(&to->sources.at[source], &from->sources.at[from->sources.count - 1]);
        append_rest(to, source, from, maps);
    }
    to->out_of_memory |= maps->failed;
}
