/* SPDX-License-Identifier: MIT
 *
 * Colours. A bucket has the same colour in every picture. Those that people must tell apart have
 * hues that colour-blind readers can tell apart (Okabe and Ito, https://jfly.uni-koeln.de/color/);
 * the members of one family share a hue and differ in lightness.
 */
#ifndef FF_DRAW_PALETTE_H
#define FF_DRAW_PALETTE_H

#include "fold/tree.h"

/* 0xrrggbb on a light and on a dark page, and whether text on it is white there; else it is black. */
struct ff_color {
    uint32_t light, dark;
    bool white_ink; /* on the dark page */
    bool light_white_ink;
};

/* Colours are cited by numbers below this one, so that a picture defines each once. */
#define FF_COLOR_COUNT 192

/* A number that is no citation but the colour 0xrrggbb itself, on both pages. */
#define FF_COLOR_PLAIN 0x1000000u

uint32_t ff_color_of_bucket(struct ff_text name); /* empty: samples without a bucket */
uint32_t ff_color_of_name(struct ff_text name);
uint32_t ff_color_of_kind(const struct ff_node *node);
uint32_t ff_color_neutral(const struct ff_node *node); /* the kind, leaving the stage to buckets */

struct ff_color ff_color_get(uint32_t color);

/* What ff_color_of_kind tells apart, for a legend: "kernel", ... */
const char *ff_color_kind_word(uint32_t color);

#endif
