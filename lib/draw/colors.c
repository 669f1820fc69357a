/* SPDX-License-Identifier: MIT
 *
 * A colour file to rules. Nothing is hard: the colour is the last word of a line, since a name may hold
 * blanks.
 */
#include "draw/colors.h"

static int parse_of(struct ff_text word)
{
    static const char *const words[] = {
#define X(name, text) text,
        FF_COLORS_TABLE(X)
#undef X
    };
    for (int i = 0; i < FF_COLORS_OF_COUNT; i++) {
        if (ff_text_equal(word, ff_text(words[i])))
            return i;
    }
    return -1;
}

static bool parse_rule(struct ff_text line, struct ff_colors_rule *rule)
{
    ptrdiff_t last = ff_text_find_last(line, ' ');
    uint64_t color;
    if (last < 0)
        return false;
    struct ff_text word = ff_text_from(line, (size_t)last + 1);
    line = ff_text_trim(ff_text_slice(line, 0, (size_t)last));
    int of = parse_of(ff_text_cut(&line, ' '));
    if (of < 0 || !line.size || word.size != 7 || word.at[0] != '#' ||
        !ff_text_hex(ff_text_from(word, 1), &color))
        return false;
    *rule = (struct ff_colors_rule){(enum ff_colors_of)of, ff_text_trim(line), (uint32_t)color};
    return true;
}

enum ff_status ff_colors_parse(struct ff_colors *colors, const char *name, struct ff_text text,
                               struct ff_error *error)
{
    bool failed = false;
    for (unsigned long number = 1; text.size; number++) {
        struct ff_text line = ff_text_trim(ff_text_cut(&text, '\n'));
        struct ff_colors_rule rule;
        if (!line.size || line.at[0] == '#')
            continue;
        if (!parse_rule(line, &rule))
            return ff_error_set(error, FF_BAD_INPUT,
                                "%s: line %lu: found '%.*s', expected 'bucket', 'kind' or 'name', "
                                "a pattern and #rrggbb",
                                name, number, FF_TEXT_ARGS(line));
        colors->rules = ff_grow(colors->rules, &colors->capacity, (uint64_t)colors->count + 1,
                                sizeof *colors->rules, &failed);
        if (failed)
            return ff_error_set(error, FF_NO_MEMORY, "out of memory while reading colours");
        colors->rules[colors->count++] = rule;
    }
    return FF_OK;
}

void ff_colors_release(struct ff_colors *colors)
{
    ff_free(colors->rules);
    *colors = (struct ff_colors){0};
}

const struct ff_colors_rule *ff_colors_find(const struct ff_colors *colors, enum ff_colors_of of,
                                            struct ff_text text)
{
    for (uint32_t i = 0; colors && i < colors->count; i++) {
        if (colors->rules[i].of == of && ff_text_glob(text, colors->rules[i].glob))
            return &colors->rules[i];
    }
    return NULL;
}
