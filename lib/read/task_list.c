/* SPDX-License-Identifier: MIT
 *
 * Lists of threads into facts: `TID COMM` as the files task/TID/comm say, and `TID 0xPTHREAD NAME`
 * as a Python program writes it of its own threads.
 */
#include "read/side.h"

/* The kernel keeps 15 bytes of a name. */
#define COMM_SIZE 15

struct task {
    uint32_t pid, tid; /* pid 0: not told */
    uint64_t pthread;
    struct ff_text name;
};

/* "/proc/627/task/630/comm:python3", as grep prints it. */
static bool path_parse(struct ff_text line, struct task *task)
{
    uint64_t pid, tid;
    struct ff_text rest = line;
    if (!ff_text_starts(line, FF_TEXT("/proc/")))
        return false;
    rest = ff_text_from(rest, 6);
    if (!ff_text_decimal(ff_text_cut(&rest, '/'), &pid) || pid > UINT32_MAX ||
        !ff_text_equal(ff_text_cut(&rest, '/'), FF_TEXT("task")) ||
        !ff_text_decimal(ff_text_cut(&rest, '/'), &tid) || tid > UINT32_MAX ||
        !ff_text_equal(ff_text_cut(&rest, ':'), FF_TEXT("comm")))
        return false;
    *task = (struct task){(uint32_t)pid, (uint32_t)tid, 0, rest};
    return rest.size && rest.size <= COMM_SIZE;
}

static bool has_letter(struct ff_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = (char)(text.at[i] | 0x20);
        if (c >= 'a' && c <= 'z')
            return true;
    }
    return false;
}

static bool comm_parse(struct ff_text line, struct task *task)
{
    uint64_t tid;
    struct ff_text rest = line;
    if (path_parse(line, task))
        return true;
    if (!ff_text_decimal(ff_text_cut(&rest, ' '), &tid) || tid > UINT32_MAX || !rest.size)
        return false;
    *task = (struct task){0, (uint32_t)tid, 0, rest};
    return rest.size <= COMM_SIZE && has_letter(rest);
}

static bool thread_parse(struct ff_text line, struct task *task)
{
    uint64_t tid;
    struct ff_text rest = line;
    *task = (struct task){0};
    if (!ff_text_decimal(ff_text_cut(&rest, ' '), &tid) || tid > UINT32_MAX ||
        !ff_text_starts(rest, FF_TEXT("0x")))
        return false;
    rest = ff_text_from(rest, 2);
    if (!ff_text_hex(ff_text_cut(&rest, ' '), &task->pthread))
        return false;
    task->tid = (uint32_t)tid;
    task->name = rest;
    return rest.size != 0;
}

static bool comms_begin(struct ff_text line)
{
    struct task task;
    return comm_parse(line, &task);
}

static bool comms_take(struct ff_side *side, struct ff_text line)
{
    struct task task;
    if (!comm_parse(line, &task))
        return false;
    uint32_t thread = ff_side_thread(side, task.pid, task.tid, task.name);
    ff_side_word(side, thread, "comm", 0, task.name);
    return true;
}

static bool threads_begin(struct ff_text line)
{
    struct task task;
    return thread_parse(line, &task);
}

static bool threads_take(struct ff_side *side, struct ff_text line)
{
    struct task task;
    struct ff_profile *profile = side->profile;
    if (!thread_parse(line, &task))
        return false;
    uint32_t id = ff_side_thread(side, 0, task.tid, FF_TEXT(""));
    struct ff_thread *thread = &profile->threads.at[id];
    if (id && !thread->name) {
        thread->name = ff_profile_intern(profile, task.name);
        thread->role = ff_role_of(profile, thread->name);
    }
    ff_side_word(side, id, "python-name", 0, task.name);
    ff_side_fact(side, id, "pthread", 0, task.pthread, "address");
    return true;
}

const struct ff_side_format ff_side_comms = {FF_TOOL_PROC, comms_begin, comms_take, NULL};
const struct ff_side_format ff_side_thread_list = {FF_TOOL_THREAD_LIST, threads_begin, threads_take,
                                                   NULL};
