/* SPDX-License-Identifier: MIT
 *
 * The stage: every sample gets the bucket of the first rule that its stack fulfils.
 */
#ifndef FF_CLASSIFY_CLASSIFY_H
#define FF_CLASSIFY_CLASSIFY_H

#include "base/output.h"
#include "classify/rules.h"
#include "profile/profile.h"

/* Sets the bucket of every sample, "unknown" where no rule matches, and aggregates the samples
 * again. Buckets that were set before are replaced. FF_OK or FF_NO_MEMORY. */
enum ff_status ff_classify(struct ff_profile *profile, const struct ff_rules *rules);

/* Writes, for every event, each rule that decided a sample, most samples first: bucket, samples,
 * the rule with its place, and the hottest stack that it took, with the frames that decided marked.
 * The profile's buckets need not be set and are not changed. FF_OK or FF_NO_MEMORY. */
enum ff_status ff_classify_explain(struct ff_profile *profile, const struct ff_rules *rules,
                                   struct ff_output *output);

#endif
