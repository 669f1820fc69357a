/* SPDX-License-Identifier: MIT
 *
 * Proof for the reader: which rules decided how many samples, and through which frames. The hard
 * thing is showing a deep stack in a few lines: frames that decided are kept, long runs between
 * them are counted.
 */
#include "classify/classify.h"
#include "classify/match.h"
#include "classify/walk.h"

#include <stdlib.h>

#define LEAF_FRAMES  6
#define NAME_COLUMNS 88

/* What one rule did to the samples of one event. */
struct verdict {
    uint32_t event, rule;
    bool tag;         /* the rule adds a tag */
    uint64_t count;   /* in units of 1 / FF_COUNT_ONE */
    uint32_t hottest; /* sample id; the first at a tie */
};

struct verdicts {
    struct verdict *at;
    uint32_t count, capacity;
    struct ff_map map;
    bool out_of_memory;
};

static struct verdict *verdict_of(struct verdicts *verdicts, uint32_t event, uint32_t rule)
{
    uint64_t hash = ff_hash_mix(event, rule);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&verdicts->map, hash, &probe); id;
         id = ff_map_next(&verdicts->map, &probe)) {
        struct verdict *row = &verdicts->at[id - 1];
        if (row->event == event && row->rule == rule)
            return row;
    }
    verdicts->at = ff_grow(verdicts->at, &verdicts->capacity, (uint64_t)verdicts->count + 1,
                           sizeof *verdicts->at, &verdicts->out_of_memory);
    if (verdicts->count == verdicts->capacity)
        return NULL;
    struct verdict *row = &verdicts->at[verdicts->count++];
    *row = (struct verdict){.event = event, .rule = rule};
    ff_map_add(&verdicts->map, hash, verdicts->count);
    verdicts->out_of_memory |= verdicts->map.failed;
    return row;
}

/* Rules for buckets before rules for tags, then most samples first. */
static int compare_verdicts(const void *a, const void *b)
{
    const struct verdict *x = a, *y = b;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag ? 1 : -1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->rule < y->rule ? -1 : x->rule > y->rule;
}

struct bench {
    const struct ff_profile *profile;
    const struct ff_rules *rules;
    struct verdicts verdicts;
    uint32_t *told; /* by tag: the sample that last got it */
};

static bool count_rule(struct bench *bench, uint32_t rule, uint32_t id)
{
    const struct ff_sample *sample = &bench->profile->samples.at[id];
    struct verdict *verdict = verdict_of(&bench->verdicts, sample->event, rule);
    if (!verdict || bench->verdicts.out_of_memory)
        return false;
    uint64_t most = bench->profile->samples.at[verdict->hottest].count;
    if (!verdict->hottest || sample->count > most ||
        (sample->count == most && id < verdict->hottest))
        verdict->hottest = id;
    verdict->tag = rule != FF_NO_RULE && bench->rules->rules.at[rule].tag;
    verdict->count += sample->count;
    return true;
}

static bool collect(void *context, struct ff_walk *walk, uint32_t id)
{
    struct bench *bench = context;
    bool found = false, good = true;
    uint32_t rule;
    while (good && ff_walk_next(walk, &rule)) {
        const struct ff_rule *row = &bench->rules->rules.at[rule];
        if (row->tag ? bench->told[row->tag] == id : found)
            continue;
        if (row->tag)
            bench->told[row->tag] = id;
        found |= row->bucket != 0;
        good = count_rule(bench, rule, id);
    }
    return good && (found || count_rule(bench, FF_NO_RULE, id));
}

static bool decided(const struct ff_match *match, uint32_t depth)
{
    for (uint32_t i = 0; i < match->frame_count; i++) {
        if (match->frames[i] == depth)
            return true;
    }
    return false;
}

static void put_skipped(struct ff_output *output, uint32_t *skipped)
{
    if (*skipped)
        ff_output_format(output, "      ... %u more\n", *skipped);
    *skipped = 0;
}

/* Leaf first; '>' marks the frames that decided. */
static void put_stack(struct ff_profile *profile, const struct ff_match *match, uint32_t stack,
                      struct ff_output *output)
{
    uint32_t depth = 0, skipped = 0;
    for (; stack; stack = profile->stacks.at[stack].parent, depth++) {
        bool mark = decided(match, depth);
        if (!mark && depth >= LEAF_FRAMES) {
            skipped++;
            continue;
        }
        uint32_t frame = profile->stacks.at[stack].frame;
        struct ff_text name = ff_profile_text(profile, ff_frame_name(profile, frame));
        struct ff_text module = ff_module_name(profile, profile->frames.at[frame].module);
        put_skipped(output, &skipped);
        ff_output_string(output, mark ? "    > " : "      ");
        ff_output_text(output, ff_text_slice(name, 0, NAME_COLUMNS));
        if (module.size && profile->frames.at[frame].symbol)
            ff_output_format(output, " (%.*s)", FF_TEXT_ARGS(module));
        ff_output_byte(output, '\n');
    }
    put_skipped(output, &skipped);
}

/* "cuda_launch", "+phase:backward", "+api:SYMBOL" */
static void put_conclusion(const struct ff_rules *rules, const struct ff_rule *rule,
                           struct ff_output *output)
{
    struct ff_text head = ff_rules_text(rules, rule->text);
    size_t end = 0;
    while (end < head.size && head.at[end] != ' ' && head.at[end] != '\t')
        end++;
    if (rule->tag)
        ff_output_text(output, ff_text_slice(head, 0, end - 1)); /* without the colon */
    else
        ff_output_text(output, ff_rules_text(rules, rules->buckets.at[rule->bucket].name));
}

static void put_verdict(struct ff_profile *profile, const struct ff_rules *rules,
                        struct ff_matcher *matcher, const struct verdict *verdict,
                        struct ff_output *output)
{
    const struct ff_sample *sample = &profile->samples.at[verdict->hottest];
    struct ff_match match = {.rule = FF_NO_RULE};
    if (verdict->rule == FF_NO_RULE) {
        ff_output_format(output, "unknown: ");
    } else {
        put_conclusion(rules, &rules->rules.at[verdict->rule], output);
        ff_output_format(output, ": ");
        ff_matcher_holds(matcher, verdict->rule, sample, &match);
    }
    ff_output_decimal(output, verdict->count / FF_COUNT_ONE);
    ff_output_string(output, " samples\n");
    if (verdict->rule == FF_NO_RULE) {
        ff_output_string(output, "  no rule\n");
    } else {
        const struct ff_rule *rule = &rules->rules.at[verdict->rule];
        ff_output_format(output, "  %.*s:%u: ", FF_TEXT_ARGS(ff_rules_text(rules, rule->file)),
                         rule->line);
        ff_output_text(output, ff_rules_text(rules, rule->text));
        ff_output_byte(output, '\n');
    }
    ff_output_string(output, "    the hottest stack, innermost frame first, '>' decided:\n");
    put_stack(profile, &match, sample->stack, output);
}

static void put_event(const struct ff_profile *profile, uint32_t id, struct ff_output *output)
{
    const struct ff_event *event = &profile->events.at[id];
    struct ff_text source = ff_profile_text(profile, profile->sources.at[event->source].name);
    ff_output_format(output, "# %.*s", FF_TEXT_ARGS(source));
    ff_output_format(output, ", %.*s\n", FF_TEXT_ARGS(ff_profile_text(profile, event->name)));
}

static void put_all(struct ff_profile *profile, const struct ff_rules *rules,
                    struct verdicts *verdicts, struct ff_matcher *matcher, struct ff_output *output)
{
    if (verdicts->count)
        qsort(verdicts->at, verdicts->count, sizeof *verdicts->at, compare_verdicts);
    for (uint32_t i = 0; i < verdicts->count; i++) {
        if (!i || verdicts->at[i].event != verdicts->at[i - 1].event)
            put_event(profile, verdicts->at[i].event, output);
        put_verdict(profile, rules, matcher, &verdicts->at[i], output);
    }
}

enum ff_status ff_classify_explain(struct ff_profile *profile, const struct ff_rules *rules,
                                   struct ff_output *output)
{
    struct bench bench = {.profile = profile, .rules = rules};
    struct ff_walk *walk = ff_walk_new(profile, rules);
    struct ff_matcher *matcher = NULL;
    bench.told = ff_alloc(rules->tags.count, sizeof *bench.told);
    if (walk)
        matcher = ff_matcher_new(profile, rules, ff_walk_sorts(walk));
    bool good = matcher && bench.told && ff_walk_run(walk, collect, &bench);
    if (good)
        put_all(profile, rules, &bench.verdicts, matcher, output);
    ff_matcher_free(matcher);
    ff_walk_free(walk);
    ff_free(bench.told);
    ff_free(bench.verdicts.at);
    ff_map_release(&bench.verdicts.map);
    profile->out_of_memory |= !good;
    return ff_profile_status(profile);
}
