/* SPDX-License-Identifier: MIT
 *
 * Thread names from py-spy to perf by OS thread id. The hard thing: a thread id alone is no proof,
 * since ids are reused and every container counts from 1; so whole processes are matched first, and
 * a process whose match is not certain gives nothing.
 */
#include "merge/thread_names.h"

/* Processes of one (source, pid) are one group: an exec makes a new row and keeps the thread's id.
 */
struct merge {
    struct ff_profile *profile;
    struct ff_error *note;
    struct ff_map by_tid; /* tid -> its first perf thread */
    uint32_t *same_tid;   /* by perf thread: another with its tid; 0 = none */
    uint32_t *first;      /* by py-spy process: its first named thread; 0 = none */
    uint32_t *next;       /* by py-spy thread: the process's next named one */
    uint32_t *group;      /* by process: the first row of its source and pid; 0 = not perf's */
    uint32_t *votes;      /* by group: named threads that the py-spy process shares with it */
    uint32_t *stamp;      /* by group: the thread that voted last */
    uint32_t *chosen;     /* by source: the group that the py-spy process belongs to; 0 = none */
    uint32_t *rival;      /* by source: another group with as many votes; 0 = none */
    uint32_t *identity;   /* by process: see ff_merge_names */
    uint32_t *given;      /* by perf thread: the name it gets; 0 = none */
    bool *disagree;       /* by perf thread: it was given two names */
};

static bool is_perf(const struct ff_profile *profile, uint32_t source)
{
    return profile->sources.at[source].tool == FF_TOOL_PERF;
}

static uint32_t source_of_thread(const struct ff_profile *profile, uint32_t thread)
{
    return profile->processes.at[profile->threads.at[thread].process].source;
}

/* A program's own list of its threads names them as py-spy does. */
static bool names_threads(const struct ff_profile *profile, uint32_t source)
{
    return profile->sources.at[source].tool == FF_TOOL_PY_SPY ||
           profile->sources.at[source].tool == FF_TOOL_THREAD_LIST;
}

/* Links the named threads of each py-spy process in their order. */
static void find_named(struct merge *merge)
{
    const struct ff_profile *profile = merge->profile;
    for (uint32_t i = profile->threads.count; i-- > 1;) {
        const struct ff_thread *row = &profile->threads.at[i];
        uint32_t source = source_of_thread(profile, i);
        if (!row->name || !names_threads(profile, source))
            continue;
        merge->next[i] = merge->first[row->process];
        merge->first[row->process] = i;
    }
}

static uint32_t *new_ids(struct ff_profile *profile, uint32_t count)
{
    uint32_t *ids = ff_alloc(count, sizeof *ids);
    profile->out_of_memory |= !ids;
    return ids;
}

static void find_groups(struct merge *merge)
{
    struct ff_profile *profile = merge->profile;
    struct ff_map map = {0};
    for (uint32_t i = 1; i < profile->processes.count; i++) {
        const struct ff_process *row = &profile->processes.at[i];
        uint64_t hash = ff_hash_mix(row->source, row->pid);
        struct ff_probe probe;
        uint32_t id = ff_map_first(&map, hash, &probe);
        while (id && (profile->processes.at[id].source != row->source ||
                      profile->processes.at[id].pid != row->pid))
            id = ff_map_next(&map, &probe);
        if (!is_perf(profile, row->source))
            continue;
        if (!id)
            ff_map_add(&map, hash, i);
        merge->group[i] = id ? id : i;
    }
    profile->out_of_memory |= map.failed;
    ff_map_release(&map);
}

/* The first perf thread with this tid, 0 for none; merge->same_tid leads to the others. */
static uint32_t first_of_tid(const struct merge *merge, uint32_t tid)
{
    struct ff_probe probe;
    uint32_t id = tid ? ff_map_first(&merge->by_tid, ff_hash_mix(0, tid), &probe) : 0;
    while (id && merge->profile->threads.at[id].tid != tid)
        id = ff_map_next(&merge->by_tid, &probe);
    return id;
}

static void find_threads(struct merge *merge)
{
    struct ff_profile *profile = merge->profile;
    for (uint32_t i = 1; i < profile->threads.count; i++) {
        const struct ff_thread *row = &profile->threads.at[i];
        if (!row->tid || !merge->group[row->process])
            continue;
        uint32_t first = first_of_tid(merge, row->tid);
        if (!first) {
            ff_map_add(&merge->by_tid, ff_hash_mix(0, row->tid), i);
            continue;
        }
        merge->same_tid[i] = merge->same_tid[first];
        merge->same_tid[first] = i;
    }
    profile->out_of_memory |= merge->by_tid.failed;
}

/* Counts for every group how many of the process's named threads it has; returns how many named
 * threads with an OS thread id there are. */
static uint32_t count_votes(struct merge *merge, uint32_t process)
{
    const struct ff_profile *profile = merge->profile;
    uint32_t named = 0;
    memset(merge->votes, 0, profile->processes.count * sizeof *merge->votes);
    for (uint32_t t = merge->first[process]; t; t = merge->next[t]) {
        uint32_t tid = profile->threads.at[t].tid;
        named += tid != 0;
        for (uint32_t m = first_of_tid(merge, tid); m; m = merge->same_tid[m]) {
            uint32_t group = merge->group[profile->threads.at[m].process];
            merge->votes[group] += merge->stamp[group] != t;
            merge->stamp[group] = t;
        }
    }
    return named;
}

/* The best group of each source: the one with the process's pid, else that with most votes. */
static void choose_best(struct merge *merge, uint32_t pid)
{
    const struct ff_profile *profile = merge->profile;
    memset(merge->chosen, 0, profile->sources.count * sizeof *merge->chosen);
    memset(merge->rival, 0, profile->sources.count * sizeof *merge->rival);
    for (uint32_t g = 1; g < profile->processes.count; g++) {
        uint32_t source = profile->processes.at[g].source;
        uint32_t *best = &merge->chosen[source];
        if (merge->group[g] != g)
            continue;
        if (pid) {
            if (profile->processes.at[g].pid == pid)
                *best = g;
        } else if (merge->votes[g] > merge->votes[*best]) {
            *best = g;
            merge->rival[source] = 0;
        } else if (merge->votes[g] && merge->votes[g] == merge->votes[*best]) {
            merge->rival[source] = g;
        }
    }
}

static void refuse(struct merge *merge, uint32_t process, uint32_t named, const char *reason)
{
    const struct ff_profile *profile = merge->profile;
    uint32_t source = profile->processes.at[process].source;
    ff_ledger_add(merge->profile, source, FF_LEDGER_NAMES_REFUSED, named);
    if (merge->note)
        ff_error_set(merge->note, FF_BAD_INPUT, "%.*s: thread names are not joined: %s",
                     FF_TEXT_ARGS(ff_profile_text(profile, profile->sources.at[source].name)),
                     reason);
}

/* Takes back what is not certain in each source. Returns why nothing is left, or NULL. */
static const char *check_chosen(struct merge *merge, uint32_t pid, uint32_t named)
{
    const struct ff_profile *profile = merge->profile;
    const char *reason =
        pid ? "no recording has its process; give the recording of the same process"
            : "no recording has any of its threads; give the recording of the same process";
    uint32_t host = 0; /* of the sources that fit; not every recording names its host */
    bool fits = false;
    for (uint32_t source = 1; source < profile->sources.count; source++) {
        uint32_t group = merge->chosen[source];
        if (!group)
            continue;
        merge->chosen[source] = 0;
        if (!pid && (uint64_t)merge->votes[group] * 2 < named) {
            reason = "no process has half of its named threads; give the recording of the same "
                     "process";
        } else if (!pid && merge->rival[source]) {
            reason = "two processes have equally many of its named threads; record py-spy with -s";
        } else if (host && profile->sources.at[source].host &&
                   host != profile->sources.at[source].host) {
            return "recordings of two hosts fit; read each host by itself";
        } else {
            merge->chosen[source] = group;
            host = host ? host : profile->sources.at[source].host;
            fits = true;
        }
    }
    return fits ? NULL : reason;
}

static void give(struct merge *merge, uint32_t thread, uint32_t name)
{
    if (!merge->given[thread])
        merge->given[thread] = name;
    merge->disagree[thread] |= merge->given[thread] != name;
}

/* Gives a py-spy process and the groups that were chosen for it one identity. */
static void identify(struct merge *merge, uint32_t process)
{
    const struct ff_profile *profile = merge->profile;
    uint32_t *identity = merge->identity, common = identity[process];
    for (uint32_t s = 1; s < profile->sources.count && !common; s++)
        common = merge->chosen[s] ? identity[merge->chosen[s]] : 0;
    for (uint32_t s = 1; s < profile->sources.count && !common; s++)
        common = merge->chosen[s];
    identity[process] = common;
    for (uint32_t i = 1; i < profile->processes.count; i++) {
        uint32_t group = merge->group[i];
        if (group && merge->chosen[profile->processes.at[i].source] == group)
            identity[i] = common;
    }
}

/* The reader of addresses and mappings saw that they do not go together. */
static bool is_of_another_run(const struct ff_profile *profile, uint32_t process)
{
    uint32_t source = profile->processes.at[process].source;
    return ff_ledger_count(profile, source, FF_LEDGER_ADDRESSES_OUTSIDE) > 0;
}

static void join_process(struct merge *merge, uint32_t process)
{
    struct ff_profile *profile = merge->profile;
    uint32_t pid = profile->processes.at[process].pid, named = count_votes(merge, process);
    uint64_t unmatched = 0;
    choose_best(merge, pid);
    const char *reason = is_of_another_run(profile, process)
                             ? "its addresses lie outside the mappings of the process: it is of "
                               "another run; give the recording of the same process"
                             : check_chosen(merge, pid, named);
    if (reason) {
        refuse(merge, process, named, reason);
        return;
    }
    identify(merge, process);
    for (uint32_t t = merge->first[process]; t; t = merge->next[t]) {
        const struct ff_thread *row = &profile->threads.at[t];
        bool matched = false;
        for (uint32_t m = first_of_tid(merge, row->tid); m; m = merge->same_tid[m]) {
            if (merge->chosen[source_of_thread(profile, m)] !=
                merge->group[profile->threads.at[m].process])
                continue;
            give(merge, m, row->name);
            matched = true;
        }
        unmatched += !matched;
    }
    ff_ledger_add(profile, profile->processes.at[process].source, FF_LEDGER_NAMES_UNMATCHED,
                  unmatched);
}

static void set_names(struct merge *merge)
{
    struct ff_profile *profile = merge->profile;
    for (uint32_t i = 1; i < profile->threads.count; i++) {
        struct ff_thread *row = &profile->threads.at[i];
        if (merge->disagree[i]) {
            ff_ledger_add(profile, source_of_thread(profile, i), FF_LEDGER_NAMES_DISAGREE, 1);
            if (merge->note)
                ff_error_set(merge->note, FF_BAD_INPUT,
                             "thread %u: py-spy sources give it different names, so it gets none; "
                             "give the one that fits the recording",
                             row->tid);
        } else if (merge->given[i]) {
            row->name = merge->given[i];
            row->role = ff_role_of(profile, row->name);
        }
    }
}

static void join_all(struct merge *merge)
{
    bool recorded = false;
    for (uint32_t i = 1; i < merge->profile->sources.count; i++)
        recorded |= is_perf(merge->profile, i);
    if (!recorded)
        return;
    find_named(merge);
    find_groups(merge);
    find_threads(merge);
    for (uint32_t i = 1; i < merge->profile->processes.count; i++) {
        if (merge->first[i])
            join_process(merge, i);
    }
    set_names(merge);
}

enum ff_status ff_merge_names(struct ff_profile *profile, uint32_t *identity, struct ff_error *note)
{
    uint32_t threads = profile->threads.count, processes = profile->processes.count;
    struct merge merge = {
        .profile = profile,
        .note = note,
        .first = new_ids(profile, processes),
        .next = new_ids(profile, threads),
        .group = new_ids(profile, processes),
        .votes = new_ids(profile, processes),
        .stamp = new_ids(profile, processes),
        .chosen = new_ids(profile, profile->sources.count),
        .rival = new_ids(profile, profile->sources.count),
        .same_tid = new_ids(profile, threads),
        .given = new_ids(profile, threads),
        .identity = new_ids(profile, processes),
        .disagree = ff_alloc(threads, sizeof *merge.disagree),
    };
    profile->out_of_memory |= !merge.disagree;
    ff_ledger_clear(profile, FF_LEDGER_NAMES_UNMATCHED);
    ff_ledger_clear(profile, FF_LEDGER_NAMES_REFUSED);
    ff_ledger_clear(profile, FF_LEDGER_NAMES_DISAGREE);
    if (!profile->out_of_memory)
        join_all(&merge);
    if (!profile->out_of_memory && identity)
        memcpy(identity, merge.identity, processes * sizeof *identity);
    ff_map_release(&merge.by_tid);
    ff_free(merge.same_tid);
    ff_free(merge.first);
    ff_free(merge.next);
    ff_free(merge.group);
    ff_free(merge.votes);
    ff_free(merge.stamp);
    ff_free(merge.chosen);
    ff_free(merge.rival);
    ff_free(merge.identity);
    ff_free(merge.given);
    ff_free(merge.disagree);
    return ff_profile_status(profile);
}
