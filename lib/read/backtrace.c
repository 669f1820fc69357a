/* SPDX-License-Identifier: MIT
 *
 * Debuggers' backtraces into one sample a thread. The hard thing is gdb's width: a long frame goes on
 * in indented lines, between which and the locals of `bt full` only open parentheses tell. So lines
 * are joined first, and a frame is parsed when the next line shows that it has ended.
 */
#include "read/backtrace.h"

#include "base/output.h"
#include "read/snapshot.h"

struct backtrace {
    struct ff_snapshot snapshot;
    struct ff_profile *profile;
    struct ff_input *input;
    struct ff_output frame; /* the frame at hand, its lines joined by blanks */
    uint64_t frame_line;    /* where it began */
    bool has_frame, open_end;
    uint64_t lines, unused, bad, first_bad;
};

static bool is_eu_stack(const struct backtrace *backtrace)
{
    return backtrace->profile->sources.at[backtrace->snapshot.source].tool == FF_TOOL_EU_STACK;
}

/* Takes WORD off the front of TEXT. */
static bool cut(struct ff_text *text, const char *word)
{
    if (!ff_text_starts(*text, ff_text(word)))
        return false;
    *text = ff_text_from(*text, strlen(word));
    return true;
}

static struct ff_text skip_blanks(struct ff_text text)
{
    while (text.size && text.at[0] == ' ')
        text = ff_text_from(text, 1);
    return text;
}

/* "#12 " at the front; false where there is none. */
static bool cut_level(struct ff_text *text, uint64_t *level)
{
    struct ff_text rest = *text;
    if (!cut(&rest, "#"))
        return false;
    struct ff_text number = ff_text_cut(&rest, ' ');
    if (!ff_text_decimal(number, level))
        return false;
    *text = skip_blanks(rest);
    return true;
}

/* "0x00007f10" at the front; the text stays as it is where there is none. */
static bool cut_address(struct ff_text *text, uint64_t *address)
{
    struct ff_text rest = *text;
    struct ff_text word = ff_text_cut(&rest, ' ');
    if (!ff_text_starts(word, FF_TEXT("0x")) || !ff_text_hex(ff_text_from(word, 2), address))
        return false;
    *text = rest.at ? skip_blanks(rest) : FF_TEXT("");
    return true;
}

/* What stands behind the last PART of TEXT, which is cut there; empty where it has none. */
static struct ff_text cut_behind(struct ff_text *text, const char *part)
{
    struct ff_text found = FF_TEXT(""), rest = *text;
    size_t before = 0;
    for (;;) {
        ptrdiff_t at = ff_text_find_text(rest, ff_text(part));
        if (at < 0)
            break;
        before = (size_t)(rest.at - text->at) + (size_t)at;
        rest = ff_text_from(rest, (size_t)at + strlen(part));
        found = rest;
    }
    if (found.size)
        text->size = before;
    return found;
}

/* What the byte at I does to the depth of parentheses. Those in texts and characters that are values
 * of arguments, "a (b" and '(', count for nothing; *quoted is kept by the caller. */
static int step_of(struct ff_text text, size_t i, bool *quoted)
{
    char c = text.at[i];
    if (c == '"' && !(i && text.at[i - 1] == '\\'))
        *quoted = !*quoted;
    if (*quoted || (i && i + 1 < text.size && text.at[i - 1] == '\'' && text.at[i + 1] == '\''))
        return 0;
    return (c == '(') - (c == ')');
}

/* gdb prints ` (ARGUMENTS)` behind a name, with a blank before; a name's own parentheses have none. */
static struct ff_text without_arguments(struct ff_text name)
{
    int depth = 0;
    bool quoted = false;
    if (!ff_text_ends(name, FF_TEXT(")")))
        return name;
    for (size_t i = name.size; i-- > 1;) {
        depth += step_of(name, i, &quoted);
        if (depth == 0 && !quoted)
            return name.at[i - 1] == ' ' ? ff_text_slice(name, 0, i - 1) : name;
    }
    return name;
}

struct frame {
    struct ff_text name, library, file;
    uint32_t line;
    uint64_t address;
    bool has_address;
};

static void set_line(struct frame *frame, struct ff_text place)
{
    uint64_t line;
    ptrdiff_t colon = ff_text_find_last(place, ':');
    frame->file = place;
    if (colon > 0 && ff_text_decimal(ff_text_from(place, (size_t)colon + 1), &line) &&
        line <= UINT32_MAX) {
        frame->file.size = (size_t)colon;
        frame->line = (uint32_t)line;
    }
}

/* gdb: `[0xADDRESS in ]NAME (ARGUMENTS)[ from LIBRARY| at FILE:LINE]`, `<signal handler called>`. */
static bool gdb_frame(struct ff_text text, struct frame *frame)
{
    if (cut(&text, "<signal handler called>")) {
        frame->name = FF_TEXT("<signal handler called>");
        return true;
    }
    if (frame->has_address && !cut(&text, "in "))
        return false;
    struct ff_text place = FF_TEXT("");
    frame->library = cut_behind(&text, ") from ");
    if (!frame->library.size)
        place = cut_behind(&text, ") at ");
    if (place.size)
        set_line(frame, place);
    text.size += frame->library.size || place.size; /* the parenthesis is the arguments' */
    text = ff_text_trim(text);
    frame->name = without_arguments(text);
    return text.size && ff_text_ends(text, FF_TEXT(")"));
}

/* eu-stack: `0xADDRESS[ - 1] NAME[ - LIBRARY]`; lines of -s and -b were joined by a tab: `FILE:LINE:COLUMN`
 * and `[BUILD-ID]@0xBASE+0xOFFSET`. */
static bool eu_frame(struct ff_text text, struct frame *frame)
{
    uint64_t column;
    struct ff_text rest = text;
    text = ff_text_cut(&rest, '\t');
    while (rest.at) {
        struct ff_text part = ff_text_cut(&rest, '\t');
        ptrdiff_t colon = ff_text_find_last(part, ':');
        if (part.at[0] == '[')
            continue;
        if (colon > 0 && ff_text_find(part, ':') < colon &&
            ff_text_decimal(ff_text_from(part, (size_t)colon + 1), &column))
            part.size = (size_t)colon;
        set_line(frame, part);
    }
    cut(&text, "- 1");
    text = skip_blanks(text);
    frame->library = cut_behind(&text, " - ");
    if (!frame->library.size && cut(&text, "- "))
        frame->library = text;
    frame->name = frame->library.at == text.at ? FF_TEXT("") : ff_text_trim(text);
    return frame->has_address;
}

static uint32_t frame_row(struct backtrace *backtrace, const struct frame *frame)
{
    struct ff_profile *profile = backtrace->profile;
    struct ff_frame row = {.kind = FF_FRAME_NATIVE, .named = FF_NAMED_RECORDED};
    bool named = frame->name.size && !ff_text_equal(frame->name, FF_TEXT("??"));
    bool vdso = ff_text_starts(frame->library, FF_TEXT("[vdso"));
    if (ff_text_starts(frame->name, FF_TEXT("<")) && !frame->has_address)
        return ff_frame_add(profile,
                            (struct ff_frame){.kind = FF_FRAME_TEXT,
                                              .symbol = ff_profile_intern(profile, frame->name)});
    if (!named && !frame->library.size)
        row.named = FF_NAMED_NOT;
    if (frame->library.size)
        row.module = ff_module_add(
            profile, (struct ff_module){.kind = !named ? FF_MODULE_UNPLACED
                                                : vdso ? FF_MODULE_VDSO
                                                       : FF_MODULE_ELF,
                                        .path = ff_profile_intern(profile, vdso ? FF_TEXT("[vdso]")
                                                                                : frame->library),
                                        .pid = named ? 0 : backtrace->snapshot.pid});
    if (named) {
        row.symbol = ff_profile_intern(profile, frame->name);
        row.file = ff_profile_intern(profile, frame->file);
        row.line = frame->line;
    } else if (row.module) {
        bool leaf = !backtrace->snapshot.frame_count;
        row.named = FF_NAMED_NOT;
        row.place = frame->address - (!leaf && frame->address);
    }
    return ff_frame_add(profile, row);
}

/* The frame at hand is whole. */
static void end_frame(struct backtrace *backtrace)
{
    struct ff_text text = {backtrace->frame.buffer, backtrace->frame.used};
    struct frame frame = {.name = FF_TEXT(""), .library = FF_TEXT(""), .file = FF_TEXT("")};
    uint64_t level;
    if (!backtrace->has_frame)
        return;
    backtrace->has_frame = false;
    cut_level(&text, &level);
    frame.has_address = cut_address(&text, &frame.address);
    if (!(is_eu_stack(backtrace) ? eu_frame(text, &frame) : gdb_frame(text, &frame))) {
        if (!backtrace->bad++)
            backtrace->first_bad = backtrace->frame_line;
        return;
    }
    /* One backtrace without any head is of the one thread that there was. */
    if (!backtrace->snapshot.thread || (level == 0 && backtrace->snapshot.frame_count))
        ff_snapshot_thread(&backtrace->snapshot, 0, FF_TEXT(""));
    ff_snapshot_frame(&backtrace->snapshot, frame_row(backtrace, &frame));
}

/* gdb: `Thread 4 (Thread 0x7f.. (LWP 39) "cuda0000"):`, of cores `Thread 1 (LWP 39):`; the name may be
 * missing. */
static bool gdb_thread_line(struct backtrace *backtrace, struct ff_text line)
{
    uint64_t number = 0;
    if (!cut(&line, "Thread ") || !ff_text_ends(line, FF_TEXT(":")))
        return false;
    struct ff_text behind = line;
    ptrdiff_t lwp = ff_text_find_text(line, FF_TEXT("LWP "));
    if (!ff_text_decimal(ff_text_cut(&behind, ' '), &number) ||
        (lwp < 0 && !ff_text_starts(behind, FF_TEXT("("))))
        return false;
    number = 0;
    struct ff_text tid = lwp < 0 ? FF_TEXT("") : ff_text_from(line, (size_t)lwp + 4);
    ff_text_decimal(ff_text_cut(&tid, ')'), &number);
    ptrdiff_t from = ff_text_find(line, '"'), to = ff_text_find_last(line, '"');
    struct ff_text name =
        from >= 0 && to > from ? ff_text_slice(line, (size_t)from + 1, (size_t)to) : FF_TEXT("");
    ff_snapshot_thread(&backtrace->snapshot, number <= UINT32_MAX ? (uint32_t)number : 0,
                       FF_TEXT(""));
    struct ff_thread *thread = &backtrace->profile->threads.at[backtrace->snapshot.thread];
    /* gdb prints the kernel's name; Python's is not known to it. */
    if (name.size && !thread->comm && backtrace->snapshot.thread) {
        thread->comm = ff_profile_intern(backtrace->profile, name);
        thread->role = ff_role_of(backtrace->profile, thread->comm);
    }
    return true;
}

/* eu-stack: `PID 12 - process`, `PID 12 - core`, `TID 12:`. */
static bool eu_head_line(struct backtrace *backtrace, struct ff_text line)
{
    uint64_t number;
    bool pid = cut(&line, "PID ");
    if (!pid && !cut(&line, "TID "))
        return false;
    struct ff_text word = pid ? ff_text_cut(&line, ' ') : ff_text_cut(&line, ':');
    if (!ff_text_decimal(word, &number) || number > UINT32_MAX || (!pid && line.size))
        return false;
    backtrace->profile->sources.at[backtrace->snapshot.source].tool = FF_TOOL_EU_STACK;
    if (pid)
        ff_snapshot_process(&backtrace->snapshot, (uint32_t)number);
    else
        ff_snapshot_thread(&backtrace->snapshot, (uint32_t)number, FF_TEXT(""));
    return true;
}

/* gdb: `[Inferior 1 (process 12) detached]` at the end, `Attaching to process 12` at the beginning. */
static bool process_line(struct backtrace *backtrace, struct ff_text line)
{
    uint64_t pid;
    struct ff_text word = line;
    ptrdiff_t at = ff_text_find_text(line, FF_TEXT("process "));
    if (at < 0 || backtrace->snapshot.pid ||
        (!cut(&line, "Attaching to ") && !cut(&line, "[Inferior 1 (")))
        return false;
    word = ff_text_from(word, (size_t)at + 8);
    size_t size = 0;
    while (size < word.size && word.at[size] >= '0' && word.at[size] <= '9')
        size++;
    if (!ff_text_decimal(ff_text_slice(word, 0, size), &pid) || pid > UINT32_MAX)
        return false;
    if (!backtrace->snapshot.process)
        ff_snapshot_process(&backtrace->snapshot, (uint32_t)pid);
    backtrace->snapshot.pid = (uint32_t)pid;
    backtrace->profile->processes.at[backtrace->snapshot.process].pid = (uint32_t)pid;
    backtrace->unused++;
    return true;
}

static bool has_open_parenthesis(struct ff_text text)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.size; i++)
        depth += step_of(text, i, &quoted);
    return depth > 0;
}

/* An indented line that goes on with the frame at hand. */
static bool goes_on(struct backtrace *backtrace, struct ff_text line)
{
    struct ff_text rest = skip_blanks(line);
    if (!backtrace->has_frame || !rest.size || rest.at == line.at)
        return false;
    bool eu_stack = is_eu_stack(backtrace);
    if (!eu_stack && !ff_text_starts(rest, FF_TEXT("at ")) &&
        !ff_text_starts(rest, FF_TEXT("from ")) &&
        !has_open_parenthesis((struct ff_text){backtrace->frame.buffer, backtrace->frame.used}))
        return false;
    ff_output_byte(&backtrace->frame, eu_stack ? '\t' : ' ');
    ff_output_text(&backtrace->frame, rest);
    return true;
}

static bool frame_line(struct backtrace *backtrace, struct ff_text line)
{
    uint64_t level;
    struct ff_text rest = line;
    if (!cut_level(&rest, &level))
        return false;
    end_frame(backtrace);
    ff_output_close(&backtrace->frame, &backtrace->profile->error);
    ff_output_memory(&backtrace->frame);
    ff_output_text(&backtrace->frame, line);
    backtrace->has_frame = true;
    backtrace->frame_line = backtrace->input->line;
    return true;
}

static void read_line(struct backtrace *backtrace, struct ff_text line)
{
    backtrace->lines++;
    if (goes_on(backtrace, line) || frame_line(backtrace, line))
        return;
    end_frame(backtrace);
    if (!gdb_thread_line(backtrace, line) && !eu_head_line(backtrace, line) &&
        !process_line(backtrace, line))
        backtrace->unused++;
}

static void write_ledger(const struct backtrace *backtrace)
{
    uint32_t source = backtrace->snapshot.source;
    ff_ledger_add(backtrace->profile, source, FF_LEDGER_LINES, backtrace->lines);
    ff_ledger_add(backtrace->profile, source, FF_LEDGER_LINES_UNUSED, backtrace->unused);
    ff_ledger_add(backtrace->profile, source, FF_LEDGER_LINES_BAD, backtrace->bad);
    ff_ledger_add(backtrace->profile, source, FF_LEDGER_LINE_OPEN, backtrace->open_end);
}

static enum ff_status finish(struct backtrace *backtrace)
{
    backtrace->profile->out_of_memory |= backtrace->frame.out_of_memory;
    enum ff_status status = ff_profile_status(backtrace->profile);
    if (status == FF_OK && backtrace->bad)
        status =
            ff_error_set(&backtrace->profile->error, FF_BAD_INPUT,
                         "%s: line %llu: found no frame behind '#', expected '#N 0xADDRESS in "
                         "NAME (...)'; %llu of %llu lines are left out",
                         backtrace->input->name, (unsigned long long)backtrace->first_bad,
                         (unsigned long long)backtrace->bad, (unsigned long long)backtrace->lines);
    return status;
}

enum ff_status ff_backtrace_read(struct ff_profile *profile, struct ff_input *input,
                                 const char *name)
{
    struct backtrace backtrace = {.profile = profile, .input = input};
    struct ff_text line;
    enum ff_status status;
    ff_snapshot_begin(&backtrace.snapshot, profile, name, FF_TOOL_GDB);
    ff_output_memory(&backtrace.frame);
    for (;;) {
        uint64_t start = input->offset;
        status = ff_input_line(input, &line, &profile->error);
        if (status != FF_OK)
            break;
        backtrace.open_end = input->offset - start == line.size;
        read_line(&backtrace, line);
    }
    end_frame(&backtrace);
    ff_snapshot_finish(&backtrace.snapshot);
    write_ledger(&backtrace);
    if (status == FF_END)
        status = finish(&backtrace);
    ff_output_close(&backtrace.frame, &profile->error);
    return status;
}
