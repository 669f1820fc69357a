/* SPDX-License-Identifier: MIT
 *
 * A tree to lines of folded text. The path of a node is kept in one buffer that is cut back to the
 * parent's length, so that nothing is built twice. The hard thing is the rounding of amounts that a
 * merge has split.
 */
#include "fold/folded.h"

#include <stdlib.h>

#include "base/memory.h"

struct remainder {
    uint32_t node;
    uint64_t part; /* what lies above the whole number, in 1 / tree->one */
};

/* Largest first, ties in the order of the tree. */
static int compare_remainders(const void *a, const void *b)
{
    const struct remainder *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? 1 : -1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Marks in UP the nodes whose amount is rounded up, so that the whole adds up. */
static bool round_up(const struct ff_tree *tree, unsigned char *up)
{
    struct remainder *rows = NULL;
    uint32_t count = 0, capacity = 0;
    uint64_t missing = 0; /* the parts' sum, in 1 / tree->one */
    bool failed = false;
    for (uint32_t n = 0; n < tree->node_count && !failed; n++) {
        uint64_t part = tree->nodes[n].self % tree->one;
        if (!part)
            continue;
        rows = ff_grow(rows, &capacity, (uint64_t)count + 1, sizeof *rows, &failed);
        if (!failed)
            rows[count++] = (struct remainder){n, part};
        missing += part;
    }
    missing = missing / tree->one + (missing % tree->one >= (tree->one + 1) / 2);
    if (rows)
        qsort(rows, count, sizeof *rows, compare_remainders);
    for (uint32_t i = 0; i < count && i < missing; i++)
        up[rows[i].node] = 1;
    ff_free(rows);
    return !failed;
}

struct path {
    struct ff_output text; /* a memory output */
    uint32_t *sizes;       /* by depth: the length up to and with that frame */
    uint32_t capacity;
    bool failed;
};

static void path_set(struct path *path, const struct ff_tree *tree, uint32_t n)
{
    const struct ff_node *node = &tree->nodes[n];
    path->sizes = ff_grow(path->sizes, &path->capacity, (uint64_t)node->depth + 1,
                          sizeof *path->sizes, &path->failed);
    if (path->failed)
        return;
    path->text.used = node->depth ? path->sizes[node->depth - 1] : 0;
    if (node->depth > 1)
        ff_output_byte(&path->text, ';');
    if (node->depth)
        ff_output_text(&path->text, ff_node_name(tree, n));
    path->sizes[node->depth] = path->text.used;
}

static void write_line(struct ff_output *output, const struct path *path, uint64_t count)
{
    if (!count)
        return;
    if (path->text.used)
        ff_output_text(output, (struct ff_text){path->text.buffer, path->text.used});
    else
        ff_output_string(output, "[no frames]"); /* samples with no prefix and no stack */
    ff_output_byte(output, ' ');
    ff_output_decimal(output, count);
    ff_output_byte(output, '\n');
}

enum ff_status ff_folded_write(struct ff_tree *tree, struct ff_output *output)
{
    struct path path = {0};
    unsigned char *up = ff_alloc(tree->node_count, 1);
    ff_output_memory(&path.text);
    bool done = up && round_up(tree, up);
    for (uint32_t n = 0; done && n < tree->node_count; n++) {
        path_set(&path, tree, n);
        done = !path.failed && !path.text.out_of_memory;
        if (done && tree->nodes[n].self)
            write_line(output, &path, tree->nodes[n].self / tree->one + up[n]);
    }
    ff_free(path.sizes);
    ff_free(up);
    ff_output_close(&path.text, &tree->error);
    return done ? FF_OK : ff_error_set(&tree->error, FF_NO_MEMORY, "out of memory while folding");
}
