/* SPDX-License-Identifier: MIT
 *
 * Samples to tables of entry frames by windows of time, one for each thread, and a test of each. The
 * hard thing: samples of one long call are no independent ones, so that a plain chi-square calls any
 * real program changing; the scatter of windows next to each other tells how much chance there is.
 */
#include "merge/drift.h"
#include "merge/shape.h"

#include <math.h>
#include <stdlib.h>

#define PARTS   FF_DRIFT_PARTS
#define WINDOWS (FF_DRIFT_PARTS * FF_DRIFT_WINDOWS)
#define EXPECT  5 /* samples at least, in each cell of the table */

static uint64_t row_total(const struct ff_drift_row *row)
{
    uint64_t total = 0;
    for (uint32_t w = 0; w < WINDOWS; w++)
        total += row->count[w];
    return total;
}

static uint64_t part_of_row(const struct ff_drift_row *row, uint32_t part)
{
    uint64_t total = 0;
    for (uint32_t w = part * FF_DRIFT_WINDOWS; w < (part + 1) * FF_DRIFT_WINDOWS; w++)
        total += row->count[w];
    return total;
}

/* Most samples first; then by what decides the terms, so that sums do not depend on an order of rows. */
static int compare_totals(const void *left, const void *right)
{
    uint64_t a = row_total(left), b = row_total(right);
    return a != b ? (a < b) - (a > b)
                  : memcmp(((const struct ff_drift_row *)left)->count,
                           ((const struct ff_drift_row *)right)->count,
                           sizeof((const struct ff_drift_row *)left)->count);
}

static void join_last(struct ff_drift_row *rows, uint32_t count)
{
    for (uint32_t w = 0; w < WINDOWS; w++)
        rows[count - 2].count[w] += rows[count - 1].count[w];
}

/* Makes one row of all that expect too few, and that one and the next if it still does; returns how
 * many rows there are. Which are joined must not depend on when their samples were. */
static uint32_t join_small(struct ff_drift_row *rows, uint32_t count, double least_share)
{
    if (count)
        qsort(rows, count, sizeof *rows, compare_totals);
    while (count > 1 && (double)row_total(&rows[count - 2]) * least_share < EXPECT)
        join_last(rows, count--);
    if (count > 1 && (double)row_total(&rows[count - 1]) * least_share < EXPECT)
        join_last(rows, count--);
    return count;
}

/* Sum of (found - expected)^2 / expected over COLUMNS of row->count, each SPAN windows wide, from FIRST
 * on; *freedom gets the degrees of freedom. Columns and rows without a sample do not count. */
static double chi_square(const struct ff_drift_row *rows, uint32_t count, uint32_t first,
                         uint32_t columns, uint32_t span, uint32_t *freedom)
{
    double column[WINDOWS] = {0}, all = 0, sum = 0;
    uint32_t used_columns = 0, used_rows = 0;
    for (uint32_t c = 0; c < columns; c++) {
        for (uint32_t i = 0; i < count * span; i++)
            column[c] += rows[i / span].count[first + c * span + i % span];
        all += column[c];
        used_columns += column[c] > 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        double row = 0;
        for (uint32_t w = 0; w < columns * span; w++)
            row += rows[i].count[first + w];
        used_rows += row > 0;
        for (uint32_t c = 0; c < columns && row > 0; c++) {
            double found = 0, expected = row * column[c] / all;
            for (uint32_t w = 0; w < span; w++)
                found += rows[i].count[first + c * span + w];
            sum += expected > 0 ? (found - expected) * (found - expected) / expected : 0;
        }
    }
    *freedom = used_columns > 1 && used_rows > 1 ? (used_columns - 1) * (used_rows - 1) : 0;
    return sum;
}

/* How much more than independent samples would the windows of one part scatter; at least 1. The part
 * that scatters most is left out: a change may lie inside it. */
static double dispersion_of(const struct ff_drift_row *rows, uint32_t count)
{
    double sum = 0, worst = 0;
    uint32_t all = 0, of_worst = 0, freedom;
    for (uint32_t part = 0; part < PARTS; part++) {
        double here =
            chi_square(rows, count, part * FF_DRIFT_WINDOWS, FF_DRIFT_WINDOWS, 1, &freedom);
        sum += here;
        all += freedom;
        if (freedom && (!of_worst || here / freedom > worst / of_worst)) {
            worst = here;
            of_worst = freedom;
        }
    }
    return all > of_worst && sum - worst > all - of_worst ? (sum - worst) / (all - of_worst) : 1;
}

/* The value that chi-square with FREEDOM exceeds with chance 0.001 (E. B. Wilson and M. M. Hilferty,
 * Proceedings of the National Academy of Sciences 17, 1931; z = 3.090232). */
static double critical(uint32_t freedom)
{
    double v = 2.0 / (9.0 * freedom), root = 1 - v + 3.090232 * sqrt(v);
    return freedom * root * root * root;
}

/* The smallest share of the samples that one part has; parts without any do not count. */
static double least_share(const struct ff_drift_row *rows, uint32_t count)
{
    uint64_t all = 0, least = UINT64_MAX;
    for (uint32_t part = 0; part < PARTS; part++) {
        uint64_t here = 0;
        for (uint32_t i = 0; i < count; i++)
            here += part_of_row(&rows[i], part);
        all += here;
        least = here && here < least ? here : least;
    }
    return all ? (double)least / (double)all : 0;
}

/* Returns the degrees of freedom, 0 where the samples do not suffice. */
static uint32_t test_rows(struct ff_drift_row *rows, uint32_t count, bool *differs)
{
    uint32_t freedom;
    count = join_small(rows, count, least_share(rows, count));
    double sum = chi_square(rows, count, 0, PARTS, FF_DRIFT_WINDOWS, &freedom);
    *differs = freedom && sum / dispersion_of(rows, count) > critical(freedom);
    return freedom;
}

bool ff_drift_differs(struct ff_drift_row *rows, uint32_t count)
{
    bool differs;
    test_rows(rows, count, &differs);
    return differs;
}

struct drift {
    const struct ff_profile *profile;
    const uint32_t *identity;
    struct ff_parts parts;
    struct ff_shapes shapes;
    uint64_t *first, *last; /* by source: windows of time */
    struct ff_map map;
    struct ff_drift_row *rows;
    uint32_t row_count, row_capacity;
    bool failed;
};

static bool is_counted(const struct drift *drift, const struct ff_sample *sample)
{
    uint32_t source = ff_sample_source(drift->profile, sample);
    return drift->profile->sources.at[source].tool == FF_TOOL_PERF && sample->moments &&
           drift->identity[drift->profile->threads.at[sample->thread].process] &&
           drift->shapes.at[sample->stack].clusters;
}

static void find_spans(struct drift *drift)
{
    const struct ff_profile *profile = drift->profile;
    for (uint32_t i = 1; i < profile->sources.count; i++)
        drift->first[i] = UINT64_MAX;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        uint32_t source = ff_sample_source(profile, sample);
        for (uint32_t m = sample->moments; m; m = profile->moments.at[m].next) {
            uint64_t time = profile->moments.at[m].time_ns;
            drift->first[source] = time < drift->first[source] ? time : drift->first[source];
            drift->last[source] = time > drift->last[source] ? time : drift->last[source];
        }
    }
}

static struct ff_drift_row *row_of(struct drift *drift, uint32_t thread, uint32_t entry)
{
    uint64_t hash = ff_hash_mix(thread, entry);
    struct ff_probe probe;
    for (uint32_t i = ff_map_first(&drift->map, hash, &probe); i;
         i = ff_map_next(&drift->map, &probe)) {
        if (drift->rows[i - 1].thread == thread && drift->rows[i - 1].entry == entry)
            return &drift->rows[i - 1];
    }
    drift->rows = ff_grow(drift->rows, &drift->row_capacity, (uint64_t)drift->row_count + 1,
                          sizeof *drift->rows, &drift->failed);
    if (drift->row_count >= drift->row_capacity)
        return NULL;
    drift->rows[drift->row_count++] = (struct ff_drift_row){.thread = thread, .entry = entry};
    ff_map_add(&drift->map, hash, drift->row_count);
    drift->failed |= drift->map.failed;
    return &drift->rows[drift->row_count - 1];
}

/* The window of a time of SOURCE. */
static uint32_t window_of(const struct drift *drift, uint32_t source, uint64_t time)
{
    uint64_t width = drift->profile->sources.at[source].window_ns;
    double span =
        (double)(drift->last[source] - drift->first[source]) + (double)(width ? width : 1);
    return (uint32_t)((double)(time - drift->first[source]) * WINDOWS / span);
}

static void count_samples(struct drift *drift)
{
    const struct ff_profile *profile = drift->profile;
    for (uint32_t i = 1; i < profile->samples.count && !drift->failed; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        const struct ff_shape *shape = &drift->shapes.at[sample->stack];
        if (!is_counted(drift, sample))
            continue;
        struct ff_drift_row *row =
            row_of(drift, sample->thread, shape->entry_count ? shape->entry[0] : 0);
        uint32_t source = ff_sample_source(profile, sample);
        for (uint32_t m = sample->moments; m && row; m = profile->moments.at[m].next)
            row->count[window_of(drift, source, profile->moments.at[m].time_ns)] +=
                (uint32_t)(profile->moments.at[m].count / FF_COUNT_ONE);
    }
}

static int compare_threads(const void *left, const void *right)
{
    const struct ff_drift_row *a = left, *b = right;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

static void test_threads(struct drift *drift, uint64_t *tested, uint64_t *drifted)
{
    if (drift->row_count)
        qsort(drift->rows, drift->row_count, sizeof *drift->rows, compare_threads);
    for (uint32_t i = 0, end; i < drift->row_count; i = end) {
        bool differs;
        for (end = i; end < drift->row_count && drift->rows[end].thread == drift->rows[i].thread;)
            end++;
        *tested += test_rows(&drift->rows[i], end - i, &differs) > 0;
        *drifted += differs;
    }
}

enum ff_status ff_drift_count(struct ff_profile *profile, const uint32_t *identity,
                              uint64_t *tested, uint64_t *drifted)
{
    struct drift drift = {.profile = profile,
                          .identity = identity,
                          .first = ff_alloc(profile->sources.count, sizeof *drift.first),
                          .last = ff_alloc(profile->sources.count, sizeof *drift.last)};
    *tested = *drifted = 0;
    drift.failed = !drift.first || !drift.last;
    if (ff_parts_init(&drift.parts, profile) == FF_OK &&
        ff_shapes_init(&drift.shapes, profile, &drift.parts) == FF_OK && !drift.failed) {
        find_spans(&drift);
        count_samples(&drift);
        if (!drift.failed)
            test_threads(&drift, tested, drifted);
    }
    profile->out_of_memory |= drift.failed;
    ff_parts_release(&drift.parts);
    ff_shapes_release(&drift.shapes);
    ff_map_release(&drift.map);
    ff_free(drift.rows);
    ff_free(drift.first);
    ff_free(drift.last);
    return ff_profile_status(profile);
}
