/* SPDX-License-Identifier: MIT
 *
 * A dump of Python 3.15's own profiler into one sample a thread. The hard thing is the source lines:
 * they hold any text, and only their indentation tells them from frames.
 */
#include "read/tachyon_dump.h"

#include "read/snapshot.h"

struct dump {
    struct ff_snapshot snapshot;
    struct ff_profile *profile;
    struct ff_input *input;
    bool open_end; /* the last line has no line end */
    char *plain;   /* a line without its colours */
    uint32_t plain_capacity;
    uint64_t lines, unused, bad, first_bad;
};

static struct ff_text without_colours(struct dump *dump, struct ff_text line)
{
    if (ff_text_find(line, '\033') < 0)
        return line;
    dump->plain =
        ff_grow(dump->plain, &dump->plain_capacity, line.size, 1, &dump->profile->out_of_memory);
    if (dump->plain_capacity < line.size)
        return line;
    return (struct ff_text){dump->plain, ff_pyspy_strip_colours(line, dump->plain)};
}

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
    dump->lines++;
    line = without_colours(dump, line);
    if (head_line(dump, line) || frame_line(dump, line))
        return;
    /* Four blanks: the source of the frame above. */
    if (!line.size || ff_text_starts(line, FF_TEXT("    ")) ||
        ff_text_starts(line, FF_TEXT("No Python ")))
        dump->unused++;
    else if (!dump->bad++)
        dump->first_bad = dump->input->line;
}

static void write_ledger(const struct dump *dump)
{
    uint32_t source = dump->snapshot.source;
    ff_ledger_add(dump->profile, source, FF_LEDGER_LINES, dump->lines);
    ff_ledger_add(dump->profile, source, FF_LEDGER_LINES_UNUSED, dump->unused);
    ff_ledger_add(dump->profile, source, FF_LEDGER_LINES_BAD, dump->bad);
    ff_ledger_add(dump->profile, source, FF_LEDGER_LINE_OPEN, dump->open_end);
}

static enum ff_status finish(struct dump *dump)
{
    enum ff_status status = ff_profile_status(dump->profile);
    if (status == FF_OK && dump->bad)
        status =
            ff_error_set(&dump->profile->error, FF_BAD_INPUT,
                         "%s: line %llu: found no part of a dump of profiling.sampling, expected "
                         "a head or a frame; %llu of %llu lines are left out",
                         dump->input->name, (unsigned long long)dump->first_bad,
                         (unsigned long long)dump->bad, (unsigned long long)dump->lines);
    return status;
}

enum ff_status ff_tachyon_dump_read(struct ff_profile *profile, struct ff_input *input,
                                    const char *name)
{
    struct dump dump = {.profile = profile, .input = input};
    struct ff_text line;
    enum ff_status status;
    ff_snapshot_begin(&dump.snapshot, profile, name, FF_TOOL_TACHYON);
    for (;;) {
        uint64_t start = input->offset;
        status = ff_input_line(input, &line, &profile->error);
        if (status != FF_OK)
            break;
        dump.open_end = input->offset - start == line.size;
        read_line(&dump, line);
    }
    ff_snapshot_finish(&dump.snapshot);
    write_ledger(&dump);
    if (status == FF_END)
        status = finish(&dump);
    ff_free(dump.plain);
    return status;
}
