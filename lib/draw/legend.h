/* SPDX-License-Identifier: MIT
 *
 * Which colour a node has, and what the colours of a picture mean, with shares that add up.
 */
#ifndef FF_DRAW_LEGEND_H
#define FF_DRAW_LEGEND_H

#include "draw/difference.h"
#include "draw/palette.h"
#include "draw/svg.h"

struct ff_legend_row {
    struct ff_text name; /* lives as long as the tree */
    uint32_t color;
    uint32_t tenths; /* of a percent of the whole tree; all rows together 1000 */
    uint64_t amount;
};

struct ff_legend {
    enum ff_color_mode mode;    /* what the wish became, see svg.h */
    struct ff_legend_row *rows; /* largest first; none for FF_COLOR_NAME */
    uint32_t count;
    enum ff_classic palette;
    const struct ff_colors *colors;  /* borrowed from the options */
    uint32_t before_event;           /* of the tree before, in the profile; 0: there is none */
    struct ff_difference difference; /* where there is a tree before; then colours tell it */
};

/* False when memory is out. */
bool ff_legend_make(struct ff_legend *legend, const struct ff_tree *tree,
                    const struct ff_svg_options *options);
void ff_legend_release(struct ff_legend *legend);

/* That of a box of the node's kind and name which no bucket owns. */
uint32_t ff_legend_color_unowned(const struct ff_legend *legend, const struct ff_tree *tree,
                                 const struct ff_node *node);

/* The user's colour for the name if there is one, else, by bucket: that of the bucket which owns 95 % or more of the node, else the neutral one of its
 * kind. */
uint32_t ff_legend_color(const struct ff_legend *legend, const struct ff_tree *tree, uint32_t node);

/* The colour of tree->buckets[bucket]; where nothing is classified, that of a thread. */
uint32_t ff_legend_bucket(const struct ff_legend *legend, const struct ff_tree *tree,
                          uint32_t bucket);

#endif
