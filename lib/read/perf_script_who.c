/* SPDX-License-Identifier: MIT
 *
 * What the heads of perf script text name. Nothing is hard here: each text is looked up as a whole, and
 * parsed into rows once.
 */
#include "read/perf_script_who.h"
#include "read/perf_names.h"

void ff_script_who_release(struct ff_script_who *who)
{
    ff_intern_release(&who->texts);
    ff_intern_release(&who->events);
    ff_map_release(&who->tids);
    ff_free(who->threads);
    ff_free(who->event_rows);
}

bool ff_script_who_knows(const struct ff_script_who *who, struct ff_text event)
{
    return event.size && ff_intern_find(&who->events, event);
}

static uint32_t process_row(struct ff_script_who *who, uint32_t pid)
{
    return ff_process_add(who->profile, (struct ff_process){who->source, pid, 0});
}

/* A thread that prints another name than before is a new generation of it. */
static uint32_t add_thread(struct ff_script_who *who, const struct ff_script_head *head)
{
    struct ff_profile *profile = who->profile;
    struct ff_thread row = {.process = process_row(who, head->pid), .tid = head->tid};
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(row.process, row.tid);
    row.comm = ff_profile_intern(profile, head->comm);
    for (uint32_t id = ff_map_first(&who->tids, hash, &probe); id;
         id = ff_map_next(&who->tids, &probe)) {
        const struct ff_thread *other = &profile->threads.at[id];
        if (other->process != row.process || other->tid != row.tid)
            continue;
        if (other->comm == row.comm)
            return id;
        row.generation =
            other->generation >= row.generation ? other->generation + 1 : row.generation;
    }
    uint32_t id = ff_thread_add(profile, row);
    if (id)
        ff_map_add(&who->tids, hash, id);
    return id;
}

uint32_t ff_script_who_thread(struct ff_script_who *who, const struct ff_script_head *head)
{
    uint32_t key = ff_intern(&who->texts, head->who);
    if (key >= who->thread_capacity)
        who->threads = ff_grow(who->threads, &who->thread_capacity, (uint64_t)key + 1,
                               sizeof *who->threads, &who->profile->out_of_memory);
    if (key >= who->thread_capacity)
        return 0;
    if (!who->threads[key])
        who->threads[key] = add_thread(who, head);
    return who->threads[key];
}

static uint32_t add_event(struct ff_script_who *who, struct ff_text name, bool has_period)
{
    struct ff_profile *profile = who->profile;
    struct ff_source *source = &profile->sources.at[who->source];
    uint8_t population = (uint8_t)ff_perf_name_population(name);
    if (source->population != FF_POPULATION_ON_CPU)
        source->population = population;
    struct ff_event event = {.source = who->source};
    event.name = ff_profile_intern(profile, name.size ? name : FF_TEXT("samples"));
    event.unit =
        ff_profile_intern(profile, has_period ? ff_perf_name_unit(name) : FF_TEXT("samples"));
    return ff_event_add(profile, event);
}

uint32_t ff_script_who_event(struct ff_script_who *who, const struct ff_script_head *head)
{
    uint32_t key = ff_intern(&who->events, head->event);
    if (key >= who->event_capacity)
        who->event_rows = ff_grow(who->event_rows, &who->event_capacity, (uint64_t)key + 1,
                                  sizeof *who->event_rows, &who->profile->out_of_memory);
    if (key >= who->event_capacity)
        return 0;
    if (!who->event_rows[key])
        who->event_rows[key] = add_event(who, head->event, head->has_period);
    return who->event_rows[key];
}
