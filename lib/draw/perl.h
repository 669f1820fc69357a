/* SPDX-License-Identifier: MIT
 *
 * Folded text to the picture that flamegraph.pl would draw: the same boxes with the same title, place,
 * size, colour and text. Stands beside the pictures of svg.h, which show a profile; this one works on
 * lines, because what flamegraph.pl does is defined by lines.
 */
#ifndef FF_DRAW_PERL_H
#define FF_DRAW_PERL_H

#include "base/map.h"
#include "base/memory.h"
#include "base/output.h"
#include "draw/classic.h"

/* All zero is flamegraph.pl's default; names and units are those of its options. */
struct ff_perl_options {
    struct ff_text title, subtitle; /* title: "Flame Graph", "Icicle Graph", "Flame Chart" */
    struct ff_text font_type;       /* "Verdana" */
    struct ff_text count_name;      /* "samples" */
    struct ff_text name_type;       /* "Function:" */
    struct ff_text notes;           /* a comment in the file */
    struct ff_text background;      /* yellow, blue, green, grey, #rrggbb; empty: by palette */
    double font_size, font_width;   /* 12 pixels, 0.59 of it */
    double min_width;               /* 0.1 pixels; with min_percent of the total */
    double total;                   /* of all counts, where it is larger than their sum */
    double factor;                  /* shown counts are multiplied by it; 1 */
    uint32_t width, height;         /* 1200 pixels; of a row, 16 */
    enum ff_classic palette;
    bool min_percent, min_given, hashed, reversed, inverted, flame_chart, negated;
};

struct ff_perl_map_row {
    struct ff_text name;
    uint32_t color;
};

/* Colours by name that stay over runs: palette.map. All zero is an empty one. */
struct ff_perl_map {
    struct ff_perl_map_row *rows; /* in the order of addition */
    uint32_t count, capacity;
    struct ff_map map;
    struct ff_arena arena;
    bool failed;
};

/* Adds the lines "name->rgb(1,2,3)"; what is no such line is left out. */
void ff_perl_map_read(struct ff_perl_map *map, struct ff_text text);
void ff_perl_map_write(struct ff_perl_map *map, struct ff_output *output); /* sorted by name */
void ff_perl_map_release(struct ff_perl_map *map);

/* The colour of a name; one that is not there gets COLOR. */
uint32_t ff_perl_map_color(struct ff_perl_map *map, struct ff_text name, uint32_t color);

struct ff_perl_result {
    uint64_t lines, ignored; /* ignored: no stack with a count */
    uint32_t boxes;
};

/* TEXTS: folded text, differential where a line has two counts; views, not changed. MAP may be NULL.
 * FF_USAGE for options that make no sense, FF_BAD_INPUT when there is no count (a picture that says so is
 * written all the same), FF_NO_MEMORY; message in *error. */
enum ff_status ff_perl_write(const struct ff_text *texts, uint32_t text_count,
                             const struct ff_perl_options *options, struct ff_perl_map *map,
                             struct ff_output *output, struct ff_perl_result *result,
                             struct ff_error *error);

#endif
