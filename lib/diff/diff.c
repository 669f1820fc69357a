/* SPDX-License-Identifier: MIT
 *
 * From two trees to rows with a count for each. The hard thing is that names are compared, not ids: the
 * two sides come from different files.
 */
#include "diff/diff.h"
#include "diff/significance.h"
#include "profile/select.h"

#include <stdlib.h>

#define FALSE_DISCOVERIES 0.05

struct builder {
    struct ff_diff *diff;
    struct ff_output path;
    uint32_t *row_of; /* by name: index + 1 of its row in the table at hand */
    uint32_t row_capacity;
};

static struct ff_diff_row *row_of(struct builder *builder, struct ff_diff_rows *rows,
                                  struct ff_text name)
{
    struct ff_diff *diff = builder->diff;
    uint32_t id = ff_intern(&diff->names, name), before = builder->row_capacity;
    builder->row_of = ff_grow(builder->row_of, &builder->row_capacity, (uint64_t)id + 1,
                              sizeof *builder->row_of, &diff->failed);
    if (diff->failed || diff->names.failed)
        return NULL;
    memset(builder->row_of + before, 0, (builder->row_capacity - before) * sizeof *builder->row_of);
    if (builder->row_of[id])
        return &rows->at[builder->row_of[id] - 1];
    rows->at = ff_grow(rows->at, &rows->capacity, (uint64_t)rows->count + 1, sizeof *rows->at,
                       &diff->failed);
    if (diff->failed)
        return NULL;
    rows->at[rows->count] = (struct ff_diff_row){.name = ff_intern_text(&diff->names, id)};
    builder->row_of[id] = ++rows->count;
    return &rows->at[rows->count - 1];
}

/* Amounts are collected in units of 1 / FF_COUNT_ONE and rounded when both sides are there. */
static void add(struct builder *builder, struct ff_diff_rows *rows, struct ff_text name, int side,
                uint64_t amount)
{
    struct ff_diff_row *row = amount ? row_of(builder, rows, name) : NULL;
    if (row)
        row->count[side] += amount;
}

/* "forward (model.py:46)" to "forward (model.py)". */
static struct ff_text without_line(const struct ff_tree *tree, uint32_t node, bool *cut)
{
    struct ff_text name = ff_node_name(tree, node);
    ptrdiff_t colon = ff_text_find_last(name, ':');
    uint64_t line;
    *cut = tree->nodes[node].kind == FF_NODE_FRAME &&
           tree->nodes[node].frame_kind == FF_FRAME_PYTHON && colon > 0 &&
           ff_text_ends(name, FF_TEXT(")")) &&
           ff_text_decimal(ff_text_slice(name, (size_t)colon + 1, name.size - 1), &line);
    return *cut ? ff_text_slice(name, 0, (size_t)colon) : name;
}

/* Appends the names from the root to NODE; the path is kept from node to node. */
static void extend_path(struct builder *builder, const struct ff_tree *tree, uint32_t node,
                        uint32_t *ends)
{
    bool cut;
    struct ff_text name = without_line(tree, node, &cut);
    uint32_t depth = tree->nodes[node].depth;
    builder->path.used = depth > 1 ? ends[depth - 1] : 0;
    /* Folded text has no threads. */
    if (tree->nodes[node].kind == FF_NODE_ROOT && ff_text_equal(name, FF_TEXT("[unknown]")))
        name.size = 0;
    if (builder->path.used)
        ff_output_byte(&builder->path, ';');
    ff_output_text(&builder->path, name);
    if (cut)
        ff_output_byte(&builder->path, ')');
    ends[depth] = builder->path.used;
}

static void add_tree(struct builder *builder, const struct ff_tree *tree, int side)
{
    struct ff_diff *diff = builder->diff;
    uint32_t *ends = ff_alloc(tree->node_count + 1, sizeof *ends);
    diff->failed |= !ends;
    for (uint32_t i = 1; !diff->failed && i < tree->node_count; i++) {
        extend_path(builder, tree, i, ends);
        struct ff_text path = {builder->path.buffer, builder->path.used};
        add(builder, &diff->stacks, path.size ? path : FF_TEXT("[unknown]"), side,
            tree->nodes[i].self);
    }
    ff_free(ends);
}

static void add_sums(struct builder *builder, const struct ff_tree *tree, int side, bool roles)
{
    struct ff_diff *diff = builder->diff;
    for (uint32_t i = 1; roles && i < tree->node_count; i = tree->nodes[i].end)
        add(builder, &diff->roles, ff_node_name(tree, i), side, tree->nodes[i].total);
    for (uint32_t b = 0; !roles && b < tree->bucket_count; b++) {
        struct ff_text name = ff_intern_text(&tree->names, tree->buckets[b].name);
        add(builder, &diff->buckets, name.size ? name : FF_TEXT("[no bucket]"), side,
            tree->buckets[b].amount);
    }
}

static uint64_t whole(uint64_t amount)
{
    return amount / FF_COUNT_ONE + (amount % FF_COUNT_ONE * 2 >= FF_COUNT_ONE);
}

static double chance_of(const struct ff_diff *diff, const struct ff_diff_row *row)
{
    const struct ff_diff_side *a = &diff->side[0], *b = &diff->side[1];
    if (diff->options.by_time)
        return ff_poisson_test(row->count[0], row->count[1], (double)a->duration_ns,
                               (double)b->duration_ns);
    return ff_permutation_test(row->count[0], row->count[1], a->total, b->total);
}

static uint64_t thousandth_of(const struct ff_diff *diff, const struct ff_diff_row *row, int side)
{
    double of = diff->options.by_time ? (double)diff->side[side].duration_ns / 1e9
                                      : (double)diff->side[side].total;
    return of > 0 ? (uint64_t)((double)row->count[side] * 1000 / of + 0.5) : 0;
}

static int compare_rows(const void *left, const void *right)
{
    const struct ff_diff_row *a = left, *b = right;
    if (a->differs != b->differs)
        return a->differs ? -1 : 1;
    uint64_t x = a->thousandth[0] > a->thousandth[1] ? a->thousandth[0] - a->thousandth[1]
                                                     : a->thousandth[1] - a->thousandth[0];
    uint64_t y = b->thousandth[0] > b->thousandth[1] ? b->thousandth[0] - b->thousandth[1]
                                                     : b->thousandth[1] - b->thousandth[0];
    if (x != y)
        return x > y ? -1 : 1;
    uint64_t m = a->count[0] + a->count[1], n = b->count[0] + b->count[1];
    return m != n ? (m > n ? -1 : 1) : ff_text_compare(a->name, b->name);
}

static void judge(struct ff_diff *diff, struct ff_diff_rows *rows)
{
    double *chances = ff_alloc(rows->count, sizeof *chances);
    diff->failed |= !chances;
    for (uint32_t i = 0; chances && i < rows->count; i++) {
        struct ff_diff_row *row = &rows->at[i];
        for (int side = 0; side < 2; side++) {
            row->count[side] = whole(row->count[side]);
            row->thousandth[side] = thousandth_of(diff, row, side);
        }
        row->chance = chances[i] = chance_of(diff, row);
    }
    double limit = chances ? ff_false_discovery_limit(chances, rows->count, FALSE_DISCOVERIES) : 0;
    for (uint32_t i = 0; chances && i < rows->count; i++)
        rows->at[i].differs = rows->at[i].chance <= limit;
    if (rows->count)
        qsort(rows->at, rows->count, sizeof *rows->at, compare_rows);
    ff_free(chances);
}

/* What is compared of the sources FIRST to END - 1; 0: there is none. */
static uint32_t choose_source(const struct ff_diff *diff, const struct ff_profile *profile,
                              uint32_t first, uint32_t end)
{
    const char *name = diff->options.source;
    if (!name)
        return ff_select_main_source_of(profile, first, end);
    while (first < end &&
           !ff_text_equal(ff_profile_text(profile, profile->sources.at[first].name), ff_text(name)))
        first++;
    return first < end ? first : 0;
}

static struct ff_text keep(struct ff_diff *diff, struct ff_text text)
{
    return ff_intern_text(&diff->names, ff_intern(&diff->names, text));
}

static enum ff_status make_side(struct ff_diff *diff, struct ff_profile *profile, uint32_t source,
                                int side, struct ff_tree **tree)
{
    struct ff_fold_options fold = {.source = source, .root_count = 1, .roots = {FF_ROOT_ROLE}};
    enum ff_status status = source ? ff_tree_build(tree, profile, &fold) : FF_OK;
    if (status != FF_OK)
        return status;
    if (!source && diff->options.source)
        return ff_error_set(&profile->error, FF_USAGE, "--main: the %s profile has no input '%s'",
                            side ? "second" : "first", diff->options.source);
    if (!source || !(*tree)->sample_count)
        return ff_error_set(&profile->error, FF_BAD_INPUT, "the %s profile holds no sample",
                            side ? "second" : "first");
    struct ff_diff_side *row = &diff->side[side];
    row->name = keep(diff, ff_intern_text(&(*tree)->names, (*tree)->source_name));
    row->event = keep(diff, ff_intern_text(&(*tree)->names, (*tree)->event_name));
    row->population = ff_text(ff_population_word(profile->sources.at[source].population));
    row->total = whole((*tree)->sample_count);
    row->duration_ns = (*tree)->duration_ns;
    if (diff->options.by_time && !row->duration_ns)
        return ff_error_set(
            &profile->error, FF_USAGE,
            "%.*s: how long it was recorded is not known; compare without --per-second",
            FF_TEXT_ARGS(row->name));
    return FF_OK;
}

static void compare(struct ff_diff *diff, struct ff_tree *const trees[2])
{
    struct builder builder = {.diff = diff};
    struct ff_diff_rows *tables[] = {&diff->buckets, &diff->roles, &diff->stacks};
    struct ff_error ignored = {0};
    ff_output_memory(&builder.path);
    for (int t = 0; t < 3; t++) {
        for (int side = 0; side < 2; side++) {
            if (t == 2)
                add_tree(&builder, trees[side], side);
            else
                add_sums(&builder, trees[side], side, t == 1);
        }
        if (builder.row_of)
            memset(builder.row_of, 0, builder.row_capacity * sizeof *builder.row_of);
        judge(diff, tables[t]);
    }
    diff->failed |= builder.path.out_of_memory;
    ff_output_close(&builder.path, &ignored);
    ff_free(builder.row_of);
}

enum ff_status ff_diff_init(struct ff_diff *diff, struct ff_profile *profile, uint32_t split,
                            const struct ff_diff_options *options)
{
    struct ff_tree *trees[2] = {NULL, NULL};
    *diff = (struct ff_diff){.options = *options};
    uint32_t first = choose_source(diff, profile, 1, split);
    uint32_t second = choose_source(diff, profile, split, profile->sources.count);
    enum ff_status status = make_side(diff, profile, first, 0, &trees[0]);
    if (status == FF_OK)
        status = make_side(diff, profile, second, 1, &trees[1]);
    if (status == FF_OK)
        compare(diff, trees);
    ff_tree_free(trees[0]);
    ff_tree_free(trees[1]);
    if (diff->failed || diff->names.failed)
        profile->out_of_memory = true;
    return status == FF_OK ? ff_profile_status(profile) : status;
}

void ff_diff_release(struct ff_diff *diff)
{
    ff_free(diff->buckets.at);
    ff_free(diff->roles.at);
    ff_free(diff->stacks.at);
    ff_intern_release(&diff->names);
    *diff = (struct ff_diff){0};
}
