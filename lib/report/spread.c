/* SPDX-License-Identifier: MIT
 *
 * What a merge adds to the variance of a bucket. The hard thing: a merge parts the samples of one native
 * stack; where all parts lie in one bucket, its count is as sure as it was.
 */
#include "report/spread.h"

/* One native stack of a thread. */
struct group {
    uint64_t key; /* of its frames without Python's */
    uint32_t thread, bucket;
    bool mixed; /* its parts lie in several buckets */
};

struct groups {
    struct group *rows;
    struct ff_map map;
    uint32_t count;
};

/* Callers have smaller ids than what they call. */
static uint64_t *native_keys(const struct ff_profile *profile)
{
    uint64_t *keys = ff_alloc(profile->stacks.count, sizeof *keys);
    for (uint32_t id = 1; keys && id < profile->stacks.count; id++) {
        const struct ff_stack *stack = &profile->stacks.at[id];
        uint8_t kind = profile->frames.at[stack->frame].kind;
        bool native = kind != FF_FRAME_PYTHON && kind != FF_FRAME_MARKER;
        keys[id] = native ? ff_hash_mix(keys[stack->parent], stack->frame) : keys[stack->parent];
    }
    return keys;
}

static struct group *group_of(struct groups *groups, uint32_t thread, uint64_t key)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(key, thread);
    uint32_t id = ff_map_first(&groups->map, hash, &probe);
    while (id && (groups->rows[id].key != key || groups->rows[id].thread != thread))
        id = ff_map_next(&groups->map, &probe);
    if (!id) {
        ff_map_add(&groups->map, hash, id = ++groups->count);
        groups->rows[id] = (struct group){.key = key, .thread = thread, .bucket = UINT32_MAX};
    }
    return &groups->rows[id];
}

bool ff_spread_sum(const struct ff_profile *profile, uint32_t event, uint64_t *by_bucket)
{
    struct groups groups = {0};
    uint64_t *keys = native_keys(profile);
    groups.rows = ff_alloc((uint64_t)profile->samples.count + 1, sizeof *groups.rows);
    for (int pass = 0; keys && groups.rows && pass < 2; pass++) {
        for (uint32_t i = 1; i < profile->samples.count; i++) {
            const struct ff_sample *sample = &profile->samples.at[i];
            if (sample->event != event || !sample->spread)
                continue;
            struct group *group = group_of(&groups, sample->thread, keys[sample->stack]);
            group->mixed |= group->bucket != UINT32_MAX && group->bucket != sample->bucket;
            group->bucket = sample->bucket;
            if (pass && group->mixed)
                by_bucket[sample->bucket] += sample->spread;
        }
    }
    bool good = keys && groups.rows && !groups.map.failed;
    ff_map_release(&groups.map);
    ff_free(groups.rows);
    ff_free(keys);
    return good;
}
