/* SPDX-License-Identifier: MIT
 *
 * From frames to the groups that they are in. The hard thing is many patterns against many frames:
 * a pattern is only tried on frames that begin with its first literal bytes, and frames that the
 * rules cannot tell apart are tried once.
 */
#include "classify/sorts.h"

#include <stdio.h>
#include <stdlib.h>

/* How a pattern is found: by its whole symbol, by the first 8 or 4 bytes of it, by the first 4 of
 * its module, or by trying it always. */
enum probe_by { BY_SYMBOL, BY_SYMBOL_8, BY_SYMBOL_4, BY_MODULE_4, BY_NOTHING };

/* What a pattern sees of a frame. */
struct look {
    uint8_t kind;
    struct ff_text module, symbol;
    char place[24]; /* the symbol of a frame that has none */
};

struct bench {
    const struct ff_profile *profile;
    const struct ff_rules *rules;
    struct ff_sorts *sorts;
    struct ff_map pattern_map; /* by the hash of enum probe_by and bytes */
    struct ff_map sort_map;    /* by what frames look like */
    uint32_t *first_group;     /* by pattern id: group_of[first_group[p] .. first_group[p + 1]) */
    uint32_t *group_of;
    uint32_t *seen; /* by group id: the sort that was last found in it */
};

static uint64_t key(enum probe_by by, struct ff_text text)
{
    size_t size = by == BY_SYMBOL ? text.size : by == BY_SYMBOL_8 ? 8 : 4;
    return text.size < size ? 0 : ff_hash_bytes(text.at, size, (uint64_t)by + 1);
}

static size_t literal_size(struct ff_text glob)
{
    ptrdiff_t star = ff_text_find(glob, '*');
    return star < 0 ? glob.size : (size_t)star;
}

static uint64_t pattern_key(const struct ff_rules *rules, const struct ff_pattern *pattern)
{
    struct ff_text symbol = ff_rules_text(rules, pattern->symbol);
    struct ff_text module = ff_rules_text(rules, pattern->module);
    size_t literal = literal_size(symbol);
    if (literal == symbol.size)
        return key(BY_SYMBOL, symbol);
    if (literal >= 4)
        return key(literal >= 8 ? BY_SYMBOL_8 : BY_SYMBOL_4, symbol);
    if (!pattern->any_module && literal_size(module) >= 4)
        return key(BY_MODULE_4, module);
    return BY_NOTHING;
}

static void look_at(const struct ff_profile *profile, uint32_t id, struct look *look)
{
    const struct ff_frame *frame = &profile->frames.at[id];
    look->kind = frame->kind;
    look->module = FF_TEXT("[unknown]");
    if (frame->kind == FF_FRAME_PYTHON || frame->kind == FF_FRAME_TEXT)
        look->module = ff_profile_text(profile, frame->file);
    else if (frame->module)
        look->module = ff_module_name(profile, frame->module);
    look->symbol = ff_profile_text(profile, frame->symbol);
    if (frame->symbol)
        return;
    int size = 1;
    look->place[0] = '+';
    if (frame->named == FF_NAMED_FUNCTION)
        size = snprintf(look->place, sizeof look->place, "+0x%llx",
                        (unsigned long long)frame->function);
    look->symbol = (struct ff_text){look->place, (size_t)size};
}

static bool fits(const struct ff_rules *rules, const struct ff_pattern *pattern,
                 const struct look *look)
{
    return pattern->kinds >> look->kind & 1 &&
           ff_text_glob(look->symbol, ff_rules_text(rules, pattern->symbol)) &&
           (pattern->any_module ||
            ff_text_glob(look->module, ff_rules_text(rules, pattern->module)));
}

static void add_group(struct ff_sorts *sorts, uint32_t group)
{
    sorts->groups = ff_grow(sorts->groups, &sorts->group_capacity, (uint64_t)sorts->group_count + 1,
                            sizeof *sorts->groups, &sorts->out_of_memory);
    if (sorts->group_count < sorts->group_capacity)
        sorts->groups[sorts->group_count++] = group;
}

/* Adds the groups of all patterns that are found under HASH and fit. */
static void try_patterns(struct bench *bench, uint64_t hash, const struct look *look, uint32_t sort)
{
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&bench->pattern_map, hash, &probe); id;
         id = ff_map_next(&bench->pattern_map, &probe)) {
        if (!fits(bench->rules, &bench->rules->patterns.at[id], look))
            continue;
        for (uint32_t i = bench->first_group[id]; i < bench->first_group[id + 1]; i++) {
            uint32_t group = bench->group_of[i];
            if (bench->seen[group] != sort)
                add_group(bench->sorts, group);
            bench->seen[group] = sort;
        }
    }
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

static void find_groups(struct bench *bench, const struct look *look, uint32_t sort)
{
    struct ff_sorts *sorts = bench->sorts;
    uint32_t first = sorts->group_count;
    try_patterns(bench, key(BY_SYMBOL, look->symbol), look, sort);
    try_patterns(bench, key(BY_SYMBOL_8, look->symbol), look, sort);
    try_patterns(bench, key(BY_SYMBOL_4, look->symbol), look, sort);
    try_patterns(bench, key(BY_MODULE_4, look->module), look, sort);
    try_patterns(bench, BY_NOTHING, look, sort);
    uint32_t count = sorts->group_count - first;
    if (count)
        qsort(sorts->groups + first, count, sizeof *sorts->groups, compare_ids);
    sorts->sorts.at[sort].first = first;
    sorts->sorts.at[sort].count = count;
}

static bool same_look(const struct ff_profile *profile, uint32_t a, const struct look *look)
{
    struct look other;
    look_at(profile, a, &other);
    return other.kind == look->kind && ff_text_equal(other.module, look->module) &&
           ff_text_equal(other.symbol, look->symbol);
}

static uint32_t sort_of(struct bench *bench, uint32_t frame)
{
    struct look look;
    struct ff_sorts *sorts = bench->sorts;
    look_at(bench->profile, frame, &look);
    uint64_t hash = ff_hash_bytes(look.symbol.at, look.symbol.size, look.kind);
    hash = ff_hash_bytes(look.module.at, look.module.size, hash);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&bench->sort_map, hash, &probe); id;
         id = ff_map_next(&bench->sort_map, &probe)) {
        if (same_look(bench->profile, sorts->sorts.at[id].frame, &look))
            return id;
    }
    uint32_t id = FF_RULES_ADD_TO(sorts, sorts, sorts->out_of_memory);
    if (!id)
        return 0;
    sorts->sorts.at[id].frame = frame;
    ff_map_add(&bench->sort_map, hash, id);
    find_groups(bench, &look, id);
    return id;
}

/* For each pattern, the groups that it is a member of. */
static void list_groups(struct bench *bench)
{
    const struct ff_rules *rules = bench->rules;
    for (uint32_t g = 1; g < rules->groups.count; g++) {
        for (uint32_t i = 0; i < rules->groups.at[g].count; i++)
            bench->first_group[rules->members[rules->groups.at[g].first + i] + 1]++;
    }
    for (uint32_t p = 0; p < rules->patterns.count; p++)
        bench->first_group[p + 1] += bench->first_group[p];
    uint32_t total = bench->first_group[rules->patterns.count];
    /* Filling moves each start to the next pattern's; going down from the end moves it back. */
    for (uint32_t g = rules->groups.count; g-- > 1;) {
        for (uint32_t i = 0; i < rules->groups.at[g].count; i++) {
            uint32_t pattern = rules->members[rules->groups.at[g].first + i];
            bench->group_of[--bench->first_group[pattern + 1]] = g;
        }
    }
    for (uint32_t p = 0; p < rules->patterns.count; p++)
        bench->first_group[p] = bench->first_group[p + 1];
    bench->first_group[rules->patterns.count] = total;
}

static void fill(struct bench *bench)
{
    struct ff_sorts *sorts = bench->sorts;
    const struct ff_rules *rules = bench->rules;
    FF_RULES_ADD_TO(sorts, sorts, sorts->out_of_memory);
    list_groups(bench);
    for (uint32_t id = 1; id < rules->patterns.count; id++)
        ff_map_add(&bench->pattern_map, pattern_key(rules, &rules->patterns.at[id]), id);
    for (uint32_t id = 1; id < bench->profile->frames.count; id++)
        sorts->of_frame[id] = sort_of(bench, id);
    sorts->out_of_memory |= bench->pattern_map.failed || bench->sort_map.failed;
}

enum ff_status ff_sorts_init(struct ff_sorts *sorts, const struct ff_profile *profile,
                             const struct ff_rules *rules)
{
    struct bench bench = {.profile = profile, .rules = rules, .sorts = sorts};
    *sorts = (struct ff_sorts){0};
    sorts->of_frame = ff_alloc(profile->frames.count, sizeof *sorts->of_frame);
    bench.first_group = ff_alloc((size_t)rules->patterns.count + 2, sizeof *bench.first_group);
    bench.group_of = ff_alloc(rules->member_count, sizeof *bench.group_of);
    bench.seen = ff_alloc(rules->groups.count, sizeof *bench.seen);
    if (sorts->of_frame && bench.first_group && bench.group_of && bench.seen)
        fill(&bench);
    else
        sorts->out_of_memory = true;
    ff_free(bench.first_group);
    ff_free(bench.group_of);
    ff_free(bench.seen);
    ff_map_release(&bench.pattern_map);
    ff_map_release(&bench.sort_map);
    return sorts->out_of_memory ? FF_NO_MEMORY : FF_OK;
}

void ff_sorts_release(struct ff_sorts *sorts)
{
    ff_free(sorts->of_frame);
    ff_free(sorts->sorts.at);
    ff_free(sorts->groups);
    *sorts = (struct ff_sorts){0};
}

bool ff_sort_in(const struct ff_sorts *sorts, uint32_t sort, uint32_t group)
{
    const uint32_t *groups = sorts->groups + sorts->sorts.at[sort].first;
    uint32_t low = 0, high = sorts->sorts.at[sort].count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (groups[middle] < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sorts->sorts.at[sort].count && groups[low] == group;
}
