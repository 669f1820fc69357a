/* SPDX-License-Identifier: MIT
 *
 * py-spy's dump as JSON into one sample a thread. The hard thing is order: a thread is known when
 * its object ends, its frames before its id perhaps, so both are kept until then. Threads come newest
 * first, the opposite of the text; rows of a profile have no order, so nothing is to be done.
 */
#include "read/pyspy_json.h"

#include "read/json.h"
#include "read/snapshot.h"

enum key {
    KEY_PID = 1,
    KEY_OS_THREAD_ID,
    KEY_THREAD_NAME,
    KEY_ACTIVE,
    KEY_OWNS_GIL,
    KEY_FRAMES,
    KEY_NAME,
    KEY_FILENAME,
    KEY_SHORT_FILENAME,
    KEY_MODULE,
    KEY_LINE,
    KEY_IS_ENTRY,
    KEY_IS_SHIM_ENTRY,
};

static const struct ff_text keys[] = {
    FF_JSON_KEY("pid"),           FF_JSON_KEY("os_thread_id"), FF_JSON_KEY("thread_name"),
    FF_JSON_KEY("active"),        FF_JSON_KEY("owns_gil"),     FF_JSON_KEY("frames"),
    FF_JSON_KEY("name"),          FF_JSON_KEY("filename"),     FF_JSON_KEY("short_filename"),
    FF_JSON_KEY("module"),        FF_JSON_KEY("line"),         FF_JSON_KEY("is_entry"),
    FF_JSON_KEY("is_shim_entry"),
};

/* Where in the text we are: how many arrays and objects are open. */
enum level { LEVEL_OUTSIDE, LEVEL_THREADS, LEVEL_THREAD, LEVEL_FRAMES, LEVEL_FRAME };

struct frame {
    uint32_t name, filename, short_filename, module; /* texts of the profile */
    uint32_t line;
    bool entry, shim, told; /* told: one of both keys was there */
};

struct json_dump {
    struct ff_snapshot snapshot;
    struct ff_profile *profile;
    enum level level;
    uint32_t pid, tid, name;
    int active, gil; /* -1: not told */
    struct frame *frames;
    uint32_t frame_count, frame_capacity;
};

static bool on_open(void *context, uint32_t key, bool is_array)
{
    struct json_dump *dump = context;
    if ((dump->level == LEVEL_OUTSIDE && is_array) || (dump->level == LEVEL_THREADS && !is_array) ||
        (dump->level == LEVEL_THREAD && is_array && key == KEY_FRAMES)) {
        dump->level++;
    } else if (dump->level == LEVEL_FRAMES && !is_array) {
        dump->frames = ff_grow(dump->frames, &dump->frame_capacity, (uint64_t)dump->frame_count + 1,
                               sizeof *dump->frames, &dump->profile->out_of_memory);
        if (dump->frame_count >= dump->frame_capacity)
            return false;
        dump->frames[dump->frame_count++] = (struct frame){0};
        dump->level++;
    } else {
        return false; /* locals, process_info, what is not known */
    }
    if (dump->level == LEVEL_THREAD) {
        dump->pid = dump->tid = dump->name = dump->frame_count = 0;
        dump->active = dump->gil = -1;
    }
    return true;
}

static void add_frame(struct json_dump *dump, uint32_t index)
{
    const struct frame *frame = &dump->frames[index];
    struct ff_pyspy_frame parts = {
        .name = ff_profile_text(dump->profile, frame->name),
        .file = ff_profile_text(dump->profile,
                                frame->short_filename ? frame->short_filename : frame->filename),
        .line = frame->line,
        .pid = dump->pid,
        .leaf = index == 0,
        .native = frame->module != 0,
        /* 3.12's shims set both, so the surer word wins. */
        .entry = !frame->told   ? FF_ENTRY_UNKNOWN
                 : frame->shim  ? FF_ENTRY_SHIM
                 : frame->entry ? FF_ENTRY_ENTRY
                                : FF_ENTRY_INNER,
    };
    /* Lines of a native frame are of a source file, whose name is in the place of the library's. */
    if (parts.native && !parts.line)
        parts.file = ff_profile_text(dump->profile, frame->module);
    if (parts.native && parts.line)
        parts.native = false;
    ff_snapshot_frame(&dump->snapshot, ff_pyspy_frame_add(dump->profile, &parts));
}

static void end_thread(struct json_dump *dump)
{
    if (!dump->snapshot.process || dump->snapshot.pid != dump->pid)
        ff_snapshot_process(&dump->snapshot, dump->pid);
    ff_snapshot_thread(&dump->snapshot, dump->tid, ff_profile_text(dump->profile, dump->name));
    if (dump->active >= 0)
        ff_snapshot_fact(&dump->snapshot, "state", dump->active ? "active" : "idle");
    if (dump->gil > 0)
        ff_snapshot_fact(&dump->snapshot, "gil", "held");
    for (uint32_t i = 0; i < dump->frame_count; i++)
        add_frame(dump, i);
    ff_snapshot_end_thread(&dump->snapshot);
}

static void on_close(void *context, bool is_array)
{
    struct json_dump *dump = context;
    (void)is_array;
    if (dump->level == LEVEL_THREAD)
        end_thread(dump);
    if (dump->level)
        dump->level--;
}

static void thread_value(struct json_dump *dump, uint32_t key, enum ff_json_type type,
                         struct ff_text text)
{
    uint64_t number = type == FF_JSON_NUMBER ? ff_json_whole(text) : 0;
    if (key == KEY_PID && number <= UINT32_MAX)
        dump->pid = (uint32_t)number;
    else if (key == KEY_OS_THREAD_ID && number <= UINT32_MAX)
        dump->tid = (uint32_t)number;
    else if (key == KEY_THREAD_NAME && type == FF_JSON_STRING)
        dump->name = ff_profile_intern(dump->profile, text);
    else if (key == KEY_ACTIVE && type <= FF_JSON_TRUE)
        dump->active = type == FF_JSON_TRUE;
    else if (key == KEY_OWNS_GIL && type <= FF_JSON_TRUE)
        dump->gil = type == FF_JSON_TRUE;
}

static void frame_value(struct json_dump *dump, struct frame *frame, uint32_t key,
                        enum ff_json_type type, struct ff_text text)
{
    uint64_t line = type == FF_JSON_NUMBER ? ff_json_whole(text) : 0;
    uint32_t id = type == FF_JSON_STRING ? ff_profile_intern(dump->profile, text) : 0;
    switch ((enum key)key) {
    case KEY_NAME:
        frame->name = id;
        return;
    case KEY_FILENAME:
        frame->filename = id;
        return;
    case KEY_SHORT_FILENAME:
        frame->short_filename = id;
        return;
    case KEY_MODULE:
        frame->module = id;
        return;
    case KEY_LINE:
        frame->line = line <= UINT32_MAX ? (uint32_t)line : 0;
        return;
    case KEY_IS_ENTRY:
        frame->entry = type == FF_JSON_TRUE;
        frame->told = true;
        return;
    case KEY_IS_SHIM_ENTRY:
        frame->shim = type == FF_JSON_TRUE;
        frame->told = true;
        return;
    default:
        return;
    }
}

static void on_value(void *context, uint32_t key, enum ff_json_type type, struct ff_text text)
{
    struct json_dump *dump = context;
    if (dump->level == LEVEL_THREAD)
        thread_value(dump, key, type, text);
    else if (dump->level == LEVEL_FRAME)
        frame_value(dump, &dump->frames[dump->frame_count - 1], key, type, text);
}

enum ff_status ff_pyspy_json_read(struct ff_profile *profile, struct ff_input *input,
                                  const char *name)
{
    struct json_dump dump = {.profile = profile};
    struct ff_json_reader reader = {
        .keys = keys,
        .key_count = sizeof keys / sizeof *keys,
        .open = on_open,
        .close = on_close,
        .value = on_value,
        .context = &dump,
    };
    ff_snapshot_begin(&dump.snapshot, profile, name, FF_TOOL_PY_SPY);
    enum ff_status status = ff_json_read(input, &reader, &profile->error);
    ff_ledger_add(profile, dump.snapshot.source, FF_LEDGER_JSON_CUT, status == FF_BAD_INPUT);
    ff_snapshot_finish(&dump.snapshot);
    ff_free(dump.frames);
    return status == FF_OK ? ff_profile_status(profile) : status;
}
