/* SPDX-License-Identifier: MIT
 *
 * Thread names from py-spy to perf: the truth of a capture, and every reason to refuse.
 */
#include "check.h"

#include "merge/thread_names.h"
#include "read/folded.h"
#include "read/pyspy.h"
#include "read/pyspy_dump.h"
#include "read/read.h"
#include "text_input.h"

static uint32_t add_source(struct ff_profile *profile, enum ff_tool tool, const char *name,
                           const char *host)
{
    return ff_source_add(profile,
                         (struct ff_source){.name = ff_profile_intern(profile, ff_text(name)),
                                            .tool = (uint8_t)tool,
                                            .host = ff_profile_intern(profile, ff_text(host))});
}

/* A process with COUNT threads from tid FIRST on; returns the row of the first one. */
static uint32_t add_perf(struct ff_profile *profile, uint32_t source, uint32_t pid, uint32_t first,
                         uint32_t count)
{
    uint32_t process = ff_process_add(profile, (struct ff_process){.source = source, .pid = pid});
    uint32_t comm = ff_profile_intern(profile, FF_TEXT("python3")), row = profile->threads.count;
    for (uint32_t i = 0; i < count; i++)
        ff_thread_add(profile,
                      (struct ff_thread){.process = process, .tid = first + i, .comm = comm});
    return row;
}

/* The same with Python names PREFIX0, PREFIX1, ... */
static void add_spy(struct ff_profile *profile, uint32_t source, uint32_t pid, uint32_t first,
                    uint32_t count, const char *prefix)
{
    uint32_t process = ff_process_add(profile, (struct ff_process){.source = source, .pid = pid});
    struct ff_pyspy_threads known = {0};
    for (uint32_t i = 0; i < count; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s%u", prefix, i);
        ff_pyspy_thread_add(&known, profile, process, first + i,
                            ff_profile_intern(profile, ff_text(name)), i + 1);
    }
    ff_pyspy_threads_release(&known);
}

static uint32_t source_of(const struct ff_profile *profile, uint32_t thread)
{
    return profile->processes.at[profile->threads.at[thread].process].source;
}

static struct ff_text name_of(const struct ff_profile *profile, uint32_t thread)
{
    return ff_profile_text(profile, profile->threads.at[thread].name);
}

static void check_refused(struct ff_profile *profile, uint64_t count, const char *message)
{
    struct ff_error note = {0};
    uint32_t spy = 0;
    CHECK(ff_merge_names(profile, NULL, &note) == FF_OK);
    CHECK(note.status == FF_BAD_INPUT);
    CHECK(strstr(note.message, message) != NULL);
    CHECK(profile->error.status == FF_OK);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_NAMES_REFUSED), count);
    for (uint32_t i = 1; i < profile->threads.count; i++) {
        uint32_t source = source_of(profile, i);
        spy += profile->sources.at[source].tool == FF_TOOL_PERF && profile->threads.at[i].name;
    }
    CHECK_NUMBER(spy, 0);
    ff_profile_free(profile);
}

static void check_by_tids(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_error note = {0};
    uint32_t perf = add_source(profile, FF_TOOL_PERF, "perf.data", "");
    uint32_t wrong = add_perf(profile, perf, 50, 50, 2);
    uint32_t right = add_perf(profile, perf, 100, 100, 4);
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "spy.raw", ""), 0, 101, 4, "target-");
    CHECK(ff_merge_names(profile, NULL, &note) == FF_OK);
    CHECK(note.status == FF_OK);
    CHECK_TEXT(name_of(profile, wrong), "");
    CHECK_TEXT(name_of(profile, right), "");
    CHECK_TEXT(name_of(profile, right + 1), "target-0");
    CHECK_TEXT(name_of(profile, right + 3), "target-2");
    CHECK_TEXT(ff_profile_text(profile, profile->threads.at[right + 3].role), "target-*");
    CHECK_TEXT(ff_profile_text(profile, ff_thread_label(profile, right)), "python3");
    CHECK_NUMBER(ff_ledger_count(profile, 2, FF_LEDGER_NAMES_UNMATCHED), 1);
    /* Twice is once. */
    CHECK(ff_merge_names(profile, NULL, NULL) == FF_OK);
    CHECK_NUMBER(ff_ledger_count(profile, 2, FF_LEDGER_NAMES_UNMATCHED), 1);
    ff_profile_free(profile);
}

static void check_generations(void)
{
    struct ff_profile *profile = ff_profile_new();
    uint32_t perf = add_source(profile, FF_TOOL_PERF, "perf.data", "");
    uint32_t before = add_perf(profile, perf, 100, 100, 2);
    uint32_t exec =
        ff_process_add(profile, (struct ff_process){.source = perf, .pid = 100, .generation = 1});
    uint32_t after = ff_thread_add(profile, (struct ff_thread){.process = exec, .tid = 101});
    uint32_t renamed =
        ff_thread_add(profile, (struct ff_thread){.process = exec, .tid = 101, .generation = 1});
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "dump.txt", ""), 100, 100, 2, "t");
    CHECK(ff_merge_names(profile, NULL, NULL) == FF_OK);
    CHECK_TEXT(name_of(profile, before + 1), "t1");
    CHECK_TEXT(name_of(profile, after), "t1");
    CHECK_TEXT(name_of(profile, renamed), "t1");
    ff_profile_free(profile);
}

/* The pid decides where it is known, even against the thread ids. */
static void check_by_pid(void)
{
    struct ff_profile *profile = ff_profile_new();
    uint32_t perf = add_source(profile, FF_TOOL_PERF, "perf.data", "");
    uint32_t other = add_perf(profile, perf, 50, 101, 2);
    uint32_t same = add_perf(profile, perf, 100, 100, 1);
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "dump.txt", ""), 100, 100, 3, "t");
    CHECK(ff_merge_names(profile, NULL, NULL) == FF_OK);
    CHECK_TEXT(name_of(profile, same), "t0");
    CHECK_TEXT(name_of(profile, other), "");
    CHECK_NUMBER(ff_ledger_count(profile, 2, FF_LEDGER_NAMES_UNMATCHED), 2);
    ff_profile_free(profile);

    profile = ff_profile_new();
    perf = add_source(profile, FF_TOOL_PERF, "perf.data", "");
    add_perf(profile, perf, 50, 100, 3);
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "dump.txt", ""), 100, 100, 3, "t");
    check_refused(profile, 3,
                  "dump.txt: thread names are not joined: no recording has its process");
}

static void check_refusals(void)
{
    struct ff_profile *profile = ff_profile_new();
    uint32_t perf = add_source(profile, FF_TOOL_PERF, "perf.data", "");
    add_perf(profile, perf, 100, 100, 2);
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "spy.raw", ""), 0, 100, 5, "t");
    check_refused(profile, 5, "half of its named threads");

    profile = ff_profile_new();
    perf = add_source(profile, FF_TOOL_PERF, "perf.data", "");
    add_perf(profile, perf, 100, 100, 2);
    add_perf(profile, perf, 200, 102, 2);
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "spy.raw", ""), 0, 100, 4, "t");
    check_refused(profile, 4, "equally many");

    profile = ff_profile_new();
    perf = add_source(profile, FF_TOOL_PERF, "a.data", "node1");
    add_perf(profile, perf, 100, 100, 2);
    perf = add_source(profile, FF_TOOL_PERF, "b.data", "node2");
    add_perf(profile, perf, 100, 100, 2);
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "spy.raw", ""), 0, 100, 2, "t");
    check_refused(profile, 2, "two hosts");

    /* A recording that does not name its host contradicts none. */
    profile = ff_profile_new();
    add_perf(profile, add_source(profile, FF_TOOL_PERF, "a.data", "node1"), 100, 100, 2);
    uint32_t thread =
        add_perf(profile, add_source(profile, FF_TOOL_PERF, "b.data", ""), 100, 100, 2);
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "spy.raw", ""), 0, 100, 2, "t");
    CHECK(ff_merge_names(profile, NULL, NULL) == FF_OK);
    CHECK_TEXT(name_of(profile, thread), "t0");
    ff_profile_free(profile);

    profile = ff_profile_new();
    perf = add_source(profile, FF_TOOL_PERF, "perf.data", "");
    add_perf(profile, perf, 100, 100, 2);
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "spy.raw", ""), 0, 500, 2, "t");
    check_refused(profile, 2, "no recording has any of its threads");
}

static void check_disagreement(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_error note = {0};
    uint32_t perf = add_source(profile, FF_TOOL_PERF, "perf.data", "");
    uint32_t first = add_perf(profile, perf, 100, 100, 3);
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "spy.raw", ""), 0, 100, 3, "t");
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "dump.txt", ""), 100, 100, 1, "u");
    CHECK(ff_merge_names(profile, NULL, &note) == FF_OK);
    CHECK_TEXT(name_of(profile, first), "");
    CHECK_TEXT(name_of(profile, first + 1), "t1");
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_NAMES_DISAGREE), 1);
    CHECK(strstr(note.message, "thread 100") != NULL);
    ff_profile_free(profile);
}

/* Two recordings of one process both get the names; without a recording nothing is missing. */
static void check_sources(void)
{
    struct ff_profile *profile = ff_profile_new();
    uint32_t a = add_perf(profile, add_source(profile, FF_TOOL_PERF, "a.data", "h"), 100, 100, 2);
    uint32_t b = add_perf(profile, add_source(profile, FF_TOOL_PERF, "b.data", "h"), 100, 100, 2);
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "spy.raw", ""), 0, 100, 2, "t");
    CHECK(ff_merge_names(profile, NULL, NULL) == FF_OK);
    CHECK_TEXT(name_of(profile, a + 1), "t1");
    CHECK_TEXT(name_of(profile, b + 1), "t1");
    ff_profile_free(profile);

    profile = ff_profile_new();
    add_spy(profile, add_source(profile, FF_TOOL_PY_SPY, "spy.raw", ""), 0, 100, 2, "t");
    CHECK(ff_merge_names(profile, NULL, NULL) == FF_OK);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_NAMES_UNMATCHED), 0);
    ff_profile_free(profile);
}

static bool read_shared(struct ff_profile *profile, const char *file)
{
    char below[200], path[1000];
    struct ff_input input;
    struct ff_error error = {0};
    snprintf(below, sizeof below, "captures/launch-queue/%s", file);
    if (ff_input_open(&input, shared_path(path, sizeof path, below), &error) != FF_OK)
        return false;
    bool dump = ff_text_starts(ff_text(file), FF_TEXT("dump"));
    CHECK((dump ? ff_pyspy_dump_read(profile, &input, file)
                : ff_folded_read(profile, &input, file, FF_FORMAT_PY_SPY_RAW)) == FF_OK);
    ff_input_close(&input);
    return true;
}

/* launch-queue: process 590 with its thread ids as /proc listed them (comms), without any name. */
static uint32_t add_comms(struct ff_profile *profile)
{
    char path[1000], line[200];
    unsigned tid, count = 0;
    uint32_t process = ff_process_add(
        profile, (struct ff_process){.source = add_source(profile, FF_TOOL_PERF, "fp.data", ""),
                                     .pid = 590});
    FILE *file = fopen(shared_path(path, sizeof path, "captures/launch-queue/comms"), "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%u", &tid) == 1)
            count += ff_thread_add(profile, (struct ff_thread){.process = process, .tid = tid}) > 0;
    }
    if (file)
        fclose(file);
    return count;
}

/* What the program itself wrote for each thread is what the join must say, file by file. */
static void check_capture(const char *spy_file)
{
    char path[1000], line[200], name[100];
    unsigned tid, named = 0;
    struct ff_profile *profile = ff_profile_new();
    if (!add_comms(profile) || !read_shared(profile, spy_file)) {
        SKIP("the shared captures are not here");
        ff_profile_free(profile);
        return;
    }
    CHECK(ff_merge_names(profile, NULL, NULL) == FF_OK);
    FILE *file = fopen(shared_path(path, sizeof path, "captures/launch-queue/threads"), "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%u %*s %99s", &tid, name) != 2)
            continue;
        uint32_t id = ff_thread_add(profile, (struct ff_thread){.process = 1, .tid = tid});
        struct ff_text found = name_of(profile, id);
        if (found.size)
            CHECK_TEXT(found, name);
        named += found.size > 0;
    }
    if (file)
        fclose(file);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_NAMES_REFUSED), 0);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_NAMES_UNMATCHED), 0);
    /* A dump has every thread; a recording of the runnable ones at least the five targets. */
    if (ff_text_starts(ff_text(spy_file), FF_TEXT("dump")))
        CHECK_NUMBER(named, 9);
    else
        CHECK(named >= 5);
    ff_profile_free(profile);
}

/* The same with the recording itself: every perf thread that the program named has that name. */
static void check_recording(const char *data_file, const char *spy_file)
{
    char below[200], path[1000], line[200], name[100];
    unsigned tid, named = 0;
    struct ff_selection all = {0};
    struct ff_profile *profile = ff_profile_new();
    snprintf(below, sizeof below, "captures/launch-queue/%s", data_file);
    enum ff_status status = ff_read(profile, shared_path(path, sizeof path, below),
                                    &(struct ff_read_options){.selection = &all});
    if (status == FF_SYSTEM || !read_shared(profile, spy_file)) {
        SKIP("the shared captures are not here");
        ff_profile_free(profile);
        return;
    }
    CHECK(ff_merge_names(profile, NULL, NULL) == FF_OK);
    FILE *file = fopen(shared_path(path, sizeof path, "captures/launch-queue/threads"), "r");
    while (file && fgets(line, sizeof line, file)) {
        for (uint32_t i = 1; i < profile->threads.count; i++) {
            const struct ff_thread *row = &profile->threads.at[i];
            if (sscanf(line, "%u %*s %99s", &tid, name) != 2 || row->tid != tid ||
                source_of(profile, i) != 1)
                continue;
            CHECK_TEXT(name_of(profile, i), name);
            named++;
        }
    }
    if (file)
        fclose(file);
    CHECK(named >= 6); /* five targets and the loader at least */
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_NAMES_REFUSED), 0);
    ff_profile_free(profile);
}

int main(void)
{
    check_by_tids();
    check_generations();
    check_by_pid();
    check_refusals();
    check_disagreement();
    check_sources();
    check_capture("dump.txt");
    check_capture("dump-native.1.txt");
    check_capture("spy.raw");
    check_capture("spy-native.raw");
    check_recording("fp.data", "dump.txt");
    check_recording("bothfp.data", "dump.txt");
    check_recording("dwarf.data", "dump.txt");
    return check_result();
}
