/* SPDX-License-Identifier: MIT
 *
 * A flame graph back into the profile that it was drawn from.
 */
#ifndef FF_READ_SVG_H
#define FF_READ_SVG_H

#include "base/input.h"
#include "profile/profile.h"

/* Adds the profile that a picture holds, with its sources. FF_UNSUPPORTED for a picture that holds none,
 * FF_BAD_INPUT for one that is damaged; what was whole before the damage is kept. */
enum ff_status ff_svg_read(struct ff_profile *profile, struct ff_input *input, const char *name);

/* The packed part of ff-svg's pictures; docs/formats.md, "The packed profile". */
enum ff_status ff_svg_packed_read(struct ff_profile *profile, struct ff_input *input);

/* The boxes of flamegraph.pl, inferno, py-spy or async-profiler: stacks and counts, no threads. What was
 * too narrow to be drawn stands in the ledger, at least. */
enum ff_status ff_svg_foreign_read(struct ff_profile *profile, struct ff_input *input,
                                   const char *name);

#endif
