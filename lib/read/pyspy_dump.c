/* SPDX-License-Identifier: MIT
 *
 * py-spy's dump text into one sample a thread. The hard thing: names and values are printed raw, so
 * a local variable may hold line breaks and lines that look like anything. Behind a line of locals,
 * a line that is no part of the dump is taken for more of that value.
 */
#include "read/pyspy_dump.h"

#include "read/dump_lines.h"
#include "read/snapshot.h"

struct dump {
    struct ff_snapshot snapshot;
    struct ff_profile *profile;
    struct ff_dump_lines lines;
    bool in_locals;
};

/* "Process 27110: python train.py" */
static bool process_line(struct dump *dump, struct ff_text line)
{
    uint64_t pid;
    if (!ff_text_starts(line, FF_TEXT("Process ")))
        return false;
    struct ff_text rest = ff_text_from(line, 8);
    if (!ff_text_decimal(ff_text_cut(&rest, ':'), &pid) || pid > UINT32_MAX)
        return false;
    ff_snapshot_process(&dump->snapshot, (uint32_t)pid);
    dump->in_locals = false;
    dump->lines.unused++;
    return true;
}

/* What py-spy prints of a thread's state, and what it says. */
static const struct state {
    const char *word;
    const char *state; /* NULL: a core dump has none */
    bool gil;
} states[] = {
    {" (idle)", "idle", false},
    {" (active)", "active", false},
    {" (active+gil)", "active", true},
    {" (gil)", NULL, true},
};

/* Takes ` (STATE)` off the front of TEXT; only py-spy's own words are one. */
static const struct state *cut_state(struct ff_text *text)
{
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        struct ff_text word = ff_text(states[i].word);
        if (ff_text_starts(*text, word)) {
            *text = ff_text_from(*text, word.size);
            return &states[i];
        }
    }
    return NULL;
}

/* `Thread 27303 (active): "target-0"`; state and name may be missing. */
static bool thread_line(struct dump *dump, struct ff_text line)
{
    uint32_t tid;
    struct ff_text name = FF_TEXT("");
    if (!ff_text_starts(line, FF_TEXT("Thread ")))
        return false;
    struct ff_text rest = ff_text_from(line, 7);
    size_t size = 0;
    while (size < rest.size && rest.at[size] != ' ' && rest.at[size] != ':')
        size++;
    if (!ff_pyspy_tid_parse(ff_text_slice(rest, 0, size), &tid))
        return false;
    rest = ff_text_from(rest, size);
    const struct state *state = cut_state(&rest);
    if (rest.size >= 4 && ff_text_starts(rest, FF_TEXT(": \"")) &&
        ff_text_ends(rest, FF_TEXT("\"")))
        name = ff_text_slice(rest, 3, rest.size - 1);
    else if (rest.size)
        return false;
    ff_snapshot_thread(&dump->snapshot, tid, name);
    dump->in_locals = false;
    if (state && state->state)
        ff_snapshot_fact(&dump->snapshot, "state", state->state);
    if (state && state->gil)
        ff_snapshot_fact(&dump->snapshot, "gil", "held");
    return true;
}

/* Four blanks and a frame. One that opens a parenthesis and does not close it was cut. */
static bool frame_line(struct dump *dump, struct ff_text line)
{
    if (!dump->snapshot.thread || line.size < 5 || !ff_text_starts(line, FF_TEXT("    ")) ||
        line.at[4] == ' ')
        return false;
    if (ff_text_find_text(line, FF_TEXT(" (")) >= 0 && !ff_text_ends(line, FF_TEXT(")")))
        return false;
    dump->in_locals = false;
    struct ff_pyspy_frame frame = ff_pyspy_frame_parse(ff_text_from(line, 4));
    frame.pid = dump->snapshot.pid;
    frame.leaf = !dump->snapshot.frame_count;
    ff_snapshot_frame(&dump->snapshot, ff_pyspy_frame_add(dump->profile, &frame));
    return true;
}

/* The parts of a dump that hold no stack. */
static bool is_head(struct ff_text line)
{
    static const char *const heads[] = {"Python v", "Parent Process ", "Signal ", "-----"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (ff_text_starts(line, ff_text(heads[i])))
            return true;
    }
    return !line.size;
}

static bool locals_line(struct dump *dump, struct ff_text line)
{
    if (dump->snapshot.frame_count && ff_text_starts(line, FF_TEXT("        ")))
        dump->in_locals = true;
    return dump->in_locals;
}

static void read_line(struct dump *dump, struct ff_text line)
{
    if (process_line(dump, line) || thread_line(dump, line) || frame_line(dump, line))
        return;
    if (is_head(line) || locals_line(dump, line))
        dump->lines.unused++;
    else
        ff_dump_lines_bad(&dump->lines);
}

enum ff_status ff_pyspy_dump_read(struct ff_profile *profile, struct ff_input *input,
                                  const char *name)
{
    struct dump dump = {.profile = profile, .lines = {.profile = profile, .input = input}};
    struct ff_text line;
    enum ff_status status;
    ff_snapshot_begin(&dump.snapshot, profile, name, FF_TOOL_PY_SPY);
    while ((status = ff_dump_lines_next(&dump.lines, &line)) == FF_OK)
        read_line(&dump, line);
    ff_snapshot_finish(&dump.snapshot);
    return ff_dump_lines_finish(&dump.lines, dump.snapshot.source, status,
                                "a py-spy dump, expected a thread or a frame");
}
