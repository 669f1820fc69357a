/* SPDX-License-Identifier: MIT
 *
 * A picture while it is written: what it shows, where its parts stand, and the parts. Inside lib/draw
 * only; no other files write markup.
 */
#ifndef FF_DRAW_PICTURE_H
#define FF_DRAW_PICTURE_H

#include "draw/layout.h"
#include "draw/legend.h"
#include "draw/svg.h"

/* All lengths are in pixels. A column is a little wider than 0.6 em, the advance of the usual
 * monospace fonts, in 1/100 pixel. */
enum {
    FF_MARGIN = 10,
    FF_ROW = 17,
    FF_BOX = 16,
    FF_FONT = 11,
    FF_COLUMN = 671,
    FF_PADDING = 4,
    FF_LEGEND_ROW = 17,
    FF_FOOT = 40
};

#define FF_MONOSPACE "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"

struct ff_picture {
    struct ff_tree *tree;
    struct ff_output *output;
    const struct ff_svg_options *options;
    struct ff_layout layout;
    struct ff_legend legend;
    uint32_t width, inner; /* of the picture; between the margins */
    uint32_t legend_columns, legend_top, top, bottom, height;
    bool used[FF_COLOR_COUNT];
};

/* Markup as it is, and a number. */
void ff_picture_put(struct ff_picture *picture, const char *markup);
void ff_picture_number(struct ff_picture *picture, uint64_t value);

/* NAME="VALUE" for a value in pixels, and in 1/100 pixel. */
void ff_picture_pixels(struct ff_picture *picture, const char *name, uint64_t value);
void ff_picture_fixed(struct ff_picture *picture, const char *name, uint64_t value);

/* class and fill: the class for the dark page, the fill for pages that forbid styles. */
void ff_picture_color(struct ff_picture *picture, uint32_t color);

/* "1,234 samples" */
void ff_picture_amount(struct ff_picture *picture, uint64_t amount);

/* The parts, from top to bottom. */
void ff_picture_head(struct ff_picture *picture);
void ff_picture_legend(struct ff_picture *picture);
void ff_picture_boxes(struct ff_picture *picture);
void ff_picture_foot(struct ff_picture *picture);

#endif
