/* SPDX-License-Identifier: MIT
 *
 * The text stream between tools; docs/formats.md is its reference.
 */
#ifndef FF_PROFILE_STREAM_H
#define FF_PROFILE_STREAM_H

#include "base/input.h"
#include "base/output.h"
#include "profile/order.h"
#include "profile/rows.h"

#define FF_STREAM_VERSION 1

/* Writes the profile. Rows are numbered in an order that depends on content only, and rows that no
 * sample uses (frames, stacks, modules) are left out: equal profiles give equal bytes. FF_NO_MEMORY
 * leaves a partial text; write errors show up when the output is closed. */
enum ff_status ff_stream_write(struct ff_profile *profile, struct ff_output *output);

/* The rows of an order that the caller made, with its numbers. Frames ordered by name have no place; what
 * differs in places alone is then one frame, one stack, one sample row: folded text, reports and
 * pictures say the same of both. The moments are settled already (profile/moment.h). Running out of memory shows in the profile's status. */
void ff_stream_write_order(const struct ff_order *order, struct ff_rows *rows);

/* Adds the stream (or several, one behind the other) to the profile. FF_BAD_INPUT names the line;
 * what stood before it is kept. A stream without its end line is kept and counted in the ledger. */
enum ff_status ff_stream_read(struct ff_profile *profile, struct ff_input *input);

#endif
