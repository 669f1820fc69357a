/* SPDX-License-Identifier: MIT
 *
 * py-spy dump text: each oddity by hand; the captured dumps by counting their lines.
 */
#include "check.h"

#include "read/pyspy_dump.h"
#include "text_input.h"

static struct ff_profile *read_text(struct ff_text text, enum ff_status *status)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_input input;
    text_input(&input, "dump.txt", text);
    *status = ff_pyspy_dump_read(profile, &input, "dump.txt");
    ff_input_close(&input);
    return profile;
}

static struct ff_profile *read_good(const char *text)
{
    enum ff_status status;
    struct ff_profile *profile = read_text(ff_text(text), &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(ff_ledger_grade_count(profile, FF_GRADE_LOSS), 0);
    return profile;
}

/* Row I of the samples: its thread, its innermost frame, how deep it is. */
static void check_sample(struct ff_profile *profile, uint32_t i, uint32_t tid, const char *name,
                         const char *leaf, unsigned depth)
{
    CHECK(i < profile->samples.count);
    if (i >= profile->samples.count)
        return;
    const struct ff_sample *sample = &profile->samples.at[i];
    struct ff_thread thread = profile->threads.at[sample->thread];
    unsigned found = 0;
    CHECK_NUMBER(thread.tid, tid);
    CHECK_TEXT(ff_profile_text(profile, thread.name), name);
    if (sample->stack)
        CHECK_TEXT(ff_profile_text(profile,
                                   ff_frame_name(profile, profile->stacks.at[sample->stack].frame)),
                   leaf);
    for (uint32_t s = sample->stack; s; s = profile->stacks.at[s].parent)
        found++;
    CHECK_NUMBER(found, depth);
    CHECK(sample->state == (depth ? FF_STATE_RECORDED : FF_STATE_NO_FRAMES));
}

static void check_fact(const struct ff_profile *profile, uint32_t i, uint32_t tid, const char *name,
                       const char *text)
{
    CHECK(i < profile->facts.count);
    if (i >= profile->facts.count)
        return;
    const struct ff_fact *fact = &profile->facts.at[i];
    CHECK_NUMBER(profile->threads.at[fact->thread].tid, tid);
    CHECK_TEXT(ff_profile_text(profile, fact->name), name);
    CHECK_TEXT(ff_profile_text(profile, fact->text), text);
}

#define HEAD "Process 27110: python train.py --gpus 5\nPython v3.12.3 (/usr/bin/python3.12)\n\n"

static void check_plain(void)
{
    struct ff_profile *profile = read_good(HEAD "Thread 27110 (idle): \"MainThread\"\n"
                                                "    join (threading.py:1149)\n"
                                                "    <module> (train.py:210)\n"
                                                "Thread 27303 (active): \"target-0\"\n"
                                                "    sched_yield (libc.so.6)\n"
                                                "    0x7f10a1b2c3d4 (libcuda.so.595.71.05)\n"
                                                "    forward (model.py:88)\n"
                                                "Thread 27304 (active+gil): \"a\"b: \"c\"\n"
                                                "Thread 0x7F1060FF9700 (active)\n"
                                                "    f (a.py:1)\n"
                                                "Thread 0x7F1060FF9800\n");
    CHECK_NUMBER(profile->samples.count, 6);
    check_sample(profile, 1, 27110, "MainThread", "join (threading.py:1149)", 2);
    check_sample(profile, 2, 27303, "target-0", "sched_yield", 3);
    check_sample(profile, 3, 27304, "a\"b: \"c", "", 0);
    check_sample(profile, 4, 0, "", "f (a.py:1)", 1);
    check_sample(profile, 5, 0, "", "", 0);
    CHECK(profile->samples.at[4].thread != profile->samples.at[5].thread);
    CHECK_NUMBER(profile->samples.at[1].count, FF_COUNT_ONE);
    CHECK_NUMBER(profile->processes.at[1].pid, 27110);
    CHECK(profile->sources.at[1].population == FF_POPULATION_DUMP);
    CHECK(profile->sources.at[1].tool == FF_TOOL_PY_SPY);
    CHECK_TEXT(ff_profile_text(profile, profile->events.at[1].name), "dump");
    CHECK_TEXT(ff_profile_text(profile, profile->events.at[1].unit), "threads");
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_BARE_ADDRESSES), 1);
    check_fact(profile, 1, 27110, "state", "idle");
    check_fact(profile, 2, 27303, "state", "active");
    check_fact(profile, 3, 27304, "state", "active");
    check_fact(profile, 4, 27304, "gil", "held");
    check_fact(profile, 5, 0, "state", "active");
    CHECK_NUMBER(profile->facts.count, 6);
    uint32_t role = profile->threads.at[profile->samples.at[2].thread].role;
    CHECK_TEXT(ff_profile_text(profile, role), "target-*");
    ff_profile_free(profile);
}

static void check_colours(void)
{
    struct ff_profile *profile =
        read_good("Process \x1b[1m5\x1b[0m: \x1b[1mpython x\x1b[0m\n\n"
                  "Thread \x1b[32;1m5\x1b[0m (\x1b[1midle\x1b[0m): \"\x1b[1mMain\x1b[0m\"\n"
                  "    \x1b[32mf\x1b[0m (\x1b[36ma.py\x1b[0m:\x1b[2m1\x1b[0m)\n");
    check_sample(profile, 1, 5, "Main", "f (a.py:1)", 1);
    ff_profile_free(profile);
}

static void check_locals(void)
{
    struct ff_profile *profile = read_good(HEAD "Thread 5 (active): \"a\"\n"
                                                "    forward (model.py:88)\n"
                                                "        Arguments:\n"
                                                "            self: <Model at 0x7f10>\n"
                                                "            text: \"one\n"
                                                "two (x.py:3)\n"
                                                "three\"\n"
                                                "        Locals:\n"
                                                "            x: ?\n"
                                                "    run (model.py:9)\n"
                                                "        Arguments::\n"
                                                "            y: 5\n"
                                                "Thread 6 (idle): \"b\"\n");
    CHECK_NUMBER(profile->samples.count, 3);
    check_sample(profile, 1, 5, "a", "forward (model.py:88)", 2);
    check_sample(profile, 2, 6, "b", "", 0);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_LINES_UNUSED), 3 + 7 + 2);
    ff_profile_free(profile);
}

static void check_processes(void)
{
    struct ff_profile *profile = read_good(HEAD "Thread 27110 (idle): \"MainThread\"\n"
                                                "    f (a.py:1)\n\n"
                                                "--------------------\n"
                                                "Process 28000: python worker\n"
                                                "Python v3.12.3 (/usr/bin/python3.12)\n"
                                                "Parent Process 27110: python train.py\n\n"
                                                "Thread 28000 (idle): \"MainThread\"\n"
                                                "    f (a.py:1)\n");
    CHECK_NUMBER(profile->processes.count, 3);
    CHECK_NUMBER(profile->samples.count, 3);
    uint32_t process = profile->threads.at[profile->samples.at[2].thread].process;
    CHECK_NUMBER(profile->processes.at[process].pid, 28000);
    ff_profile_free(profile);
}

/* Two dumps of one process in one file: the threads are the same, the samples add up. */
static void check_repeated(void)
{
    static const char block[] = HEAD "Thread 5 (idle): \"a\"\n    f (a.py:1)\n";
    char text[2 * sizeof block];
    snprintf(text, sizeof text, "%s%s", block, block);
    struct ff_profile *profile = read_good(text);
    CHECK_NUMBER(profile->processes.count, 2);
    CHECK_NUMBER(profile->threads.count, 2);
    CHECK_NUMBER(profile->samples.count, 2);
    CHECK_NUMBER(profile->samples.at[1].count, 2 * FF_COUNT_ONE);
    CHECK_NUMBER(profile->samples.at[1].weight, 2);
    ff_profile_free(profile);
}

static void check_core(void)
{
    struct ff_profile *profile =
        read_good("Signal 11: /tmp/core\nProcess 5: python x\nPython v3.12.3\n"
                  "\nThread 5 (gil): \"MainThread\"\n    f (a.py:1)\n"
                  "Thread 6: \"b\"\n    g (a.py:2)\n");
    check_sample(profile, 1, 5, "MainThread", "f (a.py:1)", 1);
    check_sample(profile, 2, 6, "b", "g (a.py:2)", 1);
    ff_profile_free(profile);
}

static void check_bad_lines(void)
{
    enum ff_status status;
    struct ff_profile *profile = read_text(FF_TEXT("Process x: y\n    early (a.py:1)\n"
                                                   "Thread 5 (sleepy): \"a\"\nThread z\n"
                                                   "Thread 5 (idle): \"a\"\n    f (a.py:1)\n"
                                                   "what is this\n"),
                                           &status);
    CHECK(status == FF_BAD_INPUT);
    CHECK(strstr(profile->error.message, "dump.txt: line 1: ") != NULL);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_LINES_BAD), 5);
    CHECK_NUMBER(profile->samples.count, 2);
    ff_profile_free(profile);
}

static void check_cuts(void)
{
    static const char text[] = "Signal 1: c\n" HEAD "Thread 27110 (idle): \"Main\"\n"
                               "    \x1b[32mjoin\x1b[0m (threading.py:1149)\n"
                               "        Locals:\n            x: \"a\nb\"\n"
                               "Thread 0x7F10 (active+gil): \"q\"\n    0x7f (?)\n";
    for (size_t size = 0; size < sizeof text; size++) {
        enum ff_status status;
        struct ff_profile *profile = read_text((struct ff_text){text, size}, &status);
        CHECK(status == FF_OK || status == FF_BAD_INPUT);
        CHECK(profile->samples.count <= 3);
        ff_profile_free(profile);
    }
}

/* In a captured dump every line that starts with "Thread " is a thread, every line that starts with
 * four blanks a frame. */
static bool check_capture(const char *folder, const char *file)
{
    char below[200], path[1000], line[4096];
    unsigned threads = 0, frames = 0, found = 0;
    snprintf(below, sizeof below, "captures/%s/%s", folder, file);
    FILE *plain = fopen(shared_path(path, sizeof path, below), "r");
    if (!plain)
        return false;
    while (fgets(line, sizeof line, plain)) {
        threads += strncmp(line, "Thread ", 7) == 0;
        frames += strncmp(line, "    ", 4) == 0;
    }
    fclose(plain);
    struct ff_profile *profile = ff_profile_new();
    struct ff_input input;
    CHECK(ff_input_open(&input, path, &profile->error) == FF_OK);
    CHECK(ff_pyspy_dump_read(profile, &input, file) == FF_OK);
    ff_input_close(&input);
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        for (uint32_t s = profile->samples.at[i].stack; s; s = profile->stacks.at[s].parent)
            found++;
    }
    CHECK_NUMBER(profile->samples.count - 1, threads);
    CHECK_NUMBER(profile->threads.count - 1, threads);
    CHECK_NUMBER(found, frames);
    CHECK_NUMBER(profile->processes.count, 2);
    CHECK(profile->processes.at[1].pid != 0);
    for (uint32_t i = 1; i < profile->frames.count; i++)
        CHECK(profile->frames.at[i].kind != FF_FRAME_TEXT);
    ff_profile_free(profile);
    return true;
}

static void check_captures(void)
{
    static const char *const folders[] = {
        "gil-convoy",       "launch-queue",   "trampoline", "gil-convoy-64k",
        "launch-queue-64k", "trampoline-64k", "dispatch",   "sync"};
    static const char *const files[] = {"dump.txt", "dump-native.1.txt", "dump-native.2.txt",
                                        "dump-native.3.txt"};
    int found = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        for (size_t k = 0; k < sizeof files / sizeof *files; k++)
            found += check_capture(folders[i], files[k]);
    }
    if (!found)
        SKIP("the shared captures are not here");
    else
        CHECK(found > 20);
}

int main(void)
{
    check_plain();
    check_colours();
    check_locals();
    check_processes();
    check_repeated();
    check_core();
    check_bad_lines();
    check_cuts();
    check_captures();
    return check_result();
}
