/* SPDX-License-Identifier: MIT
 *
 * Folded text and py-spy raw: each oddity of the grammar by hand, all real files by their sums.
 */
#include "check.h"

#include "read/folded.h"
#include "read/pyspy.h"
#include "text_input.h"

static struct ff_profile *read_as(enum ff_format format, const char *name, struct ff_text text,
                                  enum ff_status *status)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_input input;
    text_input(&input, name, text);
    *status = ff_folded_read(profile, &input, name, format);
    ff_input_close(&input);
    return profile;
}

static struct ff_profile *read_good(enum ff_format format, const char *text)
{
    enum ff_status status;
    struct ff_profile *profile = read_as(format, "x.raw", ff_text(text), &status);
    CHECK(status == FF_OK);
    return profile;
}

/* The stack of sample 1 printed root first, as folded text has it. */
static struct ff_text printed(struct ff_profile *profile)
{
    static char text[1000];
    char part[2000];
    text[0] = '\0';
    for (uint32_t s = profile->samples.at[1].stack; s; s = profile->stacks.at[s].parent) {
        struct ff_text name =
            ff_profile_text(profile, ff_frame_name(profile, profile->stacks.at[s].frame));
        int used = snprintf(part, sizeof part, "%.*s%s%s", (int)name.size, name.at,
                            text[0] ? ";" : "", text);
        if (used >= 0 && (size_t)used < sizeof text)
            memcpy(text, part, (size_t)used + 1);
    }
    return ff_text(text);
}

static const struct ff_frame *leaf(const struct ff_profile *profile)
{
    return &profile->frames.at[profile->stacks.at[profile->samples.at[1].stack].frame];
}

/* A py-spy frame text, and what it must become. */
static void check_frame(const char *text, enum ff_frame_kind kind, const char *symbol,
                        const char *file, uint32_t line, const char *module)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_pyspy_frame parts = ff_pyspy_frame_parse(ff_text(text));
    uint32_t id = ff_pyspy_frame_add(profile, &parts);
    struct ff_frame frame = profile->frames.at[id];
    CHECK(frame.kind == kind);
    CHECK_TEXT(ff_profile_text(profile, frame.symbol), symbol);
    CHECK_TEXT(ff_profile_text(profile, frame.file), file);
    CHECK_NUMBER(frame.line, line);
    CHECK_TEXT(ff_module_name(profile, frame.module), module);
    if (frame.symbol || !frame.module)
        CHECK_NUMBER(frame.place, 0);
    ff_profile_free(profile);
}

static void check_frames(void)
{
    check_frame("step (train.py:88)", FF_FRAME_PYTHON, "step", "train.py", 88, "");
    check_frame("<module> (<string>:1)", FF_FRAME_PYTHON, "<module>", "<string>", 1, "");
    check_frame("_find (<frozen importlib._bootstrap>:10)", FF_FRAME_PYTHON, "_find",
                "<frozen importlib._bootstrap>", 10, "");
    check_frame("step (train.py)", FF_FRAME_PYTHON, "step", "train.py", 0, "");
    check_frame("main (script:3)", FF_FRAME_PYTHON, "main", "script", 3, "");
    check_frame("<listcomp> (My Dir (1)/a.py:5)", FF_FRAME_PYTHON, "<listcomp>", "My Dir (1)/a.py",
                5, "");
    check_frame("cuLaunchKernel (libcuda.so.595.71.05)", FF_FRAME_NATIVE, "cuLaunchKernel", "", 0,
                "libcuda.so.595.71.05");
    check_frame("std::function<void (int)>::operator() (libx.so)", FF_FRAME_NATIVE,
                "std::function<void (int)>::operator()", "", 0, "libx.so");
    check_frame("PyThread_acquire_lock_timed (python3.12)", FF_FRAME_NATIVE,
                "PyThread_acquire_lock_timed", "", 0, "python3.12");
    check_frame("f (/opt/a b/libx.so.1)", FF_FRAME_NATIVE, "f", "", 0, "libx.so.1");
    check_frame("at::mm (native/LinearAlgebra.cpp:12)", FF_FRAME_NATIVE, "at::mm",
                "native/LinearAlgebra.cpp", 12, "");
    check_frame("0x7f10a1b2c3d4 (libcuda.so.1)", FF_FRAME_NATIVE, "", "", 0, "libcuda.so.1");
    check_frame("0x7f10a1b2c3d4 (myserver)", FF_FRAME_NATIVE, "", "", 0, "myserver");
    check_frame("0x7ffc12 ([vdso])", FF_FRAME_NATIVE, "", "", 0, "[vdso]");
    check_frame("0x7ffc12 (?)", FF_FRAME_NATIVE, "", "", 0, "");
    check_frame("main (myserver)", FF_FRAME_TEXT, "main (myserver)", "", 0, "");
    check_frame("foo(int)", FF_FRAME_TEXT, "foo(int)", "", 0, "");
    check_frame("plain", FF_FRAME_TEXT, "plain", "", 0, "");
    check_frame(")", FF_FRAME_TEXT, ")", "", 0, "");
    check_frame(" ()", FF_FRAME_TEXT, " ()", "", 0, "");
    check_frame("f ()", FF_FRAME_TEXT, "f ()", "", 0, "");
    check_frame("f (:12)", FF_FRAME_TEXT, "f (:12)", "", 0, "");
}

static void check_bare(void)
{
    struct ff_profile *profile = read_good(
        FF_FORMAT_PY_SPY_RAW, "0x7f10 (libcuda.so.1);0x7f18 (libcuda.so.1);f (a.py:1) 7\n");
    CHECK_TEXT(printed(profile), "[libcuda.so.1];[libcuda.so.1];f (a.py:1)");
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_BARE_ADDRESSES), 14);
    /* Callers: the places are one before the return addresses. */
    CHECK_NUMBER(profile->frames.at[1].place, 0x7f0f);
    CHECK(profile->frames.at[1].named == FF_NAMED_NOT);
    CHECK(profile->modules.at[profile->frames.at[1].module].kind == FF_MODULE_UNPLACED);
    ff_profile_free(profile);
    profile = read_good(FF_FORMAT_PY_SPY_RAW, "f (a.py:1);0x7f18 (libcuda.so.1) 7\n");
    CHECK_NUMBER(leaf(profile)->place, 0x7f18);
    ff_profile_free(profile);
}

/* A line's root, and the thread that it must become. */
static void check_root(const char *line, uint32_t pid, uint32_t tid, const char *name,
                       const char *stack)
{
    struct ff_profile *profile = read_good(FF_FORMAT_PY_SPY_RAW, line);
    struct ff_thread thread = profile->threads.at[profile->samples.at[1].thread];
    CHECK_NUMBER(profile->samples.count, 2);
    CHECK_NUMBER(profile->processes.at[thread.process].pid, pid);
    CHECK_NUMBER(thread.tid, tid);
    CHECK_TEXT(ff_profile_text(profile, thread.name), name);
    CHECK_TEXT(printed(profile), stack);
    ff_profile_free(profile);
}

static void check_roots(void)
{
    check_root("f (a.py:1) 2", 0, 0, "", "f (a.py:1)");
    check_root("thread (27303): target-0;f (a.py:1) 2", 0, 27303, "target-0", "f (a.py:1)");
    check_root("thread (27303);f (a.py:1) 2", 0, 27303, "", "f (a.py:1)");
    check_root("thread 27303;f (a.py:1) 2", 0, 27303, "", "f (a.py:1)");
    check_root("thread (0x7F1060FF9700): x y;f (a.py:1) 2", 0, 0, "x y", "f (a.py:1)");
    check_root("thread (12): pool 3 4", 0, 12, "pool 3", "");
    check_root("process 100:\"python run.py\";process 140:\"python w;x.py -c 'a 1'\";"
               "thread (141): t;f (a.py:1) 2",
               140, 141, "t", "f (a.py:1)");
    check_root("process 100:\"python run.py\";f (a.py:1) 2", 100, 0, "", "f (a.py:1)");
    check_root("process 100:\"python\" 2", 100, 0, "", "");
    /* Nothing is escaped: names with a ';' of their own. */
    check_root("thread (7): w \"0\"; x;f (a.py:1) 2", 0, 7, "w \"0\"; x", "f (a.py:1)");
    check_root("process 1:\"a;b c\";thread (7): a;b;c;f (a.py);g (l.so) 2", 1, 7, "a;b;c",
               "f (a.py);g");
    check_root("thread (7): a; b 2", 0, 7, "a; b", "");
    check_root("thread (7);f (a.py:1) 2", 0, 7, "", "f (a.py:1)");
    /* Functions may be called so. */
    check_root("thread pool (a.py:1) 2", 0, 0, "", "thread pool (a.py:1)");
    check_root("process 5 (a.py:1) 2", 0, 0, "", "process 5 (a.py:1)");
    check_root("thread (x);f (a.py:1) 2", 0, 0, "", "thread (x);f (a.py:1)");
    check_root("thread (99999999999);f (a.py:1) 2", 0, 0, "", "thread (99999999999);f (a.py:1)");
    check_root(" 5", 0, 0, "", "");
}

/* Threads that py-spy told apart stay apart, also without an OS thread id. */
static void check_threads_apart(void)
{
    struct ff_profile *profile = read_good(FF_FORMAT_PY_SPY_RAW, "thread (0x7F01): a;f (a.py:1) 1\n"
                                                                 "thread (0x7F02): a;f (a.py:1) 2\n"
                                                                 "thread (0x7F01): a;g (a.py:2) 4\n"
                                                                 "thread (7): a;f (a.py:1) 8\n"
                                                                 "thread (7): b;f (a.py:1) 16\n");
    CHECK_NUMBER(profile->threads.count, 1 + 4);
    CHECK_NUMBER(profile->samples.at[1].thread, profile->samples.at[3].thread);
    CHECK(profile->samples.at[1].thread != profile->samples.at[2].thread);
    CHECK_NUMBER(profile->threads.at[profile->samples.at[4].thread].generation, 0);
    CHECK_NUMBER(profile->threads.at[profile->samples.at[5].thread].generation, 1);
    ff_profile_free(profile);
}

/* Many names for one thread id do not take ever more time for each. */
static void check_many_names(void)
{
    enum { names = 200000 };
    char *text = ff_alloc(names, 40);
    size_t used = 0;
    for (unsigned i = 0; i < names; i++)
        used += (size_t)snprintf(text + used, 40, "thread (7): n%u;f (a.py:1) 1\n", i);
    enum ff_status status;
    struct ff_profile *profile =
        read_as(FF_FORMAT_PY_SPY_RAW, "x.raw", (struct ff_text){text, used}, &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(profile->threads.count, 1 + names);
    CHECK_NUMBER(profile->threads.at[names].generation, names - 1);
    ff_profile_free(profile);
    ff_free(text);
}

/* So do many ';' in an open '['. */
static void check_many_brackets(void)
{
    enum { pieces = 500000 };
    char *text = ff_alloc(pieces + 10, 4);
    memcpy(text, "[", 1);
    for (size_t i = 0; i < pieces; i++)
        memcpy(text + 1 + 4 * i, "[; ]", 4);
    memcpy(text + 1 + 4 * (size_t)pieces, " 5\n", 4);
    struct ff_profile *profile = read_good(FF_FORMAT_FOLDED, text);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_FRAMES_JOINED), pieces);
    CHECK_NUMBER(profile->stacks.count, 2);
    ff_profile_free(profile);
    ff_free(text);
}

static void check_joined(void)
{
    struct ff_profile *profile =
        read_good(FF_FORMAT_PY_SPY_RAW, "<foo::Bar<[T; 3]> as X>::bar (libx.so);f (a.py:1) 2\n");
    CHECK_TEXT(printed(profile), "<foo::Bar<[T; 3]> as X>::bar;f (a.py:1)");
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_FRAMES_JOINED), 1);
    ff_profile_free(profile);
    profile = read_good(FF_FORMAT_FOLDED, "a;f<[[u8; 4]; 5]>;g 2\n");
    CHECK_TEXT(printed(profile), "a;f<[[u8; 4]; 5]>;g");
    CHECK_NUMBER(profile->stacks.count, 4);
    ff_profile_free(profile);
    /* Not an array: nothing is joined. */
    profile = read_good(FF_FORMAT_FOLDED, "[a; b;c 2\n");
    CHECK_NUMBER(profile->stacks.count, 4);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_FRAMES_JOINED), 0);
    ff_profile_free(profile);
    profile = read_good(FF_FORMAT_FOLDED, "a[;b] 2\n");
    CHECK_NUMBER(profile->stacks.count, 3);
    ff_profile_free(profile);
}

static void check_folded(void)
{
    struct ff_profile *profile = read_good(FF_FORMAT_FOLDED, "dd;read;vfs_read_[k] 5\n");
    CHECK(leaf(profile)->kind == FF_FRAME_KERNEL);
    CHECK_TEXT(printed(profile), "dd;read;vfs_read");
    CHECK(profile->sources.at[1].tool == FF_TOOL_FOLDED);
    CHECK(profile->sources.at[1].population == FF_POPULATION_UNKNOWN);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_POPULATION_GUESSED), 0);
    ff_profile_free(profile);
    profile = read_good(FF_FORMAT_FOLDED, "java;f_[j];g_[i] 5");
    CHECK(leaf(profile)->kind == FF_FRAME_TEXT);
    CHECK_TEXT(printed(profile), "java;f_[j];g_[i]");
    ff_profile_free(profile);
    /* What py-spy means by a root or a file is nothing here. */
    profile = read_good(FF_FORMAT_FOLDED, "thread (5): x;f (a.py:1) 5");
    CHECK_TEXT(printed(profile), "thread (5): x;f (a.py:1)");
    CHECK(leaf(profile)->kind == FF_FRAME_TEXT);
    ff_profile_free(profile);
    profile = read_good(FF_FORMAT_FOLDED, "a;;b 5");
    CHECK_TEXT(printed(profile), "a;[unknown];b");
    ff_profile_free(profile);
}

static void check_counts(void)
{
    struct ff_profile *profile =
        read_good(FF_FORMAT_FOLDED, "\xef\xbb\xbf"
                                    "a;b 0.25\r\n# note\r\n\r\na;b 1.75\r\n"
                                    "a;b\t3 \r\na 0\n");
    CHECK_NUMBER(profile->samples.at[1].count, 5 * FF_COUNT_ONE);
    CHECK_NUMBER(profile->samples.at[1].weight, 5);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_LINES), 6);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_LINES_UNUSED), 2);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_SAMPLES), 5);
    CHECK_TEXT(printed(profile), "a;b");
    ff_profile_free(profile);
    profile = read_good(FF_FORMAT_FOLDED, "a 14.2343983248722834234\n");
    /* 14.2343983248722834234 * 2^20 = 14925848.457... by bc. */
    CHECK_NUMBER(profile->samples.at[1].count, 14925848);
    ff_profile_free(profile);
    profile = read_good(FF_FORMAT_FOLDED, "a 18446744073709551615\n");
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_SATURATED), 1);
    ff_profile_free(profile);
}

static void check_bad_lines(void)
{
    static const char text[] = "a;b 1\nno count\n7\na;b 1e5\na;b -3\na;b 0x10\na;b .5\na;b 1.2.3\n"
                               "a;b 99999999999999999999\nc 2\n";
    enum ff_status status;
    struct ff_profile *profile = read_as(FF_FORMAT_FOLDED, "bad.txt", FF_TEXT(text), &status);
    CHECK(status == FF_BAD_INPUT);
    CHECK(strstr(profile->error.message, "bad.txt: line 2: ") != NULL);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_LINES_BAD), 8);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_SAMPLES), 3);
    ff_profile_free(profile);
}

static void check_population(const char *name, enum ff_population population)
{
    enum ff_status status;
    struct ff_profile *profile =
        read_as(FF_FORMAT_PY_SPY_RAW, name, FF_TEXT("f (a.py:1) 1\n"), &status);
    CHECK(status == FF_OK);
    CHECK(profile->sources.at[1].tool == FF_TOOL_PY_SPY);
    CHECK(profile->sources.at[1].population == population);
    CHECK_TEXT(ff_profile_text(profile, profile->sources.at[1].name), name);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_POPULATION_GUESSED), 1);
    ff_profile_free(profile);
}

/* Whatever is cut off, reading ends without a crash and never finds more samples. */
static void check_cuts(void)
{
    static const char text[] = "thread (5): a;process 7:\"x\";f (a.py:1);<x<[T; 3]> (l.so) 3\r\n"
                               "process 7:\"p;q\";thread (0x7F): b;0x7f (l.so);g (?) 2\n"
                               " 4\n# c\n\nthread 9;a;;[;b];[c; d] 1.5\nbad\n";
    for (size_t size = 0; size + 1 < sizeof text; size++) {
        for (int form = 0; form < 2; form++) {
            enum ff_status status;
            struct ff_profile *profile = read_as(form ? FF_FORMAT_FOLDED : FF_FORMAT_PY_SPY_RAW,
                                                 "cut", (struct ff_text){text, size}, &status);
            CHECK(status == FF_OK || status == FF_BAD_INPUT);
            /* A cut count is a count: the open end is told. Only whole lines are sure. */
            bool open_end = size && text[size - 1] != '\n' && text[size - 1] != '\r';
            CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_LINE_OPEN), open_end);
            CHECK(open_end || ff_ledger_count(profile, 1, FF_LEDGER_SAMPLES) <= 10);
            ff_profile_free(profile);
        }
    }
}

/* The sum of the numbers at the line ends, by the plainest possible loop. */
static unsigned long long plain_sum(const char *path)
{
    static char line[1 << 20];
    unsigned long long sum = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        char *blank = strrchr(line, ' ');
        if (blank)
            sum += strtoull(blank + 1, NULL, 10);
    }
    if (file)
        fclose(file);
    return sum;
}

/* "Samples: N Errors: E" in py-spy's own words; 0 where that log was not kept. */
static unsigned long long log_samples(const char *path)
{
    char log[1000], line[1000];
    unsigned long long samples = 0;
    snprintf(log, sizeof log, "%.*s.log", (int)strlen(path) - 4, path);
    FILE *file = fopen(log, "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *found = strstr(line, "Samples: ");
        if (found)
            samples = strtoull(found + 9, NULL, 10);
    }
    if (file)
        fclose(file);
    return samples;
}

/* Every name that py-spy gave a thread is the one that the program itself wrote for that tid. */
static void check_names(const struct ff_profile *profile, const char *folder)
{
    char below[200], path[1000], line[200], name[100];
    unsigned tid;
    snprintf(below, sizeof below, "captures/%s/threads", folder);
    FILE *file = fopen(shared_path(path, sizeof path, below), "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%u %*s %99s", &tid, name) != 2)
            continue;
        for (uint32_t i = 1; i < profile->threads.count; i++) {
            if (profile->threads.at[i].tid == tid)
                CHECK_TEXT(ff_profile_text(profile, profile->threads.at[i].name), name);
        }
    }
    CHECK(file != NULL);
    if (file)
        fclose(file);
}

static bool check_capture(const char *folder, const char *file)
{
    char below[200], path[1000];
    struct ff_profile *profile = ff_profile_new();
    struct ff_input input;
    snprintf(below, sizeof below, "captures/%s/%s", folder, file);
    if (ff_input_open(&input, shared_path(path, sizeof path, below), &profile->error) != FF_OK) {
        ff_profile_free(profile);
        return false;
    }
    CHECK(ff_folded_read(profile, &input, file, FF_FORMAT_PY_SPY_RAW) == FF_OK);
    ff_input_close(&input);
    unsigned long long sum = plain_sum(path), logged = log_samples(path), total = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++)
        total += profile->samples.at[i].weight;
    CHECK_NUMBER(total, sum);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_SAMPLES), sum);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_FRAMES_JOINED), 0);
    if (logged)
        CHECK_NUMBER(total, logged);
    for (uint32_t i = 1; i < profile->frames.count; i++)
        CHECK(profile->frames.at[i].kind != FF_FRAME_TEXT);
    check_names(profile, folder);
    ff_profile_free(profile);
    return true;
}

static void check_captures(void)
{
    static const char *const folders[] = {
        "gil-convoy",       "launch-queue",   "trampoline", "gil-convoy-64k",
        "launch-queue-64k", "trampoline-64k", "dispatch",   "sync"};
    static const char *const files[] = {"spy.raw",      "spy-native.raw",   "spy-gil.raw",
                                        "spy-idle.raw", "spy-nothread.raw", "both.raw"};
    int found = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        for (size_t k = 0; k < sizeof files / sizeof *files; k++)
            found += check_capture(folders[i], files[k]);
    }
    if (!found)
        SKIP("the shared captures are not here");
    else
        CHECK(found > 25);
}

int main(void)
{
    check_frames();
    check_bare();
    check_roots();
    check_threads_apart();
    check_many_names();
    check_many_brackets();
    check_joined();
    check_folded();
    check_counts();
    check_bad_lines();
    check_population("spy.raw", FF_POPULATION_RUNNABLE);
    check_population("spy-gil.raw", FF_POPULATION_GIL_HELD);
    check_population("spy-idle.raw", FF_POPULATION_ALL);
    check_cuts();
    check_captures();
    return check_result();
}
