/* SPDX-License-Identifier: MIT
 *
 * Setters of the options that ff-svg has for the sake of scripts that call flamegraph.pl.
 */
#include "tool.h"

#include <stdio.h>
#include <string.h>

#define SET_TEXT(name, field, option)                                                              \
    enum flamefold_status tool_set_##name(struct tool_run *run, const char *value)                 \
    {                                                                                              \
        run->perl.field = value;                                                                   \
        run->perl_only = option;                                                                   \
        return FLAMEFOLD_OK;                                                                       \
    }

#define SET_FLAG(name, field, option)                                                              \
    enum flamefold_status tool_set_##name(struct tool_run *run, const char *value)                 \
    {                                                                                              \
        (void)value;                                                                               \
        run->perl.field = true;                                                                    \
        run->perl_only = option;                                                                   \
        return FLAMEFOLD_OK;                                                                       \
    }

SET_TEXT(height, height, "height")
SET_TEXT(min_width, min_width, "minwidth")
SET_TEXT(font_type, font_type, "fonttype")
SET_TEXT(font_size, font_size, "fontsize")
SET_TEXT(font_width, font_width, "fontwidth")
SET_TEXT(count_name, count_name, "countname")
SET_TEXT(name_type, name_type, "nametype")
SET_TEXT(background, background, "bgcolors")
SET_TEXT(notes, notes, "notes")
SET_TEXT(total, total, "total")
SET_TEXT(factor, factor, "factor")
SET_FLAG(hash, hashed, "hash")
SET_FLAG(reverse, reversed, "reverse")
SET_FLAG(negate, negated, "negate")
SET_FLAG(flame_chart, flame_chart, "flamechart")
SET_FLAG(palette_map, palette_map, "cp")

enum flamefold_status tool_set_picture_of(struct tool_run *run, const char *value)
{
    run->picture_of = value;
    if (strcmp(value, "perl") == 0)
        return FLAMEFOLD_OK;
    fprintf(stderr, "%s: --compat: '%s' is nothing to be compatible with; expected perl\n",
            run->tool->name, value);
    return FLAMEFOLD_USAGE;
}
