/* SPDX-License-Identifier: MIT
 *
 * A native stack and a way to one merged stack. Both have the same number of clusters, since the
 * key under which the way was found holds it.
 */
#include "merge/weaver.h"

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

static bool is_loop(const struct ff_weaver *weaver, uint32_t frame)
{
    enum ff_part part = (enum ff_part)weaver->parts->of[frame];
    return part == FF_PART_EVAL || part == FF_PART_OPCODE;
}

/* The part of a stack of DEPTH frames that holds the FIRST outermost ones. */
static uint32_t outer_of(const struct ff_weaver *weaver, uint32_t stack, uint32_t depth,
                         uint32_t first)
{
    for (; depth > first; depth--)
        stack = weaver->profile->stacks.at[stack].parent;
    return stack;
}

/* Weaves up to and with the first cluster, whose first loop is path[FIRST]. */
static struct ff_weaver_start begin(struct ff_weaver *weaver, uint32_t first, uint32_t way,
                                    enum ff_how how)
{
    struct ff_weaver_start start = {.way = way, .how = (uint8_t)how};
    for (uint32_t i = 0; i < first; i++)
        ff_weave_native(weaver->profile, &start.weave, weaver->path[i],
                        (enum ff_part)weaver->parts->of[weaver->path[i]], weaver->plumbing);
    put_cluster(weaver, &start.weave, way, how, &start.at);
    return start;
}

static struct ff_weaver_start start_of(struct ff_weaver *weaver, uint32_t outer, uint32_t first,
                                       uint32_t way, enum ff_how how)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix((uint64_t)outer << 32 | way, how);
    for (uint32_t i = ff_map_first(&weaver->start_map, hash, &probe); i;
         i = ff_map_next(&weaver->start_map, &probe)) {
        const struct ff_weaver_start *start = &weaver->starts[i - 1];
        if (start->outer == outer && start->way == way && start->how == how)
            return *start;
    }
    struct ff_weaver_start start = begin(weaver, first, way, how);
    start.outer = outer;
    weaver->starts =
        ff_grow(weaver->starts, &weaver->start_capacity, (uint64_t)weaver->start_count + 1,
                sizeof *weaver->starts, &weaver->failed);
    if (weaver->start_count < weaver->start_capacity) {
        weaver->starts[weaver->start_count++] = start;
        ff_map_add(&weaver->start_map, hash, weaver->start_count);
    }
    weaver->failed |= weaver->start_map.failed;
    return start;
}

uint32_t ff_weaver_put(struct ff_weaver *weaver, uint32_t stack, uint32_t way, enum ff_how how)
{
    uint32_t depth = read_path(weaver, stack), first = 0;
    while (first < depth && !is_loop(weaver, weaver->path[first]))
        first++;
    if (first == depth)
        return stack;
    uint32_t outer = outer_of(weaver, stack, depth, first);
    struct ff_weaver_start start = start_of(weaver, outer, first, way, how);
    bool in_cluster = true;
    for (uint32_t i = first + 1; i < depth; i++) {
        enum ff_part part = (enum ff_part)weaver->parts->of[weaver->path[i]];
        bool loop = is_loop(weaver, weaver->path[i]);
        if (loop && !in_cluster)
            put_cluster(weaver, &start.weave, way, how, &start.at);
        if (!loop)
            ff_weave_native(weaver->profile, &start.weave, weaver->path[i], part, weaver->plumbing);
        in_cluster = loop || (in_cluster && part != FF_PART_NATIVE && part != FF_PART_SYSTEM);
    }
    return start.weave.whole;
}

void ff_weaver_release(struct ff_weaver *weaver)
{
    for (size_t i = 0; i < FF_HOW_COUNT; i++)
        ff_free(weaver->as[i]);
    ff_free(weaver->path);
    ff_free(weaver->starts);
    ff_map_release(&weaver->start_map);
    *weaver = (struct ff_weaver){0};
}
