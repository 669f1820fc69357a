/* SPDX-License-Identifier: MIT
 *
 * A tree to the meaning of its colours. Nothing is hard: a bucket is a colour, and its share a number.
 */
#include "draw/legend.h"

#include <stdlib.h>

#include "base/memory.h"
#include "draw/number.h"

static enum ff_color_mode mode_of(const struct ff_tree *tree, enum ff_color_mode wish)
{
    if (wish == FF_COLOR_CLASSIC)
        return wish;
    bool classified = tree->bucket_count && tree->buckets[0].name;
    if (wish == FF_COLOR_BUCKET && classified)
        return FF_COLOR_BUCKET;
    for (uint32_t n = 0; wish != FF_COLOR_NAME && n < tree->node_count; n++) {
        if (tree->nodes[n].kind == FF_NODE_FRAME && tree->nodes[n].frame_kind != FF_FRAME_TEXT)
            return FF_COLOR_KIND;
    }
    return FF_COLOR_NAME;
}

/* COLOR, unless the user has one of their own for it. */
static uint32_t own_or(const struct ff_legend *legend, enum ff_colors_of of, struct ff_text text,
                       uint32_t color)
{
    const struct ff_colors_rule *rule = ff_colors_find(legend->colors, of, text);
    return rule ? FF_COLOR_PLAIN | rule->color : color;
}

static uint32_t kind_color(const struct ff_legend *legend, uint32_t color)
{
    return own_or(legend, FF_COLORS_KIND, ff_text(ff_color_kind_word(color)), color);
}

uint32_t ff_legend_bucket(const struct ff_legend *legend, const struct ff_tree *tree,
                          uint32_t bucket)
{
    static const struct ff_node thread = {.kind = FF_NODE_ROOT};
    struct ff_text name = ff_intern_text(&tree->names, tree->buckets[bucket].name);
    if (!tree->buckets[0].name)
        return kind_color(legend, ff_color_of_kind(&thread));
    return own_or(legend, FF_COLORS_BUCKET, name, ff_color_of_bucket(name));
}

uint32_t ff_legend_color_unowned(const struct ff_legend *legend, const struct ff_tree *tree,
                                 const struct ff_node *node)
{
    struct ff_text name = ff_intern_text(&tree->names, node->name);
    bool is_frame = node->kind == FF_NODE_FRAME;
    const struct ff_colors_rule *rule =
        is_frame ? ff_colors_find(legend->colors, FF_COLORS_NAME, name) : NULL;
    if (rule)
        return FF_COLOR_PLAIN | rule->color;
    switch (legend->mode) {
    case FF_COLOR_KIND:
        return kind_color(legend, ff_color_of_kind(node));
    case FF_COLOR_CLASSIC:
        return FF_COLOR_PLAIN | ff_classic_color(legend->palette, name, false);
    case FF_COLOR_NAME:
        return is_frame ? ff_color_of_name(name) : ff_color_neutral(node);
    default:
        return ff_color_neutral(node);
    }
}

uint32_t ff_legend_color(const struct ff_legend *legend, const struct ff_tree *tree, uint32_t n)
{
    const struct ff_node *node = &tree->nodes[n];
    if (legend->difference.before)
        return FF_COLOR_PLAIN | ff_difference_color(&legend->difference, tree, n);
    uint32_t color = ff_legend_color_unowned(legend, tree, node);
    if (legend->mode != FF_COLOR_BUCKET || color & FF_COLOR_PLAIN)
        return color;
    for (uint32_t i = 0; i < node->share_count; i++) {
        const struct ff_share *share = &tree->shares[node->share_first + i];
        if (share->amount >= node->total - node->total / 20)
            return ff_legend_bucket(legend, tree, share->bucket);
    }
    return color;
}

static void add_buckets(struct ff_legend *legend, const struct ff_tree *tree)
{
    for (uint32_t i = 0; i < tree->bucket_count; i++) {
        struct ff_text name = ff_intern_text(&tree->names, tree->buckets[i].name);
        if (!tree->buckets[i].amount)
            continue;
        legend->rows[legend->count++] =
            (struct ff_legend_row){.name = name.size ? name : FF_TEXT("no bucket"),
                                   .color = ff_legend_bucket(legend, tree, i),
                                   .amount = tree->buckets[i].amount};
    }
}

/* A kind's share is that of the samples which end in it. */
static void add_kinds(struct ff_legend *legend, const struct ff_tree *tree)
{
    uint64_t amounts[FF_COLOR_COUNT] = {0};
    for (uint32_t n = 0; n < tree->node_count; n++)
        amounts[ff_color_of_kind(&tree->nodes[n])] += tree->nodes[n].self;
    for (uint32_t color = 0; color < FF_COLOR_COUNT; color++) {
        if (amounts[color])
            legend->rows[legend->count++] = (struct ff_legend_row){
                ff_text(ff_color_kind_word(color)), kind_color(legend, color), 0, amounts[color]};
    }
}

/* What ends in functions that were not there, that grew or shrank by a thousandth or more, or neither. */
static void add_changes(struct ff_legend *legend, const struct ff_tree *tree)
{
    static const struct {
        const char *name;
        uint32_t color;
    } kinds[] = {
        {"as before", 0xf0f0f0}, {"more", 0xf06e6e}, {"less", 0x6eaff5}, {"new", 0xe8c23a}};
    uint64_t amounts[4] = {0};
    for (uint32_t n = 0; n < tree->node_count; n++) {
        int32_t more = ff_difference_of(&legend->difference, tree, n);
        bool is_new = !legend->difference.before[n];
        amounts[is_new ? 3 : more > 0 ? 1 : more < 0 ? 2 : 0] += tree->nodes[n].self;
    }
    for (uint32_t i = 0; i < 4; i++) {
        if (amounts[i])
            legend->rows[legend->count++] = (struct ff_legend_row){
                ff_text(kinds[i].name), FF_COLOR_PLAIN | kinds[i].color, 0, amounts[i]};
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct ff_legend_row *x = a, *y = b;
    if (x->amount != y->amount)
        return x->amount < y->amount ? 1 : -1;
    return ff_text_compare(x->name, y->name);
}

/* Each to the nearest tenth by itself, so that equal amounts read equally, here and in the report. */
static void set_shares(struct ff_legend *legend, uint64_t total)
{
    for (uint32_t i = 0; i < legend->count; i++) {
        uint64_t halves = ff_number_share(legend->rows[i].amount, total, 2000);
        legend->rows[i].tenths = (uint32_t)((halves + 1) / 2);
    }
}

bool ff_legend_make(struct ff_legend *legend, const struct ff_tree *tree,
                    const struct ff_svg_options *options)
{
    *legend = (struct ff_legend){.mode = mode_of(tree, options->color),
                                 .palette = (enum ff_classic)options->palette,
                                 .colors = options->colors,
                                 .before_event = options->before ? options->before->event : 0};
    legend->rows = ff_alloc(FF_COLOR_COUNT + FF_BUCKET_LIMIT, sizeof *legend->rows);
    if (!legend->rows)
        return false;
    if (options->before && !ff_difference_make(&legend->difference, tree, options->before))
        return false;
    if (legend->difference.before)
        add_changes(legend, tree);
    else if (legend->mode == FF_COLOR_BUCKET)
        add_buckets(legend, tree);
    else if (legend->mode == FF_COLOR_KIND)
        add_kinds(legend, tree);
    qsort(legend->rows, legend->count, sizeof *legend->rows, compare_rows);
    set_shares(legend, tree->nodes[0].total);
    return true;
}

void ff_legend_release(struct ff_legend *legend)
{
    ff_free(legend->rows);
    ff_difference_release(&legend->difference);
    *legend = (struct ff_legend){0};
}
