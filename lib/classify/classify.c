/* SPDX-License-Identifier: MIT
 *
 * From stacks to buckets. The hard thing lives in match.c; here every sample is asked once.
 */
#include "classify/classify.h"
#include "classify/match.h"

static enum ff_status no_memory(struct ff_profile *profile)
{
    profile->out_of_memory = true;
    return ff_profile_status(profile);
}

/* The profile's text id for each bucket of the rules; [0] is "unknown". */
static uint32_t *bucket_names(struct ff_profile *profile, const struct ff_rules *rules)
{
    uint32_t *names = ff_alloc(rules->buckets.count, sizeof *names);
    for (uint32_t i = 0; names && i < rules->buckets.count; i++) {
        struct ff_text name = ff_rules_text(rules, rules->buckets.at[i].name);
        names[i] = ff_profile_intern(profile, i ? name : FF_TEXT("unknown"));
    }
    return names;
}

enum ff_status ff_classify(struct ff_profile *profile, const struct ff_rules *rules)
{
    struct ff_matcher *matcher = ff_matcher_new(profile, rules);
    uint32_t *names = bucket_names(profile, rules);
    bool good = matcher && names;
    for (uint32_t id = 1; good && id < profile->samples.count; id++) {
        struct ff_match match;
        struct ff_sample *sample = &profile->samples.at[id];
        good = ff_matcher_find(matcher, sample, &match);
        bool found = match.rule != FF_NO_RULE;
        sample->bucket = names[found ? rules->rules.at[match.rule].bucket : 0];
    }
    ff_matcher_free(matcher);
    ff_free(names);
    if (!good)
        return no_memory(profile);
    ff_sample_rebuild(profile);
    return ff_profile_status(profile);
}
