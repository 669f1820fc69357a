/* SPDX-License-Identifier: MIT
 *
 * From a stack to the first rule that it fulfils. The hard thing is doing it without trying all
 * rules and without back-tracking: rules are woken by a frame group that they cannot do without,
 * and a path is followed by a small state machine that sees every frame once.
 */
#include "classify/match.h"
#include "classify/sorts.h"

struct ff_matcher {
    const struct ff_profile *profile;
    const struct ff_rules *rules;
    struct ff_sorts sorts;
    uint32_t *first_woken; /* by group: woken[first_woken[g] .. first_woken[g + 1]) are rules */
    uint32_t *woken;
    uint64_t *always; /* bit set of the rules that need no frame */
    uint64_t *awake;  /* ... of the rules to try on this stack */
    uint32_t word_count;
    uint64_t *seen; /* by group: the number of the stack that has a frame in it */
    uint64_t stack_number;
    uint32_t *stack; /* sorts of the frames, leaf first */
    uint32_t *kinds; /* enum ff_frame_kind of the same */
    uint32_t depth, capacity, kinds_capacity;
    bool out_of_memory;
};

static bool needs_frames(const struct ff_term *term)
{
    return !term->negated && term->type <= FF_TERM_OUTERMOST;
}

/* The group that the fewest sorts of frames are in, among those that RULE needs; 0: it needs none.
 */
static uint32_t rarest_group(const struct ff_rules *rules, const struct ff_rule *rule,
                             const uint32_t *frequency)
{
    uint32_t best = 0;
    for (uint32_t t = 0; t < rule->term_count; t++) {
        const struct ff_term *term = &rules->terms.at[rule->first + t];
        for (uint32_t s = term->complement; s < term->step_count && needs_frames(term); s++) {
            uint32_t group = term->steps[s].group;
            if (!best || frequency[group] < frequency[best])
                best = group;
        }
    }
    return best;
}

static void index_rules(struct ff_matcher *matcher, uint32_t *frequency, uint32_t *group_of)
{
    const struct ff_rules *rules = matcher->rules;
    uint32_t *first = matcher->first_woken;
    for (uint32_t i = 0; i < matcher->sorts.group_count; i++)
        frequency[matcher->sorts.groups[i]]++;
    for (uint32_t r = 0; r < rules->rules.count; r++) {
        group_of[r] = rarest_group(rules, &rules->rules.at[r], frequency);
        first[group_of[r] + 1]++;
        if (!group_of[r])
            matcher->always[r / 64] |= UINT64_C(1) << r % 64;
    }
    for (uint32_t g = 0; g < rules->groups.count; g++)
        first[g + 1] += first[g];
    for (uint32_t r = rules->rules.count; r-- > 0;)
        matcher->woken[--first[group_of[r] + 1]] = r;
    for (uint32_t g = 0; g < rules->groups.count; g++)
        first[g] = first[g + 1];
    first[rules->groups.count] = rules->rules.count;
}

struct ff_matcher *ff_matcher_new(const struct ff_profile *profile, const struct ff_rules *rules)
{
    struct ff_matcher *matcher = ff_alloc(1, sizeof *matcher);
    if (!matcher)
        return NULL;
    matcher->profile = profile;
    matcher->rules = rules;
    matcher->word_count = (rules->rules.count + 63) / 64;
    matcher->first_woken = ff_alloc((size_t)rules->groups.count + 2, sizeof *matcher->first_woken);
    matcher->woken = ff_alloc(rules->rules.count, sizeof *matcher->woken);
    matcher->always = ff_alloc(matcher->word_count, sizeof *matcher->always);
    matcher->awake = ff_alloc(matcher->word_count, sizeof *matcher->awake);
    matcher->seen = ff_alloc(rules->groups.count, sizeof *matcher->seen);
    uint32_t *frequency = ff_alloc(rules->groups.count, sizeof *frequency);
    uint32_t *group_of = ff_alloc(rules->rules.count, sizeof *group_of);
    bool ready = matcher->first_woken && matcher->woken && matcher->always && matcher->awake &&
                 matcher->seen && frequency && group_of &&
                 ff_sorts_init(&matcher->sorts, profile, rules) == FF_OK;
    if (ready)
        index_rules(matcher, frequency, group_of);
    ff_free(frequency);
    ff_free(group_of);
    if (ready)
        return matcher;
    ff_matcher_free(matcher);
    return NULL;
}

void ff_matcher_free(struct ff_matcher *matcher)
{
    if (!matcher)
        return;
    ff_sorts_release(&matcher->sorts);
    ff_free(matcher->first_woken);
    ff_free(matcher->woken);
    ff_free(matcher->always);
    ff_free(matcher->awake);
    ff_free(matcher->seen);
    ff_free(matcher->stack);
    ff_free(matcher->kinds);
    ff_free(matcher);
}

static bool in_group(const struct ff_matcher *matcher, uint32_t depth, uint32_t group)
{
    return ff_sort_in(&matcher->sorts, matcher->stack[depth], group);
}

static void wake(struct ff_matcher *matcher, uint32_t sort)
{
    const struct ff_sort *row = &matcher->sorts.sorts.at[sort];
    for (uint32_t i = 0; i < row->count; i++) {
        uint32_t group = matcher->sorts.groups[row->first + i];
        if (matcher->seen[group] == matcher->stack_number)
            continue;
        matcher->seen[group] = matcher->stack_number;
        for (uint32_t w = matcher->first_woken[group]; w < matcher->first_woken[group + 1]; w++)
            matcher->awake[matcher->woken[w] / 64] |= UINT64_C(1) << matcher->woken[w] % 64;
    }
}

/* Lays the stack out, leaf first, and wakes the rules that it could fulfil. */
static void load_stack(struct ff_matcher *matcher, uint32_t stack)
{
    const struct ff_profile *profile = matcher->profile;
    matcher->depth = 0;
    matcher->stack_number++;
    memcpy(matcher->awake, matcher->always, matcher->word_count * sizeof *matcher->awake);
    for (; stack; stack = profile->stacks.at[stack].parent) {
        uint64_t want = (uint64_t)matcher->depth + 1;
        matcher->stack = ff_grow(matcher->stack, &matcher->capacity, want, sizeof *matcher->stack,
                                 &matcher->out_of_memory);
        matcher->kinds = ff_grow(matcher->kinds, &matcher->kinds_capacity, want,
                                 sizeof *matcher->kinds, &matcher->out_of_memory);
        if (matcher->out_of_memory)
            return;
        uint32_t frame = profile->stacks.at[stack].frame;
        matcher->stack[matcher->depth] = matcher->sorts.of_frame[frame];
        matcher->kinds[matcher->depth++] = profile->frames.at[frame].kind;
        wake(matcher, matcher->sorts.of_frame[frame]);
    }
}

/* A path that is being followed: the frames of the steps up to the last one reached. */
struct trail {
    uint32_t frames[FF_TERM_STEPS];
};

static void keep(struct ff_match *match, const uint32_t *frames, uint32_t count)
{
    for (uint32_t i = 0; i < count && match->frame_count < FF_MATCH_FRAMES; i++)
        match->frames[match->frame_count++] = frames[i];
}

/* Where a path may begin: [*first, *end). */
static void path_start(const struct ff_matcher *matcher, const struct ff_term *term,
                       uint32_t *first, uint32_t *end)
{
    *first = 0;
    *end = matcher->depth;
    if (term->type == FF_TERM_ANY)
        return;
    if (term->type == FF_TERM_ROOT && matcher->depth)
        *first = matcher->depth - 1;
    while (term->type == FF_TERM_USER && *first < matcher->depth &&
           matcher->kinds[*first] == FF_FRAME_KERNEL)
        ++*first;
    if (*first < *end)
        *end = *first + 1;
}

/* Bit s of `open`: step s may be any frame from here on; of `direct`: it must be this one. For
 * each, trails[s] is how the step before it was reached first, which leaves the most frames to go.
 */
static bool path_holds(const struct ff_matcher *matcher, const struct ff_term *term,
                       struct ff_match *match)
{
    struct trail trails[FF_TERM_STEPS];
    uint32_t first, end, open = 0, direct = 0;
    path_start(matcher, term, &first, &end);
    for (uint32_t depth = first; depth < matcher->depth; depth++) {
        uint32_t pending = open | direct | (depth < end);
        direct = 0;
        if (!pending)
            return false;
        /* Outer steps first, so that one frame is not taken for two steps. */
        for (uint32_t s = term->step_count; s-- > 0;) {
            if (!(pending >> s & 1) || !in_group(matcher, depth, term->steps[s].group))
                continue;
            trails[s].frames[s] = depth;
            if (s + 1u == term->step_count) {
                keep(match, trails[s].frames, term->step_count);
                return true;
            }
            bool known = open >> (s + 1) & 1;
            if (!known)
                memcpy(&trails[s + 1], &trails[s], sizeof *trails);
            if (term->steps[s + 1].direct)
                direct |= 1u << (s + 1);
            else
                open |= 1u << (s + 1);
        }
    }
    return false;
}

static bool edge_holds(const struct ff_matcher *matcher, const struct ff_term *term,
                       struct ff_match *match)
{
    for (uint32_t i = 0; i < matcher->depth; i++) {
        uint32_t depth = term->type == FF_TERM_INNERMOST ? i : matcher->depth - 1 - i;
        if (in_group(matcher, depth, term->steps[0].group) == term->complement)
            continue;
        if (!in_group(matcher, depth, term->steps[1].group))
            return false;
        keep(match, &depth, 1);
        return true;
    }
    return false;
}

static bool text_holds(const struct ff_matcher *matcher, const struct ff_term *term, uint32_t text)
{
    const struct ff_rules *rules = matcher->rules;
    const struct ff_group *group = &rules->groups.at[term->steps[0].group];
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t glob = rules->patterns.at[rules->members[group->first + i]].symbol;
        if (ff_text_glob(ff_profile_text(matcher->profile, text), ff_rules_text(rules, glob)))
            return true;
    }
    return false;
}

static bool term_holds(const struct ff_matcher *matcher, const struct ff_term *term,
                       const struct ff_sample *sample, struct ff_match *match)
{
    const struct ff_thread *thread = &matcher->profile->threads.at[sample->thread];
    switch (term->type) {
    case FF_TERM_INNERMOST:
    case FF_TERM_OUTERMOST:
        return edge_holds(matcher, term, match);
    case FF_TERM_THREAD:
        return text_holds(matcher, term, ff_thread_label(matcher->profile, sample->thread));
    case FF_TERM_COMM:
        return text_holds(matcher, term, thread->comm);
    case FF_TERM_NAME:
        return text_holds(matcher, term, thread->name);
    case FF_TERM_ROLE:
        return text_holds(matcher, term, thread->role);
    case FF_TERM_STATE:
        return term->states >> sample->state & 1;
    default:
        return path_holds(matcher, term, match);
    }
}

static bool rule_holds(const struct ff_matcher *matcher, uint32_t id,
                       const struct ff_sample *sample, struct ff_match *match)
{
    const struct ff_rule *rule = &matcher->rules->rules.at[id];
    *match = (struct ff_match){.rule = id};
    for (uint32_t t = 0; t < rule->term_count; t++) {
        const struct ff_term *term = &matcher->rules->terms.at[rule->first + t];
        struct ff_match unused = {.frame_count = FF_MATCH_FRAMES};
        if (term_holds(matcher, term, sample, term->negated ? &unused : match) == term->negated)
            return false;
    }
    return true;
}

bool ff_matcher_find(struct ff_matcher *matcher, const struct ff_sample *sample,
                     struct ff_match *match)
{
    load_stack(matcher, sample->stack);
    for (uint32_t word = 0; word < matcher->word_count && !matcher->out_of_memory; word++) {
        uint64_t bits = matcher->awake[word];
        for (; bits; bits &= bits - 1) {
            if (rule_holds(matcher, word * 64 + (uint32_t)__builtin_ctzll(bits), sample, match))
                return true;
        }
    }
    *match = (struct ff_match){.rule = FF_NO_RULE};
    return !matcher->out_of_memory;
}
