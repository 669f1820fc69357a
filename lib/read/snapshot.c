/* SPDX-License-Identifier: MIT
 *
 * Threads of a dump to samples. No hard thing: frames are collected until the next thread begins,
 * then pushed from the root on.
 */
#include "read/snapshot.h"

void ff_snapshot_begin(struct ff_snapshot *snapshot, struct ff_profile *profile, const char *name,
                       enum ff_tool tool)
{
    *snapshot = (struct ff_snapshot){.profile = profile};
    snapshot->source =
        ff_source_add(profile, (struct ff_source){.name = ff_profile_intern(profile, ff_text(name)),
                                                  .tool = (uint8_t)tool,
                                                  .population = FF_POPULATION_DUMP});
    snapshot->event = ff_event_add(
        profile, (struct ff_event){.source = snapshot->source,
                                   .name = ff_profile_intern(profile, FF_TEXT("dump")),
                                   .unit = ff_profile_intern(profile, FF_TEXT("threads"))});
}

void ff_snapshot_process(struct ff_snapshot *snapshot, uint32_t pid)
{
    ff_snapshot_end_thread(snapshot);
    snapshot->pid = pid;
    snapshot->process = ff_process_add(snapshot->profile,
                                       (struct ff_process){.source = snapshot->source, .pid = pid});
}

void ff_snapshot_thread(struct ff_snapshot *snapshot, uint32_t tid, struct ff_text name)
{
    ff_snapshot_end_thread(snapshot);
    if (!snapshot->process)
        ff_snapshot_process(snapshot, 0);
    snapshot->thread = ff_pyspy_thread_add(&snapshot->known, snapshot->profile, snapshot->process,
                                           tid, ff_profile_intern(snapshot->profile, name),
                                           tid ? 0 : ++snapshot->pthreads);
}

void ff_snapshot_frame(struct ff_snapshot *snapshot, uint32_t frame)
{
    if (!snapshot->thread)
        return;
    snapshot->frames =
        ff_grow(snapshot->frames, &snapshot->frame_capacity, (uint64_t)snapshot->frame_count + 1,
                sizeof *snapshot->frames, &snapshot->profile->out_of_memory);
    if (snapshot->frame_count < snapshot->frame_capacity)
        snapshot->frames[snapshot->frame_count++] = frame;
}

void ff_snapshot_fact(struct ff_snapshot *snapshot, const char *name, const char *text)
{
    struct ff_profile *profile = snapshot->profile;
    if (snapshot->thread)
        ff_fact_add(profile, (struct ff_fact){.source = snapshot->source,
                                              .thread = snapshot->thread,
                                              .name = ff_profile_intern(profile, ff_text(name)),
                                              .text = ff_profile_intern(profile, ff_text(text))});
}

void ff_snapshot_end_thread(struct ff_snapshot *snapshot)
{
    uint32_t stack = 0, count = snapshot->frame_count;
    if (!snapshot->thread)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t frame = snapshot->frames[snapshot->root_first ? i : count - 1 - i];
        stack = ff_stack_push(snapshot->profile, stack, frame);
        snapshot->bare += ff_pyspy_frame_is_bare(snapshot->profile, frame);
    }
    snapshot->samples++;
    snapshot->no_frames += !count;
    ff_sample_add(snapshot->profile, (struct ff_sample){
                                         .event = snapshot->event,
                                         .thread = snapshot->thread,
                                         .stack = stack,
                                         .state = count ? FF_STATE_RECORDED : FF_STATE_NO_FRAMES,
                                         .count = FF_COUNT_ONE,
                                         .weight = 1,
                                     });
    ff_snapshot_drop_thread(snapshot);
}

void ff_snapshot_drop_thread(struct ff_snapshot *snapshot)
{
    snapshot->thread = 0;
    snapshot->frame_count = 0;
}

void ff_snapshot_finish(struct ff_snapshot *snapshot)
{
    ff_snapshot_end_thread(snapshot);
    ff_ledger_add(snapshot->profile, snapshot->source, FF_LEDGER_SAMPLES, snapshot->samples);
    ff_ledger_add(snapshot->profile, snapshot->source, FF_LEDGER_BARE_ADDRESSES, snapshot->bare);
    ff_ledger_add(snapshot->profile, snapshot->source, FF_LEDGER_NO_FRAMES, snapshot->no_frames);
    ff_pyspy_threads_release(&snapshot->known);
    ff_free(snapshot->frames);
    snapshot->frames = NULL;
    snapshot->frame_count = snapshot->frame_capacity = 0;
}
