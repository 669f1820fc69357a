/* SPDX-License-Identifier: MIT
 *
 * Folded text of any writer, one line grammar: `frame;frame;... count`, root first. What frames are
 * and who wrote them: read/dialect.h.
 */
#ifndef FF_READ_FOLDED_H
#define FF_READ_FOLDED_H

#include "base/input.h"
#include "profile/profile.h"
#include "read/format.h"

/* Adds the input to PROFILE as one source called NAME (a base name) with one event "samples". FORMAT is
 * FF_FORMAT_FOLDED, _PY_SPY_RAW, _TACHYON or _AUSTIN, or with two counts a line FF_FORMAT_FOLDED_DIFF or
 * _PY_SPY_DIFF: then two sources, NAME:1 and NAME:2. Counts may have fractions; they are kept in units
 * of 1 / FF_COUNT_ONE, weights are the whole part of the sum. A line of Austin is one sample, its
 * number the weight, in ns (from microseconds) or bytes.
 *
 * Such a file does not say which threads it counted: the population is guessed from NAME ("*gil*" is
 * gil-held, "*idle*" all, else py-spy runnable, the others all), which stands in the ledger. Rust's "[u8; 32]" is the one
 * ';' inside a name that is told from a separator; a py-spy name with any other ';' is cut there.
 *
 * Lines without a count are counted in the ledger and left out; then the answer is FF_BAD_INPUT,
 * its message in profile->error names the first of them, and all other lines are in the profile. */
enum ff_status ff_folded_read(struct ff_profile *profile, struct ff_input *input, const char *name,
                              enum ff_format format);

#endif
