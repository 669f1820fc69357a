/* SPDX-License-Identifier: MIT
 *
 * One spelling of each Python file: py-spy's raw files and dumps shorten paths
 * ("torch/nn/modules/linear.py"), its JSON forms, trampolines and debuggers do not.
 */
#ifndef FF_MERGE_SPELLING_H
#define FF_MERGE_SPELLING_H

#include "profile/profile.h"

/* Gives a Python frame with an absolute path the short one of a frame of the same function whose path
 * is its end, the longest of several. A memory failure is flagged in the profile. */
void ff_merge_spelling(struct ff_profile *profile);

#endif
