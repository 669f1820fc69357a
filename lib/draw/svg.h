/* SPDX-License-Identifier: MIT
 *
 * A call tree as one SVG file with two lives: in an img tag a picture that says all it has to say
 * without a tooltip, in a browser tab the same picture with zoom and search.
 *
 * Any bytes are safe as a name: what is not UTF-8 or no XML character becomes U+FFFD, the rest is
 * escaped for where it stands. The file refers to nothing outside, has no inline handlers, and
 * colours stand in attributes, so that it is readable where styles and scripts are forbidden.
 */
#ifndef FF_DRAW_SVG_H
#define FF_DRAW_SVG_H

#include "base/output.h"
#include "draw/classic.h"
#include "draw/colors.h"
#include "fold/tree.h"

enum ff_color_mode {
    FF_COLOR_BUCKET, /* without any bucket in the tree this is FF_COLOR_KIND */
    FF_COLOR_KIND,   /* where every frame is text of unknown kind this is FF_COLOR_NAME */
    FF_COLOR_NAME,
    FF_COLOR_CLASSIC /* by name, of the palette; kernel frames should be named with "_[k]" */
};

/* All zero is the default. */
struct ff_svg_options {
    struct ff_text title;           /* empty: "Flame graph" */
    struct ff_text subtitle;        /* a line of the caller's own under the facts; empty: none */
    uint32_t width;                 /* pixels, 300 to 10000; 0: 1200 */
    uint32_t min_width;             /* of a box, in 1/100 pixel; 0: 30 */
    bool inverted;                  /* icicle: callers on top */
    uint8_t color;                  /* enum ff_color_mode */
    uint8_t palette;                /* enum ff_classic, for FF_COLOR_CLASSIC */
    const struct ff_tree *before;   /* colours tell the difference to this tree; NULL: none */
    const struct ff_colors *colors; /* rules that come before; NULL: none */
    bool timeline;                  /* threads over time above the boxes; needs `profile` */
    /* What the tree was made of, to be packed into the picture; without it there is no live life. */
    struct ff_profile *profile;
    const struct ff_fold_options *fold;
};

/* The same tree and options give the same bytes. FF_USAGE for a width out of range, FF_NO_MEMORY
 * (message in tree->error); failed writes stay in OUTPUT. */
enum ff_status ff_svg_write(struct ff_tree *tree, struct ff_output *output,
                            const struct ff_svg_options *options);

#endif
