/* SPDX-License-Identifier: MIT
 *
 * Nodes in order of appearance to preorder with siblings sorted by name, and amounts summed from
 * the leaves up. The hard thing is doing it in linear time and without recursion: only the distinct
 * names are compared, nodes and entries are distributed by counting.
 */
#include "fold/arrange.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/groups.h"

struct ranked {
    struct ff_text text;
    uint32_t id;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return ff_text_compare(x->text, y->text);
}

/* By name id: its place among all names in byte order. NULL when memory is out. */
static uint32_t *name_ranks(const struct ff_intern *names)
{
    struct ranked *ranked = ff_alloc((size_t)names->count + 1, sizeof *ranked);
    uint32_t *ranks = ff_alloc((size_t)names->count + 1, sizeof *ranks);
    if (ranked && ranks) {
        for (uint32_t id = 0; id < names->count; id++)
            ranked[id] = (struct ranked){ff_intern_text(names, id), id};
        qsort(ranked, names->count, sizeof *ranked, compare_ranked);
        for (uint32_t i = 0; i < names->count; i++)
            ranks[ranked[i].id] = i;
    }
    ff_free(ranked);
    if (!ranked)
        ff_free(ranks);
    return ranked ? ranks : NULL;
}

/* Groups the nodes by parent, each group in byte order of the names. */
static bool group_children(struct ff_groups *children, const struct ff_tree *tree)
{
    uint32_t count = tree->node_count, name_count = tree->names.count + 1;
    struct ff_groups by_name = {0};
    uint32_t *ranks = name_ranks(&tree->names);
    uint32_t *keys = ff_alloc(count, sizeof *keys);
    bool done = ranks && keys;
    for (uint32_t i = 0; done && i < count; i++)
        keys[i] = ranks[tree->nodes[i].name];
    done = done && ff_groups_make(&by_name, keys, count, name_count, NULL);
    for (uint32_t i = 0; done && i < count; i++)
        keys[i] = i ? tree->nodes[i].parent : UINT32_MAX; /* node 0 is nobody's child */
    done = done && ff_groups_make(children, keys, count, count, by_name.items);
    ff_groups_release(&by_name);
    ff_free(keys);
    ff_free(ranks);
    return done;
}

/* By node: its place in preorder. Sets their ends and depths. CHILDREN is used up: its starts become
 * positions. */
static void find_places(struct ff_tree *tree, struct ff_groups *children, uint32_t *place)
{
    struct ff_node *nodes = tree->nodes;
    uint32_t count = 1, node = 0;
    /* Until a node is left, its end is where its children end in CHILDREN. */
    for (uint32_t i = 0; i < tree->node_count; i++)
        nodes[i].end = children->start[i + 1];
    for (place[0] = 0;;) {
        if (children->start[node] < nodes[node].end) {
            uint32_t child = children->items[children->start[node]++];
            nodes[child].depth = nodes[node].depth + 1;
            place[child] = count++;
            node = child;
            continue;
        }
        nodes[node].end = count;
        if (!node)
            return;
        node = nodes[node].parent;
    }
}

/* Moves the nodes to their places, along the circles that these make; PLACE is used up. */
static void move_nodes(struct ff_node *nodes, uint32_t count, uint32_t *place)
{
    for (uint32_t i = 0; i < count; i++)
        nodes[i].parent = place[nodes[i].parent];
    for (uint32_t i = 0; i < count; i++) {
        struct ff_node node = nodes[i];
        while (place[i] != i) {
            uint32_t to = place[i];
            struct ff_node next = nodes[to];
            nodes[to] = node;
            node = next;
            place[i] = place[to];
            place[to] = to;
        }
        nodes[i] = node;
    }
}

static bool sort_nodes(struct ff_tree *tree, struct ff_entry *entries, uint32_t count)
{
    struct ff_groups children = {0};
    uint32_t *place = ff_alloc(tree->node_count, sizeof *place);
    bool done = place && group_children(&children, tree);
    if (done) {
        find_places(tree, &children, place);
        for (uint32_t i = 0; i < count; i++)
            entries[i].node = place[entries[i].node];
        move_nodes(tree->nodes, tree->node_count, place);
    }
    ff_groups_release(&children);
    ff_free(place);
    return done;
}

/* Amounts by bucket of one node at a time; only the touched ones are set. */
struct mixer {
    uint64_t amounts[FF_BUCKET_LIMIT];
    uint32_t touched[FF_BUCKET_LIMIT];
    uint32_t count;
};

static void mix(struct mixer *mixer, uint32_t bucket, uint64_t amount)
{
    if (!amount)
        return;
    if (!mixer->amounts[bucket]) {
        uint32_t i = mixer->count++;
        for (; i && mixer->touched[i - 1] > bucket; i--)
            mixer->touched[i] = mixer->touched[i - 1];
        mixer->touched[i] = bucket;
    }
    mixer->amounts[bucket] += amount;
}

static bool write_shares(struct ff_tree *tree, uint32_t *capacity, uint32_t *used,
                         struct ff_node *node, struct mixer *mixer)
{
    bool failed = false;
    tree->shares = ff_grow(tree->shares, capacity, (uint64_t)*used + mixer->count,
                           sizeof *tree->shares, &failed);
    if (failed)
        return false;
    node->share_first = *used;
    node->share_count = (uint16_t)mixer->count;
    for (uint32_t i = 0; i < mixer->count; i++) {
        uint32_t bucket = mixer->touched[i];
        tree->shares[(*used)++] = (struct ff_share){bucket, mixer->amounts[bucket]};
        mixer->amounts[bucket] = 0;
    }
    mixer->count = 0;
    return true;
}

/* Fills the amounts of nodes; ENDING holds the entries that end at each node. */
static bool sum_up(struct ff_tree *tree, const struct ff_entry *entries,
                   const struct ff_groups *ending)
{
    struct mixer mixer = {0};
    uint32_t capacity = 0, used = 0;
    for (uint32_t n = tree->node_count; n-- > 0;) {
        struct ff_node *node = &tree->nodes[n];
        for (uint32_t i = ending->start[n]; i < ending->start[n + 1]; i++) {
            const struct ff_entry *entry = &entries[ending->items[i]];
            node->self += entry->amount;
            mix(&mixer, entry->bucket, entry->amount);
        }
        node->total = node->self;
        /* Along an unbranched chain all nodes have one list: deep stacks cost nothing. */
        if (!node->self && node->end > n + 1 && tree->nodes[n + 1].end == node->end) {
            node->total = tree->nodes[n + 1].total;
            node->share_first = tree->nodes[n + 1].share_first;
            node->share_count = tree->nodes[n + 1].share_count;
            continue;
        }
        for (uint32_t c = n + 1; c < node->end; c = tree->nodes[c].end) {
            const struct ff_node *child = &tree->nodes[c];
            node->total += child->total;
            for (uint32_t i = 0; i < child->share_count; i++)
                mix(&mixer, tree->shares[child->share_first + i].bucket,
                    tree->shares[child->share_first + i].amount);
        }
        if (!write_shares(tree, &capacity, &used, node, &mixer))
            return false;
    }
    return true;
}

bool ff_tree_arrange(struct ff_tree *tree, struct ff_entry *entries, uint32_t count)
{
    struct ff_groups ending = {0};
    uint32_t *keys = ff_alloc(count, sizeof *keys);
    bool done = keys && sort_nodes(tree, entries, count);
    for (uint32_t i = 0; done && i < count; i++)
        keys[i] = entries[i].node;
    done = done && ff_groups_make(&ending, keys, count, tree->node_count, NULL) &&
           sum_up(tree, entries, &ending);
    ff_groups_release(&ending);
    ff_free(keys);
    return done;
}
