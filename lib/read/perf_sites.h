/* SPDX-License-Identifier: MIT
 *
 * Where call sites of Python stand in the stack dumps of a recording, found before it is read.
 */
#ifndef FF_READ_PERF_SITES_H
#define FF_READ_PERF_SITES_H

#include "read/perf.h"

/* Unwinds the first samples of a mapped recording, as the source NAME of a profile that is thrown away,
 * and gives what it found to the unwinder of OPTIONS. No answer is no failure. */
struct ff_site_slot ff_perf_sites_find(const struct ff_input *input, struct ff_text name,
                                       const struct ff_perf_options *options);

/* Notes in the profile what was found: facts of SOURCE, see docs/formats.md. */
void ff_perf_sites_note(struct ff_profile *profile, uint32_t source, struct ff_site_slot slot);

#endif
