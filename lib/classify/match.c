/* SPDX-License-Identifier: MIT
 *
 * From a sample and a rule to the frames that decide. The hard thing is doing it without
 * back-tracking: a path is followed by a small state machine that sees every frame once.
 */
#include "classify/match.h"

struct ff_matcher {
    const struct ff_profile *profile;
    const struct ff_rules *rules;
    const struct ff_sorts *sorts;
    uint32_t loaded; /* the stack whose frames these are */
    uint32_t *stack; /* sorts of the frames, leaf first */
    uint32_t *kinds; /* enum ff_frame_kind of the same */
    uint32_t depth, capacity, kinds_capacity;
    bool out_of_memory;
};

struct ff_matcher *ff_matcher_new(const struct ff_profile *profile, const struct ff_rules *rules,
                                  const struct ff_sorts *sorts)
{
    struct ff_matcher *matcher = ff_alloc(1, sizeof *matcher);
    if (matcher)
        *matcher = (struct ff_matcher){.profile = profile, .rules = rules, .sorts = sorts};
    return matcher;
}

void ff_matcher_free(struct ff_matcher *matcher)
{
    if (!matcher)
        return;
    ff_free(matcher->stack);
    ff_free(matcher->kinds);
    ff_free(matcher);
}

static bool in_group(const struct ff_matcher *matcher, uint32_t depth, uint32_t group)
{
    return ff_sort_in(matcher->sorts, matcher->stack[depth], group);
}

static void load_stack(struct ff_matcher *matcher, uint32_t stack)
{
    const struct ff_profile *profile = matcher->profile;
    if (matcher->loaded == stack && stack)
        return;
    matcher->loaded = stack;
    matcher->depth = 0;
    for (; stack; stack = profile->stacks.at[stack].parent) {
        uint64_t want = (uint64_t)matcher->depth + 1;
        matcher->stack = ff_grow(matcher->stack, &matcher->capacity, want, sizeof *matcher->stack,
                                 &matcher->out_of_memory);
        matcher->kinds = ff_grow(matcher->kinds, &matcher->kinds_capacity, want,
                                 sizeof *matcher->kinds, &matcher->out_of_memory);
        if (matcher->out_of_memory)
            return;
        uint32_t frame = profile->stacks.at[stack].frame;
        matcher->stack[matcher->depth] = matcher->sorts->of_frame[frame];
        matcher->kinds[matcher->depth++] = profile->frames.at[frame].kind;
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

static uint8_t population_of(const struct ff_profile *profile, const struct ff_sample *sample)
{
    return profile->sources.at[ff_sample_source(profile, sample)].population;
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
        return term->words >> sample->state & 1;
    case FF_TERM_POPULATION:
        return term->words >> population_of(matcher->profile, sample) & 1;
    default:
        return path_holds(matcher, term, match);
    }
}

bool ff_matcher_holds(struct ff_matcher *matcher, uint32_t id, const struct ff_sample *sample,
                      struct ff_match *match)
{
    const struct ff_rule *rule = &matcher->rules->rules.at[id];
    *match = (struct ff_match){.rule = id};
    load_stack(matcher, sample->stack);
    for (uint32_t t = 0; t < rule->term_count && !matcher->out_of_memory; t++) {
        const struct ff_term *term = &matcher->rules->terms.at[rule->first + t];
        struct ff_match unused = {.frame_count = FF_MATCH_FRAMES};
        if (term_holds(matcher, term, sample, term->negated ? &unused : match) == term->negated)
            return false;
    }
    return !matcher->out_of_memory;
}
