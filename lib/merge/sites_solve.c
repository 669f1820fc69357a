/* SPDX-License-Identifier: MIT
 *
 * Units to ways by expectation and maximisation: what entries say of a unit's ways gives each group of
 * sites its functions; that a group is one function says more of the ways; and again. The hard thing
 * is to align a row of loops with a way: from 3.11 on one loop runs several Python frames, so a way may
 * be longer; how often it is, is found on the way, too.
 */
#include "merge/sites_table.h"

#include <stdlib.h>

#define ROUNDS     4
#define WAYS_MOST  64u /* of a unit, by what its entries say */
#define CELLS      ((size_t)1 << 16)
#define TRUST      20                    /* samples of a unit that the groups count for, at most */
#define FLOOR      (FF_ODDS_ONE / 10000) /* of a way that its role was hardly ever seen with */
#define UNSEEN     7 /* bits: an entry that was never seen with a way is 2^-7 as likely */
#define IMPOSSIBLE INT64_MIN

/* An alignment: dp[i * stride + j] is the best for the first i loops and j functions. */
struct grid {
    int64_t *cells;
    uint32_t loops, functions, stride;
    const uint32_t *row, *frames;
    int64_t skip; /* bits of a function without a loop */
};

static int compare_seen(const void *left, const void *right)
{
    const struct ff_site_guess *a = left, *b = right;
    if (a->seen != b->seen)
        return a->seen > b->seen ? -1 : 1;
    return a->way < b->way ? -1 : a->way > b->way;
}

static int compare_ways(const void *left, const void *right)
{
    const struct ff_site_guess *a = left, *b = right;
    return a->way < b->way ? -1 : a->way > b->way;
}

/* What one entry adds to a way that it was seen with. */
static int64_t bits_of_seen(const struct ff_site_seen *seen)
{
    uint64_t broad = seen->broad + FLOOR;
    int64_t bits =
        ff_bits_of(seen->share + (broad >> UNSEEN)) - ff_bits_of(broad) + UNSEEN * FF_BITS_ONE;
    uint64_t count = seen->count < 1000000 ? seen->count : 1000000;
    return bits * (int64_t)count;
}

/* Sets the shares of a unit's guesses from SCORES; impossible ones get none, unless all are. */
static void set_shares(struct ff_site_guess *guesses, const int64_t *scores, uint32_t count)
{
    int64_t best = IMPOSSIBLE;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        best = scores[i] > best ? scores[i] : best;
    for (uint32_t i = 0; i < count; i++) {
        int64_t score = best == IMPOSSIBLE ? guesses[i].seen - guesses[0].seen : scores[i] - best;
        bool none = best != IMPOSSIBLE && scores[i] == IMPOSSIBLE;
        guesses[i].share = none ? 0 : ff_bits_share(-score);
        sum += guesses[i].share;
    }
    for (uint32_t i = 0; i < count && sum; i++)
        guesses[i].share = guesses[i].share * FF_ODDS_ONE / sum;
}

static void set_shares_by_entries(struct ff_site_guess *guesses, uint32_t count)
{
    int64_t scores[WAYS_MOST];
    for (uint32_t i = 0; i < count; i++)
        scores[i] = guesses[i].seen;
    set_shares(guesses, scores, count);
}

static uint32_t count_seen(const struct ff_sites *sites, uint32_t part)
{
    uint32_t many = 0;
    for (uint32_t i = sites->units[part].first_seen; i; i = sites->seen[i].next)
        many++;
    return many;
}

/* A guess for each row that was seen in a part; returns how many. */
static uint32_t list_seen(const struct ff_sites *sites, uint32_t part,
                          struct ff_site_guess *guesses)
{
    uint32_t many = 0;
    for (uint32_t i = sites->units[part].first_seen; i; i = sites->seen[i].next) {
        const struct ff_site_seen *seen = &sites->seen[i];
        guesses[many++] = (struct ff_site_guess){
            .way = seen->way, .seen = bits_of_seen(seen), .share = seen->broad + FLOOR};
    }
    return many;
}

/* The guesses of a whole or a part: one for each way that any of its entries was seen with, the best
 * first. */
static void begin_unit(struct ff_sites *sites, uint32_t id)
{
    struct ff_site_unit *unit = &sites->units[id];
    uint32_t first = sites->guess_count, many = unit->whole ? count_seen(sites, id) : 0, kept = 0;
    for (uint32_t part = unit->first_part; part; part = sites->units[part].next)
        many += count_seen(sites, part);
    sites->guesses = ff_grow(sites->guesses, &sites->guess_capacity, (uint64_t)first + many,
                             sizeof *sites->guesses, &sites->failed);
    if (sites->failed || !many)
        return;
    struct ff_site_guess *guesses = sites->guesses + first;
    uint32_t at = unit->whole ? list_seen(sites, id, guesses) : 0;
    for (uint32_t part = unit->first_part; part; part = sites->units[part].next)
        at += list_seen(sites, part, guesses + at);
    qsort(guesses, many, sizeof *guesses, compare_ways);
    for (uint32_t i = 0; i < many; i++) {
        if (kept && guesses[kept - 1].way == guesses[i].way) {
            guesses[kept - 1].seen += guesses[i].seen;
            continue;
        }
        guesses[kept] = guesses[i];
        guesses[kept++].seen += ff_bits_of(guesses[i].share);
    }
    qsort(guesses, kept, sizeof *guesses, compare_seen);
    unit->guesses = first;
    unit->way_count = kept < WAYS_MOST ? kept : WAYS_MOST;
    sites->guess_count = first + unit->way_count;
    set_shares_by_entries(guesses, unit->way_count);
}

static struct ff_site_theta *find_theta(struct ff_sites *sites, uint32_t group, uint32_t function,
                                        bool add)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(group, function);
    for (uint32_t i = ff_map_first(&sites->theta_map, hash, &probe); i;
         i = ff_map_next(&sites->theta_map, &probe)) {
        if (sites->thetas[i].group == group && sites->thetas[i].function == function)
            return &sites->thetas[i];
    }
    if (!add)
        return NULL;
    if (!sites->theta_count)
        sites->theta_count = 1;
    sites->thetas = ff_grow(sites->thetas, &sites->theta_capacity, (uint64_t)sites->theta_count + 1,
                            sizeof *sites->thetas, &sites->failed);
    if (sites->failed)
        return NULL;
    sites->thetas[sites->theta_count] =
        (struct ff_site_theta){.group = group, .function = function};
    ff_map_add(&sites->theta_map, hash, sites->theta_count);
    sites->failed |= sites->theta_map.failed;
    return &sites->thetas[sites->theta_count++];
}

/* Bits of a function in a group: nothing is known of a loop without a site, or before the first round. */
static int64_t bits_of_theta(struct ff_sites *sites, uint32_t group, uint32_t function)
{
    uint64_t total = group ? sites->group_totals[group] : 0;
    if (!total)
        return 0;
    const struct ff_site_theta *theta = find_theta(sites, group, function, false);
    return ff_bits_of((theta ? theta->weight : 0) + total / 50 + 1) - ff_bits_of(total + 1);
}

static int64_t *cell(const struct grid *grid, uint32_t loops, uint32_t functions)
{
    return &grid->cells[(size_t)loops * grid->stride + functions];
}

/* The best alignment in which each loop has a function, in order, and the last has the last. */
static int64_t align(struct ff_sites *sites, struct grid *grid)
{
    for (uint32_t j = 0; j <= grid->functions; j++)
        *cell(grid, 0, j) = grid->skip * j;
    for (uint32_t i = 1; i <= grid->loops; i++) {
        for (uint32_t j = 0; j <= grid->functions; j++) {
            int64_t best = IMPOSSIBLE, before = j ? *cell(grid, i - 1, j - 1) : IMPOSSIBLE;
            bool last = i == grid->loops;
            if (before != IMPOSSIBLE && (!last || j == grid->functions))
                best = before + bits_of_theta(sites, grid->row[i - 1], grid->frames[j - 1]);
            if (!last && j && *cell(grid, i, j - 1) != IMPOSSIBLE &&
                *cell(grid, i, j - 1) + grid->skip > best)
                best = *cell(grid, i, j - 1) + grid->skip;
            *cell(grid, i, j) = best;
        }
    }
    return *cell(grid, grid->loops, grid->functions);
}

/* Goes back along the best alignment and gives WEIGHT to each pair. */
static void learn(struct ff_sites *sites, const struct grid *grid, uint64_t weight)
{
    uint32_t j = grid->functions;
    sites->skipped += weight * (grid->functions - grid->loops);
    sites->stepped += weight * grid->loops;
    for (uint32_t i = grid->loops; i; i--) {
        while (i < grid->loops && j > i && *cell(grid, i, j - 1) != IMPOSSIBLE &&
               *cell(grid, i, j) == *cell(grid, i, j - 1) + grid->skip)
            j--;
        if (grid->row[i - 1]) {
            struct ff_site_theta *theta =
                find_theta(sites, grid->row[i - 1], grid->frames[j - 1], true);
            if (!theta)
                return;
            theta->next += weight;
        }
        j--;
    }
}

static bool set_grid(struct ff_sites *sites, struct grid *grid, const struct ff_site_unit *unit,
                     uint32_t way, uint32_t *functions)
{
    grid->row = sites->rows + unit->row;
    grid->loops = unit->length;
    grid->frames = functions;
    grid->functions = ff_sites_functions(sites, way, functions, FF_SITE_DEPTH);
    grid->stride = grid->functions + 1;
    return grid->functions >= grid->loops && (size_t)(grid->loops + 1) * grid->stride <= CELLS;
}

/* The weights of all groups from the shares as they are. */
static void maximise(struct ff_sites *sites, struct grid *grid)
{
    uint32_t functions[FF_SITE_DEPTH];
    for (uint32_t u = 1; u < sites->unit_count && !sites->failed; u++) {
        const struct ff_site_unit *unit = &sites->units[u];
        for (uint32_t i = 0; i < unit->way_count && !unit->whole; i++) {
            const struct ff_site_guess *guess = &sites->guesses[unit->guesses + i];
            if (guess->share < FF_ODDS_ONE / 1024 ||
                !set_grid(sites, grid, unit, guess->way, functions) ||
                align(sites, grid) == IMPOSSIBLE)
                continue;
            learn(sites, grid, unit->count * (guess->share >> 10));
        }
    }
}

/* The shares of all guesses from the weights as they are. */
static void expect(struct ff_sites *sites, struct grid *grid)
{
    uint32_t functions[FF_SITE_DEPTH];
    int64_t scores[WAYS_MOST];
    for (uint32_t u = 1; u < sites->unit_count && !sites->failed; u++) {
        const struct ff_site_unit *unit = &sites->units[u];
        int64_t trust = unit->count < TRUST ? (int64_t)unit->count : TRUST;
        if (unit->whole)
            continue;
        for (uint32_t i = 0; i < unit->way_count; i++) {
            const struct ff_site_guess *guess = &sites->guesses[unit->guesses + i];
            bool fits = set_grid(sites, grid, unit, guess->way, functions);
            int64_t bits = fits ? align(sites, grid) : IMPOSSIBLE;
            scores[i] = bits == IMPOSSIBLE ? IMPOSSIBLE : guess->seen + bits * trust;
        }
        set_shares(sites->guesses + unit->guesses, scores, unit->way_count);
    }
}

/* The weights of this round take the place of the last one's. */
static void end_round(struct ff_sites *sites, struct grid *grid)
{
    memset(sites->group_totals, 0, ((size_t)sites->value_count + 1) * sizeof *sites->group_totals);
    for (uint32_t i = 1; i < sites->theta_count; i++) {
        struct ff_site_theta *theta = &sites->thetas[i];
        theta->weight = theta->next;
        theta->next = 0;
        sites->group_totals[theta->group] += theta->weight;
    }
    grid->skip = ff_bits_of(sites->skipped + 1) - ff_bits_of(sites->skipped + sites->stepped + 2);
    sites->skipped = sites->stepped = 0;
}

static uint64_t hash_of_functions(const struct ff_sites *sites, uint32_t way)
{
    uint32_t functions[FF_SITE_DEPTH];
    uint32_t count = ff_sites_functions(sites, way, functions, FF_SITE_DEPTH);
    return ff_hash_bytes(functions, count * sizeof *functions, count);
}

/* A part goes through the functions that its whole found; its own entries decide the lines. */
static void solve_part(struct ff_sites *sites, const struct ff_site_unit *part)
{
    const struct ff_site_unit *whole = &sites->units[part->whole];
    struct ff_site_guess *guesses = sites->guesses + part->guesses;
    const struct ff_site_guess *known = sites->guesses + whole->guesses;
    uint64_t hashes[WAYS_MOST];
    int64_t scores[WAYS_MOST];
    for (uint32_t j = 0; j < whole->way_count; j++)
        hashes[j] = hash_of_functions(sites, known[j].way);
    for (uint32_t i = 0; i < part->way_count; i++) {
        uint64_t hash = hash_of_functions(sites, guesses[i].way), share = 0;
        for (uint32_t j = 0; j < whole->way_count; j++)
            share += hashes[j] == hash ? known[j].share : 0;
        scores[i] = share ? guesses[i].seen + ff_bits_of(share) * TRUST : IMPOSSIBLE;
    }
    set_shares(guesses, scores, part->way_count);
}

void ff_sites_solve(struct ff_sites *sites)
{
    struct grid grid = {.cells = ff_alloc(CELLS, sizeof *grid.cells), .skip = -113836};
    sites->group_totals = ff_alloc((size_t)sites->value_count + 1, sizeof *sites->group_totals);
    sites->failed |= !grid.cells || !sites->group_totals;
    for (uint32_t u = 1; u < sites->unit_count && !sites->failed; u++)
        begin_unit(sites, u);
    for (int round = 0; round < ROUNDS && !sites->failed; round++) {
        maximise(sites, &grid);
        end_round(sites, &grid);
        expect(sites, &grid);
    }
    for (uint32_t u = 1; u < sites->unit_count && !sites->failed; u++) {
        if (sites->units[u].whole)
            solve_part(sites, &sites->units[u]);
    }
    ff_free(grid.cells);
}
