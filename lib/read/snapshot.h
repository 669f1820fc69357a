/* SPDX-License-Identifier: MIT
 *
 * What all dumps are: the stacks of a process's threads at one moment. Readers of dumps hand over
 * threads and frames, here they become samples.
 */
#ifndef FF_READ_SNAPSHOT_H
#define FF_READ_SNAPSHOT_H

#include "profile/profile.h"
#include "read/pyspy.h"

struct ff_snapshot {
    struct ff_profile *profile;
    uint32_t source, event;
    bool root_first;   /* the order in which frames come */
    uint32_t pid;      /* of the process at hand; 0 not known */
    uint32_t process;  /* its row; 0 = none yet */
    uint32_t thread;   /* whose frames come now; 0 = none */
    uint32_t pthreads; /* threads without an OS thread id so far */
    struct ff_pyspy_threads known;
    uint32_t *frames; /* of the thread, in the order in which they came */
    uint32_t frame_count, frame_capacity;
    uint64_t samples, bare, no_frames;
};

/* Adds a source called NAME (a base name) of population "dump", with one event "dump" (unit
 * "threads"): each thread of each dump becomes one sample. */
void ff_snapshot_begin(struct ff_snapshot *snapshot, struct ff_profile *profile, const char *name,
                       enum ff_tool tool);

/* What follows is of this process. Ends the thread before. */
void ff_snapshot_process(struct ff_snapshot *snapshot, uint32_t pid);

/* Begins a thread and ends the one before. tid 0 is not known: such threads are never the same. */
void ff_snapshot_thread(struct ff_snapshot *snapshot, uint32_t tid, struct ff_text name);

/* A frame (a row of profile->frames) of the thread at hand. */
void ff_snapshot_frame(struct ff_snapshot *snapshot, uint32_t frame);

/* What the dump says of the thread at hand, a row of profile->facts: "state", "active". */
void ff_snapshot_fact(struct ff_snapshot *snapshot, const char *name, const char *text);

/* Hands out the thread at hand; nothing is to be done where there is none. */
void ff_snapshot_end_thread(struct ff_snapshot *snapshot);

/* Forgets the thread at hand: it is not whole. */
void ff_snapshot_drop_thread(struct ff_snapshot *snapshot);

/* Ends the last thread, writes the ledger and releases what is held. */
void ff_snapshot_finish(struct ff_snapshot *snapshot);

#endif
