/* SPDX-License-Identifier: MIT
 *
 * Frames and roots of folded lines, by their writer. The hard thing is that none of them escapes
 * anything: what could be two things is decided once here, by the narrowest shape.
 */
#include "read/dialect.h"

#include "read/pyspy.h"

enum ff_tool ff_dialect_tool(enum ff_dialect dialect)
{
    switch (dialect) {
    case FF_DIALECT_PY_SPY:
        return FF_TOOL_PY_SPY;
    case FF_DIALECT_TACHYON:
        return FF_TOOL_TACHYON;
    case FF_DIALECT_AUSTIN:
        return FF_TOOL_AUSTIN;
    default:
        return FF_TOOL_FOLDED;
    }
}

enum ff_population ff_dialect_population(enum ff_dialect dialect, struct ff_text name)
{
    if (dialect == FF_DIALECT_PLAIN)
        return FF_POPULATION_UNKNOWN;
    enum ff_population guess = ff_pyspy_guess_population(name);
    /* The others count all threads unless they are told not to. */
    bool all = dialect != FF_DIALECT_PY_SPY && guess == FF_POPULATION_RUNNABLE;
    return all ? FF_POPULATION_ALL : guess;
}

/* How many '[' of TEXT are not closed in it. */
static int open_brackets(struct ff_text text)
{
    int open = 0;
    for (size_t i = 0; i < text.size; i++)
        open += (text.at[i] == '[') - (text.at[i] == ']');
    return open;
}

/* How many bytes of REST the next frame takes. A ';' is part of a Rust array type ("[u8; 32]"), and
 * not the end of a frame, where a '[' is open and a blank follows and a ']' before the next ';'. */
static size_t size_to_separator(struct ff_text rest, uint64_t *joined)
{
    int open = 0;
    size_t from = 0;
    for (;;) {
        ptrdiff_t found = ff_text_find(ff_text_from(rest, from), ';');
        if (found < 0)
            return rest.size;
        size_t end = from + (size_t)found;
        if (end + 1 >= rest.size || rest.at[end + 1] != ' ')
            return end;
        struct ff_text behind = ff_text_from(rest, end + 1);
        behind = ff_text_cut(&behind, ';');
        open += open_brackets(ff_text_slice(rest, from, end));
        if (open <= 0 || ff_text_find(behind, ']') < 0)
            return end;
        (*joined)++;
        from = end + 1;
    }
}

/* "L12" before a ';' or the end: Austin's old way to write a line. */
static size_t austin_line_size(struct ff_text rest)
{
    size_t size = 1;
    if (!rest.size || rest.at[0] != 'L')
        return 0;
    while (size < rest.size && rest.at[size] >= '0' && rest.at[size] <= '9')
        size++;
    return size > 1 && (size == rest.size || rest.at[size] == ';') ? size : 0;
}

size_t ff_dialect_frame_size(enum ff_dialect dialect, struct ff_text rest, uint64_t *joined)
{
    size_t size = size_to_separator(rest, joined);
    if (dialect != FF_DIALECT_AUSTIN || size >= rest.size)
        return size;
    size_t line = austin_line_size(ff_text_from(rest, size + 1));
    return line ? size + 1 + line : size;
}

static uint32_t text_frame(struct ff_profile *profile, struct ff_text text)
{
    struct ff_frame frame = {.kind = FF_FRAME_TEXT};
    if (ff_text_ends(text, FF_TEXT("_[k]"))) {
        text.size -= 4;
        frame.kind = FF_FRAME_KERNEL;
        frame.named = FF_NAMED_RECORDED;
    }
    frame.symbol = ff_profile_intern(profile, text);
    return ff_frame_add(profile, frame);
}

static uint32_t pyspy_frame(struct ff_profile *profile, struct ff_pyspy_frame parts, bool leaf)
{
    parts.leaf = leaf;
    return ff_pyspy_frame_add(profile, &parts);
}

static bool cut_number(struct ff_text *text, char separator, uint32_t *number)
{
    uint64_t value;
    ptrdiff_t at = ff_text_find_last(*text, separator);
    if (at < 0 || !ff_text_decimal(ff_text_from(*text, (size_t)at + 1), &value) ||
        value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    text->size = (size_t)at;
    return true;
}

/* "file.py:name:line": from the right, since a file may hold a colon and a name may not. */
static struct ff_pyspy_frame colon_frame(struct ff_text text)
{
    struct ff_pyspy_frame frame = {.name = text};
    uint32_t line;
    struct ff_text rest = text;
    ptrdiff_t colon;
    if (!cut_number(&rest, ':', &line) || (colon = ff_text_find_last(rest, ':')) <= 0 ||
        (size_t)colon + 1 >= rest.size)
        return frame;
    frame.file = ff_text_slice(rest, 0, (size_t)colon);
    frame.name = ff_text_from(rest, (size_t)colon + 1);
    frame.line = line;
    return frame;
}

/* "name (file);L12" before Austin 3.0, "file:name:12" since; "file:name;L12" between. */
static struct ff_pyspy_frame austin_frame(struct ff_text text)
{
    struct ff_text rest = text;
    ptrdiff_t at = ff_text_find_last(text, ';');
    uint64_t line = 0;
    if (at > 0 && (size_t)at + 2 < text.size &&
        ff_text_decimal(ff_text_from(text, (size_t)at + 2), &line) && line <= UINT32_MAX)
        rest.size = (size_t)at;
    else
        return colon_frame(text);
    struct ff_pyspy_frame frame = ff_pyspy_frame_parse(rest);
    ptrdiff_t colon = ff_text_find_last(rest, ':');
    if (!frame.file.size && colon > 0) {
        frame.file = ff_text_slice(rest, 0, (size_t)colon);
        frame.name = ff_text_from(rest, (size_t)colon + 1);
    }
    frame.line = (uint32_t)line;
    return frame;
}

/* austinp: `native@ADDRESS:NAME:OFFSET` and `kernel:NAME:0`. */
static uint32_t austin_row(struct ff_profile *profile, struct ff_pyspy_frame parts, bool leaf)
{
    bool kernel = ff_text_equal(parts.file, FF_TEXT("kernel"));
    if (!kernel && !ff_text_starts(parts.file, FF_TEXT("native@")))
        return pyspy_frame(profile, parts, leaf);
    return ff_frame_add(profile,
                        (struct ff_frame){.kind = kernel ? FF_FRAME_KERNEL : FF_FRAME_NATIVE,
                                          .named = FF_NAMED_RECORDED,
                                          .symbol = ff_profile_intern(profile, parts.name)});
}

uint32_t ff_dialect_frame(enum ff_dialect dialect, struct ff_profile *profile, struct ff_text text,
                          bool leaf)
{
    switch (dialect) {
    case FF_DIALECT_PY_SPY:
        return pyspy_frame(profile, ff_pyspy_frame_parse(text), leaf);
    case FF_DIALECT_TACHYON:
        return pyspy_frame(profile, colon_frame(text), leaf);
    case FF_DIALECT_AUSTIN:
        return austin_row(profile, austin_frame(text), leaf);
    default:
        return text_frame(profile, text);
    }
}

static size_t pyspy_root(struct ff_text line, struct ff_dialect_root *root)
{
    size_t total = 0, size;
    while ((size = ff_pyspy_process_root(ff_text_from(line, total), &root->pid)))
        total += size + 1;
    size = ff_pyspy_thread_root(ff_text_from(line, total), &root->tid, &root->name);
    root->thread = size > 0;
    if (size)
        return total + size;
    return total ? total - 1 : 0;
}

/* The first frame of LINE without PREFIX, or an empty text. */
static struct ff_text behind(struct ff_text line, const char *prefix)
{
    struct ff_text first = ff_text_cut(&line, ';');
    bool there = ff_text_starts(first, ff_text(prefix));
    return there ? ff_text_from(first, strlen(prefix)) : FF_TEXT("");
}

/* A number of the kernel's thread ids; a pthread id is an address. */
static uint32_t kernel_tid(uint64_t number)
{
    return number <= INT32_MAX ? (uint32_t)number : 0;
}

static size_t tachyon_root(struct ff_text line, struct ff_dialect_root *root)
{
    uint64_t number;
    struct ff_text tid = behind(line, "tid:");
    if (!ff_text_decimal(tid, &number))
        return 0;
    root->tid = kernel_tid(number);
    root->thread = true;
    return tid.size + 4;
}

/* "T67890", "T0x7f00..", and since 3.5 "T0:24691": interpreter and thread. 3.7 on Linux prints thread ids
 * in decimal; what has hexadecimal digits is a pthread id or of another system. */
static bool austin_thread(struct ff_text text, uint32_t *tid)
{
    uint64_t number = 0, interpreter;
    struct ff_text id = text;
    struct ff_text first = ff_text_cut(&id, ':');
    if (!id.at)
        id = first;
    else if (!ff_text_decimal(first, &interpreter))
        return false;
    bool decimal = ff_text_decimal(id, &number);
    struct ff_text digits = ff_text_starts(id, FF_TEXT("0x")) ? ff_text_from(id, 2) : id;
    *tid = decimal ? kernel_tid(number) : 0;
    return decimal || ff_text_hex(digits, &number);
}

static size_t austin_root(struct ff_text line, struct ff_dialect_root *root)
{
    uint64_t pid;
    struct ff_text process = behind(line, "P");
    if (!ff_text_decimal(process, &pid) || pid > UINT32_MAX)
        return 0;
    root->pid = (uint32_t)pid;
    struct ff_text thread = behind(ff_text_from(line, process.size + 2), "T");
    root->thread = thread.size && austin_thread(thread, &root->tid);
    return process.size + 1 + (root->thread ? thread.size + 2 : 0);
}

size_t ff_dialect_root(enum ff_dialect dialect, struct ff_text line, struct ff_dialect_root *root)
{
    *root = (struct ff_dialect_root){.name = FF_TEXT("")};
    switch (dialect) {
    case FF_DIALECT_PY_SPY:
        return pyspy_root(line, root);
    case FF_DIALECT_TACHYON:
        return tachyon_root(line, root);
    case FF_DIALECT_AUSTIN:
        return austin_root(line, root);
    default:
        return 0;
    }
}
