/* SPDX-License-Identifier: MIT
 *
 * How unsure the buckets of merged samples are.
 */
#ifndef FF_REPORT_SPREAD_H
#define FF_REPORT_SPREAD_H

#include "profile/profile.h"

/* Adds to BY_BUCKET[name] the spread (see struct ff_sample) of the EVENT's samples whose bucket depends on how
 * a merge parted their native stack. False when memory is out. */
bool ff_spread_sum(const struct ff_profile *profile, uint32_t event, uint64_t *by_bucket);

#endif
