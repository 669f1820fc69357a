/* SPDX-License-Identifier: MIT
 *
 * Long names to short ones. The hard thing is to cut where a reader of C++, Rust and Python would: what
 * stands in brackets matters least, the last component most, and half a bracket misleads.
 */
#include "draw/fit.h"

#include "draw/escape.h"

#define ELLIPSIS 0x2026
#define LIMIT    512u

/* The characters that are left of a name. Of a longer one than LIMIT the middle is gone already. */
struct fit {
    uint32_t at[LIMIT];
    uint32_t count;
};

uint64_t ff_fit_columns(struct ff_text text)
{
    uint64_t columns = 0;
    while (text.size)
        columns += ff_escape_columns(ff_escape_take(&text));
    return columns;
}

bool ff_fit_fits(struct ff_text text, uint32_t columns)
{
    uint32_t used = 0;
    while (text.size && used <= columns)
        used += ff_escape_columns(ff_escape_take(&text));
    return used <= columns;
}

static void load(struct fit *fit, struct ff_text text)
{
    /* A character has 4 bytes at most: what lies between the ends cannot be needed. */
    struct ff_text end = {0};
    fit->count = 0;
    if (text.size > 4 * LIMIT) {
        end = ff_text_from(text, text.size - LIMIT / 2);
        text.size = 4 * LIMIT;
    }
    while (text.size && fit->count < LIMIT)
        fit->at[fit->count++] = ff_escape_take(&text);
    if (!text.size && !end.size)
        return;
    if (!end.size) {
        end = ff_text_from(text, text.size > LIMIT / 2 ? text.size - LIMIT / 2 : 0);
    }
    fit->count = LIMIT / 2 - 1;
    fit->at[fit->count++] = ELLIPSIS;
    while (end.size && fit->count < LIMIT)
        fit->at[fit->count++] = ff_escape_take(&end);
}

static uint32_t width_of(const struct fit *fit)
{
    uint32_t columns = 0;
    for (uint32_t i = 0; i < fit->count; i++)
        columns += ff_escape_columns(fit->at[i]);
    return columns;
}

/* Removes [from, to); with MARKED an ellipsis takes its place. */
static void cut(struct fit *fit, uint32_t from, uint32_t to, bool marked)
{
    if (marked)
        fit->at[from++] = ELLIPSIS;
    memmove(fit->at + from, fit->at + to, (fit->count - to) * sizeof *fit->at);
    fit->count -= to - from;
}

static bool is_at(const struct fit *fit, uint32_t i, const char *ascii)
{
    uint32_t k = 0;
    while (ascii[k] && i + k < fit->count && fit->at[i + k] == (uint32_t)ascii[k])
        k++;
    return !ascii[k];
}

static bool is_comparison(uint32_t c)
{
    return c == '<' || c == '>' || c == '=' || c == '-';
}

/* Whether the sign at I belongs to the name of an operator: operator<<, operator(), operator->. */
static bool is_operator(const struct fit *fit, uint32_t i)
{
    uint32_t c = fit->at[i], back = 0;
    if ((c == ')' || c == ']') && i && (fit->at[i - 1] == '(' || fit->at[i - 1] == '['))
        back = 1;
    while ((c == '<' || c == '>') && back < 2 && back < i && is_comparison(fit->at[i - back - 1]))
        back++;
    return i >= back + 8 && is_at(fit, i - back - 8, "operator");
}

static uint32_t closer_of(const struct fit *fit, uint32_t i)
{
    uint32_t c = fit->at[i];
    uint32_t closer = c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : c == '<' ? '>' : 0;
    return closer && !is_operator(fit, i) ? closer : 0;
}

static bool is_closer(const struct fit *fit, uint32_t i)
{
    uint32_t c = fit->at[i];
    bool arrow = c == '>' && i && fit->at[i - 1] == '-';
    return (c == ')' || c == ']' || c == '}' || c == '>') && !arrow && !is_operator(fit, i);
}

/* The partner of an opening bracket; 0 where there is none. */
static uint32_t partner_of(const struct fit *fit, uint32_t open)
{
    uint32_t depth = 0, closer = closer_of(fit, open);
    for (uint32_t i = open + 1; closer && i < fit->count; i++) {
        if (closer_of(fit, i))
            depth++;
        else if (is_closer(fit, i) && !depth--)
            return fit->at[i] == closer ? i : 0;
    }
    return 0;
}

/* The next outermost group at or after *open. One that is the whole name is none. */
static bool next_group(const struct fit *fit, uint32_t *open, uint32_t *close)
{
    for (uint32_t i = *open; i < fit->count; i++) {
        *close = partner_of(fit, i);
        *open = i;
        if (*close && (i || *close + 1 < fit->count))
            return true;
    }
    return false;
}

/* "forward (/usr/lib/torch/module.py:12)" needs no folders. */
static void drop_folders(struct fit *fit)
{
    uint32_t open = 0, close;
    for (; next_group(fit, &open, &close); open++) {
        uint32_t slash = close;
        while (fit->at[open] == '(' && slash > open && fit->at[slash] != '/')
            slash--;
        if (fit->at[open] == '(' && slash > open)
            cut(fit, open + 1, slash + 1, false);
        open = partner_of(fit, open);
    }
}

/* The file at the end, which Python's names have. */
static bool find_file(const struct fit *fit, uint32_t *open, uint32_t *close)
{
    for (*open = 0; next_group(fit, open, close); *open = *close + 1) {
        if (*close + 1 == fit->count && *open && fit->at[*open - 1] == ' ')
            return true;
    }
    return false;
}

static void drop_file(struct fit *fit, uint32_t columns)
{
    uint32_t open, close;
    if (width_of(fit) <= columns || !find_file(fit, &open, &close))
        return;
    cut(fit, open + 1, close, true);
    if (width_of(fit) > columns)
        cut(fit, open - 1, fit->count, false);
}

static void drop_contents(struct fit *fit, uint32_t columns)
{
    while (width_of(fit) > columns) {
        uint32_t longest = 1, found = 0, open = 0, close;
        for (; next_group(fit, &open, &close); open = close + 1) {
            if (close - open - 1 > longest) {
                longest = close - open - 1;
                found = open;
            }
        }
        if (longest == 1)
            return;
        cut(fit, found + 1, found + 1 + longest, true);
    }
}

/* Leaves out outer qualifiers, so that what stays fits; where nothing fits, all of them. */
static void drop_qualifiers(struct fit *fit, uint32_t columns)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i + 2 < fit->count && width_of(fit) > columns; i++) {
        uint32_t close = partner_of(fit, i);
        i = close ? close : i;
        if (!is_at(fit, i, "::"))
            continue;
        struct fit shorter = *fit;
        cut(&shorter, 0, i, true);
        last = i + 2;
        if (width_of(&shorter) <= columns)
            *fit = shorter;
    }
    if (last && width_of(fit) > columns)
        cut(fit, 0, last, false);
}

static void drop_groups(struct fit *fit, uint32_t columns)
{
    uint32_t open = 0, close;
    while (width_of(fit) > columns && next_group(fit, &open, &close))
        cut(fit, open, close + 1, false);
}

/* Both ends tell more than either: "libcuda…1d5f10". */
static void drop_middle(struct fit *fit, uint32_t columns)
{
    if (width_of(fit) <= columns)
        return;
    uint32_t head = 0, tail = fit->count, used = 1, half = (columns + 1) / 2;
    while (used + ff_escape_columns(fit->at[head]) <= half)
        used += ff_escape_columns(fit->at[head++]);
    while (tail > head && used + ff_escape_columns(fit->at[tail - 1]) <= columns)
        used += ff_escape_columns(fit->at[--tail]);
    if (tail > head)
        cut(fit, head, tail, true);
}

void ff_fit_name(struct ff_output *output, struct ff_text text, uint32_t columns)
{
    struct fit fit;
    if (columns < 2 && !ff_fit_fits(text, columns))
        return;
    load(&fit, text);
    if (width_of(&fit) > columns) {
        drop_folders(&fit);
        drop_file(&fit, columns);
        drop_contents(&fit, columns);
        drop_qualifiers(&fit, columns);
        drop_groups(&fit, columns);
        drop_middle(&fit, columns);
    }
    for (uint32_t i = 0; i < fit.count; i++)
        ff_escape_put(output, fit.at[i]);
}

static uint32_t sans_of(uint32_t character)
{
    static const uint8_t advances[] = {
        35,  46, 53, 84, 70, 101, 88, 31,  46, 46, 53, 84, 38, 42,  38, 37, /* ' ' to '/' */
        70,  70, 70, 70, 70, 70,  70, 70,  70, 70, 40, 40, 84, 84,  84, 59, /* '0' to '?' */
        100, 78, 77, 74, 84, 69,  69, 83,  84, 38, 38, 78, 64, 100, 84, 86, /* '@' to 'O' */
        74,  86, 78, 73, 69, 82,  78, 111, 78, 73, 73, 46, 37, 46,  84, 50, /* 'P' to '_' */
        50,  68, 72, 60, 72, 68,  44, 72,  72, 35, 35, 67, 35, 105, 72, 69, /* '`' to 'o' */
        72,  72, 50, 60, 48, 72,  66, 93,  65, 66, 59, 72, 37, 72,  84,     /* 'p' to '~' */
    };
    if (character >= 0x20 && character < 0x7f)
        return advances[character - 0x20];
    return character == 0xb7 ? 38 : 75 * ff_escape_columns(character) + 35;
}

uint64_t ff_fit_sans(struct ff_text text)
{
    uint64_t width = 0;
    while (text.size)
        width += sans_of(ff_escape_take(&text));
    return width;
}

void ff_fit_line(struct ff_output *output, struct ff_text text, uint64_t limit)
{
    bool whole = ff_fit_sans(text) <= limit;
    uint64_t room = whole ? limit : limit < 110 ? 0 : limit - 110;
    while (text.size) {
        uint32_t character = ff_escape_take(&text), width = sans_of(character);
        if (width > room)
            break;
        room -= width;
        ff_escape_put(output, character);
    }
    if (!whole)
        ff_escape_put(output, ELLIPSIS);
}
