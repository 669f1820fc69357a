/* SPDX-License-Identifier: MIT
 *
 * Lines of perf script to heads and frames. The hard thing is the comm: it stands first, has no
 * quotes, and may hold blanks, digits, brackets and colons; so a head is read from its time stamp
 * outward, and a frame's file from its closing parenthesis inward.
 */
#include "read/perf_script_line.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct ff_text trim_end(struct ff_text text)
{
    while (text.size && is_blank(text.at[text.size - 1]))
        text.size--;
    return text;
}

static struct ff_text trim_start(struct ff_text text)
{
    while (text.size && is_blank(text.at[0])) {
        text.at++;
        text.size--;
    }
    return text;
}

/* The bytes up to the first blank, which start *rest no more. */
static struct ff_text cut_first(struct ff_text *rest)
{
    size_t size = 0;
    while (size < rest->size && !is_blank(rest->at[size]))
        size++;
    struct ff_text word = {rest->at, size};
    *rest = trim_start(ff_text_from(*rest, size));
    return word;
}

/* The last word of a text that has no blanks at its end. */
static struct ff_text last_word(struct ff_text text)
{
    size_t start = text.size;
    while (start && !is_blank(text.at[start - 1]))
        start--;
    return ff_text_from(text, start);
}

static struct ff_text without_last(struct ff_text text, struct ff_text word)
{
    text.size -= word.size;
    return trim_end(text);
}

/* perf prints ids as signed numbers: the idle thread of a lost one is -1. */
static bool id_parse(struct ff_text text, uint32_t *id)
{
    uint64_t value;
    bool negative = text.size > 1 && text.at[0] == '-';
    if (!ff_text_decimal(ff_text_from(text, negative), &value) || value > UINT32_MAX)
        return false;
    *id = negative ? (uint32_t)-value : (uint32_t)value;
    return true;
}

/* `123` or `123/124`. */
static bool ids_parse(struct ff_text word, struct ff_script_head *head)
{
    ptrdiff_t slash = ff_text_find(word, '/');
    head->pid = 0;
    if (slash < 0)
        return id_parse(word, &head->tid);
    return id_parse(ff_text_slice(word, 0, (size_t)slash), &head->pid) &&
           id_parse(ff_text_from(word, (size_t)slash + 1), &head->tid);
}

static bool cpu_parse(struct ff_text word, uint32_t *cpu)
{
    return word.size > 2 && word.at[0] == '[' && word.at[word.size - 1] == ']' &&
           id_parse(ff_text_slice(word, 1, word.size - 1), cpu);
}

/* The letters of -F misc: whose code, and what kind of record. */
static bool is_misc(struct ff_text word)
{
    for (size_t i = 0; i < word.size; i++) {
        if (!strchr("KUHGgMEFSCPTp", word.at[i]))
            return false;
    }
    return word.size && word.size <= 3;
}

/* What stands before the time: comm, ids, CPU, misc, from the right. */
static void left_parse(struct ff_text left, struct ff_script_head *head)
{
    left = trim_end(left);
    struct ff_text word = last_word(left), before = without_last(left, word);
    struct ff_script_head ignored;
    if (is_misc(word) &&
        (cpu_parse(last_word(before), &ignored.cpu) || ids_parse(last_word(before), &ignored))) {
        left = before;
        word = last_word(left);
    }
    head->has_cpu = cpu_parse(word, &head->cpu);
    if (head->has_cpu) {
        left = without_last(left, word);
        word = last_word(left);
    }
    head->who = left;
    head->has_tid = ids_parse(word, head);
    if (head->has_tid)
        left = without_last(left, word);
    head->comm = trim_start(left);
}

/* Whether a colon ends an event's name: a modifier or a tracepoint's second part follows others. */
static ptrdiff_t event_end(struct ff_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] == ':' && (i + 1 == text.size || is_blank(text.at[i + 1])))
            return (ptrdiff_t)i;
    }
    return -1;
}

/* What stands behind the time: period, event, payload. A number is a period only before an event or
 * alone: an address may look like one. */
static void right_parse(struct ff_text right, struct ff_script_head *head)
{
    right = trim_end(trim_start(right));
    struct ff_text rest = right;
    struct ff_text number = cut_first(&rest);
    uint64_t period;
    bool counted = ff_text_decimal(number, &period);
    ptrdiff_t end = event_end(counted ? rest : right);
    if (counted && (end > 0 || !rest.size)) {
        head->period = period;
        head->has_period = true;
        right = rest;
    }
    head->payload = right;
    if (end <= 0)
        return;
    head->event = trim_start(ff_text_slice(right, 0, (size_t)end));
    head->payload = trim_start(ff_text_from(right, (size_t)end + 1));
}

/* The time stamp that ends at the colon at END: where it starts, or -1. */
static ptrdiff_t time_start(struct ff_text line, size_t end, uint64_t *time_ns)
{
    size_t dot = end;
    while (dot && is_digit(line.at[dot - 1]))
        dot--;
    if (dot < 2 || dot == end || line.at[dot - 1] != '.')
        return -1;
    size_t start = dot - 1;
    while (start && is_digit(line.at[start - 1]))
        start--;
    uint64_t seconds;
    if ((start && !is_blank(line.at[start - 1])) ||
        !ff_text_decimal(ff_text_slice(line, start, dot - 1), &seconds) ||
        seconds > UINT32_MAX * 4ull)
        return -1;
    uint64_t fraction = 0;
    for (size_t i = 0; i < 9; i++)
        fraction = fraction * 10 + (dot + i < end ? (unsigned)(line.at[dot + i] - '0') : 0);
    *time_ns = seconds * 1000000000u + fraction;
    return (ptrdiff_t)start;
}

bool ff_script_timed_head(struct ff_text line, struct ff_script_head *head)
{
    struct ff_script_head found = {0};
    size_t from = 0;
    for (;;) {
        ptrdiff_t next = ff_text_find(ff_text_from(line, from), ':');
        if (next < 0)
            break;
        size_t colon = from + (size_t)next;
        from = colon + 1;
        uint64_t time_ns;
        if (from < line.size && !is_blank(line.at[from]))
            continue;
        ptrdiff_t start = time_start(line, colon, &time_ns);
        if (start < 0)
            continue;
        struct ff_script_head here = {.time_ns = time_ns, .has_time = true};
        left_parse(ff_text_slice(line, 0, (size_t)start), &here);
        right_parse(ff_text_from(line, from), &here);
        if (here.has_tid || !found.has_time)
            found = here;
        if (here.has_tid) /* a comm or a payload may look like a time, but ids stand before the real one */
            break;
    }
    if (found.has_time)
        *head = found;
    return found.has_time;
}

/* Without a time: `java 19983 cycles:`, `java 19983          1 cycles:`, `java 19983`. perf prints a
 * period in ten columns, which tells it from an id where only one number is there. */
static bool untimed_head(struct ff_text line, struct ff_script_head *head)
{
    struct ff_text text = trim_end(line);
    *head = (struct ff_script_head){0};
    ptrdiff_t end = text.size && text.at[text.size - 1] == ':' ? 0 : -1;
    if (end == 0) {
        struct ff_text event = last_word(text);
        text = without_last(text, event);
        head->event = ff_text_slice(event, 0, event.size - 1);
        struct ff_text number = last_word(text), before = without_last(text, number);
        uint64_t period;
        bool wide = text.size - before.size > 10 ||
                    (before.size && cpu_parse(last_word(before), &head->cpu));
        struct ff_script_head ignored;
        if (ff_text_decimal(number, &period) && before.size &&
            (wide || ids_parse(last_word(before), &ignored))) {
            head->period = period;
            head->has_period = true;
            text = before;
        }
    }
    left_parse(text, head);
    return head->has_tid || (head->event.size && head->comm.size);
}

bool ff_script_head(struct ff_text line, struct ff_script_head *head)
{
    return ff_script_timed_head(line, head) || untimed_head(line, head);
}

/* Cuts ` (file)` off the end of *text; the parentheses of `(/memfd:x (deleted))` pair up. */
static bool cut_dso(struct ff_text *text, struct ff_text *dso)
{
    size_t depth = 0;
    if (!text->size || text->at[text->size - 1] != ')')
        return false;
    for (size_t i = text->size; i-- > 0;) {
        depth += text->at[i] == ')';
        depth -= text->at[i] == '(';
        if (depth)
            continue;
        if (i && !is_blank(text->at[i - 1]))
            return false;
        *dso = ff_text_slice(*text, i + 1, text->size - 1);
        text->size = i;
        *text = trim_end(*text);
        return true;
    }
    return false;
}

/* `name+0x1f` to `name`. */
static struct ff_text without_offset(struct ff_text symbol)
{
    size_t at = symbol.size;
    while (at &&
           (is_digit(symbol.at[at - 1]) || (symbol.at[at - 1] >= 'a' && symbol.at[at - 1] <= 'f')))
        at--;
    if (at >= 3 && at < symbol.size && memcmp(symbol.at + at - 3, "+0x", 3) == 0)
        symbol.size = at - 3;
    return symbol;
}

bool ff_script_frame(struct ff_text line, bool weak, struct ff_script_frame *frame)
{
    struct ff_text rest = trim_end(trim_start(line)), all = rest;
    bool indented = line.size && is_blank(line.at[0]);
    *frame = (struct ff_script_frame){0};
    bool has_address = ff_text_hex(cut_first(&rest), &frame->address);
    if (!has_address) {
        frame->address = 0;
        rest = all;
    }
    bool has_dso = cut_dso(&rest, &frame->dso);
    if (!all.size || (!has_address && (!indented || (!has_dso && !weak))))
        return false;
    frame->inlined = ff_text_equal(frame->dso, FF_TEXT("inlined"));
    if (frame->inlined || ff_text_equal(frame->dso, FF_TEXT("[unknown]")))
        frame->dso = FF_TEXT("");
    /* perf writes a blank behind the address and one before the file. */
    frame->nameless =
        has_address && has_dso && !rest.size && is_blank(rest.at[-1]) && is_blank(rest.at[-2]);
    frame->symbol = without_offset(rest);
    if (ff_text_equal(frame->symbol, FF_TEXT("[unknown]")))
        frame->symbol = FF_TEXT("");
    return true;
}

bool ff_script_srcline(struct ff_text line, struct ff_text *file, uint32_t *number)
{
    struct ff_text text = trim_end(trim_start(line));
    *number = 0;
    *file = FF_TEXT("");
    if (!text.size || !is_blank(line.at[0]))
        return false;
    if (text.at[text.size - 1] == ']') /* libc.so.6[28f3]: where perf knows no line */
        return ff_text_find(text, '[') > 0 && ff_text_find(text, ' ') < 0;
    ptrdiff_t colon = ff_text_find_last(text, ':');
    if (colon <= 0)
        return false;
    struct ff_text digits = ff_text_from(text, (size_t)colon + 1);
    struct ff_text word = cut_first(&digits); /* a discriminator may follow */
    if (!id_parse(word, number) && !ff_text_equal(word, FF_TEXT("?")))
        return false;
    if (*number && text.at[0] != '?')
        *file = ff_text_slice(text, 0, (size_t)colon);
    else
        *number = 0;
    return true;
}
