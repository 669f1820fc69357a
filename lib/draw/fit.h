/* SPDX-License-Identifier: MIT
 *
 * Names into boxes: how wide text is in real fonts, and which part of a name is worth its place.
 */
#ifndef FF_DRAW_FIT_H
#define FF_DRAW_FIT_H

#include "base/output.h"

/* The widest advance of the monospace fonts that pictures ask for is 0.602 em (DejaVu Sans Mono, Menlo);
 * 0.61 em leaves room for rounding. In 1/100 pixel for a font size in pixels. */
static inline uint32_t ff_fit_column(uint32_t font_size)
{
    return font_size * 61;
}

/* Terminal columns of a text: East Asian wide characters and emoji have two. */
uint64_t ff_fit_columns(struct ff_text text);
bool ff_fit_fits(struct ff_text text, uint32_t columns); /* looks at no more of TEXT than it must */

/* Writes TEXT, escaped, in at most COLUMNS monospace columns. What is too long loses, in this order and
 * only as much as it must: the folders of a file in brackets, the content of brackets (longest first; "…"
 * stands for it), bracketed groups, outer qualifiers, the middle. A bracket that is written is always
 * written with its partner. Nothing is written for COLUMNS under 2. */
void ff_fit_name(struct ff_output *output, struct ff_text text, uint32_t columns);

/* An upper bound for the width of TEXT in a proportional sans font, bold ones included, in 1/100 em: the
 * advances of DejaVu Sans Bold, the widest in common use. */
uint64_t ff_fit_sans(struct ff_text text);

/* Writes as much of TEXT, escaped, as fits LIMIT (1/100 em by ff_fit_sans); a cut ends in "…". */
void ff_fit_line(struct ff_output *output, struct ff_text text, uint64_t limit);

#endif
