/* SPDX-License-Identifier: MIT
 *
 * Whether threads did the same mix of work throughout a recording. The conditional method takes what a
 * reference saw under an entry from Python as true of the whole recording; where the mix of entries
 * changes with time, the mix below them may, too.
 */
#ifndef FF_MERGE_DRIFT_H
#define FF_MERGE_DRIFT_H

#include "merge/part.h"

/* Parts of the recording that are compared, and windows in each, from which the noise is known. */
#define FF_DRIFT_PARTS   4
#define FF_DRIFT_WINDOWS 8

/* One thread's samples under one entry frame, by window of time. */
struct ff_drift_row {
    uint32_t thread, entry;
    uint32_t count[FF_DRIFT_PARTS * FF_DRIFT_WINDOWS];
};

/* Whether the shares of COUNT entries (rows of one thread) differ between the parts beyond chance:
 * Pearson's chi-square at p < 0.001, divided by the dispersion of the windows within the parts (but the
 * one that scatters most) where that is more than 1, since samples that follow each other are alike. Entries with fewer than 5
 * expected samples in some part count as one. The rows' order may change; no result depends on it. */
bool ff_drift_differs(struct ff_drift_row *rows, uint32_t count);

/* Counts in *tested the threads of perf sources whose process has an IDENTITY (ff_merge_names) and
 * whose samples suffice, and in *drifted those whose entries differ. FF_NO_MEMORY is possible. */
enum ff_status ff_drift_count(struct ff_profile *profile, const uint32_t *identity,
                              uint64_t *tested, uint64_t *drifted);

#endif
