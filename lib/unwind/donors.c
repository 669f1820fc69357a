/* SPDX-License-Identifier: MIT
 *
 * Stacks to donors by (thread, function, stack address). The hard thing is to keep little of many
 * stacks: only what is needed, and equal callers once.
 */
#include "unwind/donors.h"

void ff_donors_init(struct ff_donors *donors, struct ff_profile *profile)
{
    *donors = (struct ff_donors){.profile = profile, .needed_count = 1, .count = 1};
}

void ff_donors_release(struct ff_donors *donors)
{
    ff_free(donors->needed);
    ff_free(donors->at);
    ff_map_release(&donors->needed_map);
    ff_map_release(&donors->map);
}

bool ff_donor_key_make(struct ff_donor_key *key, struct ff_task task,
                       const struct ff_activation *activation, enum ff_donor_kind kind)
{
    const uint64_t addresses[FF_DONOR_KINDS] = {activation->cfa, activation->sp, activation->frame};
    const bool known[FF_DONOR_KINDS] = {activation->has_cfa, true, activation->has_frame};
    *key = (struct ff_donor_key){
        .task = task,
        .module = activation->module,
        .kind = (uint8_t)kind,
        .function = activation->function,
        .address = addresses[kind],
    };
    return known[kind];
}

static uint64_t key_hash(const struct ff_donor_key *key)
{
    uint64_t task = ff_hash_mix((uint64_t)key->task.pid << 32 | key->task.tid, key->task.life);
    uint64_t what = (uint64_t)key->module << 8 | key->kind;
    return ff_hash_mix(ff_hash_mix(ff_hash_mix(task, what), key->function), key->address);
}

static bool key_equal(const struct ff_donor_key *a, const struct ff_donor_key *b)
{
    return a->address == b->address && a->function == b->function && a->module == b->module &&
           a->kind == b->kind && ff_task_equal(a->task, b->task);
}

static bool is_needed(const struct ff_donors *donors, const struct ff_donor_key *key)
{
    struct ff_probe probe;
    for (uint32_t i = ff_map_first(&donors->needed_map, key_hash(key), &probe); i;
         i = ff_map_next(&donors->needed_map, &probe)) {
        if (key_equal(&donors->needed[i], key))
            return true;
    }
    return false;
}

void ff_donors_need(struct ff_donors *donors, const struct ff_donor_key *key)
{
    donors->needed =
        ff_grow(donors->needed, &donors->needed_capacity, (uint64_t)donors->needed_count + 1,
                sizeof *donors->needed, &donors->failed);
    if (is_needed(donors, key) || donors->needed_count == donors->needed_capacity)
        return;
    donors->needed[donors->needed_count] = *key;
    donors->needed_kinds[key->kind] = true;
    ff_map_add(&donors->needed_map, key_hash(key), donors->needed_count++);
}

static uint32_t equal_from(const struct ff_donors *donors, const struct ff_donor_key *key,
                           struct ff_probe *probe, uint32_t i)
{
    while (i && !key_equal(&donors->at[i].key, key))
        i = ff_map_next(&donors->map, probe);
    return i;
}

uint32_t ff_donors_first(const struct ff_donors *donors, const struct ff_donor_key *key,
                         struct ff_probe *probe)
{
    return equal_from(donors, key, probe, ff_map_first(&donors->map, key_hash(key), probe));
}

uint32_t ff_donors_next(const struct ff_donors *donors, const struct ff_donor_key *key,
                        struct ff_probe *probe)
{
    return equal_from(donors, key, probe, ff_map_next(&donors->map, probe));
}

static void add(struct ff_donors *donors, const struct ff_donor *donor)
{
    struct ff_probe probe;
    for (uint32_t i = ff_donors_first(donors, &donor->key, &probe); i;
         i = ff_donors_next(donors, &donor->key, &probe)) {
        struct ff_donor *known = &donors->at[i];
        if (known->callers == donor->callers && known->hops == donor->hops &&
            known->lent == donor->lent) {
            known->count += donor->count;
            known->reach = donor->reach > known->reach ? donor->reach : known->reach;
            return;
        }
    }
    donors->at = ff_grow(donors->at, &donors->capacity, (uint64_t)donors->count + 1,
                         sizeof *donors->at, &donors->failed);
    if (donors->count == donors->capacity)
        return;
    donors->at[donors->count] = *donor;
    ff_map_add(&donors->map, key_hash(&donor->key), donors->count++);
}

/* A frame that says which function it is and no more. */
static uint32_t function_frame(struct ff_profile *profile, const struct ff_activation *activation)
{
    return ff_frame_add(profile, (struct ff_frame){
                                     .kind = FF_FRAME_NATIVE,
                                     .how = FF_HOW_STITCHED,
                                     .module = activation->module,
                                     .place = activation->function,
                                 });
}

/* CALLERS and the functions of activations FROM - 1 down to TO, each called by the one before. */
static uint32_t push_functions(struct ff_profile *profile, uint32_t callers,
                               const struct ff_activation *activations, uint32_t from, uint32_t to)
{
    while (from > to)
        callers = ff_stack_push(profile, callers, function_frame(profile, &activations[--from]));
    return callers;
}

void ff_donors_give(struct ff_donors *donors, const struct ff_giver *giver)
{
    struct ff_donor donor = {.callers = giver->callers,
                             .count = giver->count,
                             .hops = giver->hops,
                             .gap = giver->gap,
                             .lent = giver->lent};
    uint32_t pushed = giver->activation_count; /* donor.callers has the functions from here on */
    for (uint32_t i = giver->activation_count; i-- > 0;) {
        for (int kind = 0; kind < FF_DONOR_KINDS; kind++) {
            if (!donors->needed_kinds[kind] ||
                !ff_donor_key_make(&donor.key, giver->task, &giver->activations[i],
                                   (enum ff_donor_kind)kind) ||
                !is_needed(donors, &donor.key))
                continue;
            donor.callers =
                push_functions(donors->profile, donor.callers, giver->activations, pushed, i + 1);
            pushed = i + 1;
            donor.reach = donor.key.address - giver->activations[0].sp;
            if (giver->reach_max && donor.reach > giver->reach_max)
                donor.reach = giver->reach_max;
            add(donors, &donor);
        }
    }
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

/* What the donors with, or those without a gap say. */
static struct ff_donor_verdict ask(const struct ff_donors *donors, const struct ff_donor_key *key,
                                   uint8_t hops, uint32_t except, bool gap)
{
    struct ff_donor_verdict verdict = {.agree = true, .gap = gap, .lent = true};
    struct ff_probe probe;
    for (uint32_t i = ff_donors_first(donors, key, &probe); i;
         i = ff_donors_next(donors, key, &probe)) {
        const struct ff_donor *donor = &donors->at[i];
        uint32_t count = donor->count - (i == except);
        if (donor->hops > hops || donor->gap != gap || !count)
            continue;
        verdict.agree &= !verdict.count || verdict.callers == donor->callers;
        verdict.callers = verdict.count ? common(donors->profile, verdict.callers, donor->callers)
                                        : donor->callers;
        verdict.count += count;
        verdict.lent &= donor->lent;
        verdict.reach = donor->reach > verdict.reach ? donor->reach : verdict.reach;
    }
    return verdict;
}

struct ff_donor_verdict ff_donors_ask(const struct ff_donors *donors,
                                      const struct ff_donor_key *key, uint8_t hops, uint32_t except)
{
    struct ff_donor_verdict verdict = ask(donors, key, hops, except, false);
    return verdict.count ? verdict : ask(donors, key, hops, except, true);
}
