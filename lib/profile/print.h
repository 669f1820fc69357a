/* SPDX-License-Identifier: MIT
 *
 * The samples as text to look at and to grep, in the form of `perf script`.
 */
#ifndef FF_PROFILE_PRINT_H
#define FF_PROFILE_PRINT_H

#include "base/output.h"
#include "profile/profile.h"

/* Writes a block for each sample row, or with exact times for each sample, in order of time:
 *     # SOURCE: COUNT samples, STATE[, bucket BUCKET]
 *     COMM PID/TID [SECONDS.NANOSECONDS:] WEIGHT EVENT:
 *             ADDRESS NAME (MODULE)
 * and an empty line. Frames stand innermost first. The address is what perf 6.1 prints: of a frame
 * in a file its file offset, of a caller where it goes on. FF_NO_MEMORY leaves a partial text. */
enum ff_status ff_print(struct ff_profile *profile, struct ff_output *output);

#endif
