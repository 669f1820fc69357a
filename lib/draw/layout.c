/* SPDX-License-Identifier: MIT
 *
 * Nodes to boxes. A node starts where the self amounts of all nodes before it end, which puts self
 * time at the left, as flame graphs have it. The hard thing is the choice: the widest boxes, and no
 * box without its parent.
 */
#include "draw/layout.h"

#include <stdlib.h>

#include "base/memory.h"

#define ROW_SHARE     200u /* 1/200 of the whole */
#define ROWS_AT_LEAST 24u
#define ROWS_AT_MOST  1000u
#define ROWS_MORE     2u

struct candidate {
    uint64_t total;
    uint32_t depth, node;
};

/* Widest first, then outermost, then leftmost: a parent always comes before its children. */
static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Amounts to 1/100 pixels. Amounts lose low bits until the product fits 64 bits. */
struct scale {
    uint64_t total;
    uint32_t width;
    unsigned shift;
};

static struct scale scale_of(uint64_t total, uint32_t width)
{
    struct scale scale = {total, width, 0};
    while (scale.total >> 43) {
        scale.total >>= 1;
        scale.shift++;
    }
    return scale;
}

static uint32_t scaled(const struct scale *scale, uint64_t amount)
{
    uint64_t product = (amount >> scale->shift) * scale->width;
    uint64_t place = scale->total ? product / scale->total : 0;
    return place < scale->width ? (uint32_t)place : scale->width;
}

/* The rows that at least ROW_SHARE of the amount reaches, and a few more: one runaway stack does not
 * make a picture that nobody can look at. */
static bool find_row_limit(const struct ff_tree *tree, uint32_t *limit)
{
    uint32_t deepest = 0;
    for (uint32_t n = 0; n < tree->node_count; n++)
        deepest = tree->nodes[n].depth > deepest ? tree->nodes[n].depth : deepest;
    uint64_t *reached = ff_alloc((size_t)deepest + 1, sizeof *reached);
    for (uint32_t n = 0; reached && n < tree->node_count; n++)
        reached[tree->nodes[n].depth] += tree->nodes[n].total;
    *limit = ROWS_AT_LEAST;
    for (uint32_t row = 0; reached && row <= deepest; row++) {
        if (row + ROWS_MORE >= *limit && reached[row] >= tree->nodes[0].total / ROW_SHARE)
            *limit = row + ROWS_MORE + 1;
    }
    if (*limit > ROWS_AT_MOST)
        *limit = ROWS_AT_MOST;
    ff_free(reached);
    return reached != NULL;
}

/* Marks the nodes that get a box. */
static bool choose(unsigned char *chosen, const struct ff_tree *tree, const struct scale *scale,
                   const struct ff_layout_options *options)
{
    uint32_t box_limit = options->box_limit ? options->box_limit : 2000;
    uint32_t row_limit = options->row_limit;
    struct candidate *rows = NULL;
    uint32_t count = 0, capacity = 0;
    bool failed = !row_limit && !find_row_limit(tree, &row_limit);
    for (uint32_t n = 0; n < tree->node_count && !failed; n++) {
        const struct ff_node *node = &tree->nodes[n];
        if (n && (scaled(scale, node->total) < options->min_width || node->depth >= row_limit))
            continue;
        rows = ff_grow(rows, &capacity, (uint64_t)count + 1, sizeof *rows, &failed);
        if (!failed)
            rows[count++] = (struct candidate){node->total, node->depth, n};
    }
    if (!failed && count > box_limit)
        qsort(rows, count, sizeof *rows, compare_candidates);
    for (uint32_t i = 0; !failed && i < count && i < box_limit; i++)
        chosen[rows[i].node] = 1;
    ff_free(rows);
    return !failed;
}

bool ff_layout_make(struct ff_layout *layout, const struct ff_tree *tree,
                    const struct ff_layout_options *options)
{
    struct scale scale = scale_of(tree->nodes[0].total, options->width);
    unsigned char *chosen = ff_alloc(tree->node_count, 1);
    uint32_t capacity = 0;
    uint64_t start = 0;
    bool failed = !chosen || !choose(chosen, tree, &scale, options);
    *layout = (struct ff_layout){0};
    for (uint32_t n = 0; n < tree->node_count && !failed; n++) {
        const struct ff_node *node = &tree->nodes[n];
        struct ff_box box = {.node = n, .x = scaled(&scale, start), .start = start};
        box.width = n ? scaled(&scale, start + node->total) - box.x : options->width;
        start += node->self;
        if (!chosen[n]) {
            layout->left_out++;
            continue;
        }
        layout->boxes = ff_grow(layout->boxes, &capacity, (uint64_t)layout->count + 1,
                                sizeof *layout->boxes, &failed);
        if (!failed)
            layout->boxes[layout->count++] = box;
        if (node->depth >= layout->row_count)
            layout->row_count = node->depth + 1;
    }
    ff_free(chosen);
    return !failed;
}

void ff_layout_release(struct ff_layout *layout)
{
    ff_free(layout->boxes);
    *layout = (struct ff_layout){0};
}
