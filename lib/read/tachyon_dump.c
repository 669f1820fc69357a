/* SPDX-License-Identifier: MIT
 *
 * A dump of Python 3.15's own profiler into one sample a thread. The hard thing is the source lines:
 * they hold any text, and only their indentation tells them from frames.
 */
#include "read/tachyon_dump.h"

#include "read/dump_lines.h"
#include "read/snapshot.h"

struct dump {
    struct ff_snapshot snapshot;
    struct ff_profile *profile;
    struct ff_dump_lines lines;
};

/* Takes WORD off the front of TEXT. */
static bool cut(struct ff_text *text, const char *word)
{
    if (!ff_text_starts(*text, ff_text(word)))
        return false;
    *text = ff_text_from(*text, strlen(word));
    return true;
}

static bool cut_number(struct ff_text *text, uint64_t *number)
{
    size_t size = 0;
    while (size < text->size && text->at[size] >= '0' && text->at[size] <= '9')
        size++;
    bool good = ff_text_decimal(ff_text_slice(*text, 0, size), number);
    *text = ff_text_from(*text, size);
    return good;
}

static void add_facts(struct dump *dump, struct ff_text details)
{
    static const struct {
        const char *label, *name, *text;
    } facts[] = {{"has GIL", "gil", "held"},
                 {"waiting for GIL", "gil", "waiting"},
                 {"on CPU", "state", "on-cpu"},
                 {"idle", "state", "idle"},
                 {"has exception", "exception", "current"}};
    while (details.size) {
        struct ff_text label = ff_text_trim(ff_text_cut(&details, ','));
        for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
            if (ff_text_equal(label, ff_text(facts[i].label)))
                ff_snapshot_fact(&dump->snapshot, facts[i].name, facts[i].text);
        }
    }
}

/* `Stack dump for PID 5, thread 6 (interpreter 0; task a; main thread, on CPU; most recent call
 * last):`; only the first head has the PID. */
static bool head_line(struct dump *dump, struct ff_text line)
{
    uint64_t pid = 0, tid = 0;
    if (!cut(&line, "Stack dump"))
        return false;
    if (cut(&line, " for PID ") && (!cut_number(&line, &pid) || pid > UINT32_MAX))
        return false;
    if (cut(&line, ", thread ") && !cut_number(&line, &tid))
        return false;
    if (!cut(&line, " (") || !ff_text_ends(line, FF_TEXT("most recent call last):")))
        return false;
    line.size -= sizeof "most recent call last):" - 1;
    struct ff_text name = FF_TEXT(""), details = FF_TEXT("");
    while (line.size) {
        struct ff_text part = ff_text_trim(ff_text_cut(&line, ';'));
        if (ff_text_starts(part, FF_TEXT("task ")))
            name = part;
        else if (part.size && !ff_text_starts(part, FF_TEXT("interpreter ")))
            details = part;
    }
    if (pid)
        ff_snapshot_process(&dump->snapshot, (uint32_t)pid);
    ff_snapshot_thread(&dump->snapshot, tid <= INT32_MAX ? (uint32_t)tid : 0, name);
    dump->snapshot.root_first = true;
    add_facts(dump, details);
    return true;
}

/* `  File "a.py", line 3, in f  opcode=CALL`, `  File "a.py", in f`, `  <GC>`. */
static bool frame_line(struct dump *dump, struct ff_text line)
{
    uint64_t number = 0;
    struct ff_pyspy_frame frame = {.file = FF_TEXT("")};
    if (!dump->snapshot.thread || !cut(&line, "  ") || !line.size || line.at[0] == ' ')
        return false;
    ptrdiff_t opcode = ff_text_find_text(line, FF_TEXT("  opcode="));
    if (opcode > 0)
        line.size = (size_t)opcode;
    frame.name = line;
    if (cut(&line, "File \"")) {
        ptrdiff_t end = ff_text_find_text(line, FF_TEXT("\", "));
        if (end < 0)
            return false;
        frame.file = ff_text_slice(line, 0, (size_t)end);
        line = ff_text_from(line, (size_t)end + 3);
        if (cut(&line, "line ") && (!cut_number(&line, &number) || !cut(&line, ", ")))
            return false;
        if (!cut(&line, "in ") || !line.size || number > UINT32_MAX)
            return false;
        frame.name = line;
        frame.line = (uint32_t)number;
    }
    ff_snapshot_frame(&dump->snapshot, ff_pyspy_frame_add(dump->profile, &frame));
    return true;
}

static void read_line(struct dump *dump, struct ff_text line)
{
    if (head_line(dump, line) || frame_line(dump, line))
        return;
    /* Four blanks: the source of the frame above. */
    if (!line.size || ff_text_starts(line, FF_TEXT("    ")) ||
        ff_text_starts(line, FF_TEXT("No Python ")))
        dump->lines.unused++;
    else
        ff_dump_lines_bad(&dump->lines);
}

enum ff_status ff_tachyon_dump_read(struct ff_profile *profile, struct ff_input *input,
                                    const char *name)
{
    struct dump dump = {.profile = profile, .lines = {.profile = profile, .input = input}};
    struct ff_text line;
    enum ff_status status;
    ff_snapshot_begin(&dump.snapshot, profile, name, FF_TOOL_TACHYON);
    while ((status = ff_dump_lines_next(&dump.lines, &line)) == FF_OK)
        read_line(&dump, line);
    ff_snapshot_finish(&dump.snapshot);
    return ff_dump_lines_finish(&dump.lines, dump.snapshot.source, status,
                                "a dump of profiling.sampling, expected a head or a frame");
}
