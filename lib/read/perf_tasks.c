/* SPDX-License-Identifier: MIT
 *
 * Tasks over time. The hard thing is reuse: a pid or tid comes back as another task, a name changes
 * under a running thread, and samples must stay with who ran at their time.
 */
#include "read/perf_tasks.h"

#include <stdio.h>

void ff_perf_tasks_init(struct ff_perf_tasks *tasks, struct ff_profile *profile, uint32_t source)
{
    *tasks = (struct ff_perf_tasks){.profile = profile, .source = source};
    tasks->processes = ff_grow(NULL, &tasks->process_capacity, 1, sizeof *tasks->processes,
                               &profile->out_of_memory);
    tasks->threads =
        ff_grow(NULL, &tasks->thread_capacity, 1, sizeof *tasks->threads, &profile->out_of_memory);
    tasks->process_count = tasks->thread_count = 1;
}

void ff_perf_tasks_release(struct ff_perf_tasks *tasks)
{
    for (uint32_t i = 0; i < tasks->process_count && tasks->processes; i++)
        ff_space_release(&tasks->processes[i].space);
    ff_free(tasks->processes);
    ff_free(tasks->threads);
    ff_map_release(&tasks->process_map);
    ff_map_release(&tasks->thread_map);
}

struct ff_perf_process *ff_perf_tasks_process(struct ff_perf_tasks *tasks, uint32_t pid)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(1, pid);
    if (tasks->last_process && tasks->processes[tasks->last_process].pid == pid)
        return &tasks->processes[tasks->last_process];
    for (uint32_t i = ff_map_first(&tasks->process_map, hash, &probe); i;
         i = ff_map_next(&tasks->process_map, &probe)) {
        if (tasks->processes[i].pid == pid) {
            tasks->last_process = i;
            return &tasks->processes[i];
        }
    }
    tasks->processes =
        ff_grow(tasks->processes, &tasks->process_capacity, (uint64_t)tasks->process_count + 1,
                sizeof *tasks->processes, &tasks->profile->out_of_memory);
    if (tasks->process_count == tasks->process_capacity)
        return tasks->processes;
    struct ff_perf_process *process = &tasks->processes[tasks->process_count];
    *process = (struct ff_perf_process){.pid = pid};
    process->space.owner = tasks->process_count;
    ff_map_add(&tasks->process_map, hash, tasks->process_count++);
    return process;
}

/* perf's own word for a thread that no record named. */
static uint32_t unnamed_comm(struct ff_profile *profile, uint32_t tid)
{
    char comm[16];
    if (tid == 0)
        return ff_profile_intern(profile, FF_TEXT("swapper"));
    snprintf(comm, sizeof comm, ":%d", (int)tid);
    return ff_profile_intern(profile, ff_text(comm));
}

struct ff_perf_thread *ff_perf_tasks_thread(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t tid)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(pid, tid);
    const struct ff_perf_thread *last = &tasks->threads[tasks->last_thread];
    if (tasks->last_thread && last->tid == tid && last->pid == pid)
        return &tasks->threads[tasks->last_thread];
    for (uint32_t i = ff_map_first(&tasks->thread_map, hash, &probe); i;
         i = ff_map_next(&tasks->thread_map, &probe)) {
        if (tasks->threads[i].tid == tid && tasks->threads[i].pid == pid) {
            tasks->last_thread = i;
            return &tasks->threads[i];
        }
    }
    tasks->threads =
        ff_grow(tasks->threads, &tasks->thread_capacity, (uint64_t)tasks->thread_count + 1,
                sizeof *tasks->threads, &tasks->profile->out_of_memory);
    if (tasks->thread_count == tasks->thread_capacity)
        return tasks->threads;
    struct ff_perf_thread *thread = &tasks->threads[tasks->thread_count];
    *thread = (struct ff_perf_thread){.tid = tid, .pid = pid};
    thread->comm = unnamed_comm(tasks->profile, tid);
    ff_map_add(&tasks->thread_map, hash, tasks->thread_count++);
    return thread;
}

static void rename_thread(struct ff_perf_tasks *tasks, struct ff_perf_thread *thread, uint32_t comm)
{
    if (thread->comm == comm)
        return;
    thread->comm = comm;
    if (thread->row && !thread->sampled)
        tasks->profile->threads.at[thread->row].comm = comm;
    else
        thread->row = 0;
}

void ff_perf_tasks_comm(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t tid,
                        struct ff_text comm, bool exec)
{
    struct ff_perf_thread *thread = ff_perf_tasks_thread(tasks, pid, tid);
    rename_thread(tasks, thread, ff_profile_intern(tasks->profile, comm));
    if (exec) {
        struct ff_perf_process *process = ff_perf_tasks_process(tasks, pid);
        process->life++;
        ff_space_clear(&process->space);
    }
}

static void begin_process(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t parent_pid)
{
    /* The child first: making it may move the parent. */
    ff_perf_tasks_process(tasks, pid);
    struct ff_perf_process *parent = ff_perf_tasks_process(tasks, parent_pid);
    struct ff_perf_process *process = ff_perf_tasks_process(tasks, pid);
    if (process == parent)
        return;
    if (process->exited && process->row) {
        process->row = 0;
        process->generation++;
    }
    process->life++;
    process->exited = false;
    ff_space_copy(&process->space, &parent->space);
}

void ff_perf_tasks_fork(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t tid,
                        uint32_t parent_pid, uint32_t parent_tid, bool synthesized)
{
    if (pid != parent_pid && !synthesized)
        begin_process(tasks, pid, parent_pid);
    uint32_t comm = ff_perf_tasks_thread(tasks, parent_pid, parent_tid)->comm;
    struct ff_perf_thread *thread = ff_perf_tasks_thread(tasks, pid, tid);
    if (synthesized)
        return; /* a COMM record names it */
    if (thread->exited) {
        thread->row = 0;
        thread->life++;
    }
    thread->exited = thread->sampled = false;
    rename_thread(tasks, thread, comm);
}

void ff_perf_tasks_exit(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t tid)
{
    ff_perf_tasks_thread(tasks, pid, tid)->exited = true;
    if (pid == tid)
        ff_perf_tasks_process(tasks, pid)->exited = true;
}

uint32_t ff_perf_tasks_life(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t tid)
{
    /* Neither ever falls, so that equal sums are equal pairs. */
    return ff_perf_tasks_process(tasks, pid)->life + ff_perf_tasks_thread(tasks, pid, tid)->life;
}

static uint32_t process_row(struct ff_perf_tasks *tasks, uint32_t pid)
{
    struct ff_perf_process *process = ff_perf_tasks_process(tasks, pid);
    if (!process->row)
        process->row = ff_process_add(tasks->profile,
                                      (struct ff_process){tasks->source, pid, process->generation});
    return process->row;
}

uint32_t ff_perf_tasks_row(struct ff_perf_tasks *tasks, uint32_t pid, uint32_t tid, bool sampled)
{
    struct ff_perf_thread *thread = ff_perf_tasks_thread(tasks, pid, tid);
    if (!thread->row) {
        struct ff_thread row = {
            .process = process_row(tasks, pid),
            .tid = tid,
            .generation = thread->generation++,
            .comm = thread->comm,
        };
        thread->row = ff_thread_add(tasks->profile, row);
        thread->sampled = false;
    }
    thread->sampled |= sampled;
    return thread->row;
}

void ff_perf_tasks_finish(struct ff_perf_tasks *tasks)
{
    for (uint32_t i = 1; i < tasks->thread_count; i++)
        ff_perf_tasks_row(tasks, tasks->threads[i].pid, tasks->threads[i].tid, false);
}
