/* SPDX-License-Identifier: MIT
 *
 * Python frames beside native ones to frames that say so. A stack is rewritten as a whole, since
 * what stands towards its leaf decides for all of it.
 */
#include "merge/paired.h"

struct paired {
    struct ff_profile *profile;
    struct ff_parts parts;
    uint8_t *has;      /* by stack: which frames it holds */
    uint32_t *paired;  /* by frame: the same as a paired one; 0 = not made yet */
    uint32_t *rewrote; /* by stack: the same with paired frames; at first 1 where it is wanted */
};

enum { HAS_PYTHON = 1, HAS_NATIVE = 2, HAS_BOTH = 3 };

static void look_at_stacks(struct paired *paired)
{
    const struct ff_profile *profile = paired->profile;
    for (uint32_t i = 1; i < profile->stacks.count; i++) {
        uint8_t part = paired->parts.of[profile->stacks.at[i].frame];
        paired->has[i] = paired->has[profile->stacks.at[i].parent];
        if (part == FF_PART_PYTHON)
            paired->has[i] |= HAS_PYTHON;
        if (part == FF_PART_NATIVE || part == FF_PART_SYSTEM || part == FF_PART_INTERPRETER)
            paired->has[i] |= HAS_NATIVE;
    }
}

static uint32_t paired_frame(struct paired *paired, uint32_t frame)
{
    struct ff_frame row = paired->profile->frames.at[frame];
    if (paired->parts.of[frame] != FF_PART_PYTHON || row.how != FF_HOW_RECORDED)
        return frame;
    row.how = FF_HOW_PAIRED;
    if (!paired->paired[frame])
        paired->paired[frame] = ff_frame_add(paired->profile, row);
    return paired->paired[frame];
}

static bool is_wanted(const struct paired *paired, const struct ff_sample *sample)
{
    uint32_t source = ff_sample_source(paired->profile, sample);
    uint8_t tool = paired->profile->sources.at[source].tool;
    return (tool == FF_TOOL_PY_SPY || tool == FF_TOOL_AUSTIN) &&
           paired->has[sample->stack] == HAS_BOTH;
}

/* Marks the wanted samples' stacks, then rewrites them from the root on. */
static void rewrite_stacks(struct paired *paired)
{
    struct ff_profile *profile = paired->profile;
    uint32_t count = profile->stacks.count;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        if (is_wanted(paired, &profile->samples.at[i]))
            paired->rewrote[profile->samples.at[i].stack] = 1;
    }
    for (uint32_t i = count; i-- > 1;) {
        if (paired->rewrote[i])
            paired->rewrote[profile->stacks.at[i].parent] = 1;
    }
    paired->rewrote[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        struct ff_stack row = profile->stacks.at[i];
        if (paired->rewrote[i])
            paired->rewrote[i] = ff_stack_push(profile, paired->rewrote[row.parent],
                                               paired_frame(paired, row.frame));
    }
}

static uint64_t rewrite_samples(struct paired *paired)
{
    struct ff_profile *profile = paired->profile;
    uint64_t count = 0;
    look_at_stacks(paired);
    rewrite_stacks(paired);
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        struct ff_sample *sample = &profile->samples.at[i];
        if (!is_wanted(paired, sample))
            continue;
        count += sample->count / FF_COUNT_ONE;
        sample->stack = paired->rewrote[sample->stack];
    }
    ff_sample_rebuild(profile);
    return count;
}

uint64_t ff_merge_paired(struct ff_profile *profile)
{
    uint64_t count = 0;
    struct paired paired = {.profile = profile,
                            .has = ff_alloc(profile->stacks.count, sizeof *paired.has),
                            .paired = ff_alloc(profile->frames.count, sizeof *paired.paired),
                            .rewrote = ff_alloc(profile->stacks.count, sizeof *paired.rewrote)};
    profile->out_of_memory |= !paired.has || !paired.paired || !paired.rewrote;
    if (ff_parts_init(&paired.parts, profile) == FF_OK)
        count = rewrite_samples(&paired);
    ff_parts_release(&paired.parts);
    ff_free(paired.has);
    ff_free(paired.paired);
    ff_free(paired.rewrote);
    return count;
}
