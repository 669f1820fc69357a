/* SPDX-License-Identifier: MIT
 *
 * Recorders' own merge of Python and native frames of one stop of the process: py-spy's `--native`,
 * austinp.
 */
#ifndef FF_MERGE_PAIRED_H
#define FF_MERGE_PAIRED_H

#include "merge/part.h"

/* Marks the Python frames of their samples as paired where native frames stand in the same stack;
 * returns how many samples have such. Memory that is out is flagged in the profile. */
uint64_t ff_merge_paired(struct ff_profile *profile);

#endif
