/* SPDX-License-Identifier: MIT
 *
 * Nodes to functions. The hard thing is recursion: a total is added only where the name is not open
 * already further out.
 */
#include "draw/ranking.h"

#include <stdlib.h>

#include "base/memory.h"

struct sortable {
    struct ff_ranked row;
    struct ff_text text;
};

static int compare_rows(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    if (x->row.self != y->row.self)
        return x->row.self < y->row.self ? 1 : -1;
    if (x->row.total != y->row.total)
        return x->row.total < y->row.total ? 1 : -1;
    return ff_text_compare(x->text, y->text);
}

/* Sums by name id. OPEN[id] is where the outermost open node of the name ends. */
static void sum_up(struct sortable *sums, uint32_t *open, const struct ff_tree *tree)
{
    for (uint32_t n = 0; n < tree->node_count; n++) {
        const struct ff_node *node = &tree->nodes[n];
        if (node->kind != FF_NODE_FRAME)
            continue;
        struct sortable *sum = &sums[node->name];
        if (!sum->row.name) {
            sum->row = (struct ff_ranked){.name = node->name, .node = n};
            sum->text = ff_intern_text(&tree->names, node->name);
        }
        sum->row.self += node->self;
        if (open[node->name] > n)
            continue;
        open[node->name] = node->end;
        sum->row.total += node->total;
    }
}

bool ff_ranking_make(struct ff_ranking *ranking, const struct ff_tree *tree)
{
    size_t count = tree->names.count + (size_t)1;
    struct sortable *sums = ff_alloc(count, sizeof *sums);
    uint32_t *open = ff_alloc(count, sizeof *open);
    uint32_t used = 0;
    *ranking = (struct ff_ranking){0};
    if (sums && open) {
        sum_up(sums, open, tree);
        for (size_t i = 0; i < count; i++) {
            if (sums[i].row.self)
                sums[used++] = sums[i];
        }
        qsort(sums, used, sizeof *sums, compare_rows);
        ranking->rows = ff_alloc(used, sizeof *ranking->rows);
    }
    for (uint32_t i = 0; ranking->rows && i < used; i++)
        ranking->rows[ranking->count++] = sums[i].row;
    ff_free(sums);
    ff_free(open);
    return ranking->rows != NULL;
}

void ff_ranking_release(struct ff_ranking *ranking)
{
    ff_free(ranking->rows);
    *ranking = (struct ff_ranking){0};
}
