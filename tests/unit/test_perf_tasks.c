/* SPDX-License-Identifier: MIT
 *
 * Processes and threads over time: exec, fork, threads, names, reuse of numbers.
 */
#include "check.h"

#include "read/perf_tasks.h"

static struct ff_perf_tasks begin(struct ff_profile *profile)
{
    struct ff_perf_tasks tasks;
    ff_perf_tasks_init(&tasks, profile, ff_source_add(profile, (struct ff_source){0}));
    return tasks;
}

static void map(struct ff_perf_tasks *tasks, uint32_t pid, uint64_t start, uint32_t module)
{
    ff_space_map(&ff_perf_tasks_process(tasks, pid)->space,
                 (struct ff_span){start, start + 0x1000, 0, module, false});
}

/* The module at an address of a process; 0: none. */
static uint32_t module_at(struct ff_perf_tasks *tasks, uint32_t pid, uint64_t address)
{
    const struct ff_span *span = ff_space_find(&ff_perf_tasks_process(tasks, pid)->space, address);
    return span ? span->module : 0;
}

static struct ff_text comm_of(const struct ff_profile *profile, uint32_t row)
{
    return ff_profile_text(profile, profile->threads.at[row].comm);
}

static void test_exec_drops_mappings(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_perf_tasks tasks = begin(profile);
    map(&tasks, 10, 0x1000, 1);
    ff_perf_tasks_comm(&tasks, 10, 10, FF_TEXT("renamed"), false);
    CHECK_NUMBER(module_at(&tasks, 10, 0x1000), 1);
    ff_perf_tasks_comm(&tasks, 10, 10, FF_TEXT("execed"), true);
    CHECK_NUMBER(module_at(&tasks, 10, 0x1000), 0);
    CHECK_TEXT(comm_of(profile, ff_perf_tasks_row(&tasks, 10, 10, true)), "execed");
    CHECK_NUMBER(ff_perf_tasks_life(&tasks, 10, 10), 1);
    ff_perf_tasks_release(&tasks);
    ff_profile_free(profile);
}

static void test_threads_share(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_perf_tasks tasks = begin(profile);
    ff_perf_tasks_comm(&tasks, 10, 10, FF_TEXT("main"), false);
    ff_perf_tasks_fork(&tasks, 10, 11, 10, 10, false);
    map(&tasks, 10, 0x1000, 1); /* whoever maps it, all see it */
    uint32_t leader = ff_perf_tasks_row(&tasks, 10, 10, true);
    uint32_t thread = ff_perf_tasks_row(&tasks, 10, 11, true);
    CHECK(leader != thread);
    CHECK_NUMBER(profile->threads.at[leader].process, profile->threads.at[thread].process);
    CHECK_TEXT(comm_of(profile, thread), "main"); /* a new thread bears its maker's name */
    CHECK_NUMBER(module_at(&tasks, 10, 0x1fff), 1);
    CHECK_NUMBER(tasks.process_count, 2); /* row 0 and the one */
    ff_perf_tasks_release(&tasks);
    ff_profile_free(profile);
}

static void test_fork_clones(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_perf_tasks tasks = begin(profile);
    ff_perf_tasks_comm(&tasks, 10, 10, FF_TEXT("parent"), false);
    map(&tasks, 10, 0x1000, 1);
    ff_perf_tasks_fork(&tasks, 20, 20, 10, 10, false);
    CHECK_NUMBER(module_at(&tasks, 20, 0x1000), 1);
    map(&tasks, 10, 0x5000, 2); /* after the fork: the parent's alone */
    CHECK_NUMBER(module_at(&tasks, 20, 0x5000), 0);
    map(&tasks, 20, 0x1000, 3); /* the child's alone */
    CHECK_NUMBER(module_at(&tasks, 10, 0x1000), 1);
    CHECK_TEXT(comm_of(profile, ff_perf_tasks_row(&tasks, 20, 20, true)), "parent");
    ff_perf_tasks_release(&tasks);
    ff_profile_free(profile);
}

/* hotspot #783: forks that the recorder made up stand behind the mappings of both. */
static void test_synthesized_fork_does_not(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_perf_tasks tasks = begin(profile);
    map(&tasks, 1, 0x1000, 1);
    map(&tasks, 20, 0x9000, 2);
    ff_perf_tasks_comm(&tasks, 20, 20, FF_TEXT("daemon"), false);
    ff_perf_tasks_fork(&tasks, 20, 20, 1, 1, true);
    CHECK_NUMBER(module_at(&tasks, 20, 0x9000), 2);
    CHECK_NUMBER(module_at(&tasks, 20, 0x1000), 0);
    CHECK_TEXT(comm_of(profile, ff_perf_tasks_row(&tasks, 20, 20, true)), "daemon");
    ff_perf_tasks_release(&tasks);
    ff_profile_free(profile);
}

/* Samples stay with the name of their moment; a name without samples leaves no row. */
static void test_renames(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_perf_tasks tasks = begin(profile);
    ff_perf_tasks_comm(&tasks, 10, 10, FF_TEXT("one"), false);
    uint32_t one = ff_perf_tasks_row(&tasks, 10, 10, true);
    ff_perf_tasks_comm(&tasks, 10, 10, FF_TEXT("two"), false);
    ff_perf_tasks_comm(&tasks, 10, 10, FF_TEXT("three"), false);
    uint32_t three = ff_perf_tasks_row(&tasks, 10, 10, true);
    ff_perf_tasks_comm(&tasks, 10, 10, FF_TEXT("three"), false); /* no change */
    CHECK_NUMBER(ff_perf_tasks_row(&tasks, 10, 10, true), three);
    CHECK(one != three);
    CHECK_TEXT(comm_of(profile, one), "one");
    CHECK_TEXT(comm_of(profile, three), "three");
    CHECK_NUMBER(profile->threads.at[one].process, profile->threads.at[three].process);
    ff_perf_tasks_finish(&tasks);
    CHECK_NUMBER(profile->threads.count, 3); /* row 0, one, three */
    ff_perf_tasks_release(&tasks);
    ff_profile_free(profile);
}

static void test_reuse(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_perf_tasks tasks = begin(profile);
    ff_perf_tasks_comm(&tasks, 10, 10, FF_TEXT("main"), false);
    ff_perf_tasks_fork(&tasks, 10, 11, 10, 10, false);
    uint32_t first = ff_perf_tasks_row(&tasks, 10, 11, true);
    ff_perf_tasks_exit(&tasks, 10, 11);
    ff_perf_tasks_fork(&tasks, 10, 11, 10, 10, false); /* the tid again, the same name */
    uint32_t second = ff_perf_tasks_row(&tasks, 10, 11, true);
    CHECK(first != second);
    CHECK(profile->threads.at[first].generation != profile->threads.at[second].generation);
    CHECK_NUMBER(profile->threads.at[first].process, profile->threads.at[second].process);
    CHECK_NUMBER(ff_perf_tasks_life(&tasks, 10, 10), 0);
    CHECK_NUMBER(ff_perf_tasks_life(&tasks, 10, 11), 1);

    ff_perf_tasks_fork(&tasks, 20, 20, 10, 10, false);
    uint32_t old = ff_perf_tasks_row(&tasks, 20, 20, true);
    uint32_t old_life = ff_perf_tasks_life(&tasks, 20, 20);
    map(&tasks, 20, 0x7000, 7);
    ff_perf_tasks_exit(&tasks, 20, 20);
    ff_perf_tasks_fork(&tasks, 20, 20, 10, 10, false); /* the pid again */
    uint32_t new = ff_perf_tasks_row(&tasks, 20, 20, true);
    CHECK(old != new);
    CHECK(ff_perf_tasks_life(&tasks, 20, 20) > old_life);
    uint32_t old_process = profile->threads.at[old].process;
    uint32_t new_process = profile->threads.at[new].process;
    CHECK(old_process != new_process);
    CHECK_NUMBER(profile->processes.at[old_process].generation, 0);
    CHECK_NUMBER(profile->processes.at[new_process].generation, 1);
    CHECK_NUMBER(module_at(&tasks, 20, 0x7000), 0); /* its mappings went with it */
    ff_perf_tasks_release(&tasks);
    ff_profile_free(profile);
}

/* What perf calls tasks that no record named. */
static void test_unnamed(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_perf_tasks tasks = begin(profile);
    CHECK_TEXT(comm_of(profile, ff_perf_tasks_row(&tasks, 77, 78, true)), ":78");
    CHECK_TEXT(comm_of(profile, ff_perf_tasks_row(&tasks, 0, 0, true)), "swapper");
    CHECK_TEXT(comm_of(profile, ff_perf_tasks_row(&tasks, UINT32_MAX, UINT32_MAX, true)), ":-1");
    ff_perf_tasks_release(&tasks);
    ff_profile_free(profile);
}

int main(void)
{
    test_exec_drops_mappings();
    test_threads_share();
    test_fork_clones();
    test_synthesized_fork_does_not();
    test_renames();
    test_reuse();
    test_unnamed();
    return check_result();
}
