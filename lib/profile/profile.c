/* SPDX-License-Identifier: MIT
 *
 * The tables of a profile and the hash maps that keep their rows distinct. The hard thing is
 * failing without checks at every call: row 0 takes what does not fit, and a flag remembers it.
 */
#include "profile/profile.h"

#include "profile/moment.h"

/* Adds a zeroed row to a table of the profile; evaluates to its id, 0 when memory is out. */
#define TABLE_ADD(profile, table)                                                                  \
    ((profile)->table.at = ff_grow((profile)->table.at, &(profile)->table.capacity,                \
                                   (uint64_t)(profile)->table.count + 1,                           \
                                   sizeof *(profile)->table.at, &(profile)->out_of_memory),        \
     (profile)->table.count < (profile)->table.capacity ? (profile)->table.count++ : 0)

struct ff_profile *ff_profile_new(void)
{
    struct ff_profile *profile = ff_alloc(1, sizeof *profile);
    if (!profile)
        return NULL;
    TABLE_ADD(profile, sources);
    TABLE_ADD(profile, events);
    TABLE_ADD(profile, modules);
    TABLE_ADD(profile, processes);
    TABLE_ADD(profile, threads);
    TABLE_ADD(profile, frames);
    TABLE_ADD(profile, stacks);
    TABLE_ADD(profile, samples);
    TABLE_ADD(profile, moments);
    TABLE_ADD(profile, depths);
    TABLE_ADD(profile, cuts);
    TABLE_ADD(profile, facts);
    TABLE_ADD(profile, ledger);
    TABLE_ADD(profile, extras);
    if (profile->out_of_memory) {
        ff_profile_free(profile);
        return NULL;
    }
    return profile;
}

void ff_profile_free(struct ff_profile *profile)
{
    if (!profile)
        return;
    ff_free(profile->sources.at);
    ff_free(profile->events.at);
    ff_free(profile->modules.at);
    ff_free(profile->processes.at);
    ff_free(profile->threads.at);
    ff_free(profile->frames.at);
    ff_free(profile->stacks.at);
    ff_free(profile->samples.at);
    ff_free(profile->moments.at);
    ff_free(profile->depths.at);
    ff_free(profile->cuts.at);
    ff_free(profile->facts.at);
    ff_free(profile->mappings.at);
    ff_free(profile->ledger.at);
    ff_free(profile->extras.at);
    ff_map_release(&profile->module_map);
    ff_map_release(&profile->process_map);
    ff_map_release(&profile->thread_map);
    ff_map_release(&profile->frame_map);
    ff_free(profile->stack_slots);
    ff_map_release(&profile->sample_map);
    ff_map_release(&profile->ledger_map);
    ff_intern_release(&profile->texts);
    ff_free(profile);
}

enum ff_status ff_profile_status(struct ff_profile *profile)
{
    bool failed = profile->out_of_memory || profile->texts.failed || profile->module_map.failed ||
                  profile->process_map.failed || profile->thread_map.failed ||
                  profile->frame_map.failed || profile->sample_map.failed ||
                  profile->ledger_map.failed;
    if (failed)
        return ff_error_set(&profile->error, FF_NO_MEMORY, "out of memory");
    return FF_OK;
}

uint32_t ff_source_add(struct ff_profile *profile, struct ff_source source)
{
    uint32_t id = TABLE_ADD(profile, sources);
    profile->sources.at[id] = source;
    return id;
}

uint32_t ff_event_add(struct ff_profile *profile, struct ff_event event)
{
    uint32_t id = TABLE_ADD(profile, events);
    profile->events.at[id] = event;
    return id;
}

uint32_t ff_fact_add(struct ff_profile *profile, struct ff_fact fact)
{
    uint32_t id = TABLE_ADD(profile, facts);
    profile->facts.at[id] = fact;
    return id;
}

uint32_t ff_extra_add(struct ff_profile *profile, struct ff_text line)
{
    uint32_t id = TABLE_ADD(profile, extras);
    profile->extras.at[id].text = ff_profile_intern(profile, line);
    return id;
}

static bool is_same_module(const struct ff_module *a, const struct ff_module *b)
{
    return a->kind == b->kind && a->path == b->path && a->build_id == b->build_id &&
           a->pid == b->pid && a->anchor == b->anchor && a->inode == b->inode &&
           ff_generations_agree(a->generation, b->generation);
}

uint32_t ff_module_add(struct ff_profile *profile, struct ff_module module)
{
    uint64_t hash = ff_hash_mix(ff_hash_mix(module.kind, module.path),
                                (uint64_t)module.build_id << 32 | module.pid);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&profile->module_map, hash, &probe); id;
         id = ff_map_next(&profile->module_map, &probe)) {
        struct ff_module *row = &profile->modules.at[id];
        if (!is_same_module(row, &module))
            continue;
        if (!row->generation)
            row->generation = module.generation;
        return id;
    }
    uint32_t id = TABLE_ADD(profile, modules);
    profile->modules.at[id] = module;
    if (id)
        ff_map_add(&profile->module_map, hash, id);
    return id;
}

uint32_t ff_process_add(struct ff_profile *profile, struct ff_process process)
{
    uint64_t hash = ff_hash_mix(ff_hash_mix(process.source, process.pid), process.generation);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&profile->process_map, hash, &probe); id;
         id = ff_map_next(&profile->process_map, &probe)) {
        const struct ff_process *row = &profile->processes.at[id];
        if (row->source == process.source && row->pid == process.pid &&
            row->generation == process.generation)
            return id;
    }
    uint32_t id = TABLE_ADD(profile, processes);
    profile->processes.at[id] = process;
    if (id)
        ff_map_add(&profile->process_map, hash, id);
    return id;
}

uint32_t ff_thread_add(struct ff_profile *profile, struct ff_thread thread)
{
    uint64_t hash = ff_hash_mix(ff_hash_mix(thread.process, thread.tid), thread.generation);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&profile->thread_map, hash, &probe); id;
         id = ff_map_next(&profile->thread_map, &probe)) {
        const struct ff_thread *row = &profile->threads.at[id];
        if (row->process == thread.process && row->tid == thread.tid &&
            row->generation == thread.generation)
            return id;
    }
    uint32_t id = TABLE_ADD(profile, threads);
    profile->threads.at[id] = thread;
    if (id)
        ff_map_add(&profile->thread_map, hash, id);
    return id;
}

static bool frame_equal(const struct ff_frame *a, const struct ff_frame *b)
{
    return a->kind == b->kind && a->named == b->named && a->how == b->how && a->entry == b->entry &&
           a->module == b->module && a->place == b->place && a->symbol == b->symbol &&
           a->file == b->file && a->line == b->line && a->function == b->function &&
           a->site == b->site;
}

uint32_t ff_frame_add(struct ff_profile *profile, struct ff_frame frame)
{
    /* What a later stage fills in is not hashed, so that it can be changed in place: a frame with a
     * place gets its symbol later, a frame without one always came with it. */
    uint64_t hash = ff_hash_mix(frame.place ^ frame.site << 20,
                                (uint64_t)frame.module << 16 | frame.how << 8 | frame.kind);
    if (!frame.place)
        hash =
            ff_hash_mix(ff_hash_mix(hash, frame.symbol), (uint64_t)frame.file << 32 | frame.line);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&profile->frame_map, hash, &probe); id;
         id = ff_map_next(&profile->frame_map, &probe)) {
        if (frame_equal(&profile->frames.at[id], &frame))
            return id;
    }
    uint32_t id = TABLE_ADD(profile, frames);
    profile->frames.at[id] = frame;
    if (id)
        ff_map_add(&profile->frame_map, hash, id);
    return id;
}

/* The key stands beside the id, so that a lookup touches one line of cache. Id 0: free. */
struct ff_stack_slot {
    uint32_t parent, frame, id;
};

static struct ff_stack_slot *stack_slot(const struct ff_profile *profile, uint32_t parent,
                                        uint32_t frame)
{
    uint32_t mask = profile->stack_slot_count - 1;
    uint32_t at = (uint32_t)(ff_hash_mix(parent, frame) >> 20) & mask;
    struct ff_stack_slot *slots = profile->stack_slots;
    while (slots[at].id && (slots[at].parent != parent || slots[at].frame != frame))
        at = (at + 1) & mask;
    return &slots[at];
}

static bool grow_stack_slots(struct ff_profile *profile)
{
    uint32_t count = profile->stack_slot_count ? profile->stack_slot_count * 2 : 1024;
    while (count && count / 3 * 2 <= profile->stacks.count)
        count *= 2; /* they were released */
    struct ff_stack_slot *slots = count ? ff_alloc(count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    ff_free(profile->stack_slots);
    profile->stack_slots = slots;
    profile->stack_slot_count = count;
    for (uint32_t id = 1; id < profile->stacks.count; id++) {
        const struct ff_stack *row = &profile->stacks.at[id];
        *stack_slot(profile, row->parent, row->frame) =
            (struct ff_stack_slot){row->parent, row->frame, id};
    }
    return true;
}

void ff_stack_release_slots(struct ff_profile *profile)
{
    ff_free(profile->stack_slots);
    profile->stack_slots = NULL;
    profile->stack_slot_count = 0;
}

uint32_t ff_stack_push(struct ff_profile *profile, uint32_t parent, uint32_t frame)
{
    bool full = profile->stacks.count >= profile->stack_slot_count / 3 * 2;
    if (full && !grow_stack_slots(profile)) {
        profile->out_of_memory = true;
        return 0;
    }
    struct ff_stack_slot *slot = stack_slot(profile, parent, frame);
    if (slot->id)
        return slot->id;
    uint32_t id = TABLE_ADD(profile, stacks);
    profile->stacks.at[id] = (struct ff_stack){parent, frame};
    if (id)
        *slot = (struct ff_stack_slot){parent, frame, id};
    return id;
}

static void add_saturating(struct ff_profile *profile, uint64_t *sum, uint64_t value,
                           uint32_t event)
{
    uint64_t total = *sum + value;
    if (total < value) {
        total = UINT64_MAX;
        ff_ledger_add(profile, profile->events.at[event].source, FF_LEDGER_SATURATED, 1);
    }
    *sum = total;
}

/* Adds to row ID if it has the same key. */
static bool sample_merge(struct ff_profile *profile, uint32_t id, const struct ff_sample *sample)
{
    struct ff_sample *row = &profile->samples.at[id];
    if (row->stack != sample->stack || row->thread != sample->thread ||
        row->event != sample->event || row->bucket != sample->bucket || row->tags != sample->tags ||
        row->state != sample->state)
        return false;
    add_saturating(profile, &row->count, sample->count, sample->event);
    add_saturating(profile, &row->weight, sample->weight, sample->event);
    add_saturating(profile, &row->spread, sample->spread, sample->event);
    row->moments = ff_moments_join(profile, row->moments, sample->moments);
    return true;
}

uint32_t ff_sample_add_near(struct ff_profile *profile, uint32_t near, struct ff_sample sample)
{
    return near && sample_merge(profile, near, &sample) ? near : ff_sample_add(profile, sample);
}

uint32_t ff_sample_add(struct ff_profile *profile, struct ff_sample sample)
{
    uint64_t hash = ff_hash_mix(ff_hash_mix((uint64_t)sample.thread << 32 | sample.stack,
                                            (uint64_t)sample.event << 8 | sample.state),
                                (uint64_t)sample.tags << 32 | sample.bucket);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&profile->sample_map, hash, &probe); id;
         id = ff_map_next(&profile->sample_map, &probe)) {
        if (sample_merge(profile, id, &sample))
            return id;
    }
    uint32_t id = TABLE_ADD(profile, samples);
    profile->samples.at[id] = sample;
    if (id)
        ff_map_add(&profile->sample_map, hash, id);
    return id;
}

void ff_depth_add(struct ff_profile *profile, struct ff_depth depth)
{
    for (uint32_t i = 1; i < profile->depths.count; i++) {
        struct ff_depth *row = &profile->depths.at[i];
        if (row->source == depth.source && row->complete == depth.complete &&
            row->size_kib == depth.size_kib) {
            row->count += depth.count;
            return;
        }
    }
    uint32_t id = TABLE_ADD(profile, depths);
    profile->depths.at[id] = depth;
}

void ff_cut_add(struct ff_profile *profile, struct ff_cut cut)
{
    for (uint32_t i = 1; i < profile->cuts.count; i++) {
        struct ff_cut *row = &profile->cuts.at[i];
        if (row->source != cut.source || row->frame != cut.frame)
            continue;
        row->count += cut.count;
        row->least = cut.least < row->least ? cut.least : row->least;
        row->most = cut.most > row->most ? cut.most : row->most;
        return;
    }
    uint32_t id = TABLE_ADD(profile, cuts);
    profile->cuts.at[id] = cut;
}

void ff_sample_rebuild(struct ff_profile *profile)
{
    uint32_t count = profile->samples.count;
    profile->samples.count = 1;
    ff_map_release(&profile->sample_map);
    /* Rows move towards the front only, so reading stays ahead of writing. */
    for (uint32_t id = 1; id < count; id++) {
        struct ff_sample sample = profile->samples.at[id];
        if (sample.count || sample.weight)
            ff_sample_add(profile, sample);
    }
}

uint32_t ff_sample_source(const struct ff_profile *profile, const struct ff_sample *sample)
{
    return profile->events.at[sample->event].source;
}
