/* SPDX-License-Identifier: MIT
 *
 * Native stacks to rows with Python frames. Two passes over the samples: the first counts how many
 * native samples each piece of the reference must carry, since that decides the interval of every
 * share; the second writes the rows. The hard thing is to claim no more than the key shows: thread,
 * clusters, native code between them, entry frames.
 */
#include "merge/conditional.h"
#include "merge/odds.h"
#include "merge/shape.h"
#include "merge/sites.h"
#include "merge/weaver.h"
#include "profile/moment.h"

#include <stdlib.h>

/* Levels from specific to broad: three, two, one entry frame of the thread; one of its role; none. */
#define LEVELS         5
#define LEVEL_MARGINAL 4

/* Native samples that rest on one key of the reference, and in how many rows. */
struct load {
    uint64_t key, count, rows;
};

/* A row of few samples is parted over few ways, or rows times ways would be too many: at least one for
 * each sample, and for all rows of a key together at least so many. */
#define WAYS_OF_KEY 256

struct conditional {
    struct ff_profile *profile;
    const uint32_t *identity;
    struct ff_conditional_options options;
    struct ff_conditional_counts counts;
    struct ff_parts parts;
    struct ff_shapes shapes;
    struct ff_ways ways;
    uint32_t *rank, *by_rank; /* of ways: their place in the order of contents, and back */
    struct ff_reference reference;
    uint64_t keys[LEVELS]; /* of the sample at hand */
    struct ff_odds odds;   /* the same */
    struct ff_map load_map;
    struct load *loads;
    uint32_t load_count, load_capacity;
    uint64_t *parts_of_count, *parts_of_weight; /* scratch: by odd */
    struct ff_weaver weaver;
    struct ff_sites sites;
    bool has_sites;
    bool failed;
};

static uint32_t identity_of(const struct conditional *c, const struct ff_sample *sample)
{
    return c->identity[c->profile->threads.at[sample->thread].process];
}

static const struct ff_source *source_of(const struct conditional *c,
                                         const struct ff_sample *sample)
{
    return &c->profile->sources.at[ff_sample_source(c->profile, sample)];
}

static void make_keys(const struct conditional *c, const struct ff_sample *sample,
                      uint64_t keys[LEVELS])
{
    const struct ff_thread *thread = &c->profile->threads.at[sample->thread];
    const struct ff_shape *shape = &c->shapes.at[sample->stack];
    uint64_t base =
        ff_hash_mix(ff_hash_mix(identity_of(c, sample), shape->skeleton), shape->clusters);
    if (c->options.one_to_one)
        base = ff_hash_mix(base, shape->evals);
    uint64_t of_thread = ff_hash_mix(base, thread->tid);
    uint64_t of_role = ff_hash_mix(base, (uint64_t)thread->role << 32);
    for (uint32_t level = 0; level < LEVELS; level++) {
        uint32_t most = level < 3 ? 3 - level : level == 3;
        uint32_t tokens = shape->entry_count < most ? shape->entry_count : most;
        uint64_t key = ff_hash_mix(level < 3 ? of_thread : of_role, level);
        for (uint32_t i = 0; i < tokens; i++)
            key = ff_hash_mix(key, shape->entry[i]);
        keys[level] = ff_hash_mix(key, tokens);
    }
}

/* Whether a source can tell what stood together: not one that shows Python frames only, and not one
 * of chosen moments. */
static bool is_reference(const struct conditional *c, const struct ff_sample *sample)
{
    const struct ff_source *source = source_of(c, sample);
    return source->tool == FF_TOOL_PY_SPY && identity_of(c, sample) &&
           (source->population == FF_POPULATION_RUNNABLE ||
            source->population == FF_POPULATION_UNKNOWN);
}

/* By source: whether any of its stacks has native frames. */
static bool *find_native_sources(const struct conditional *c)
{
    const struct ff_profile *profile = c->profile;
    bool *native = ff_alloc(profile->sources.count, sizeof *native);
    for (uint32_t i = 1; native && i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        bool *mark = &native[ff_sample_source(profile, sample)];
        for (uint32_t at = sample->stack; at && !*mark; at = profile->stacks.at[at].parent) {
            uint8_t part = c->parts.of[profile->stacks.at[at].frame];
            *mark = part == FF_PART_NATIVE || part == FF_PART_SYSTEM;
        }
    }
    return native;
}

static void learn(struct conditional *c)
{
    const struct ff_profile *profile = c->profile;
    bool *native = find_native_sources(c);
    c->failed |= !native;
    for (uint32_t i = 1; native && i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (!is_reference(c, sample) || !native[ff_sample_source(profile, sample)] ||
            !c->shapes.at[sample->stack].clusters)
            continue;
        uint32_t way = ff_ways_add(&c->ways, profile, &c->parts, sample->stack);
        make_keys(c, sample, c->keys);
        for (uint32_t level = 0; way && level < LEVELS; level++)
            ff_reference_add(&c->reference, c->keys[level], way, sample->count / FF_COUNT_ONE);
    }
    ff_free(native);
}

struct sort {
    const struct conditional *c;
    uint32_t way;
};

static int compare_ways(const void *left, const void *right)
{
    const struct sort *a = left, *b = right;
    return ff_ways_compare(&a->c->ways, a->c->profile, a->way, b->way);
}

static void rank_ways(struct conditional *c)
{
    uint32_t count = c->ways.count ? c->ways.count : 1;
    struct sort *order = ff_alloc(count, sizeof *order);
    c->rank = ff_alloc(count, sizeof *c->rank);
    c->by_rank = ff_alloc(count, sizeof *c->by_rank);
    c->failed |= !order || !c->rank || !c->by_rank;
    if (!c->failed) {
        for (uint32_t i = 1; i < count; i++)
            order[i] = (struct sort){c, i};
        qsort(order + 1, count - 1, sizeof *order, compare_ways);
        for (uint32_t i = 1; i < count; i++) {
            c->by_rank[i] = order[i].way;
            c->rank[order[i].way] = i;
        }
        ff_reference_settle(&c->reference, c->rank);
    }
    ff_free(order);
}

/* A stack whose outermost frame is the system's, or which unwinding or stitching completed. */
static bool is_whole(const struct conditional *c, const struct ff_sample *sample)
{
    if (c->shapes.at[sample->stack].gap)
        return false;
    if (sample->state != FF_STATE_RECORDED)
        return sample->state == FF_STATE_COMPLETE || sample->state == FF_STATE_STITCHED;
    uint32_t root = 0;
    for (uint32_t at = sample->stack; at; at = c->profile->stacks.at[at].parent)
        root = c->profile->stacks.at[at].frame;
    return c->parts.of[root] == FF_PART_SYSTEM ||
           ff_text_equal(ff_profile_text(c->profile, c->profile->frames.at[root].symbol),
                         FF_TEXT("_start"));
}

static bool has_python_frames(const struct conditional *c, uint32_t stack)
{
    for (; stack; stack = c->profile->stacks.at[stack].parent) {
        if (c->parts.of[c->profile->stacks.at[stack].frame] == FF_PART_PYTHON)
            return true;
    }
    return false;
}

static bool is_native_sample(const struct conditional *c, const struct ff_sample *sample)
{
    return source_of(c, sample)->tool == FF_TOOL_PERF && identity_of(c, sample) &&
           c->shapes.at[sample->stack].clusters && !has_python_frames(c, sample->stack);
}

static void add_load(struct conditional *c, uint64_t key, uint64_t count)
{
    struct ff_probe probe;
    for (uint32_t i = ff_map_first(&c->load_map, key, &probe); i;
         i = ff_map_next(&c->load_map, &probe)) {
        if (c->loads[i].key == key) {
            c->loads[i].count += count;
            c->loads[i].rows++;
            return;
        }
    }
    if (!c->load_count)
        c->load_count = 1;
    c->loads = ff_grow(c->loads, &c->load_capacity, (uint64_t)c->load_count + 1, sizeof *c->loads,
                       &c->failed);
    if (c->load_count >= c->load_capacity)
        return;
    c->loads[c->load_count] = (struct load){key, count, 1};
    ff_map_add(&c->load_map, key, c->load_count++);
}

static struct load load_of(const struct conditional *c, uint64_t key)
{
    struct ff_probe probe;
    uint32_t i = ff_map_first(&c->load_map, key, &probe);
    while (i && c->loads[i].key != key)
        i = ff_map_next(&c->load_map, &probe);
    return i ? c->loads[i] : (struct load){key, 0, 1};
}

static bool find_odds(struct conditional *c, const struct ff_sample *sample)
{
    make_keys(c, sample, c->keys);
    /* A chain of frame pointers skips frames: an entry that was never seen may be none. */
    bool chain = sample->state == FF_STATE_RECORDED;
    ff_odds_find(&c->odds, &c->reference, c->keys, chain ? LEVEL_MARGINAL : LEVELS);
    c->failed |= c->odds.failed;
    return c->odds.count > 0;
}

static void count_loads(struct conditional *c)
{
    const struct ff_profile *profile = c->profile;
    c->has_sites =
        c->options.sites && ff_sites_init(&c->sites, profile, &c->parts, &c->ways, c->by_rank);
    for (uint32_t i = 1; i < profile->samples.count && !c->failed; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (!is_native_sample(c, sample) || !is_whole(c, sample) || !find_odds(c, sample))
            continue;
        add_load(c, c->odds.key, sample->count);
        if (c->has_sites)
            ff_sites_observe(&c->sites, c->keys[LEVEL_MARGINAL], sample->stack, &c->odds,
                             &c->reference, sample->count / FF_COUNT_ONE);
    }
    if (c->has_sites)
        ff_sites_solve(&c->sites);
    c->failed |= c->sites.failed;
}

/* How sure the parts of a sample are; where its sites name its innermost function, they decide. */
static enum ff_how decide(struct conditional *c, const struct ff_sample *sample)
{
    uint64_t sure = 0;
    if (c->has_sites)
        sure = ff_sites_apply(&c->sites, c->keys[LEVEL_MARGINAL], sample->stack, &c->odds);
    if (sure >= FF_ODDS_ONE / 100 * 95)
        return FF_HOW_SITE;
    return c->odds.level == LEVEL_MARGINAL ? FF_HOW_MARGINAL : FF_HOW_CONDITIONAL;
}

/* count * loaded / seen: the variance that the reference's own sampling adds. */
static uint64_t spread_of(const struct conditional *c, uint64_t count, uint64_t loaded)
{
    uint64_t seen = c->odds.seen ? c->odds.seen : 1, carried = loaded / FF_COUNT_ONE;
    if (carried && count / seen >= UINT64_MAX / 2 / carried)
        return UINT64_MAX / 2;
    return count / seen * carried + count % seen * carried / seen;
}

/* Writes the rows of one native sample; the first takes its place. */
static void part_sample(struct conditional *c, uint32_t id)
{
    struct ff_sample sample = c->profile->samples.at[id];
    uint32_t chain = sample.moments;
    enum ff_how how = decide(c, &sample);
    struct load load = load_of(c, c->odds.key);
    uint64_t samples = sample.count / FF_COUNT_ONE, many = WAYS_OF_KEY / load.rows + 1;
    many = samples > many ? samples : many;
    ff_odds_thin(&c->odds, many < UINT32_MAX ? (uint32_t)many : UINT32_MAX,
                 c->shapes.at[sample.stack].content);
    ff_odds_part(&c->odds, sample.count, c->parts_of_count);
    ff_odds_part(&c->odds, sample.weight, c->parts_of_weight);
    c->profile->samples.at[id].count = c->profile->samples.at[id].weight = 0;
    c->profile->samples.at[id].moments = 0;
    for (uint32_t i = 0; i < c->odds.count && !c->failed; i++) {
        struct ff_sample row = sample;
        row.count = c->parts_of_count[i];
        row.weight = c->parts_of_weight[i];
        if (!row.count && !row.weight)
            continue;
        row.spread = how == FF_HOW_SITE ? 0 : spread_of(c, row.count, load.count);
        row.stack = ff_weaver_put(&c->weaver, sample.stack, c->by_rank[c->odds.at[i].way], how);
        row.moments = ff_moments_take(c->profile, &chain, row.count);
        ff_sample_add(c->profile, row);
    }
    *(how == FF_HOW_SITE       ? &c->counts.site
      : how == FF_HOW_MARGINAL ? &c->counts.marginal
                               : &c->counts.conditional) += sample.count / FF_COUNT_ONE;
}

static void leave_sample(struct conditional *c, uint32_t id)
{
    struct ff_sample *sample = &c->profile->samples.at[id];
    if (!is_whole(c, sample)) {
        c->counts.cut += sample->count / FF_COUNT_ONE;
        return;
    }
    c->counts.unmatched += sample->count / FF_COUNT_ONE;
    sample->stack = ff_weaver_put(&c->weaver, sample->stack, 0, FF_HOW_UNMATCHED);
}

static void part_samples(struct conditional *c)
{
    uint32_t samples = c->profile->samples.count;
    for (uint32_t i = 1; i < samples && !c->failed; i++) {
        if (!is_native_sample(c, &c->profile->samples.at[i]))
            continue;
        if (is_whole(c, &c->profile->samples.at[i]) && find_odds(c, &c->profile->samples.at[i]))
            part_sample(c, i);
        else
            leave_sample(c, i);
    }
    ff_sample_rebuild(c->profile);
}

static bool prepare(struct conditional *c)
{
    if (ff_parts_init(&c->parts, c->profile) != FF_OK ||
        ff_shapes_init(&c->shapes, c->profile, &c->parts) != FF_OK)
        return false;
    learn(c);
    rank_ways(c);
    c->failed |= c->ways.failed || c->reference.failed;
    uint32_t ways = c->ways.count ? c->ways.count : 1;
    c->parts_of_count = ff_alloc(ways, sizeof *c->parts_of_count);
    c->parts_of_weight = ff_alloc(ways, sizeof *c->parts_of_weight);
    c->failed |= !c->parts_of_count || !c->parts_of_weight;
    return !c->failed && c->reference.count &&
           ff_weaver_init(&c->weaver, c->profile, &c->parts, &c->ways, c->options.plumbing) ==
               FF_OK;
}

static void release(struct conditional *c)
{
    ff_parts_release(&c->parts);
    ff_shapes_release(&c->shapes);
    ff_ways_release(&c->ways);
    ff_reference_release(&c->reference);
    ff_odds_release(&c->odds);
    ff_map_release(&c->load_map);
    ff_free(c->rank);
    ff_free(c->by_rank);
    ff_free(c->loads);
    ff_free(c->parts_of_count);
    ff_free(c->parts_of_weight);
    ff_weaver_release(&c->weaver);
    ff_sites_release(&c->sites);
}

enum ff_status ff_merge_conditional(struct ff_profile *profile, const uint32_t *identity,
                                    struct ff_conditional_options options,
                                    struct ff_conditional_counts *counts)
{
    struct conditional c = {.profile = profile, .identity = identity, .options = options};
    if (prepare(&c)) {
        count_loads(&c);
        part_samples(&c);
    }
    profile->out_of_memory |= c.failed || c.weaver.failed;
    if (counts)
        *counts = c.counts;
    release(&c);
    return ff_profile_status(profile);
}
