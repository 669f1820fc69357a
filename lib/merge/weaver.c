/* SPDX-License-Identifier: MIT
 *
 * A native stack and a way to one merged stack. Both have the same number of clusters, since the
 * key under which the way was found holds it.
 */
#include "merge/weaver.h"
#include "merge/weave.h"

enum ff_status ff_weaver_init(struct ff_weaver *weaver, struct ff_profile *profile,
                              const struct ff_parts *parts, const struct ff_ways *ways,
                              bool plumbing)
{
    *weaver = (struct ff_weaver){.profile = profile,
                                 .parts = parts,
                                 .ways = ways,
                                 .plumbing = plumbing,
                                 .frame_count = profile->frames.count};
    weaver->unmatched = ff_weave_unmatched(profile);
    return ff_profile_status(profile);
}

static uint32_t merged_frame(struct ff_weaver *weaver, uint32_t frame, enum ff_how how)
{
    if (!weaver->as[how])
        weaver->as[how] = ff_alloc(weaver->frame_count, sizeof **weaver->as);
    weaver->failed |= !weaver->as[how];
    if (weaver->failed)
        return frame;
    if (!weaver->as[how][frame]) {
        struct ff_frame row = weaver->profile->frames.at[frame];
        row.how = (uint8_t)how;
        weaver->as[how][frame] = ff_frame_add(weaver->profile, row);
    }
    return weaver->as[how][frame];
}

/* Puts the frames of a way's next cluster; *at goes on behind it. */
static void put_cluster(struct ff_weaver *weaver, struct ff_weave *weave, uint32_t way,
                        enum ff_how how, uint32_t *at)
{
    if (!way) {
        ff_weave_python(weaver->profile, weave, weaver->unmatched);
        return;
    }
    struct ff_way row = weaver->ways->at[way];
    for (; *at < row.count && weaver->ways->frames[row.first + *at]; (*at)++) {
        uint32_t frame = weaver->ways->frames[row.first + *at];
        ff_weave_python(weaver->profile, weave, merged_frame(weaver, frame, how));
    }
    (*at)++;
}

static uint32_t read_path(struct ff_weaver *weaver, uint32_t stack)
{
    const struct ff_profile *profile = weaver->profile;
    uint32_t depth = 0;
    for (uint32_t at = stack; at; at = profile->stacks.at[at].parent)
        depth++;
    weaver->path =
        ff_grow(weaver->path, &weaver->path_capacity, depth, sizeof *weaver->path, &weaver->failed);
    depth = depth < weaver->path_capacity ? depth : weaver->path_capacity;
    for (uint32_t i = depth; i-- > 0; stack = profile->stacks.at[stack].parent)
        weaver->path[i] = profile->stacks.at[stack].frame;
    return depth;
}

uint32_t ff_weaver_put(struct ff_weaver *weaver, uint32_t stack, uint32_t way, enum ff_how how)
{
    struct ff_weave weave = {0};
    uint32_t depth = read_path(weaver, stack), at = 0;
    bool in_cluster = false;
    for (uint32_t i = 0; i < depth; i++) {
        enum ff_part part = (enum ff_part)weaver->parts->of[weaver->path[i]];
        bool eval = part == FF_PART_EVAL || part == FF_PART_OPCODE;
        if (eval && !in_cluster)
            put_cluster(weaver, &weave, way, how, &at);
        if (!eval)
            ff_weave_native(weaver->profile, &weave, weaver->path[i], part, weaver->plumbing);
        in_cluster = eval || (in_cluster && part != FF_PART_NATIVE && part != FF_PART_SYSTEM);
    }
    return weave.whole;
}

void ff_weaver_release(struct ff_weaver *weaver)
{
    for (size_t i = 0; i < FF_HOW_COUNT; i++)
        ff_free(weaver->as[i]);
    ff_free(weaver->path);
    *weaver = (struct ff_weaver){0};
}
