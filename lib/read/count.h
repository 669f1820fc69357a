/* SPDX-License-Identifier: MIT
 *
 * The counts at the end of folded lines.
 */
#ifndef FF_READ_COUNT_H
#define FF_READ_COUNT_H

#include "profile/profile.h"

/* Cuts the last word off LINE. Trailing blanks are forgiven; a line that is only a number has no
 * stack, but one that begins with a blank has an empty one (py-spy writes those). */
bool ff_count_cut(struct ff_text *line, struct ff_text *word);

enum ff_count_kind { FF_COUNT_WHOLE, FF_COUNT_FRACTION, FF_COUNT_FULL, FF_COUNT_NONE };

/* "12", "12.25" in units of 1 / FF_COUNT_ONE. FF_COUNT_FULL: it does not fit, *units is the largest
 * whole count; FF_COUNT_NONE: it is no count, *units stays. */
enum ff_count_kind ff_count_parse(struct ff_text text, uint64_t *units);

#endif
