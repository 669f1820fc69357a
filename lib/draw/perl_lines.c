/* SPDX-License-Identifier: MIT
 *
 * Text to lines in the order of drawing. The hard thing is what counts as a line: flamegraph.pl takes a
 * stack, one blank and a number, sorts whole lines as bytes, and lets a second number mean a difference.
 */
#include "draw/perl_lines.h"

#include <stdlib.h>

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "12", "12.", "12.5" */
static double number_of(struct ff_text text)
{
    char digits[64];
    size_t size = text.size < sizeof digits ? text.size : sizeof digits - 1;
    memcpy(digits, text.at, size);
    digits[size] = '\0';
    return strtod(digits, NULL);
}

/* Cuts the last blank and the number behind it off *line; false where the line does not end so. */
static bool cut_number(struct ff_text *line, struct ff_text *number)
{
    size_t start = line->size;
    bool dot = false;
    while (start && (is_digit(line->at[start - 1]) || (line->at[start - 1] == '.' && !dot))) {
        dot |= line->at[start - 1] == '.';
        start--;
    }
    if (!start || start == line->size || !is_digit(line->at[start]) ||
        !is_space(line->at[start - 1]))
        return false;
    *number = ff_text_from(*line, start);
    line->size = start - 1;
    return true;
}

/* Frames without those empty ones at the end, which a split on ';' drops. */
static struct ff_text without_end(struct ff_text stack)
{
    while (stack.size && stack.at[stack.size - 1] == ';')
        stack.size--;
    return stack;
}

static size_t append(char *copy, size_t used, struct ff_text text)
{
    memcpy(copy + used, text.at, text.size);
    return used + text.size;
}

/* A copy of the line with its frames from the leaf to the root, one blank before each number. */
static struct ff_text reversed(struct ff_perl_lines *lines, struct ff_text line)
{
    struct ff_text stack = line, numbers[2];
    unsigned count = 0;
    size_t used = 0;
    char *copy = ff_arena_take(&lines->arena, line.size + 1);
    while (count < 2 && cut_number(&stack, &numbers[count]))
        count++;
    if (!copy || !count)
        return (struct ff_text){line.at, 0};
    stack = without_end(stack);
    for (size_t end = stack.size, start; end <= stack.size; end = start - 1) {
        for (start = end; start && stack.at[start - 1] != ';';)
            start--;
        used = append(copy, used, ff_text_slice(stack, start, end));
        if (!start)
            break;
        copy[used++] = ';';
    }
    while (count--) {
        copy[used++] = ' ';
        used = append(copy, used, numbers[count]);
    }
    return (struct ff_text){copy, used};
}

static int compare_texts(const void *a, const void *b)
{
    return ff_text_compare(*(const struct ff_text *)a, *(const struct ff_text *)b);
}

/* Off-CPU chains: frames behind the first "--" are wakers, marked so for their colour; a stack without
 * "--" gets one. */
static struct ff_text chained(struct ff_perl_lines *lines, struct ff_text stack)
{
    static const struct ff_text separator = {";--;", 4};
    ptrdiff_t first = ff_text_find_text(stack, separator);
    size_t kept = first < 0 ? stack.size : (size_t)first, frames = 1, used = 0;
    for (size_t i = kept; i < stack.size; i++)
        frames += stack.at[i] == ';';
    char *copy = ff_arena_take(&lines->arena, stack.size + 8 + 4 * frames);
    if (!copy)
        return stack;
    used = append(copy, used, ff_text_slice(stack, 0, kept));
    used = append(copy, used, separator);
    struct ff_text rest = ff_text_from(stack, first < 0 ? stack.size : kept + 4);
    while (rest.size) {
        struct ff_text frame = ff_text_cut(&rest, ';');
        used = append(copy, used, frame);
        if (!ff_text_equal(frame, FF_TEXT("--")))
            used = append(copy, used, FF_TEXT("_[w]"));
        if (rest.at)
            copy[used++] = ';';
    }
    return (struct ff_text){copy, used};
}

static void add_line(struct ff_perl_lines *lines, struct ff_text text,
                     const struct ff_perl_options *options, struct ff_perl_result *result)
{
    struct ff_perl_line line = {.stack = text};
    struct ff_text number;
    if (!cut_number(&line.stack, &number)) {
        result->ignored++;
        return;
    }
    line.count = number_of(number);
    if (cut_number(&line.stack, &number)) {
        line.differs = true;
        line.delta = line.count - number_of(number);
        double size = line.delta < 0 ? -line.delta : line.delta;
        lines->most = size > lines->most ? size : lines->most;
    }
    if (options->palette == FF_CLASSIC_CHAIN)
        line.stack = chained(lines, line.stack);
    lines->total += line.count;
    lines->at = ff_grow(lines->at, &lines->capacity, (uint64_t)lines->count + 1, sizeof *lines->at,
                        &lines->failed);
    if (!lines->failed)
        lines->at[lines->count++] = line;
}

void ff_perl_lines_read(struct ff_perl_lines *lines, const struct ff_text *texts,
                        uint32_t text_count, const struct ff_perl_options *options,
                        struct ff_perl_result *result)
{
    struct ff_text *sorted = NULL;
    uint32_t count = 0, capacity = 0;
    bool ordered = true; /* as collapsers write them; asked while the bytes are at hand */
    lines->most = 1;
    for (uint32_t i = 0; i < text_count; i++) {
        struct ff_text rest = texts[i];
        while (rest.size && !lines->failed) {
            struct ff_text line = ff_text_cut(&rest, '\n');
            sorted =
                ff_grow(sorted, &capacity, (uint64_t)count + 1, sizeof *sorted, &lines->failed);
            if (lines->failed)
                break;
            sorted[count++] = options->reversed ? reversed(lines, line) : line;
            ordered = ordered &&
                      (count < 2 || ff_text_compare(sorted[count - 2], sorted[count - 1]) <= 0);
        }
    }
    result->lines = count;
    if (!options->flame_chart && sorted && !lines->failed && !ordered)
        qsort(sorted, count, sizeof *sorted, compare_texts);
    for (uint32_t i = 0; i < count && !lines->failed; i++)
        add_line(lines, sorted[i], options, result);
    lines->failed |= lines->arena.failed;
    ff_free(sorted);
}

void ff_perl_lines_release(struct ff_perl_lines *lines)
{
    ff_free(lines->at);
    ff_arena_release(&lines->arena);
}
