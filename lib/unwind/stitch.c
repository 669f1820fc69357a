/* SPDX-License-Identifier: MIT
 *
 * Truncated stacks and their donors to stitched stacks. The hard thing is honesty: donors that
 * disagree give only what they have in common, and the whole is tested on stacks whose callers are
 * known before any is stitched.
 */
#include "profile/moment.h"
#include "unwind/stitch.h"

#define EXACT_PERCENT 95u

void ff_stitcher_init(struct ff_stitcher *stitcher, struct ff_profile *profile)
{
    *stitcher =
        (struct ff_stitcher){.profile = profile, .hops_max = FF_STITCH_HOPS, .held_count = 1};
    ff_offers_init(&stitcher->offers);
    ff_donors_init(&stitcher->donors, profile);
}

void ff_stitcher_release(struct ff_stitcher *stitcher)
{
    ff_offers_release(&stitcher->offers);
    ff_free(stitcher->held);
    ff_map_release(&stitcher->held_map);
    ff_donors_release(&stitcher->donors);
    ff_arena_release(&stitcher->arena);
}

static const struct ff_activation *keep_activations(struct ff_stitcher *stitcher,
                                                    const struct ff_activation *activations,
                                                    uint32_t count)
{
    size_t size = count * sizeof *activations;
    struct ff_activation *copy = ff_arena_take(&stitcher->arena, size);
    if (copy && size)
        memcpy(copy, activations, size);
    stitcher->failed |= !copy;
    return copy;
}

void ff_stitcher_offer(struct ff_stitcher *stitcher, struct ff_task task,
                       const struct ff_unwound *unwound)
{
    ff_offers_add(&stitcher->offers, task, false, 1, unwound->activations,
                  unwound->activation_count);
}

static bool is_held(const struct ff_stitch_held *held, const struct ff_stitch_held *other)
{
    return held->sample.stack == other->sample.stack &&
           held->sample.thread == other->sample.thread &&
           held->sample.event == other->sample.event && ff_task_equal(held->task, other->task) &&
           held->activation_count == other->activation_count &&
           memcmp(held->activations, other->activations,
                  other->activation_count * sizeof *other->activations) == 0;
}

/* Keeps a sample with its activations, which are copied. */
static void hold(struct ff_stitcher *stitcher, const struct ff_stitch_held *fresh)
{
    struct ff_probe probe;
    const struct ff_sample *sample = &fresh->sample;
    uint64_t hash =
        ff_hash_bytes(fresh->activations, fresh->activation_count * sizeof *fresh->activations,
                      (uint64_t)sample->thread << 32 | sample->stack);
    for (uint32_t i = ff_map_first(&stitcher->held_map, hash, &probe); i;
         i = ff_map_next(&stitcher->held_map, &probe)) {
        struct ff_stitch_held *held = &stitcher->held[i];
        if (is_held(held, fresh)) {
            held->sample.count += sample->count;
            held->sample.weight += sample->weight;
            held->sample.moments =
                ff_moments_join(stitcher->profile, held->sample.moments, sample->moments);
            return;
        }
    }
    stitcher->held =
        ff_grow(stitcher->held, &stitcher->held_capacity, (uint64_t)stitcher->held_count + 1,
                sizeof *stitcher->held, &stitcher->failed);
    const struct ff_activation *copy =
        keep_activations(stitcher, fresh->activations, fresh->activation_count);
    if (!copy || stitcher->held_count == stitcher->held_capacity)
        return;
    stitcher->held[stitcher->held_count] = *fresh;
    stitcher->held[stitcher->held_count].activations = copy;
    ff_map_add(&stitcher->held_map, hash, stitcher->held_count++);
}

void ff_stitcher_hold(struct ff_stitcher *stitcher, struct ff_task task,
                      const struct ff_sample *sample, const struct ff_unwound *unwound)
{
    if (!unwound->activation_count) { /* memory was out when it was unwound */
        ff_sample_add(stitcher->profile, *sample);
        stitcher->counts.none += sample->count / FF_COUNT_ONE;
        return;
    }
    hold(stitcher, &(struct ff_stitch_held){.sample = *sample,
                                            .task = task,
                                            .activations = unwound->activations,
                                            .activation_count = unwound->activation_count});
}

void ff_stitcher_append(struct ff_stitcher *stitcher, const struct ff_stitcher *from,
                        const struct ff_append *maps)
{
    struct ff_activation *activations = NULL;
    uint32_t capacity = 0;
    ff_offers_append(&stitcher->offers, &from->offers, maps->modules);
    for (uint32_t i = 1; i < from->held_count; i++) {
        struct ff_stitch_held fresh = from->held[i];
        activations = ff_grow(activations, &capacity, fresh.activation_count, sizeof *activations,
                              &stitcher->failed);
        if (capacity < fresh.activation_count)
            break;
        for (uint32_t k = 0; k < fresh.activation_count; k++) {
            activations[k] = fresh.activations[k];
            activations[k].module = maps->modules[activations[k].module];
        }
        fresh.activations = activations;
        fresh.sample = ff_append_sample(stitcher->profile, from->profile, maps, &fresh.sample);
        hold(stitcher, &fresh);
    }
    ff_free(activations);
    stitcher->counts.none += from->counts.none;
    stitcher->failed |= from->failed;
}

/* The key of a held stack's last frame; false when that kind does not serve. Where the CFA is known,
 * the same function with another CFA is another activation, whatever else is equal. */
static bool key_of(const struct ff_stitch_held *held, enum ff_donor_kind kind,
                   struct ff_donor_key *key)
{
    const struct ff_activation *last = &held->activations[held->activation_count - 1];
    return (kind == FF_DONOR_CFA || !last->has_cfa) &&
           ff_donor_key_make(key, held->task, last, kind);
}

/* Asks by the first kind of key that has any donor; a kind that failed its test is none. */
static struct ff_donor_verdict ask(const struct ff_stitcher *stitcher,
                                   const struct ff_stitch_held *held, uint8_t hops,
                                   struct ff_donor_key *key)
{
    struct ff_donor_verdict verdict = {0};
    for (int kind = 0; kind < FF_DONOR_KINDS && !verdict.count; kind++) {
        if (!stitcher->refused[kind] && key_of(held, (enum ff_donor_kind)kind, key))
            verdict = ff_donors_ask(&stitcher->donors, key, hops, 0);
    }
    return verdict;
}

/* Whether donors say nothing about a stack that goes so much deeper. */
static bool is_shallow(const struct ff_stitch_held *held, const struct ff_donor_verdict *verdict,
                       const struct ff_donor_key *key)
{
    return (key->address - held->activations[0].sp) / FF_STITCH_STRETCH > verdict->reach;
}

/* Cuts each complete stack of the recording that would serve a held one where that one was cut, and
 * stitches it from the others. */
static void test_itself(struct ff_stitcher *stitcher)
{
    uint64_t tested[FF_DONOR_KINDS] = {0}, exact[FF_DONOR_KINDS] = {0};
    for (uint32_t h = 1; h < stitcher->held_count; h++) {
        struct ff_donor_key key;
        struct ff_probe probe;
        if (!ask(stitcher, &stitcher->held[h], 0, &key).count)
            continue;
        for (uint32_t i = ff_donors_first(&stitcher->donors, &key, &probe); i;
             i = ff_donors_next(&stitcher->donors, &key, &probe)) {
            struct ff_donor *donor = &stitcher->donors.at[i];
            if (donor->hops || donor->lent || donor->tested)
                continue;
            donor->tested = true;
            struct ff_donor_verdict verdict = ff_donors_ask(&stitcher->donors, &key, 0, i);
            if (!verdict.count || !verdict.agree)
                continue; /* nothing to stitch from, or only a common part: never called exact */
            tested[key.kind] += donor->count;
            exact[key.kind] += verdict.callers == donor->callers ? donor->count : 0;
        }
    }
    for (int kind = 0; kind < FF_DONOR_KINDS; kind++) {
        stitcher->counts.tested += tested[kind];
        stitcher->counts.exact += exact[kind];
        stitcher->refused[kind] = exact[kind] * 100 < tested[kind] * EXACT_PERCENT;
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

/* CALLERS and a gap above them, unless one is there already. */
static uint32_t push_gap(struct ff_profile *profile, uint32_t callers)
{
    uint32_t gap = ff_frame_add(profile, (struct ff_frame){
                                             .kind = FF_FRAME_MARKER,
                                             .named = FF_NAMED_RECORDED,
                                             .symbol = ff_profile_intern(profile, FF_TEXT("[gap]")),
                                         });
    return profile->stacks.at[callers].frame == gap ? callers
                                                    : ff_stack_push(profile, callers, gap);
}

/* Stitches a held stack by its verdict; it then serves the next hop. */
static void stitch(struct ff_stitcher *stitcher, struct ff_stitch_held *held)
{
    struct ff_profile *profile = stitcher->profile;
    const struct ff_donor_verdict *verdict = &held->verdict;
    struct ff_stitch_counts *counts = &stitcher->counts;
    uint64_t samples = held->sample.count / FF_COUNT_ONE;
    struct ff_giver giver = {.task = held->task,
                             .count = (uint32_t)samples,
                             .callers = verdict->callers,
                             .hops = held->hops,
                             .gap = verdict->gap || !verdict->agree,
                             .lent = verdict->lent,
                             .reach_max = verdict->reach,
                             .activations = held->activations,
                             .activation_count = held->activation_count};
    if (!verdict->agree)
        giver.callers = push_gap(profile, giver.callers);
    if (giver.gap)
        counts->disagreed += samples;
    else if (giver.lent)
        counts->lent += samples;
    else
        *(verdict->count > 1 ? &counts->agreed : &counts->single) += samples;
    ff_donors_give(&stitcher->donors, &giver);
    held->sample.stack = put_upon(stitcher, giver.callers, held->sample.stack);
    held->sample.state = FF_STATE_STITCHED;
}

/* Stitches what has donors at most HOPS - 1 away. Verdicts first: what is stitched now serves only the
 * next hop. */
static void stitch_hop(struct ff_stitcher *stitcher, uint8_t hops)
{
    struct ff_donor_key key;
    for (uint32_t i = 1; i < stitcher->held_count; i++) {
        struct ff_stitch_held *held = &stitcher->held[i];
        if (held->hops)
            continue;
        held->verdict = ask(stitcher, held, (uint8_t)(hops - 1), &key);
        if (!held->verdict.count)
            continue;
        held->shallow = is_shallow(held, &held->verdict, &key);
        held->hops = held->shallow ? 0 : hops;
    }
    for (uint32_t i = 1; i < stitcher->held_count; i++) {
        if (stitcher->held[i].hops == hops)
            stitch(stitcher, &stitcher->held[i]);
    }
}

/* Finds the donors of the held stacks among the complete ones. */
static void find_donors(struct ff_stitcher *stitcher)
{
    struct ff_donors *donors = &stitcher->donors;
    struct ff_donor_key key;
    for (uint32_t i = 1; i < stitcher->held_count; i++) {
        for (int kind = 0; kind < FF_DONOR_KINDS; kind++) {
            if (key_of(&stitcher->held[i], (enum ff_donor_kind)kind, &key))
                ff_donors_need(donors, &key);
        }
    }
    const struct ff_offers *offers = &stitcher->offers;
    struct ff_activation *activations = ff_alloc(ff_offers_depth(offers), sizeof *activations);
    stitcher->failed |= !activations;
    for (uint32_t i = 1; activations && i < offers->count && donors->needed_count > 1; i++) {
        const struct ff_offer *offer = &offers->at[i];
        ff_offers_get(offers, offer, activations);
        ff_donors_give(donors, &(struct ff_giver){.task = offer->task,
                                                  .lent = offer->lent,
                                                  .count = offer->count,
                                                  .activations = activations,
                                                  .activation_count = offer->depth});
    }
    ff_free(activations);
}

void ff_stitcher_finish(struct ff_stitcher *stitcher)
{
    struct ff_stitch_counts *counts = &stitcher->counts;
    find_donors(stitcher);
    test_itself(stitcher);
    for (uint8_t hops = 1; hops <= stitcher->hops_max; hops++)
        stitch_hop(stitcher, hops);
    for (uint32_t i = 1; i < stitcher->held_count; i++) {
        const struct ff_stitch_held *held = &stitcher->held[i];
        ff_sample_add(stitcher->profile, held->sample);
        if (!held->hops)
            *(held->shallow ? &counts->shallow : &counts->none) +=
                held->sample.count / FF_COUNT_ONE;
    }
    stitcher->failed |= stitcher->donors.failed | stitcher->offers.failed;
}
