/* SPDX-License-Identifier: MIT
 *
 * Stacks to a forest of activations. The hard thing is cost: every complete sample comes through here,
 * so that a stack is compared with its thread's last one first, and only what differs is looked up.
 */
#include "unwind/offers.h"

void ff_offers_init(struct ff_offers *offers)
{
    *offers = (struct ff_offers){.count = 1, .node_count = 1, .thread_count = 1};
}

void ff_offers_release(struct ff_offers *offers)
{
    ff_free(offers->at);
    ff_free(offers->nodes);
    ff_free(offers->threads);
    ff_map_release(&offers->node_map);
    ff_map_release(&offers->thread_map);
}

/* A new node; 0 when memory is out. */
static uint32_t add_node(struct ff_offers *offers, uint32_t caller,
                         const struct ff_activation *activation)
{
    offers->nodes = ff_grow(offers->nodes, &offers->node_capacity, (uint64_t)offers->node_count + 1,
                            sizeof *offers->nodes, &offers->failed);
    if (offers->node_count >= offers->node_capacity)
        return 0;
    offers->nodes[offers->node_count] = (struct ff_offer_node){*activation, caller, 0};
    return offers->node_count++;
}

/* The node of ACTIVATION, called by that of CALLER. */
static uint32_t push(struct ff_offers *offers, uint32_t caller,
                     const struct ff_activation *activation)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(ff_hash_mix(caller, activation->function),
                                activation->sp ^ activation->cfa << 16);
    for (uint32_t i = ff_map_first(&offers->node_map, hash, &probe); i;
         i = ff_map_next(&offers->node_map, &probe)) {
        if (offers->nodes[i].caller == caller &&
            memcmp(&offers->nodes[i].activation, activation, sizeof *activation) == 0)
            return i;
    }
    uint32_t node = add_node(offers, caller, activation);
    if (node)
        ff_map_add(&offers->node_map, hash, node);
    return node;
}

/* NULL when memory is out. */
static struct ff_offer_thread *thread_of(struct ff_offers *offers, struct ff_task task, bool lent)
{
    static const struct ff_activation none;
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(ff_hash_mix(task.pid, task.tid), (uint64_t)task.life << 1 | lent);
    for (uint32_t i = ff_map_first(&offers->thread_map, hash, &probe); i;
         i = ff_map_next(&offers->thread_map, &probe)) {
        if (ff_task_equal(offers->threads[i].task, task) && offers->threads[i].lent == lent)
            return &offers->threads[i];
    }
    offers->threads =
        ff_grow(offers->threads, &offers->thread_capacity, (uint64_t)offers->thread_count + 1,
                sizeof *offers->threads, &offers->failed);
    uint32_t root = add_node(offers, 0, &none);
    if (offers->thread_count >= offers->thread_capacity || !root)
        return NULL;
    ff_map_add(&offers->thread_map, hash, offers->thread_count);
    offers->threads[offers->thread_count] = (struct ff_offer_thread){task, lent, root, 0};
    return &offers->threads[offers->thread_count++];
}

/* The innermost node of OFFER up to which its stack and the given one are equal, from the root on; 0 if
 * their roots differ. *same is how many activations these are. */
static uint32_t common_node(const struct ff_offers *offers, const struct ff_offer *offer,
                            const struct ff_activation *activations, uint32_t depth, uint32_t *same)
{
    uint32_t node = offer->leaf, common = 0;
    for (uint32_t left = offer->depth; left > 0; left--, node = offers->nodes[node].caller) {
        if (left > depth)
            continue;
        if (memcmp(&offers->nodes[node].activation, &activations[depth - left],
                   sizeof *activations) != 0) {
            common = 0;
        } else if (!common) {
            common = node;
            *same = left;
        }
    }
    return common;
}

/* COUNT samples more of the stack whose leaf is NODE. */
static void add_at(struct ff_offers *offers, struct ff_offer_thread *thread, uint32_t count,
                   uint32_t node, uint32_t depth)
{
    uint32_t old = offers->nodes[node].offer;
    if (old) {
        offers->at[old].count += count;
        thread->last = old;
        return;
    }
    offers->at = ff_grow(offers->at, &offers->capacity, (uint64_t)offers->count + 1,
                         sizeof *offers->at, &offers->failed);
    if (!node || offers->count >= offers->capacity)
        return;
    thread->last = offers->nodes[node].offer = offers->count;
    offers->at[offers->count++] = (struct ff_offer){thread->task, thread->lent, count, node, depth};
}

void ff_offers_add(struct ff_offers *offers, struct ff_task task, bool lent, uint32_t count,
                   const struct ff_activation *activations, uint32_t depth)
{
    struct ff_offer_thread *thread = thread_of(offers, task, lent);
    uint32_t same = 0, node = 0;
    if (!thread)
        return;
    if (thread->last)
        node = common_node(offers, &offers->at[thread->last], activations, depth, &same);
    uint32_t fresh = node ? depth - same : depth;
    node = node ? node : thread->root;
    while (fresh > 0 && node)
        node = push(offers, node, &activations[--fresh]);
    add_at(offers, thread, count, node, depth);
}

void ff_offers_append(struct ff_offers *offers, const struct ff_offers *from,
                      const uint32_t *modules)
{
    uint32_t *nodes = ff_alloc(from->node_count, sizeof *nodes);
    offers->failed |= !nodes || from->failed;
    for (uint32_t i = 1; nodes && i < from->thread_count; i++) {
        struct ff_offer_thread *thread =
            thread_of(offers, from->threads[i].task, from->threads[i].lent);
        nodes[from->threads[i].root] = thread ? thread->root : 0;
    }
    for (uint32_t i = 1; nodes && i < from->node_count; i++) {
        struct ff_activation activation = from->nodes[i].activation;
        activation.module = modules[activation.module];
        if (!nodes[i] && nodes[from->nodes[i].caller])
            nodes[i] = push(offers, nodes[from->nodes[i].caller], &activation);
    }
    for (uint32_t i = 1; nodes && i < from->count; i++) {
        const struct ff_offer *offer = &from->at[i];
        struct ff_offer_thread *thread = thread_of(offers, offer->task, offer->lent);
        if (thread)
            add_at(offers, thread, offer->count, nodes[offer->leaf], offer->depth);
    }
    ff_free(nodes);
}

void ff_offers_get(const struct ff_offers *offers, const struct ff_offer *offer,
                   struct ff_activation *activations)
{
    uint32_t node = offer->leaf;
    for (uint32_t i = 0; i < offer->depth; i++, node = offers->nodes[node].caller)
        activations[i] = offers->nodes[node].activation;
}

uint32_t ff_offers_depth(const struct ff_offers *offers)
{
    uint32_t depth = 0;
    for (uint32_t i = 1; i < offers->count; i++)
        depth = offers->at[i].depth > depth ? offers->at[i].depth : depth;
    return depth;
}
