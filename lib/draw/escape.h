/* SPDX-License-Identifier: MIT
 *
 * Any bytes into XML, for the three places where they may stand.
 */
#ifndef FF_DRAW_ESCAPE_H
#define FF_DRAW_ESCAPE_H

#include "base/output.h"

/* Takes one character off *rest, which is not empty. As U+FFFD comes a byte that begins no valid
 * UTF-8 sequence, a character that XML 1.0 does not have or discourages (C0 and C1 controls,
 * U+FFFE, U+FFFF), and one that reorders the text around it (U+202A to U+202E, U+2066 to U+2069).
 * Tab, LF and CR come as a blank. */
uint32_t ff_escape_take(struct ff_text *rest);

/* Writes one such character, or all of a text, so that it means itself between tags and inside
 * attributes quoted either way. */
void ff_escape_put(struct ff_output *output, uint32_t character);
void ff_escape_text(struct ff_output *output, struct ff_text text);

/* Writes the inside of a comment: "--", which ends one, becomes "- -". */
void ff_escape_comment(struct ff_output *output, struct ff_text text);

/* Writes the content of a script element (as CDATA). SCRIPT is XML characters in UTF-8. */
void ff_escape_script(struct ff_output *output, struct ff_text script);

/* Terminal columns of a character: 2 for East Asian wide ones and emoji, else 1. */
uint32_t ff_escape_columns(uint32_t character);

#endif
