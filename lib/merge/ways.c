/* SPDX-License-Identifier: MIT
 *
 * Stacks to ways. The stack is read from its leaf, so the new way is put down backwards behind the
 * others and turned round; it stays there only if it is new.
 */
#include "merge/ways.h"

static void put(struct ff_ways *ways, uint32_t frame)
{
    ways->frames = ff_grow(ways->frames, &ways->frame_capacity, (uint64_t)ways->frame_count + 1,
                           sizeof *ways->frames, &ways->failed);
    if (ways->frame_count < ways->frame_capacity)
        ways->frames[ways->frame_count++] = frame;
}

/* Puts the Python frames of a stack, leaf first, 0 for native code between two of them. */
static void put_stack(struct ff_ways *ways, const struct ff_profile *profile,
                      const struct ff_parts *parts, uint32_t stack)
{
    bool apart = false, any = false;
    for (; stack; stack = profile->stacks.at[stack].parent) {
        uint32_t frame = profile->stacks.at[stack].frame;
        if (parts->of[frame] == FF_PART_PYTHON) {
            if (apart && any)
                put(ways, 0);
            put(ways, frame);
            apart = false;
            any = true;
        } else {
            apart |= parts->of[frame] == FF_PART_NATIVE || parts->of[frame] == FF_PART_SYSTEM;
        }
    }
}

static bool is_equal(const struct ff_ways *ways, uint32_t id, struct ff_way way)
{
    return ways->at[id].count == way.count &&
           memcmp(ways->frames + ways->at[id].first, ways->frames + way.first,
                  way.count * sizeof *ways->frames) == 0;
}

uint32_t ff_ways_add(struct ff_ways *ways, const struct ff_profile *profile,
                     const struct ff_parts *parts, uint32_t stack)
{
    struct ff_way way = {.first = ways->frame_count};
    put_stack(ways, profile, parts, stack);
    way.count = ways->frame_count - way.first;
    if (!way.count)
        return 0;
    uint32_t *frames = ways->frames + way.first;
    for (uint32_t i = 0; i < way.count / 2; i++) {
        uint32_t frame = frames[i];
        frames[i] = frames[way.count - 1 - i];
        frames[way.count - 1 - i] = frame;
    }
    uint64_t hash = ff_hash_bytes(frames, way.count * sizeof *frames, way.count);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&ways->map, hash, &probe); id;
         id = ff_map_next(&ways->map, &probe)) {
        if (is_equal(ways, id, way)) {
            ways->frame_count = way.first;
            return id;
        }
    }
    if (!ways->count)
        ways->count = 1;
    uint32_t id = ways->count;
    ways->at =
        ff_grow(ways->at, &ways->capacity, (uint64_t)id + 1, sizeof *ways->at, &ways->failed);
    if (id >= ways->capacity)
        return 0;
    ways->at[id] = way;
    ways->count++;
    ff_map_add(&ways->map, hash, id);
    ways->failed |= ways->map.failed;
    return id;
}

static int compare_frames(const struct ff_profile *profile, uint32_t a, uint32_t b)
{
    const struct ff_frame *left = &profile->frames.at[a], *right = &profile->frames.at[b];
    if (a == b)
        return 0;
    int order = ff_text_compare(ff_profile_text(profile, left->symbol),
                                ff_profile_text(profile, right->symbol));
    if (!order)
        order = ff_text_compare(ff_profile_text(profile, left->file),
                                ff_profile_text(profile, right->file));
    return order ? order : left->line < right->line ? -1 : left->line > right->line;
}

int ff_ways_compare(const struct ff_ways *ways, const struct ff_profile *profile, uint32_t a,
                    uint32_t b)
{
    struct ff_way left = ways->at[a], right = ways->at[b];
    for (uint32_t i = 0; i < left.count && i < right.count; i++) {
        int order =
            compare_frames(profile, ways->frames[left.first + i], ways->frames[right.first + i]);
        if (order)
            return order;
    }
    return left.count < right.count ? -1 : left.count > right.count;
}

void ff_ways_release(struct ff_ways *ways)
{
    ff_free(ways->at);
    ff_free(ways->frames);
    ff_map_release(&ways->map);
    *ways = (struct ff_ways){0};
}
