/* SPDX-License-Identifier: MIT
 *
 * Proof for the reader: which rules decided how many samples, and through which frames. The hard
 * thing is showing a deep stack in a few lines: frames that decided are kept, long runs between
 * them are counted.
 */
#include "classify/classify.h"
#include "classify/match.h"

#include <stdlib.h>

#define LEAF_FRAMES  6
#define NAME_COLUMNS 88

/* What one rule did to the samples of one event. */
struct verdict {
    uint32_t event, rule;
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

static int compare_verdicts(const void *a, const void *b)
{
    const struct verdict *x = a, *y = b;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->rule < y->rule ? -1 : x->rule > y->rule;
}

static bool collect(struct verdicts *verdicts, struct ff_matcher *matcher,
                    const struct ff_profile *profile)
{
    for (uint32_t id = 1; id < profile->samples.count; id++) {
        const struct ff_sample *sample = &profile->samples.at[id];
        struct ff_match match;
        if (!ff_matcher_find(matcher, sample, &match))
            return false;
        struct verdict *verdict = verdict_of(verdicts, sample->event, match.rule);
        if (!verdict || verdicts->out_of_memory)
            return false;
        if (!verdict->hottest || sample->count > profile->samples.at[verdict->hottest].count)
            verdict->hottest = id;
        verdict->count += sample->count;
    }
    return true;
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

static void put_verdict(struct ff_profile *profile, const struct ff_rules *rules,
                        struct ff_matcher *matcher, const struct verdict *verdict,
                        struct ff_output *output)
{
    const struct ff_sample *sample = &profile->samples.at[verdict->hottest];
    struct ff_match match;
    if (!ff_matcher_find(matcher, sample, &match))
        return;
    bool found = match.rule != FF_NO_RULE;
    const struct ff_rule *rule = found ? &rules->rules.at[match.rule] : NULL;
    struct ff_text bucket = FF_TEXT("unknown");
    if (found)
        bucket = ff_rules_text(rules, rules->buckets.at[rule->bucket].name);
    ff_output_format(output, "%.*s: ", FF_TEXT_ARGS(bucket));
    ff_output_decimal(output, verdict->count / FF_COUNT_ONE);
    ff_output_string(output, " samples\n");
    if (found) {
        ff_output_format(output, "  %.*s:%u: ", FF_TEXT_ARGS(ff_rules_text(rules, rule->file)),
                         rule->line);
        ff_output_text(output, ff_rules_text(rules, rule->text));
        ff_output_byte(output, '\n');
    } else {
        ff_output_string(output, "  no rule\n");
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

enum ff_status ff_classify_explain(struct ff_profile *profile, const struct ff_rules *rules,
                                   struct ff_output *output)
{
    struct verdicts verdicts = {0};
    struct ff_matcher *matcher = ff_matcher_new(profile, rules);
    bool good = matcher && collect(&verdicts, matcher, profile);
    if (good && verdicts.count)
        qsort(verdicts.at, verdicts.count, sizeof *verdicts.at, compare_verdicts);
    for (uint32_t i = 0; good && i < verdicts.count; i++) {
        if (!i || verdicts.at[i].event != verdicts.at[i - 1].event)
            put_event(profile, verdicts.at[i].event, output);
        put_verdict(profile, rules, matcher, &verdicts.at[i], output);
    }
    ff_matcher_free(matcher);
    ff_free(verdicts.at);
    ff_map_release(&verdicts.map);
    profile->out_of_memory |= !good;
    return ff_profile_status(profile);
}
