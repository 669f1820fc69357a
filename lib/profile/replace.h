/* SPDX-License-Identifier: MIT
 *
 * Frames exchanged for others in all stacks, where more than a name changes.
 */
#ifndef FF_PROFILE_REPLACE_H
#define FF_PROFILE_REPLACE_H

#include "profile/profile.h"

/* A table by frame in which each frame stands for itself; NULL, and the profile's flag set, when
 * memory is out. Freed by the caller with ff_free. */
uint32_t *ff_frame_replacement(struct ff_profile *profile);

/* Writes all stacks and samples anew with replacement[frame] for each of the first COUNT frames;
 * later frames stay. Returns how many frames of samples were exchanged: each counts as often as it
 * stands in a sample. */
uint64_t ff_frame_replace(struct ff_profile *profile, const uint32_t *replacement, uint32_t count);

#endif
