/* SPDX-License-Identifier: MIT
 *
 * From frames to the groups that they are in. The hard thing is that names repeat: a profile has
 * many frames of one function, and each distinct look is asked once.
 */
#include "classify/sorts.h"

#include <stdio.h>
#include <stdlib.h>

static void add_group(struct ff_sorts *sorts, uint32_t group)
{
    sorts->groups = ff_grow(sorts->groups, &sorts->group_capacity, (uint64_t)sorts->group_count + 1,
                            sizeof *sorts->groups, &sorts->out_of_memory);
    if (sorts->group_count < sorts->group_capacity)
        sorts->groups[sorts->group_count++] = group;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* Adds the groups of all patterns that LOOK fits to the row SORT. */
static void find_groups(struct ff_sorts *sorts, const struct ff_look *look, uint32_t sort)
{
    uint32_t count, first = sorts->group_count;
    const uint32_t *patterns = ff_index_find(&sorts->index, look, &count);
    for (uint32_t p = 0; p < count; p++) {
        uint32_t id = patterns[p];
        for (uint32_t i = sorts->first_group[id]; i < sorts->first_group[id + 1]; i++) {
            uint32_t group = sorts->group_of[i];
            if (sorts->seen[group] != sort)
                add_group(sorts, group);
            sorts->seen[group] = sort;
        }
    }
    count = sorts->group_count - first;
    if (count)
        qsort(sorts->groups + first, count, sizeof *sorts->groups, compare_ids);
    sorts->sorts.at[sort].first = first;
    sorts->sorts.at[sort].count = count;
}

static uint32_t sort_of(struct ff_sorts *sorts, const struct ff_look *look)
{
    struct ff_sort row = {.module = ff_intern(&sorts->names, look->module),
                          .symbol = ff_intern(&sorts->names, look->symbol),
                          .kind = look->kind,
                          .how = look->how};
    uint64_t hash =
        ff_hash_mix((uint64_t)row.module << 32 | row.symbol, (uint64_t)row.how << 8 | row.kind);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&sorts->map, hash, &probe); id;
         id = ff_map_next(&sorts->map, &probe)) {
        const struct ff_sort *other = &sorts->sorts.at[id];
        if (other->module == row.module && other->symbol == row.symbol && other->kind == row.kind &&
            other->how == row.how)
            return id;
    }
    uint32_t id = FF_RULES_ADD_TO(sorts, sorts, sorts->out_of_memory);
    sorts->out_of_memory |= sorts->names.failed;
    if (!id)
        return 0;
    sorts->sorts.at[id] = row;
    ff_map_add(&sorts->map, hash, id);
    sorts->out_of_memory |= sorts->map.failed;
    find_groups(sorts, look, id);
    return id;
}

uint32_t ff_sorts_text(struct ff_sorts *sorts, struct ff_text name)
{
    /* Plain globs fit every kind and module. */
    return sort_of(sorts, &(struct ff_look){.kind = FF_FRAME_TEXT, .symbol = name});
}

static uint32_t sort_of_frame(struct ff_sorts *sorts, const struct ff_profile *profile, uint32_t id)
{
    const struct ff_frame *frame = &profile->frames.at[id];
    struct ff_look look = {.kind = frame->kind, .how = frame->how, .module = FF_TEXT("[unknown]")};
    char place[24] = "+"; /* the symbol of a frame that has none */
    if (frame->kind == FF_FRAME_PYTHON || frame->kind == FF_FRAME_TEXT)
        look.module = ff_profile_text(profile, frame->file);
    else if (frame->module)
        look.module = ff_module_name(profile, frame->module);
    look.symbol = ff_profile_text(profile, frame->symbol);
    if (frame->symbol)
        return sort_of(sorts, &look);
    if (frame->named == FF_NAMED_FUNCTION)
        snprintf(place, sizeof place, "+0x%llx", (unsigned long long)frame->function);
    look.symbol = ff_text(place);
    return sort_of(sorts, &look);
}

/* For each pattern, the groups that it is a member of. */
static void list_groups(struct ff_sorts *sorts)
{
    const struct ff_rules *rules = sorts->rules;
    for (uint32_t g = 1; g < rules->groups.count; g++) {
        for (uint32_t i = 0; i < rules->groups.at[g].count; i++)
            sorts->first_group[rules->members[rules->groups.at[g].first + i] + 1]++;
    }
    for (uint32_t p = 0; p < rules->patterns.count; p++)
        sorts->first_group[p + 1] += sorts->first_group[p];
    uint32_t total = sorts->first_group[rules->patterns.count];
    /* Filling moves each start to the next pattern's; going down from the end moves it back. */
    for (uint32_t g = rules->groups.count; g-- > 1;) {
        for (uint32_t i = 0; i < rules->groups.at[g].count; i++) {
            uint32_t pattern = rules->members[rules->groups.at[g].first + i];
            sorts->group_of[--sorts->first_group[pattern + 1]] = g;
        }
    }
    for (uint32_t p = 0; p < rules->patterns.count; p++)
        sorts->first_group[p] = sorts->first_group[p + 1];
    sorts->first_group[rules->patterns.count] = total;
}

enum ff_status ff_sorts_init(struct ff_sorts *sorts, const struct ff_profile *profile,
                             const struct ff_rules *rules)
{
    *sorts = (struct ff_sorts){.rules = rules};
    sorts->of_frame = ff_alloc(profile->frames.count, sizeof *sorts->of_frame);
    sorts->first_group = ff_alloc((size_t)rules->patterns.count + 2, sizeof *sorts->first_group);
    sorts->group_of = ff_alloc(rules->member_count, sizeof *sorts->group_of);
    sorts->seen = ff_alloc(rules->groups.count, sizeof *sorts->seen);
    FF_RULES_ADD_TO(sorts, sorts, sorts->out_of_memory);
    bool ready = sorts->of_frame && sorts->first_group && sorts->group_of && sorts->seen;
    if (!ff_index_init(&sorts->index, rules) || !ready || sorts->out_of_memory)
        return FF_NO_MEMORY;
    list_groups(sorts);
    for (uint32_t id = 1; id < profile->frames.count; id++)
        sorts->of_frame[id] = sort_of_frame(sorts, profile, id);
    return sorts->out_of_memory ? FF_NO_MEMORY : FF_OK;
}

void ff_sorts_release(struct ff_sorts *sorts)
{
    ff_index_release(&sorts->index);
    ff_intern_release(&sorts->names);
    ff_map_release(&sorts->map);
    ff_free(sorts->of_frame);
    ff_free(sorts->sorts.at);
    ff_free(sorts->groups);
    ff_free(sorts->first_group);
    ff_free(sorts->group_of);
    ff_free(sorts->seen);
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
