/* SPDX-License-Identifier: MIT
 *
 * From thread ids to the process of a side file. The hard thing is not to guess: ids are reused and
 * every container counts from 1, so a file of which two processes have ids belongs to neither.
 */
#include "read/belong.h"

#include <stdlib.h>

#include "read/proc_maps.h"

/* What recordings say: this process has this thread. */
struct member {
    uint32_t tid, pid;
};

struct belong {
    struct ff_profile *profile;
    struct ff_error *note;
    struct member *members; /* sorted, each once */
    uint32_t count, capacity;
    bool *speaks;     /* by thread: a fact is of it */
    uint32_t mapping; /* the name of that fact */
};

static bool is_side(const struct ff_profile *profile, uint32_t source)
{
    enum ff_tool tool = profile->sources.at[source].tool;
    return tool == FF_TOOL_TOP || tool == FF_TOOL_PIDSTAT || tool == FF_TOOL_PROC ||
           tool == FF_TOOL_THREAD_LIST;
}

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* All threads of known processes: of recordings, and of side files that have found theirs. */
static void find_members(struct belong *belong)
{
    struct ff_profile *profile = belong->profile;
    belong->members = ff_grow(belong->members, &belong->capacity, profile->threads.count,
                              sizeof *belong->members, &profile->out_of_memory);
    belong->count = 0;
    for (uint32_t i = 1; i < profile->threads.count && i < belong->capacity; i++) {
        const struct ff_thread *row = &profile->threads.at[i];
        uint32_t pid = profile->processes.at[row->process].pid;
        if (row->tid && pid)
            belong->members[belong->count++] = (struct member){row->tid, pid};
    }
    if (!belong->count)
        return;
    qsort(belong->members, belong->count, sizeof *belong->members, compare_members);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < belong->count; i++) {
        if (compare_members(&belong->members[i], &belong->members[kept - 1]) != 0)
            belong->members[kept++] = belong->members[i];
    }
    belong->count = kept;
}

/* The only process with this thread; 0 none, UINT32_MAX several. */
static uint32_t process_of_tid(const struct belong *belong, uint32_t tid)
{
    uint32_t low = 0, high = belong->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (belong->members[middle].tid < tid)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == belong->count || belong->members[low].tid != tid)
        return 0;
    bool several = low + 1 < belong->count && belong->members[low + 1].tid == tid;
    return several ? UINT32_MAX : belong->members[low].pid;
}

/* One of the answers "none", one pid, "several" (UINT32_MAX), joined with another. */
static uint32_t join(uint32_t a, uint32_t b)
{
    return !a || a == b ? b : !b ? a : UINT32_MAX;
}

static uint32_t process_of_threads(const struct belong *belong, uint32_t process)
{
    const struct ff_profile *profile = belong->profile;
    uint32_t pid = 0;
    for (uint32_t i = 1; i < profile->threads.count; i++) {
        const struct ff_thread *row = &profile->threads.at[i];
        if (row->process == process && row->tid)
            pid = join(pid, process_of_tid(belong, row->tid));
    }
    return pid;
}

/* The process whose pid is one of the numbers in the source's name. */
static uint32_t process_of_name(const struct belong *belong, uint32_t source)
{
    const struct ff_profile *profile = belong->profile;
    struct ff_text name = ff_profile_text(profile, profile->sources.at[source].name);
    uint32_t found = 0;
    for (size_t i = 0; i < name.size;) {
        uint64_t number = 0;
        size_t start = i;
        while (i < name.size && name.at[i] >= '0' && name.at[i] <= '9')
            i++;
        if (i == start) {
            i++;
            continue;
        }
        if (!ff_text_decimal(ff_text_slice(name, start, i), &number))
            continue;
        for (uint32_t m = 0; m < belong->count; m++) {
            if (belong->members[m].pid == number)
                found = join(found, (uint32_t)number);
        }
    }
    return found;
}

/* By text id: whether it is the path of a mapping in the maps of SOURCE. */
static bool *paths_of_maps(const struct belong *belong, uint32_t source)
{
    struct ff_profile *profile = belong->profile;
    bool *paths = ff_alloc((size_t)profile->texts.count + 1, sizeof *paths);
    profile->out_of_memory |= !paths;
    for (uint32_t i = 1; paths && i < profile->facts.count; i++) {
        const struct ff_fact *fact = &profile->facts.at[i];
        if (fact->source == source && fact->name == belong->mapping)
            paths[fact->subject] = true;
    }
    return paths;
}

/* What is known of a stack, or of all stacks of a process: whether a library file is in it, and
 * whether the maps lack one. */
enum { HAS_FILE = 1, LACKS_FILE = 2 };

static uint8_t look_at_frame(const struct ff_profile *profile, uint32_t frame, const bool *paths,
                             uint32_t source)
{
    const struct ff_module *row = &profile->modules.at[profile->frames.at[frame].module];
    if (row->kind == FF_MODULE_UNPLACED)
        return ff_maps_hold(profile, source, frame) ? HAS_FILE : HAS_FILE | LACKS_FILE;
    if (row->kind != FF_MODULE_ELF ||
        !ff_text_starts(ff_profile_text(profile, row->path), FF_TEXT("/")))
        return 0;
    return paths[row->path] ? HAS_FILE : HAS_FILE | LACKS_FILE;
}

/* Fills by_process from all samples. A caller's id is smaller, so one pass does for the stacks. */
static void look_at_samples(const struct ff_profile *profile, const uint8_t *by_frame,
                            uint8_t *by_stack, uint8_t *by_process)
{
    for (uint32_t i = 1; i < profile->stacks.count; i++) {
        const struct ff_stack *row = &profile->stacks.at[i];
        by_stack[i] = by_stack[row->parent] | by_frame[row->frame];
    }
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *row = &profile->samples.at[i];
        by_process[profile->threads.at[row->thread].process] |= by_stack[row->stack];
    }
}

/* The only process all of whose library files the maps of SOURCE hold; of bare addresses (py-spy) those
 * are known by lying in a file of their library's name. */
static uint32_t process_of_maps(const struct belong *belong, uint32_t source)
{
    struct ff_profile *profile = belong->profile;
    bool *paths = paths_of_maps(belong, source);
    uint8_t *by_frame = ff_alloc(profile->frames.count, 1);
    uint8_t *by_stack = ff_alloc(profile->stacks.count, 1);
    uint8_t *by_process = ff_alloc(profile->processes.count, 1);
    uint32_t found = 0;
    profile->out_of_memory |= !by_frame || !by_stack || !by_process;
    if (paths && by_frame && by_stack && by_process) {
        for (uint32_t i = 1; i < profile->frames.count; i++)
            by_frame[i] = look_at_frame(profile, i, paths, source);
        look_at_samples(profile, by_frame, by_stack, by_process);
        for (uint32_t i = 1; i < profile->processes.count; i++) {
            if (by_process[i] == HAS_FILE && profile->processes.at[i].pid)
                found = join(found, profile->processes.at[i].pid);
        }
    }
    ff_free(paths);
    ff_free(by_frame);
    ff_free(by_stack);
    ff_free(by_process);
    return found;
}

static bool speaks(const struct belong *belong, uint32_t process)
{
    const struct ff_profile *profile = belong->profile;
    for (uint32_t i = 1; i < profile->threads.count; i++) {
        if (profile->threads.at[i].process == process && belong->speaks[i])
            return true;
    }
    return false;
}

/* Takes out the facts of the threads of PROCESS. */
static void refuse(struct belong *belong, uint32_t process, bool several)
{
    struct ff_profile *profile = belong->profile;
    uint32_t source = profile->processes.at[process].source, kept = 1;
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact fact = profile->facts.at[i];
        if (!fact.thread || profile->threads.at[fact.thread].process != process)
            profile->facts.at[kept++] = fact;
    }
    ff_ledger_add(profile, source, FF_LEDGER_FACTS_REFUSED, profile->facts.count - kept);
    profile->facts.count = kept;
    if (belong->note)
        ff_error_set(belong->note, FF_BAD_INPUT,
                     "%.*s: left out: %s it is of; say so with --pid-of FILE=PID",
                     FF_TEXT_ARGS(ff_profile_text(profile, profile->sources.at[source].name)),
                     several
                         ? "several recorded processes fit, expected one that"
                         : "no recorded process has its threads or mappings, expected one that");
}

static void set_pid(struct ff_profile *profile, uint32_t process, uint32_t pid)
{
    uint32_t source = profile->processes.at[process].source;
    /* In place: no row of this source is looked up again. Of its own pid it may have told threads
     * before; two rows stay two. */
    uint32_t generation = 0;
    for (uint32_t i = 1; i < profile->processes.count; i++)
        generation +=
            profile->processes.at[i].source == source && profile->processes.at[i].pid == pid;
    profile->processes.at[process].pid = pid;
    profile->processes.at[process].generation = generation;
}

/* A file of one process. */
static void settle_whole(struct belong *belong, uint32_t process)
{
    struct ff_profile *profile = belong->profile;
    uint32_t source = profile->processes.at[process].source;
    uint32_t pid = process_of_threads(belong, process);
    if (!pid)
        pid = process_of_maps(belong, source);
    if (!pid || pid == UINT32_MAX) {
        uint32_t named = process_of_name(belong, source);
        pid = named && named != UINT32_MAX ? named : pid;
    }
    if (!pid || pid == UINT32_MAX) {
        refuse(belong, process, pid != 0);
        return;
    }
    set_pid(profile, process, pid);
}

/* The process that all threads are of; 0 if one is of another, or of none. */
static uint32_t only_process(const struct belong *belong, uint32_t process)
{
    const struct ff_profile *profile = belong->profile;
    uint32_t only = 0;
    for (uint32_t i = 1; i < profile->threads.count; i++) {
        if (profile->threads.at[i].process != process)
            continue;
        uint32_t pid = process_of_tid(belong, profile->threads.at[i].tid);
        if (!pid || pid == UINT32_MAX || (only && pid != only))
            return 0;
        only = pid;
    }
    return only;
}

/* Each thread by itself. */
static void settle_each(struct belong *belong, uint32_t process)
{
    struct ff_profile *profile = belong->profile;
    uint32_t source = profile->processes.at[process].source;
    uint32_t left = 0, moved = 0, several = 0, only = only_process(belong, process);
    if (only) {
        set_pid(profile, process, only);
        return;
    }
    for (uint32_t i = 1; i < profile->threads.count; i++) {
        if (profile->threads.at[i].process != process)
            continue;
        uint32_t pid = process_of_tid(belong, profile->threads.at[i].tid);
        several += pid == UINT32_MAX;
        if (!pid || pid == UINT32_MAX) {
            left++;
            continue;
        }
        moved++;
        profile->threads.at[i].process =
            ff_process_add(profile, (struct ff_process){.source = source, .pid = pid});
    }
    for (uint32_t i = 1; i < profile->processes.count && !moved; i++)
        moved += profile->processes.at[i].source == source && profile->processes.at[i].pid;
    if (moved)
        ff_ledger_add(profile, source, FF_LEDGER_THREADS_UNMATCHED, left);
    else
        refuse(belong, process, several != 0);
}

static void mark_speaking(struct belong *belong)
{
    struct ff_profile *profile = belong->profile;
    belong->speaks = ff_alloc(profile->threads.count, sizeof *belong->speaks);
    profile->out_of_memory |= !belong->speaks;
    for (uint32_t i = 1; belong->speaks && i < profile->facts.count; i++)
        belong->speaks[profile->facts.at[i].thread] = true;
}

/* Whether the process row is one of a side file and still without a pid, and facts speak of it. */
static bool is_open(const struct belong *belong, uint32_t process, bool each)
{
    const struct ff_profile *profile = belong->profile;
    const struct ff_process *row = &profile->processes.at[process];
    enum ff_tool tool = profile->sources.at[row->source].tool;
    bool own = tool == FF_TOOL_TOP || tool == FF_TOOL_PIDSTAT;
    return !row->pid && own == each && is_side(profile, row->source) && speaks(belong, process);
}

static void settle(struct belong *belong, bool each)
{
    uint32_t processes = belong->profile->processes.count;
    find_members(belong);
    for (uint32_t i = 1; i < processes && belong->count && belong->speaks; i++) {
        if (!is_open(belong, i, each))
            continue;
        if (each)
            settle_each(belong, i);
        else
            settle_whole(belong, i);
    }
}

enum ff_status ff_belong(struct ff_profile *profile, struct ff_error *note)
{
    struct belong belong = {.profile = profile, .note = note};
    belong.mapping = ff_profile_intern(profile, FF_TEXT("mapping"));
    ff_ledger_clear(profile, FF_LEDGER_THREADS_UNMATCHED);
    mark_speaking(&belong);
    settle(&belong, false);
    settle(&belong, true);
    ff_free(belong.members);
    ff_free(belong.speaks);
    return ff_profile_status(profile);
}
