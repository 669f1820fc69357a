/* SPDX-License-Identifier: MIT
 *
 * Two trees to one amount for each node. The hard thing is to do without look-ups: the children of both
 * stand in byte order of their names, so they are merged.
 */
#include "draw/difference.h"

#include <stdlib.h>

#include "base/memory.h"
#include "draw/number.h"

struct pair {
    uint32_t now, before; /* nodes with the same path */
};

struct walk {
    struct ff_difference *difference;
    const struct ff_tree *tree, *before;
    struct pair *open; /* whose children are not merged yet */
    uint32_t count, capacity;
    bool failed;
};

static void push(struct walk *walk, uint32_t now, uint32_t before)
{
    walk->open = ff_grow(walk->open, &walk->capacity, (uint64_t)walk->count + 1, sizeof *walk->open,
                         &walk->failed);
    if (walk->failed)
        return;
    walk->open[walk->count++] = (struct pair){now, before};
    walk->difference->before[now] = walk->before->nodes[before].total;
}

static void merge_children(struct walk *walk, struct pair parent)
{
    const struct ff_tree *tree = walk->tree, *before = walk->before;
    uint32_t a = parent.now + 1, b = parent.before + 1;
    while (b < before->nodes[parent.before].end) {
        bool more = a < tree->nodes[parent.now].end;
        int order = more ? ff_text_compare(ff_node_name(tree, a), ff_node_name(before, b)) : 1;
        if (!order)
            push(walk, a, b);
        if (order > 0)
            walk->difference->gone += before->nodes[b].total;
        a = order <= 0 ? tree->nodes[a].end : a;
        b = order >= 0 ? before->nodes[b].end : b;
    }
}

bool ff_difference_make(struct ff_difference *difference, const struct ff_tree *tree,
                        const struct ff_tree *before)
{
    struct walk walk = {.difference = difference, .tree = tree, .before = before};
    *difference = (struct ff_difference){.whole = before->nodes[0].total};
    difference->before = ff_alloc(tree->node_count, sizeof *difference->before);
    if (difference->before)
        push(&walk, 0, 0);
    while (walk.count && !walk.failed)
        merge_children(&walk, walk.open[--walk.count]);
    ff_free(walk.open);
    return difference->before && !walk.failed;
}

void ff_difference_release(struct ff_difference *difference)
{
    ff_free(difference->before);
    *difference = (struct ff_difference){0};
}

int32_t ff_difference_of(const struct ff_difference *difference, const struct ff_tree *tree,
                         uint32_t node)
{
    uint64_t now = ff_number_share(tree->nodes[node].total, tree->nodes[0].total, 1000);
    uint64_t before = ff_number_share(difference->before[node], difference->whole, 1000);
    return (int32_t)now - (int32_t)before;
}

uint32_t ff_difference_color(const struct ff_difference *difference, const struct ff_tree *tree,
                             uint32_t node)
{
    int32_t more = ff_difference_of(difference, tree, node);
    if (!difference->before[node] && tree->nodes[node].total)
        return 0xe8c23a;
    uint32_t size = (uint32_t)(more < 0 ? -more : more);
    uint32_t eighths = size >= 100 ? 8 : (size * 8 + 50) / 100, pale = 240 - eighths * 130 / 8;
    return more >= 0 ? 240u << 16 | pale << 8 | pale : pale << 16 | (240 + pale) / 2 << 8 | 245u;
}
