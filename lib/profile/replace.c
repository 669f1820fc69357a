/* SPDX-License-Identifier: MIT
 *
 * Stacks written anew with other frames. A parent's id is smaller than its children's, so one pass
 * over the tree is enough; what no stack uses any more stays as a row that is never written.
 */
#include "profile/replace.h"

uint32_t *ff_frame_replacement(struct ff_profile *profile)
{
    uint32_t *replacement = ff_alloc(profile->frames.count, sizeof *replacement);
    profile->out_of_memory |= !replacement;
    for (uint32_t i = 0; replacement && i < profile->frames.count; i++)
        replacement[i] = i;
    return replacement;
}

/* How many frames of each sample were exchanged, over all samples. */
static uint64_t count_exchanged(const struct ff_profile *profile, const uint32_t *exchanged)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        sum += exchanged[sample->stack] * (sample->count / FF_COUNT_ONE);
    }
    return sum;
}

uint64_t ff_frame_replace(struct ff_profile *profile, const uint32_t *replacement, uint32_t count)
{
    uint32_t stacks = profile->stacks.count;
    uint32_t *renewed = ff_alloc(stacks, sizeof *renewed);
    uint32_t *exchanged = ff_alloc(stacks, sizeof *exchanged);
    uint64_t sum = 0;
    if (renewed && exchanged) {
        for (uint32_t i = 1; i < stacks; i++) {
            struct ff_stack stack = profile->stacks.at[i];
            uint32_t frame = stack.frame < count ? replacement[stack.frame] : stack.frame;
            renewed[i] = ff_stack_push(profile, renewed[stack.parent], frame);
            exchanged[i] = exchanged[stack.parent] + (frame != stack.frame);
        }
        sum = count_exchanged(profile, exchanged);
        for (uint32_t i = 1; i < profile->samples.count; i++)
            profile->samples.at[i].stack = renewed[profile->samples.at[i].stack];
        for (uint32_t i = 1; i < profile->cuts.count; i++) {
            struct ff_cut *cut = &profile->cuts.at[i];
            cut->frame = cut->frame < count ? replacement[cut->frame] : cut->frame;
        }
        ff_sample_rebuild(profile);
    }
    profile->out_of_memory |= !renewed || !exchanged;
    ff_free(renewed);
    ff_free(exchanged);
    return sum;
}
