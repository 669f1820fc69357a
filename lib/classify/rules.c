/* SPDX-License-Identifier: MIT
 *
 * The tables of compiled rules. The hard thing: equal patterns and equal groups are one row each,
 * so that however many rules ask for a frame, it is compared once.
 */
#include "classify/rules.h"

#include <stdlib.h>

extern const char ff_text_default_rules[];
extern const unsigned long ff_text_default_rules_size;

struct ff_rules *ff_rules_new(void)
{
    struct ff_rules *rules = ff_alloc(1, sizeof *rules);
    if (!rules)
        return NULL;
    FF_RULES_ADD(rules, patterns);
    FF_RULES_ADD(rules, groups);
    FF_RULES_ADD(rules, buckets);
    FF_RULES_ADD(rules, tags);
    if (rules->out_of_memory) {
        ff_rules_free(rules);
        return NULL;
    }
    return rules;
}

void ff_rules_free(struct ff_rules *rules)
{
    if (!rules)
        return;
    ff_free(rules->patterns.at);
    ff_free(rules->groups.at);
    ff_free(rules->terms.at);
    ff_free(rules->rules.at);
    ff_free(rules->buckets.at);
    ff_free(rules->tags.at);
    ff_free(rules->members);
    ff_map_release(&rules->pattern_map);
    ff_map_release(&rules->group_map);
    ff_intern_release(&rules->texts);
    ff_free(rules);
}

struct ff_text ff_rules_default(void)
{
    return (struct ff_text){ff_text_default_rules, ff_text_default_rules_size};
}

struct ff_text ff_rules_description(const struct ff_rules *rules, struct ff_text bucket)
{
    uint32_t name = ff_intern_find(&rules->texts, bucket);
    for (uint32_t i = 1; name && i < rules->buckets.count; i++) {
        if (rules->buckets.at[i].name == name)
            return ff_rules_text(rules, rules->buckets.at[i].description);
    }
    return FF_TEXT("");
}

uint32_t ff_pattern_add(struct ff_rules *rules, struct ff_pattern pattern)
{
    uint64_t hash = ff_hash_mix(ff_hash_mix(pattern.module, pattern.symbol),
                                (uint64_t)pattern.hows << 16 | (uint64_t)pattern.kinds << 1 |
                                    pattern.any_module);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&rules->pattern_map, hash, &probe); id;
         id = ff_map_next(&rules->pattern_map, &probe)) {
        const struct ff_pattern *row = &rules->patterns.at[id];
        if (row->kinds == pattern.kinds && row->hows == pattern.hows &&
            row->any_module == pattern.any_module && row->module == pattern.module &&
            row->symbol == pattern.symbol)
            return id;
    }
    uint32_t id = FF_RULES_ADD(rules, patterns);
    rules->patterns.at[id] = pattern;
    if (id)
        ff_map_add(&rules->pattern_map, hash, id);
    return id;
}

void ff_group_member(struct ff_rules *rules, uint32_t pattern)
{
    rules->members =
        ff_grow(rules->members, &rules->member_capacity, (uint64_t)rules->member_count + 1,
                sizeof *rules->members, &rules->out_of_memory);
    if (rules->member_count < rules->member_capacity)
        rules->members[rules->member_count++] = pattern;
}

static int compare_members(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

uint32_t ff_group_close(struct ff_rules *rules, uint32_t first)
{
    uint32_t count = 0;
    if (rules->member_count == first)
        return 0;
    uint32_t *members = rules->members + first;
    qsort(members, rules->member_count - first, sizeof *members, compare_members);
    for (uint32_t i = first; i < rules->member_count; i++) {
        if (!count || members[count - 1] != rules->members[i])
            members[count++] = rules->members[i];
    }
    rules->member_count = first + count;
    uint64_t hash = ff_hash_bytes(members, count * sizeof *members, count);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&rules->group_map, hash, &probe); id;
         id = ff_map_next(&rules->group_map, &probe)) {
        struct ff_group row = rules->groups.at[id];
        if (row.count == count &&
            memcmp(rules->members + row.first, members, count * sizeof *members) == 0) {
            rules->member_count = first;
            return id;
        }
    }
    uint32_t id = FF_RULES_ADD(rules, groups);
    rules->groups.at[id] = (struct ff_group){first, count};
    if (id)
        ff_map_add(&rules->group_map, hash, id);
    return id;
}
