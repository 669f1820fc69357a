/* SPDX-License-Identifier: MIT
 *
 * Donors by (thread, function, stack address) and the stacks that need them. The hard thing is
 * honesty: donors that disagree give only what they have in common, and the whole is tested on
 * stacks whose callers are known before any is stitched.
 */
#include "unwind/stitch.h"

#define HOPS_MAX      3u
#define EXACT_PERCENT 95u

/* Which address identifies an activation, the best first. */
enum key_kind { KEY_CFA, KEY_SP, KEY_COUNT };

struct ff_stitch_key {
    uint32_t thread, module;
    uint64_t function, address;
    uint8_t kind;
};

/* A complete stack, kept until it is known which activations are needed. */
struct ff_stitch_offer {
    uint32_t thread, count; /* samples */
    const struct ff_activation *activations;
    uint32_t activation_count;
};

/* One activation and one chain of callers that it had. */
struct ff_stitch_donor {
    struct ff_stitch_key key;
    uint32_t callers; /* stack of the profile, of function frames */
    uint32_t count;   /* samples that had it */
    uint8_t hops;     /* 0: from complete stacks */
    bool tested;
};

/* Samples with the same truncated stack at the same place. */
struct ff_stitch_held {
    struct ff_sample sample;
    const struct ff_activation *activations;
    uint32_t activation_count;
    bool done;
};

/* What the donors of a key say together. */
struct verdict {
    uint32_t callers; /* what all of them have in common */
    uint32_t chains, count;
};

void ff_stitcher_init(struct ff_stitcher *stitcher, struct ff_profile *profile)
{
    *stitcher = (struct ff_stitcher){
        .profile = profile, .offer_count = 1, .needed_count = 1, .donor_count = 1, .held_count = 1};
}

void ff_stitcher_release(struct ff_stitcher *stitcher)
{
    ff_free(stitcher->offers);
    ff_free(stitcher->needed);
    ff_free(stitcher->donors);
    ff_free(stitcher->held);
    ff_map_release(&stitcher->needed_map);
    ff_map_release(&stitcher->donor_map);
    ff_map_release(&stitcher->held_map);
    ff_arena_release(&stitcher->arena);
}

/* False when the activation has no address of that kind. */
static bool make_key(struct ff_stitch_key *key, uint32_t thread,
                     const struct ff_activation *activation, enum key_kind kind)
{
    *key = (struct ff_stitch_key){
        .thread = thread,
        .module = activation->module,
        .function = activation->function,
        .address = kind == KEY_CFA ? activation->cfa : activation->sp,
        .kind = (uint8_t)kind,
    };
    return kind == KEY_SP || activation->has_cfa;
}

static uint64_t key_hash(const struct ff_stitch_key *key)
{
    return ff_hash_mix(ff_hash_mix(ff_hash_mix(key->thread, key->module), key->function),
                       key->address ^ key->kind);
}

static bool key_equal(const struct ff_stitch_key *a, const struct ff_stitch_key *b)
{
    return a->address == b->address && a->function == b->function && a->module == b->module &&
           a->thread == b->thread && a->kind == b->kind;
}

static void add_donor(struct ff_stitcher *stitcher, const struct ff_stitch_key *key,
                      uint32_t callers, uint8_t hops, uint32_t count)
{
    struct ff_probe probe;
    uint64_t hash = key_hash(key);
    for (uint32_t i = ff_map_first(&stitcher->donor_map, hash, &probe); i;
         i = ff_map_next(&stitcher->donor_map, &probe)) {
        struct ff_stitch_donor *donor = &stitcher->donors[i];
        if (donor->callers == callers && donor->hops == hops && key_equal(&donor->key, key)) {
            donor->count += count;
            return;
        }
    }
    stitcher->donors =
        ff_grow(stitcher->donors, &stitcher->donor_capacity, (uint64_t)stitcher->donor_count + 1,
                sizeof *stitcher->donors, &stitcher->failed);
    if (stitcher->donor_count == stitcher->donor_capacity)
        return;
    stitcher->donors[stitcher->donor_count] =
        (struct ff_stitch_donor){*key, callers, count, hops, false};
    ff_map_add(&stitcher->donor_map, hash, stitcher->donor_count++);
}

/* A frame that says which function it is and no more. */
static uint32_t function_frame(struct ff_stitcher *stitcher, const struct ff_activation *activation)
{
    return ff_frame_add(stitcher->profile, (struct ff_frame){
                                               .kind = FF_FRAME_NATIVE,
                                               .how = FF_HOW_STITCHED,
                                               .module = activation->module,
                                               .place = activation->function,
                                           });
}

static bool is_needed(const struct ff_stitcher *stitcher, const struct ff_stitch_key *key)
{
    struct ff_probe probe;
    for (uint32_t i = ff_map_first(&stitcher->needed_map, key_hash(key), &probe); i;
         i = ff_map_next(&stitcher->needed_map, &probe)) {
        if (key_equal(&stitcher->needed[i], key))
            return true;
    }
    return false;
}

static void need(struct ff_stitcher *stitcher, const struct ff_stitch_key *key)
{
    stitcher->needed =
        ff_grow(stitcher->needed, &stitcher->needed_capacity, (uint64_t)stitcher->needed_count + 1,
                sizeof *stitcher->needed, &stitcher->failed);
    if (is_needed(stitcher, key) || stitcher->needed_count == stitcher->needed_capacity)
        return;
    stitcher->needed[stitcher->needed_count] = *key;
    ff_map_add(&stitcher->needed_map, key_hash(key), stitcher->needed_count++);
}

/* A stack whose needed activations become donors; CALLERS are those of its outermost frame. */
struct giver {
    uint32_t thread, count, callers;
    uint8_t hops;
    const struct ff_activation *activations;
    uint32_t activation_count;
};

/* The callers of activation INNER: the functions outside of it. */
static uint32_t callers_of(struct ff_stitcher *stitcher, const struct giver *giver, uint32_t inner)
{
    uint32_t callers = giver->callers;
    for (uint32_t i = giver->activation_count; i-- > inner + 1;)
        callers = ff_stack_push(stitcher->profile, callers,
                                function_frame(stitcher, &giver->activations[i]));
    return callers;
}

static void give(struct ff_stitcher *stitcher, const struct giver *giver)
{
    for (uint32_t i = 0; i < giver->activation_count; i++) {
        for (int kind = 0; kind < KEY_COUNT; kind++) {
            struct ff_stitch_key key;
            if (make_key(&key, giver->thread, &giver->activations[i], (enum key_kind)kind) &&
                is_needed(stitcher, &key))
                add_donor(stitcher, &key, callers_of(stitcher, giver, i), giver->hops,
                          giver->count);
        }
    }
}

static const struct ff_activation *keep_activations(struct ff_stitcher *stitcher,
                                                    const struct ff_unwound *unwound)
{
    size_t size = unwound->activation_count * sizeof *unwound->activations;
    struct ff_activation *copy = ff_arena_take(&stitcher->arena, size);
    if (copy && size)
        memcpy(copy, unwound->activations, size);
    stitcher->failed |= !copy;
    return copy;
}

uint32_t ff_stitcher_offer(struct ff_stitcher *stitcher, uint32_t near, uint32_t thread,
                           const struct ff_unwound *unwound)
{
    size_t size = unwound->activation_count * sizeof *unwound->activations;
    struct ff_stitch_offer *offer = near ? &stitcher->offers[near] : NULL;
    if (offer && offer->thread == thread && offer->activation_count == unwound->activation_count &&
        memcmp(offer->activations, unwound->activations, size) == 0) {
        offer->count++;
        return near;
    }
    stitcher->offers =
        ff_grow(stitcher->offers, &stitcher->offer_capacity, (uint64_t)stitcher->offer_count + 1,
                sizeof *stitcher->offers, &stitcher->failed);
    const struct ff_activation *copy = keep_activations(stitcher, unwound);
    if (!copy || stitcher->offer_count == stitcher->offer_capacity)
        return 0;
    stitcher->offers[stitcher->offer_count] =
        (struct ff_stitch_offer){thread, 1, copy, unwound->activation_count};
    return stitcher->offer_count++;
}

static bool same_activations(const struct ff_stitch_held *held, const struct ff_unwound *unwound)
{
    return held->activation_count == unwound->activation_count &&
           memcmp(held->activations, unwound->activations,
                  unwound->activation_count * sizeof *unwound->activations) == 0;
}

void ff_stitcher_hold(struct ff_stitcher *stitcher, const struct ff_sample *sample,
                      const struct ff_unwound *unwound)
{
    struct ff_probe probe;
    size_t size = unwound->activation_count * sizeof *unwound->activations;
    uint64_t hash =
        ff_hash_bytes(unwound->activations, size, (uint64_t)sample->thread << 32 | sample->stack);
    for (uint32_t i = ff_map_first(&stitcher->held_map, hash, &probe); i;
         i = ff_map_next(&stitcher->held_map, &probe)) {
        struct ff_stitch_held *held = &stitcher->held[i];
        if (held->sample.stack == sample->stack && held->sample.thread == sample->thread &&
            held->sample.event == sample->event && same_activations(held, unwound)) {
            held->sample.count += sample->count;
            held->sample.weight += sample->weight;
            return;
        }
    }
    stitcher->held =
        ff_grow(stitcher->held, &stitcher->held_capacity, (uint64_t)stitcher->held_count + 1,
                sizeof *stitcher->held, &stitcher->failed);
    const struct ff_activation *copy = keep_activations(stitcher, unwound);
    if (!copy || stitcher->held_count == stitcher->held_capacity)
        return;
    stitcher->held[stitcher->held_count] =
        (struct ff_stitch_held){*sample, copy, unwound->activation_count, false};
    ff_map_add(&stitcher->held_map, hash, stitcher->held_count++);
}

/* The common outer part of two stacks: a caller's id is smaller than its callees'. */
static uint32_t common(const struct ff_profile *profile, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a > b)
            a = profile->stacks.at[a].parent;
        else
            b = profile->stacks.at[b].parent;
    }
    return a;
}

/* All donors of a key that are at most HOPS away, but for one sample of EXCEPT (0: none). */
static struct verdict ask(const struct ff_stitcher *stitcher, const struct ff_stitch_key *key,
                          uint8_t hops, uint32_t except)
{
    struct verdict verdict = {0, 0, 0};
    struct ff_probe probe;
    for (uint32_t i = ff_map_first(&stitcher->donor_map, key_hash(key), &probe); i;
         i = ff_map_next(&stitcher->donor_map, &probe)) {
        const struct ff_stitch_donor *donor = &stitcher->donors[i];
        uint32_t count = donor->count - (i == except);
        if (donor->hops > hops || !count || !key_equal(&donor->key, key))
            continue;
        verdict.callers = verdict.chains
                              ? common(stitcher->profile, verdict.callers, donor->callers)
                              : donor->callers;
        verdict.chains++;
        verdict.count += count;
    }
    return verdict;
}

/* The key by which the last frame of a held stack has donors; the first kind that has any. */
static struct verdict ask_for(const struct ff_stitcher *stitcher, const struct ff_stitch_held *held,
                              uint8_t hops, struct ff_stitch_key *key)
{
    struct verdict verdict = {0, 0, 0};
    const struct ff_activation *last = &held->activations[held->activation_count - 1];
    for (int kind = 0; kind < KEY_COUNT && !verdict.chains; kind++) {
        if (make_key(key, held->sample.thread, last, (enum key_kind)kind))
            verdict = ask(stitcher, key, hops, 0);
    }
    return verdict;
}

/* Cuts each complete stack that would serve a held one where that one was cut, and stitches it from
 * the others. */
static void test_itself(struct ff_stitcher *stitcher)
{
    for (uint32_t h = 1; h < stitcher->held_count; h++) {
        struct ff_stitch_key key;
        struct ff_probe probe;
        if (!ask_for(stitcher, &stitcher->held[h], 0, &key).chains)
            continue;
        for (uint32_t i = ff_map_first(&stitcher->donor_map, key_hash(&key), &probe); i;
             i = ff_map_next(&stitcher->donor_map, &probe)) {
            struct ff_stitch_donor *donor = &stitcher->donors[i];
            if (donor->hops || donor->tested || !key_equal(&donor->key, &key))
                continue;
            donor->tested = true;
            struct verdict verdict = ask(stitcher, &key, 0, i);
            if (verdict.chains != 1)
                continue; /* nothing to stitch from, or only a common part: never called exact */
            stitcher->counts.tested += donor->count;
            if (verdict.callers == donor->callers)
                stitcher->counts.exact += donor->count;
        }
    }
}

/* The frames of a stack put upon other callers. */
static uint32_t put_upon(struct ff_stitcher *stitcher, uint32_t callers, uint32_t stack)
{
    struct ff_profile *profile = stitcher->profile;
    uint32_t *frames = NULL, count = 0, capacity = 0;
    for (; stack; stack = profile->stacks.at[stack].parent) {
        frames = ff_grow(frames, &capacity, (uint64_t)count + 1, sizeof *frames, &stitcher->failed);
        if (count < capacity)
            frames[count++] = profile->stacks.at[stack].frame;
    }
    while (count > 0)
        callers = ff_stack_push(profile, callers, frames[--count]);
    ff_free(frames);
    return callers;
}

static uint32_t gap_frame(struct ff_stitcher *stitcher)
{
    return ff_frame_add(stitcher->profile,
                        (struct ff_frame){
                            .kind = FF_FRAME_MARKER,
                            .named = FF_NAMED_RECORDED,
                            .symbol = ff_profile_intern(stitcher->profile, FF_TEXT("[gap]")),
                        });
}

static void stitch(struct ff_stitcher *stitcher, struct ff_stitch_held *held,
                   struct verdict verdict, uint8_t hops)
{
    uint64_t samples = held->sample.count / FF_COUNT_ONE;
    uint32_t callers = verdict.callers;
    if (verdict.chains > 1) {
        callers = ff_stack_push(stitcher->profile, callers, gap_frame(stitcher));
        stitcher->counts.disagreed += samples;
    } else {
        *(verdict.count > 1 ? &stitcher->counts.agreed : &stitcher->counts.single) += samples;
        give(stitcher, &(struct giver){held->sample.thread, (uint32_t)samples, callers, hops,
                                       held->activations, held->activation_count});
    }
    held->sample.stack = put_upon(stitcher, callers, held->sample.stack);
    held->sample.state = FF_STATE_STITCHED;
    held->done = true;
}

/* Stitches what has donors at most HOPS - 1 away. Verdicts first: what is stitched now serves only the
 * next hop. */
static void stitch_hop(struct ff_stitcher *stitcher, uint8_t hops)
{
    struct verdict *verdicts = ff_alloc(stitcher->held_count, sizeof *verdicts);
    struct ff_stitch_key key;
    stitcher->failed |= !verdicts;
    for (uint32_t i = 1; verdicts && i < stitcher->held_count; i++) {
        if (!stitcher->held[i].done)
            verdicts[i] = ask_for(stitcher, &stitcher->held[i], (uint8_t)(hops - 1), &key);
    }
    for (uint32_t i = 1; verdicts && i < stitcher->held_count; i++) {
        if (verdicts[i].chains)
            stitch(stitcher, &stitcher->held[i], verdicts[i], hops);
    }
    ff_free(verdicts);
}

/* Finds the donors of the held stacks among the complete ones. */
static void find_donors(struct ff_stitcher *stitcher)
{
    for (uint32_t i = 1; i < stitcher->held_count; i++) {
        const struct ff_stitch_held *held = &stitcher->held[i];
        const struct ff_activation *last = &held->activations[held->activation_count - 1];
        for (int kind = 0; kind < KEY_COUNT; kind++) {
            struct ff_stitch_key key;
            if (make_key(&key, held->sample.thread, last, (enum key_kind)kind))
                need(stitcher, &key);
        }
    }
    for (uint32_t i = 1; i < stitcher->offer_count && stitcher->needed_count > 1; i++) {
        const struct ff_stitch_offer *offer = &stitcher->offers[i];
        give(stitcher, &(struct giver){offer->thread, offer->count, 0, 0, offer->activations,
                                       offer->activation_count});
    }
}

void ff_stitcher_finish(struct ff_stitcher *stitcher)
{
    struct ff_stitch_counts *counts = &stitcher->counts;
    find_donors(stitcher);
    test_itself(stitcher);
    bool exact = counts->exact * 100 >= counts->tested * EXACT_PERCENT;
    for (uint8_t hops = 1; exact && hops <= HOPS_MAX; hops++)
        stitch_hop(stitcher, hops);
    for (uint32_t i = 1; i < stitcher->held_count; i++) {
        ff_sample_add(stitcher->profile, stitcher->held[i].sample);
        if (!stitcher->held[i].done)
            counts->none += stitcher->held[i].sample.count / FF_COUNT_ONE;
    }
}
