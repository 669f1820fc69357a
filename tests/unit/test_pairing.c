/* SPDX-License-Identifier: MIT
 *
 * Two dumps of one stop. Both are made from one plan of calls, as gdb and py-spy print them, so what the
 * merged stack must be is known: equal numbers of loops and entries, one too many on either side, a
 * native stack without its root, stacks that do not agree, calls back into Python, each version of
 * CPython. Then which files are of one stop, and which are refused.
 */
#include "pyspy_reads.h"

#include "merge/merge.h"
#include "merge/interleave.h"
#include "merge/stops.h"
#include "read/backtrace.h"
#include "read/pyspy_json.h"

/* A native frame as gdb prints it, by a letter. */
static const char *gdb_frame(char letter)
{
    switch (letter) {
    case 's':
        return "start_thread () from /lib/libc.so.6";
    case 'm':
        return "main (argc=1) at python.c:15"; /* of the program itself: no library */
    case 'r':
        return "thread_run () from /usr/bin/python3.12";
    case 'o':
        return "PyObject_Vectorcall () from /usr/lib/libpython3.8.so.1.0";
    case 'E':
        return "_PyEval_EvalFrameDefault () from /usr/bin/python3.12";
    case 'O':
        return "_PyEval_EvalFrameDefault () from /usr/lib/libpython3.8.so.1.0";
    case 'D': /* debug information: no library */
        return "_PyEval_EvalFrameDefault (tstate=0x1, frame=0x2) at ../Python/ceval.c:780";
    case 'X':
        return "PyEval_EvalFrameEx () from /usr/lib/libpython3.8.so.1.0";
    case 'T':
        return "_TAIL_CALL_CALL.llvm.123 () from /usr/bin/python3.14";
    case 'v':
        return "PyObject_Vectorcall () from /usr/bin/python3.12";
    case 'd':
        return "PyObject_Vectorcall (callable=0x1) at ../Objects/call.c:327";
    case 'g':
        return "g_initialstub () from /x/greenlet/_greenlet.cpython-312-x86_64-linux-gnu.so";
    case 'n':
        return "work () from /x/ext.so";
    default:
        return "poll () from /lib/libc.so.6";
    }
}

/* FRAMES from the root on; gdb prints the leaf first. */
static void put_gdb_thread(char *text, size_t size, unsigned tid, const char *frames)
{
    size_t used = strlen(text), depth = strlen(frames);
    used +=
        (size_t)snprintf(text + used, size - used, "Thread 1 (Thread 0x7f (LWP %u) \"x\"):\n", tid);
    for (size_t i = 0; i < depth; i++)
        used += (size_t)snprintf(text + used, size - used, "#%zu  0x%zx in %s\n", i, i + 4096,
                                 gdb_frame(frames[depth - 1 - i]));
}

/* FRAMES from the root on: 'E' is an entry of 3.11, 'S' one of 3.12, 'i' an inner one, 'u' untold. They
 * are called f0, f1 ... from the root on. */
static void put_json_thread(char *text, size_t size, unsigned pid, unsigned tid, const char *frames)
{
    size_t used = strlen(text), depth = strlen(frames);
    used += (size_t)snprintf(text + used, size - used,
                             "%s{\"pid\":%u,\"os_thread_id\":%u,\"thread_name\":\"worker-%u\","
                             "\"frames\":[",
                             used > 1 ? "," : "", pid, tid, tid);
    for (size_t i = depth; i-- > 0;) {
        used += (size_t)snprintf(text + used, size - used,
                                 "{\"name\":\"f%zu\",\"short_filename\":\"a.py\",\"line\":1", i);
        if (frames[i] != 'u')
            used += (size_t)snprintf(
                text + used, size - used, ",\"is_entry\":%s,\"is_shim_entry\":%s",
                frames[i] == 'E' ? "true" : "false", frames[i] == 'S' ? "true" : "false");
        used += (size_t)snprintf(text + used, size - used, "}%s", i ? "," : "");
    }
    snprintf(text + used, size - used, "]}");
}

static void read_into(struct ff_profile *profile, pyspy_reader reader, const char *text,
                      const char *name)
{
    struct ff_input input;
    text_input(&input, name, ff_text(text));
    CHECK(reader(profile, &input, name) == FF_OK);
    ff_input_close(&input);
}

static void check_stack(struct ff_profile *profile, uint32_t stack, const char *expected)
{
    char text[4000] = "", before[2000];
    for (; stack; stack = profile->stacks.at[stack].parent) {
        struct ff_text frame =
            ff_profile_text(profile, ff_frame_name(profile, profile->stacks.at[stack].frame));
        ptrdiff_t blank = ff_text_ends(frame, FF_TEXT(" (a.py:1)")) ? ff_text_find(frame, ' ') : -1;
        frame.size = blank > 0 ? (size_t)blank : frame.size;
        snprintf(before, sizeof before, "%.1999s", text);
        snprintf(text, sizeof text, "%.*s%s%s", FF_TEXT_ARGS(frame), before[0] ? ";" : "", before);
    }
    CHECK_TEXT(ff_text(text), expected);
}

/* The row of the backtrace's only thread. */
static const struct ff_sample *native_sample(const struct ff_profile *profile)
{
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (profile->sources.at[ff_sample_source(profile, sample)].tool == FF_TOOL_GDB)
            return sample;
    }
    return profile->samples.at;
}

/* How surely the innermost Python frame is known. */
static uint8_t how_of(const struct ff_profile *profile, uint32_t stack)
{
    for (; stack; stack = profile->stacks.at[stack].parent) {
        const struct ff_frame *frame = &profile->frames.at[profile->stacks.at[stack].frame];
        if (frame->kind == FF_FRAME_PYTHON)
            return frame->how;
    }
    return FF_HOW_COUNT;
}

/* Merges one thread seen twice; checks the stack, the count that tells how, and that again changes
 * nothing. */
static void check_pair(const char *native, const char *python, const char *expected,
                       enum ff_ledger_id id, enum ff_how how)
{
    static const enum ff_ledger_id ids[] = {FF_LEDGER_PAIRED_IN_FLIGHT, FF_LEDGER_PAIRED_NO_ROOT,
                                            FF_LEDGER_UNPAIRED};
    struct ff_profile *profile = ff_profile_new();
    struct ff_error note = {0};
    char gdb[8000] = "", json[8000] = "[";
    bool joined = false;
    put_gdb_thread(gdb, sizeof gdb, 7, native);
    strcat(gdb, "[Inferior 1 (process 5) detached]\n");
    put_json_thread(json, sizeof json, 5, 7, python);
    strcat(json, "]\n");
    read_into(profile, ff_backtrace_read, gdb, "gdb.txt");
    read_into(profile, ff_pyspy_json_read, json, "dump.json");
    CHECK(ff_merge(profile, (struct ff_merge_options){0}, &joined, &note) == FF_OK);
    CHECK(joined && note.status == FF_OK);
    const struct ff_sample *sample = native_sample(profile);
    check_stack(profile, sample->stack, expected);
    CHECK_NUMBER(how_of(profile, sample->stack), how);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_MERGED_PAIRED), id != FF_LEDGER_UNPAIRED);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        CHECK_NUMBER(ff_ledger_count(profile, 0, ids[i]), ids[i] == id);
    CHECK_TEXT(ff_profile_text(profile, profile->threads.at[sample->thread].name), "worker-7");
    CHECK_NUMBER(profile->samples.count, 3); /* nothing is dropped */
    CHECK(ff_merge(profile, (struct ff_merge_options){0}, NULL, &note) == FF_OK);
    check_stack(profile, native_sample(profile)->stack, expected);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_MERGED_PAIRED), id != FF_LEDGER_UNPAIRED);
    pyspy_check_round_trip(profile);
    ff_profile_free(profile);
}

static void check_stacks(void)
{
    const enum ff_ledger_id whole = FF_LEDGER_MERGED_PAIRED, flight = FF_LEDGER_PAIRED_IN_FLIGHT,
                            no_root = FF_LEDGER_PAIRED_NO_ROOT, apart = FF_LEDGER_UNPAIRED;
    /* Equal numbers; 3.12's inner frames stand in the loop of their entry. */
    check_pair("srEvnl", "Sii", "start_thread;f0;f1;f2;work;poll", whole, FF_HOW_PAIRED);
    check_pair("srEvnl", "Eii", "start_thread;f0;f1;f2;work;poll", whole, FF_HOW_PAIRED);
    /* A call back: the extension's frame stands between the groups. */
    check_pair("srEvnvEn", "SiSi", "start_thread;f0;f1;work;f2;f3;work", whole, FF_HOW_PAIRED);
    check_pair("srEvnvEvnvEl", "SSS", "start_thread;f0;work;f1;work;f2;poll", whole, FF_HOW_PAIRED);
    /* The C library keeps the interpreter's function that called it. */
    check_pair("srEvl", "S", "start_thread;f0;PyObject_Vectorcall;poll", whole, FF_HOW_PAIRED);
    /* 3.10 and older: a loop for each frame, py-spy sets is_entry for each, or told nothing (0.3). */
    check_pair("sOoOoOn", "EEE", "start_thread;f0;f1;f2;work", whole, FF_HOW_PAIRED);
    check_pair("sOoOoOn", "uuu", "start_thread;f0;f1;f2;work", whole, FF_HOW_PAIRED);
    check_pair("sXOoXOn", "uu", "start_thread;f0;f1;work", whole, FF_HOW_PAIRED);
    /* Without word of entries, one loop holds all frames, and more are not guessed. */
    check_pair("sEvn", "uuu", "start_thread;f0;f1;f2;work", whole, FF_HOW_PAIRED);
    check_pair("sEvEn", "uuu",
               "f0;f1;f2;[native, unpaired];start_thread;_PyEval_EvalFrameDefault;"
               "PyObject_Vectorcall;_PyEval_EvalFrameDefault;work",
               apart, FF_HOW_RECORDED);
    /* A tail-calling interpreter: entry function and opcode functions are one loop. */
    check_pair("sETTnvETn", "SiS", "start_thread;f0;f1;work;f2;work", whole, FF_HOW_PAIRED);
    check_pair("sTnvTn", "SS", "start_thread;f0;work;f1;work", whole, FF_HOW_PAIRED);
    /* A program with debug information, where gdb names no library and stops at main. */
    check_pair("mDdn", "Si", "main;f0;f1;work", whole, FF_HOW_PAIRED);

    /* One more loop, one more group: in flight at the leaf. */
    check_pair("srEvEv", "S", "start_thread;f0;[python];PyObject_Vectorcall", flight,
               FF_HOW_UNMATCHED);
    check_pair("srE", "", "start_thread;[python]", flight, FF_HOW_UNMATCHED);
    check_pair("srEv", "SiS", "start_thread;f0;f1;f2", flight, FF_HOW_PAIRED);
    check_pair("srEvl", "SS", "start_thread;f0;PyObject_Vectorcall;poll;f1", flight, FF_HOW_PAIRED);
    /* But code of a library cannot be entering Python at the leaf. */
    check_pair("srEvn", "SS",
               "f0;f1;[native, unpaired];start_thread;thread_run;_PyEval_EvalFrameDefault;"
               "PyObject_Vectorcall;work",
               apart, FF_HOW_RECORDED);

    /* No root: the leaves are aligned. */
    check_pair("nvEn", "SiSiS", "f0;f1;f2;f3;[truncated native];work;f4;work", no_root,
               FF_HOW_PAIRED);
    check_pair("nl", "Si", "f0;f1;[truncated native];work;poll", no_root, FF_HOW_PAIRED);
    check_pair("EvnvEn", "SS", "f0;work;f1;work", whole, FF_HOW_PAIRED);

    /* Greenlets: the numbers agree by chance only. */
    check_pair("sEgEl", "SS",
               "f0;f1;[native, unpaired];start_thread;_PyEval_EvalFrameDefault;g_initialstub;"
               "_PyEval_EvalFrameDefault;poll",
               apart, FF_HOW_RECORDED);

    /* Two and more are no flight. */
    check_pair("srEvnvEvnvEn", "S",
               "f0;[native, unpaired];start_thread;thread_run;_PyEval_EvalFrameDefault;"
               "PyObject_Vectorcall;work;PyObject_Vectorcall;_PyEval_EvalFrameDefault;"
               "PyObject_Vectorcall;work;PyObject_Vectorcall;_PyEval_EvalFrameDefault;work",
               apart, FF_HOW_RECORDED);
    check_pair("srn", "SS", "f0;f1;[native, unpaired];start_thread;thread_run;work", apart,
               FF_HOW_RECORDED);
}

/* Dumps that are or are not of one stop. */
struct files {
    const char *text[3];
    const char *reason; /* NULL: they are paired */
};

#define GDB(tid) "Thread 1 (Thread 0x7f (LWP " tid ")):\n#0  0x1 in f () from /l.so\n"
#define PID(pid) "[Inferior 1 (process " pid ") detached]\n"
#define JSON(pid, tid)                                                                             \
    "{\"pid\":" pid ",\"os_thread_id\":" tid ",\"frames\":[{\"name\":\"f\","                       \
    "\"short_filename\":\"a.py\",\"line\":1,\"is_entry\":true}]}"

static void check_files(const struct files *files)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_error note = {0};
    struct ff_stops_counts counts;
    for (size_t i = 0; i < 3 && files->text[i]; i++)
        read_into(profile, files->text[i][0] == '[' ? ff_pyspy_json_read : ff_backtrace_read,
                  files->text[i], files->text[i][0] == '[' ? "dump.json" : "gdb.txt");
    uint32_t stacks = profile->stacks.count;
    CHECK(ff_merge_stops(profile, (struct ff_stops_options){0}, &counts, &note) == FF_OK);
    CHECK(counts.joined == !files->reason);
    CHECK((profile->stacks.count == stacks) == (files->reason != NULL));
    if (files->reason)
        CHECK(ff_text_find_text(ff_text(note.message), ff_text(files->reason)) >= 0);
    else
        CHECK_TEXT(ff_text(note.message), "");
    ff_profile_free(profile);
}

static void check_refusals(void)
{
    static const struct files files[] = {
        {{GDB("7") PID("5"), "[" JSON("5", "7") "]"}, NULL},
        /* A core file tells no pid: thread ids decide. */
        {{"Thread 1 (LWP 7):\n#0  0x1 in f () from /l.so\n", "[" JSON("5", "7") "]"}, NULL},
        {{GDB("8"), "[" JSON("5", "7") "]"}, "none has half of its threads"},
        /* Half of them is enough: threads come and go. */
        {{GDB("7") PID("5"), "[" JSON("5", "7") "," JSON("5", "8") "]"}, NULL},
        /* Another process, though a thread id was used again. */
        {{GDB("7") PID("6"), "[" JSON("5", "7") "]"}, "none of its process"},
        /* The pid was used again. */
        {{GDB("9") PID("5"), "[" JSON("5", "7") "]"}, "has other threads: it is of another run"},
        {{GDB("7") PID("5"), GDB("7") PID("5"), "[" JSON("5", "7") "]"}, "several fit it"},
        {{GDB("7") PID("5"), "[" JSON("5", "7") "]", "[" JSON("5", "7") "]"},
         "another dump fits the same one"},
        {{GDB("7") GDB("7") PID("5"), "[" JSON("5", "7") "]"}, "stands in a file twice"},
        /* Several processes, each with its own. */
        {{GDB("7") PID("5"), GDB("8") PID("6"), "[" JSON("5", "7") "," JSON("6", "8") "]"}, NULL},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        check_files(&files[i]);
}

/* py-spy merged each captured stop itself (dump-native.json). What gdb would have printed is known from
 * it: its native frames, a loop for each entry. Paired with the flags of dump.json's Python frames,
 * py-spy's own result must come out. */
static void check_capture(const char *folder)
{
    struct ff_profile *profile = pyspy_read_capture(ff_pyspy_json_read, folder, "dump-native.json");
    if (!profile) {
        SKIP("the captures are not there");
        return;
    }
    struct ff_parts parts;
    CHECK(ff_parts_init(&parts, profile) == FF_OK);
    uint32_t frames = profile->frames.count, checked = 0;
    uint32_t module = ff_module_add(
        profile,
        (struct ff_module){.kind = FF_MODULE_ELF,
                           .path = ff_profile_intern(profile, FF_TEXT("/usr/bin/python3.12"))});
    uint32_t eval =
        ff_frame_add(profile, (struct ff_frame){.kind = FF_FRAME_NATIVE,
                                                .named = FF_NAMED_RECORDED,
                                                .module = module,
                                                .symbol = ff_profile_intern(
                                                    profile, FF_TEXT("_PyEval_EvalFrameDefault"))});
    uint32_t count = profile->samples.count, *native = ff_alloc(count, sizeof *native),
             *python = ff_alloc(count, sizeof *python);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t path[500], depth = 0;
        for (uint32_t s = profile->samples.at[i].stack; s && depth < 500;
             s = profile->stacks.at[s].parent)
            path[depth++] = profile->stacks.at[s].frame;
        while (depth-- > 0) {
            const struct ff_frame *frame = &profile->frames.at[path[depth]];
            bool is_python = path[depth] < frames && parts.of[path[depth]] == FF_PART_PYTHON;
            bool entry = is_python && (frame->entry == FF_ENTRY_SHIM || !python[i]);
            if (!is_python || entry)
                native[i] = ff_stack_push(profile, native[i], is_python ? eval : path[depth]);
            if (is_python)
                python[i] = ff_stack_push(profile, python[i], path[depth]);
        }
    }
    ff_parts_release(&parts);
    CHECK(ff_parts_init(&parts, profile) == FF_OK);
    struct ff_interleave interleave = {.profile = profile, .parts = &parts, .plumbing = true};
    for (uint32_t i = 1; i < count; i++) {
        uint32_t merged, a, b = profile->samples.at[i].stack;
        if (!python[i])
            continue;
        CHECK(ff_interleave_stacks(&interleave, native[i], python[i], true, &merged) ==
              FF_INTERLEAVED);
        for (a = merged; a && b; a = profile->stacks.at[a].parent, b = profile->stacks.at[b].parent)
            CHECK(ff_frame_name(profile, profile->stacks.at[a].frame) ==
                  ff_frame_name(profile, profile->stacks.at[b].frame));
        CHECK(!a && !b);
        checked++;
    }
    CHECK(checked >= 2);
    ff_free(interleave.native.at);
    ff_free(interleave.python.at);
    ff_free(native);
    ff_free(python);
    ff_parts_release(&parts);
    ff_profile_free(profile);
}

int main(void)
{
    check_stacks();
    check_refusals();
    check_capture("gil-convoy");
    check_capture("trampoline-64k");
    return check_result();
}
