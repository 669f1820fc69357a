/* SPDX-License-Identifier: MIT
 *
 * Stacks to units, and units back to ways: the tables. How the ways are found: sites_solve.c. The hard
 * thing is what a unit may pool: the same row of sites in the same role is the same way, whatever the
 * entry was.
 */
#include "merge/sites_table.h"

#include <stdlib.h>

static int compare_values(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The distinct sites of the profile's frames, and their groups. */
static void find_groups(struct ff_sites *sites)
{
    const struct ff_profile *profile = sites->profile;
    uint32_t count = 0, kept = 0;
    sites->values = ff_alloc(profile->frames.count, sizeof *sites->values);
    sites->groups = ff_alloc(profile->frames.count, sizeof *sites->groups);
    sites->failed |= !sites->values || !sites->groups;
    for (uint32_t i = 1; !sites->failed && i < profile->frames.count; i++) {
        if (profile->frames.at[i].site)
            sites->values[count++] = profile->frames.at[i].site;
    }
    if (count)
        qsort(sites->values, count, sizeof *sites->values, compare_values);
    for (uint32_t i = 0; i < count; i++) {
        if (kept && sites->values[kept - 1] == sites->values[i])
            continue;
        uint64_t value = sites->values[i];
        bool near = kept && value - sites->values[kept - 1] <= FF_SITE_GAP;
        sites->groups[kept] = !kept ? 1 : sites->groups[kept - 1] + !near;
        sites->values[kept++] = value;
    }
    sites->value_count = kept;
}

/* The number of a site's value; value_count: it has none. */
static uint32_t number_of(const struct ff_sites *sites, uint64_t site)
{
    const uint64_t *at = NULL;
    if (site)
        at = bsearch(&site, sites->values, sites->value_count, sizeof site, compare_values);
    return at ? (uint32_t)(at - sites->values) : sites->value_count;
}

/* By frame the first Python frame with the same name and file: lines do not make functions. */
static void find_functions(struct ff_sites *sites)
{
    const struct ff_profile *profile = sites->profile;
    struct ff_map map = {0};
    sites->functions = ff_alloc(profile->frames.count, sizeof *sites->functions);
    sites->failed |= !sites->functions;
    for (uint32_t i = 1; !sites->failed && i < profile->frames.count; i++) {
        const struct ff_frame *row = &profile->frames.at[i];
        struct ff_probe probe;
        if (row->kind != FF_FRAME_PYTHON)
            continue;
        uint64_t hash = ff_hash_mix(row->symbol, row->file);
        uint32_t id = ff_map_first(&map, hash, &probe);
        while (id && (profile->frames.at[id].symbol != row->symbol ||
                      profile->frames.at[id].file != row->file))
            id = ff_map_next(&map, &probe);
        if (!id)
            ff_map_add(&map, hash, i);
        sites->functions[i] = id ? id : i;
    }
    sites->failed |= map.failed;
    ff_map_release(&map);
}

bool ff_sites_init(struct ff_sites *sites, const struct ff_profile *profile,
                   const struct ff_parts *parts, const struct ff_ways *ways,
                   const uint32_t *by_rank)
{
    *sites = (struct ff_sites){.profile = profile,
                               .parts = parts,
                               .ways = ways,
                               .by_rank = by_rank,
                               .unit_count = 1,
                               .seen_count = 1};
    find_groups(sites);
    if (!sites->failed && sites->value_count)
        find_functions(sites);
    return !sites->failed && sites->value_count;
}

uint32_t ff_sites_row(const struct ff_sites *sites, uint32_t stack, uint32_t *row, uint32_t most,
                      uint32_t *site)
{
    const struct ff_profile *profile = sites->profile;
    uint32_t count = 0, known = 0;
    for (uint32_t at = stack; at; at = profile->stacks.at[at].parent) {
        uint32_t frame = profile->stacks.at[at].frame;
        if (sites->parts->of[frame] != FF_PART_EVAL)
            continue;
        if (count == most)
            return 0;
        uint32_t number = number_of(sites, profile->frames.at[frame].site);
        row[count++] = number < sites->value_count ? sites->groups[number] : 0;
        if (number < sites->value_count && !known++)
            *site = number;
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t group = row[i];
        row[i] = row[count - 1 - i];
        row[count - 1 - i] = group;
    }
    return known ? count : 0;
}

uint32_t ff_sites_unit(const struct ff_sites *sites, uint64_t role, const uint32_t *row,
                       uint32_t length)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_bytes(row, length * sizeof *row, role);
    for (uint32_t id = ff_map_first(&sites->unit_map, hash, &probe); id;
         id = ff_map_next(&sites->unit_map, &probe)) {
        const struct ff_site_unit *unit = &sites->units[id];
        if (unit->role == role && unit->length == length &&
            memcmp(sites->rows + unit->row, row, length * sizeof *row) == 0)
            return id;
    }
    return 0;
}

static uint32_t add_unit(struct ff_sites *sites, uint64_t role, const uint32_t *row,
                         uint32_t length)
{
    uint32_t id = sites->unit_count;
    sites->units = ff_grow(sites->units, &sites->unit_capacity, (uint64_t)id + 1,
                           sizeof *sites->units, &sites->failed);
    sites->rows = ff_grow(sites->rows, &sites->row_capacity, (uint64_t)sites->row_count + length,
                          sizeof *sites->rows, &sites->failed);
    if (sites->failed)
        return 0;
    sites->units[id] =
        (struct ff_site_unit){.role = role, .row = sites->row_count, .length = length};
    memcpy(sites->rows + sites->row_count, row, length * sizeof *row);
    sites->row_count += length;
    sites->unit_count++;
    ff_map_add(&sites->unit_map, ff_hash_bytes(row, length * sizeof *row, role), id);
    sites->failed |= sites->unit_map.failed;
    return id;
}

/* The share of a way among all that its role was seen with. */
static uint64_t broad_share(const struct ff_reference *reference,
                            const struct ff_reference_key *role, uint32_t way)
{
    if (!role || !role->total)
        return 0;
    return ff_reference_count(reference, role, way) * FF_ODDS_ONE / role->total;
}

/* The rows of an observation. */
static void add_seen(struct ff_sites *sites, uint32_t unit, const struct ff_odds *odds,
                     const struct ff_reference *reference, uint64_t count)
{
    const struct ff_reference_key *role =
        ff_reference_find(reference, sites->units[sites->units[unit].whole].role);
    for (uint32_t i = 0; i < odds->count; i++) {
        uint32_t id = sites->seen_count;
        sites->seen = ff_grow(sites->seen, &sites->seen_capacity, (uint64_t)id + 1,
                              sizeof *sites->seen, &sites->failed);
        if (sites->failed)
            return;
        sites->seen[id] =
            (struct ff_site_seen){.way = odds->at[i].way,
                                  .share = odds->at[i].share,
                                  .broad = broad_share(reference, role, odds->at[i].way),
                                  .count = count,
                                  .next = sites->units[unit].first_seen};
        sites->units[unit].first_seen = id;
        sites->seen_count++;
    }
}

/* Finds a whole or one of its parts, or adds it. */
static uint32_t unit_of(struct ff_sites *sites, uint64_t role, const uint32_t *row, uint32_t length)
{
    uint32_t unit = ff_sites_unit(sites, role, row, length);
    return unit ? unit : add_unit(sites, role, row, length);
}

void ff_sites_observe(struct ff_sites *sites, uint64_t role, uint32_t stack,
                      const struct ff_odds *odds, const struct ff_reference *reference,
                      uint64_t count)
{
    uint32_t row[FF_SITE_DEPTH], site = 0;
    uint32_t length = ff_sites_row(sites, stack, row, FF_SITE_DEPTH, &site);
    uint32_t whole = length && count ? unit_of(sites, role, row, length) : 0;
    if (!whole)
        return;
    uint32_t key[2] = {whole, site};
    uint32_t part = unit_of(sites, ~role, key, 2);
    if (!part)
        return;
    if (!sites->units[part].whole) {
        sites->units[part].whole = whole;
        sites->units[part].next = sites->units[whole].first_part;
        sites->units[whole].first_part = part;
    }
    sites->units[whole].count += count;
    sites->units[part].count += count;
    add_seen(sites, part, odds, reference, count);
}

uint32_t ff_sites_functions(const struct ff_sites *sites, uint32_t way, uint32_t *functions,
                            uint32_t most)
{
    struct ff_way row = sites->ways->at[sites->by_rank[way]];
    uint32_t count = 0;
    for (uint32_t i = 0; i < row.count && count < most; i++) {
        uint32_t frame = sites->ways->frames[row.first + i];
        if (frame)
            functions[count++] = sites->functions[frame];
    }
    return count;
}

uint32_t ff_sites_innermost(const struct ff_sites *sites, uint32_t way)
{
    struct ff_way row = sites->ways->at[sites->by_rank[way]];
    return row.count ? sites->functions[sites->ways->frames[row.first + row.count - 1]] : 0;
}

uint64_t ff_sites_apply(const struct ff_sites *sites, uint64_t role, uint32_t stack,
                        struct ff_odds *odds)
{
    uint32_t row[FF_SITE_DEPTH], best = 0, kept = 0, site = 0;
    uint32_t length = ff_sites_row(sites, stack, row, FF_SITE_DEPTH, &site);
    uint32_t key[2] = {length ? ff_sites_unit(sites, role, row, length) : 0, site};
    uint32_t id = key[0] ? ff_sites_unit(sites, ~role, key, 2) : 0;
    const struct ff_site_unit *unit = id ? &sites->units[id] : NULL;
    if (!unit || !unit->way_count)
        return 0;
    const struct ff_site_guess *guesses = sites->guesses + unit->guesses;
    odds->at = ff_grow(odds->at, &odds->capacity, unit->way_count, sizeof *odds->at, &odds->failed);
    for (uint32_t i = 0; i < unit->way_count && !odds->failed; i++) {
        if (guesses[i].share)
            odds->at[kept++] = (struct ff_odd){guesses[i].way, guesses[i].share};
        best = guesses[i].share > guesses[best].share ? i : best;
    }
    odds->count = kept;
    uint64_t sure = 0, all = 0;
    uint32_t function = ff_sites_innermost(sites, guesses[best].way);
    for (uint32_t i = 0; i < unit->way_count; i++) {
        all += guesses[i].share;
        sure += ff_sites_innermost(sites, guesses[i].way) == function ? guesses[i].share : 0;
    }
    return all ? sure * FF_ODDS_ONE / all : 0;
}

void ff_sites_release(struct ff_sites *sites)
{
    ff_map_release(&sites->unit_map);
    ff_map_release(&sites->theta_map);
    ff_free(sites->values);
    ff_free(sites->groups);
    ff_free(sites->units);
    ff_free(sites->rows);
    ff_free(sites->seen);
    ff_free(sites->guesses);
    ff_free(sites->thetas);
    ff_free(sites->group_totals);
    ff_free(sites->functions);
    *sites = (struct ff_sites){0};
}
