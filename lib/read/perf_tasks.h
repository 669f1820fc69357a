/* SPDX-License-Identifier: MIT
 *
 * The processes and threads of a recording while it is read: who lives, under which name, with
 * which address space; and their rows in the profile.
 */
#ifndef FF_READ_PERF_TASKS_H
#define FF_READ_PERF_TASKS_H

#include "profile/profile.h"
#include "profile/space.h"

/* A living (or last seen) process. */
struct ff_perf_process {
    uint32_t pid, row; /* row 0: not in the profile yet */
    uint32_t generation;
    uint32_t life; /* see ff_perf_tasks_life */
    bool exited;
    struct ff_space space;
};

/* A living (or last seen) thread. */
struct ff_perf_thread {
    uint32_t tid, pid, comm;
    uint32_t row;        /* row 0: not in the profile yet */
    uint32_t generation; /* of the next row */
    uint32_t life;       /* see ff_perf_tasks_life */
    bool sampled;        /* its row has samples: a new name needs a new row */
    bool exited;
};

struct ff_perf_tasks {
    struct ff_profile *profile;
    uint32_t source;
    struct ff_perf_process *processes; /* index 0 unused */
    struct ff_perf_thread *threads;    /* index 0 unused */
    uint32_t process_count, process_capacity, thread_count, thread_capacity;
    struct ff_map process_map, thread_map;
    uint32_t last_process, last_thread; /* asked for: several times for each sample */
};

void ff_perf_tasks_init(struct ff_perf_tasks *tasks, struct ff_profile *profile, uint32_t source);
void ff_perf_tasks_release(struct ff_perf_tasks *tasks);

/* Never NULL: index 0 serves when memory is out. Pointers live until the next call. */
struct ff_perf_process *ff_perf_tasks_process(struct ff_perf_tasks *tasks, uint32_t pid);
struct ff_perf_thread *ff_perf_tasks_thread(struct ff_perf_tasks *tasks, uint32_t pid,
                                            uint32_t tid);

/* A COMM record: a thread's new name; `exec` drops the process's mappings. */
void ff_perf_tasks_comm(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t tid,
                        struct ff_text comm, bool exec);

/* A FORK record. A thread shares its process's space; a new process gets a copy of its parent's,
 * unless the recorder made the record up at the start (its mappings follow by themselves). */
void ff_perf_tasks_fork(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t tid,
                        uint32_t parent_pid, uint32_t parent_tid, bool synthesized);
void ff_perf_tasks_exit(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t tid);

/* Counts the execs of a thread's process and the new owners of its pid and tid: what was on its stack
 * in one life is of no use in the next. */
uint32_t ff_perf_tasks_life(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t tid);

/* The profile's row for the thread as it is named now; `sampled` if samples go there. */
uint32_t ff_perf_tasks_row(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t tid, bool sampled);

/* Gives a row to every thread that has none: names of threads are joined by tid later. */
void ff_perf_tasks_finish(struct ff_perf_tasks *tasks);

#endif
