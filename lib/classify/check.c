/* SPDX-License-Identifier: MIT
 *
 * Rules for the eye: listed in order, and searched for what is no mistake but hardly meant. The hard
 * thing is to say only what is certain: a rule repeats another one when all of its terms do.
 */
#include "classify/scan.h"

void ff_rules_list(const struct ff_rules *rules, struct ff_output *output)
{
    for (uint32_t i = 0; i < rules->rules.count; i++) {
        const struct ff_rule *rule = &rules->rules.at[i];
        ff_output_format(output, "%.*s:%u: ", FF_TEXT_ARGS(ff_rules_text(rules, rule->file)),
                         rule->line);
        ff_output_text(output, ff_rules_text(rules, rule->text));
        ff_output_byte(output, '\n');
    }
}

static uint64_t hash_terms(const struct ff_rules *rules, const struct ff_rule *rule)
{
    uint64_t hash = rule->tag;
    for (uint32_t t = 0; t < rule->term_count; t++) {
        const struct ff_term *term = &rules->terms.at[rule->first + t];
        hash = ff_hash_mix(hash, (uint64_t)term->words << 8 | term->type);
        for (uint32_t s = 0; s < term->step_count; s++)
            hash = ff_hash_mix(hash, term->steps[s].group);
    }
    return hash;
}

static bool same_term(const struct ff_term *a, const struct ff_term *b)
{
    bool same = a->type == b->type && a->negated == b->negated && a->complement == b->complement &&
                a->step_count == b->step_count && a->words == b->words;
    for (uint32_t s = 0; same && s < a->step_count; s++)
        same = a->steps[s].group == b->steps[s].group && a->steps[s].direct == b->steps[s].direct;
    return same;
}

static bool same_terms(const struct ff_rules *rules, const struct ff_rule *a,
                       const struct ff_rule *b)
{
    bool same = a->tag == b->tag && a->term_count == b->term_count;
    for (uint32_t t = 0; same && t < a->term_count; t++)
        same = same_term(&rules->terms.at[a->first + t], &rules->terms.at[b->first + t]);
    return same;
}

static void note_repeated(const struct ff_rules *rules, struct ff_map *map, uint32_t id,
                          struct ff_output *output)
{
    const struct ff_rule *rule = &rules->rules.at[id];
    uint64_t hash = hash_terms(rules, rule);
    struct ff_probe probe;
    for (uint32_t other = ff_map_first(map, hash, &probe); other;
         other = ff_map_next(map, &probe)) {
        const struct ff_rule *first = &rules->rules.at[other - 1];
        if (!same_terms(rules, first, rule))
            continue;
        ff_output_format(output,
                         "note: %.*s: line %u: never decides: %.*s, line %u asks the same\n",
                         FF_TEXT_ARGS(ff_rules_text(rules, rule->file)), rule->line,
                         FF_TEXT_ARGS(ff_rules_text(rules, first->file)), first->line);
        return;
    }
    ff_map_add(map, hash, id + 1);
}

static void note_unused(const struct ff_rules *rules, const char *name, struct ff_output *output)
{
    for (uint32_t b = 1; b < rules->buckets.count; b++) {
        bool used = false;
        for (uint32_t i = 0; i < rules->rules.count && !used; i++)
            used = rules->rules.at[i].bucket == b;
        if (!used)
            ff_output_format(output, "note: %s: no rule concludes the bucket '%.*s'\n", name,
                             FF_TEXT_ARGS(ff_rules_text(rules, rules->buckets.at[b].name)));
    }
    for (uint32_t t = 1; t < rules->tags.count; t++) {
        bool used = false;
        for (uint32_t i = 0; i < rules->rules.count && !used; i++)
            used = rules->rules.at[i].tag == t;
        if (!used)
            ff_output_format(output, "note: %s: no rule adds the tag '%.*s'\n", name,
                             FF_TEXT_ARGS(ff_rules_text(rules, rules->tags.at[t].name)));
    }
}

enum ff_status ff_rules_check(struct ff_rules *rules, const char *name, struct ff_text text,
                              struct ff_output *output)
{
    struct ff_scan scan = {.rules = rules, .name = name, .tell = output};
    struct ff_map map = {0};
    rules->error = (struct ff_error){0};
    enum ff_status status = ff_scan_lines(&scan, text);
    for (uint32_t i = 0; i < rules->rules.count; i++)
        note_repeated(rules, &map, i, output);
    if (!scan.mistakes)
        note_unused(rules, name, output);
    ff_map_release(&map);
    if (rules->out_of_memory || rules->texts.failed || map.failed)
        return ff_error_set(&rules->error, FF_NO_MEMORY, "%s: out of memory", name);
    if (status == FF_OK && scan.mistakes)
        return ff_error_set(&rules->error, FF_BAD_INPUT, "%s: %llu mistake%s", name,
                            (unsigned long long)scan.mistakes, scan.mistakes == 1 ? "" : "s");
    if (status == FF_OK && !rules->rules.count)
        return ff_error_set(&rules->error, FF_BAD_INPUT, "%s: found no rule, expected at least one",
                            name);
    return status;
}
