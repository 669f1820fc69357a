/* SPDX-License-Identifier: MIT
 *
 * From the rules that hold to buckets and tags. The hard thing lives in walk.c; here the first rule of
 * each kind is taken, and the tags become one text.
 */
#include "classify/classify.h"
#include "classify/match.h"
#include "classify/walk.h"

#include "base/output.h"

#include <stdlib.h>

struct bench {
    struct ff_profile *profile;
    const struct ff_rules *rules;
    struct ff_matcher *matcher;
    uint32_t *names;       /* by bucket: text of the profile; [0] is "unknown" */
    uint32_t *order;       /* tags by the bytes of their keys */
    uint32_t *chosen;      /* by tag: the first rule that holds + 1; 0: none */
    uint32_t chosen_count; /* of the sample at hand */
    struct ff_output scratch;
};

static enum ff_status no_memory(struct ff_profile *profile)
{
    profile->out_of_memory = true;
    return ff_profile_status(profile);
}

static void name_buckets(struct bench *bench)
{
    const struct ff_rules *rules = bench->rules;
    for (uint32_t i = 0; i < rules->buckets.count; i++) {
        struct ff_text name = ff_rules_text(rules, rules->buckets.at[i].name);
        bench->names[i] = ff_profile_intern(bench->profile, i ? name : FF_TEXT("unknown"));
    }
}

/* Insertion sort: keys are few. */
static void order_tags(struct bench *bench)
{
    const struct ff_rules *rules = bench->rules;
    for (uint32_t i = 1; i < rules->tags.count; i++) {
        struct ff_text name = ff_rules_text(rules, rules->tags.at[i].name);
        uint32_t at = i;
        for (; at > 1; at--) {
            uint32_t before = bench->order[at - 1];
            if (ff_text_compare(ff_rules_text(rules, rules->tags.at[before].name), name) < 0)
                break;
            bench->order[at] = before;
        }
        bench->order[at] = i;
    }
}

/* The first frame that the rule names: its function or its module. */
static struct ff_text frame_value(struct bench *bench, uint32_t rule,
                                  const struct ff_sample *sample)
{
    const struct ff_profile *profile = bench->profile;
    struct ff_match match;
    uint32_t stack = sample->stack;
    if (!ff_matcher_holds(bench->matcher, rule, sample, &match) || !match.frame_count)
        return FF_TEXT("");
    for (uint32_t i = 0; i < match.frames[0]; i++)
        stack = profile->stacks.at[stack].parent;
    uint32_t frame = profile->stacks.at[stack].frame;
    if (bench->rules->rules.at[rule].value_from == FF_TAG_MODULE)
        return ff_module_name(profile, profile->frames.at[frame].module);
    return ff_profile_text(profile, ff_frame_name(bench->profile, frame));
}

/* A blank would end the word. */
static void put_value(struct ff_output *output, struct ff_text value)
{
    for (size_t i = 0; i < value.size; i++)
        ff_output_byte(output, (unsigned char)value.at[i] <= ' ' ? '_' : value.at[i]);
}

static void put_tag(struct bench *bench, uint32_t tag, const struct ff_sample *sample)
{
    const struct ff_rules *rules = bench->rules;
    uint32_t id = bench->chosen[tag] - 1;
    const struct ff_rule *rule = &rules->rules.at[id];
    struct ff_text value = ff_rules_text(rules, rule->value);
    if (bench->scratch.used)
        ff_output_byte(&bench->scratch, ' ');
    ff_output_text(&bench->scratch, ff_rules_text(rules, rules->tags.at[tag].name));
    if (rule->value_from != FF_TAG_TEXT)
        value = frame_value(bench, id, sample);
    if (value.size)
        ff_output_byte(&bench->scratch, ':');
    put_value(&bench->scratch, value);
}

/* The tags of the rules that were chosen, in order of their keys; forgets the choice. */
static uint32_t take_tags(struct bench *bench, const struct ff_sample *sample)
{
    struct ff_output *scratch = &bench->scratch;
    scratch->used = 0;
    for (uint32_t i = 1; i < bench->rules->tags.count && bench->chosen_count; i++) {
        uint32_t tag = bench->order[i];
        if (!bench->chosen[tag])
            continue;
        put_tag(bench, tag, sample);
        bench->chosen[tag] = 0;
        bench->chosen_count--;
    }
    return ff_profile_intern(bench->profile, (struct ff_text){scratch->buffer, scratch->used});
}

static bool classify_sample(void *context, struct ff_walk *walk, uint32_t id)
{
    struct bench *bench = context;
    struct ff_sample *sample = &bench->profile->samples.at[id];
    bool tags = bench->rules->tags.count > 1;
    uint32_t bucket = 0, rule;
    while ((!bucket || tags) && ff_walk_next(walk, &rule)) {
        const struct ff_rule *row = &bench->rules->rules.at[rule];
        if (row->bucket && !bucket)
            bucket = row->bucket;
        if (row->tag && !bench->chosen[row->tag]) {
            bench->chosen[row->tag] = rule + 1;
            bench->chosen_count++;
        }
    }
    sample->bucket = bench->names[bucket];
    sample->tags = take_tags(bench, sample);
    return !bench->scratch.out_of_memory;
}

enum ff_status ff_classify(struct ff_profile *profile, const struct ff_rules *rules)
{
    struct bench bench = {.profile = profile, .rules = rules};
    struct ff_walk *walk = ff_walk_new(profile, rules);
    bench.names = ff_alloc(rules->buckets.count, sizeof *bench.names);
    bench.order = ff_alloc(rules->tags.count, sizeof *bench.order);
    bench.chosen = ff_alloc(rules->tags.count, sizeof *bench.chosen);
    bench.matcher = walk ? ff_matcher_new(profile, rules, ff_walk_sorts(walk)) : NULL;
    ff_output_memory(&bench.scratch);
    bool good = bench.matcher && bench.names && bench.order && bench.chosen;
    if (good) {
        name_buckets(&bench);
        order_tags(&bench);
        good = ff_walk_run(walk, classify_sample, &bench);
    }
    ff_output_close(&bench.scratch, &profile->error);
    ff_matcher_free(bench.matcher);
    ff_walk_free(walk);
    ff_free(bench.names);
    ff_free(bench.order);
    ff_free(bench.chosen);
    if (!good)
        return no_memory(profile);
    ff_sample_rebuild(profile);
    return ff_profile_status(profile);
}
