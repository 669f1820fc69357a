/* SPDX-License-Identifier: MIT
 *
 * A picture while it is written: what it shows, where its parts stand, and the parts. Inside lib/draw
 * only; no other files write markup.
 */
#ifndef FF_DRAW_PICTURE_H
#define FF_DRAW_PICTURE_H

#include "draw/layout.h"
#include "draw/legend.h"
#include "draw/ranking.h"
#include "draw/svg.h"

/* All lengths are in pixels of the picture's own width. A page may show a picture of 1200 pixels in 700:
 * then a style rule sets all text to FF_FONT_NARROW, which is 10 pixels on that page. Lines, legend and
 * panels are laid out for that size; boxes have a second text where the first would not fit. */
enum {
    FF_MARGIN = 10,
    FF_ROW = 19,
    FF_BOX = 18,
    FF_FONT = 12,
    FF_FONT_NARROW = 17,
    FF_TITLE = 20,
    FF_TITLE_NARROW = 26,
    FF_PADDING = 4,
    FF_LINE = 19,
    FF_FACT_LINES = 4,
    FF_KEYS = 24, /* of the legend */
    FF_PANEL_ROWS = 12
};

/* Fonts whose widest advance is known, see fit.h; for all that must fit. */
#define FF_MONOSPACE "Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono','Courier New',monospace"
#define FF_SANS      "system-ui,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif"

struct ff_picture {
    struct ff_tree *tree;
    struct ff_output *output;
    const struct ff_svg_options *options;
    struct ff_layout layout;
    struct ff_legend legend;
    struct ff_ranking ranking;
    struct ff_output facts; /* memory: pieces of text, LF behind each; as recorded, not escaped */
    struct ff_output cuts;  /* the same: where stacks end too early */
    uint32_t fact_lines, cut_lines;
    uint32_t width, inner; /* of the picture; between the margins */
    uint32_t legend_columns, key_count;
    uint32_t legend_top, timeline_top, top, bottom, panel_top, height;
    bool used[FF_COLOR_COUNT];
};

/* Markup as it is. */
void ff_picture_put(struct ff_picture *picture, const char *markup);

/* NAME="VALUE" for a value in pixels, and in 1/100 pixel. */
void ff_picture_pixels(struct ff_picture *picture, const char *name, uint64_t value);
void ff_picture_fixed(struct ff_picture *picture, const char *name, uint64_t value);

/* class and fill: the class (CLASS, "" for none, before it) for the dark page, the fill for pages that
 * forbid styles. */
void ff_picture_color(struct ff_picture *picture, const char *class, uint32_t color);

/* A name in monospace that fits WIDTH (1/100 pixel) at both font sizes; maybe nothing. Y is its baseline. */
void ff_picture_name(struct ff_picture *picture, uint32_t x, uint32_t y, struct ff_text name,
                     uint32_t width);

/* "12.3 %" that ends at X. */
void ff_picture_percent_at(struct ff_picture *picture, uint32_t x, uint32_t y, uint64_t part,
                           uint64_t whole);

/* Plain text, not escaped: "1,234 samples", "1.23 s"; "12.3 %", rounded half up, or "<0.1 %". */
void ff_picture_amount(const struct ff_tree *tree, struct ff_output *output, uint64_t amount);
void ff_picture_percent(struct ff_output *output, uint64_t part, uint64_t whole);

/* Wraps the pieces of PIECES (a memory output, see above) with " · " between them into lines that fit
 * picture->inner at FF_FONT_NARROW. Returns their number, at most FF_FACT_LINES; Y is the baseline of the
 * first. Without DRAWN nothing is written. */
uint32_t ff_picture_lines(struct ff_picture *picture, const struct ff_output *pieces, uint32_t y,
                          bool drawn);

/* Fills picture->facts and picture->cuts. */
void ff_picture_collect(struct ff_picture *picture);

/* Sets legend_columns and key_count. */
void ff_picture_measure_legend(struct ff_picture *picture);

/* How high the panels are. */
uint32_t ff_picture_panel_height(const struct ff_picture *picture);

/* The parts, from top to bottom. */
void ff_picture_head(struct ff_picture *picture);
void ff_picture_legend(struct ff_picture *picture);
/* Nothing where it is not asked for, or no sample has a time. False when memory is out. */
uint32_t ff_picture_timeline_height(const struct ff_picture *picture);
bool ff_picture_timeline(struct ff_picture *picture);

void ff_picture_boxes(struct ff_picture *picture);
void ff_picture_notes(struct ff_picture *picture);
void ff_picture_panels(struct ff_picture *picture);
void ff_picture_foot(struct ff_picture *picture);

#endif
