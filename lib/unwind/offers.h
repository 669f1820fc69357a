/* SPDX-License-Identifier: MIT
 *
 * Complete stacks, kept until it is known which activations others need. Stacks share the activations that
 * they have in common from the root on; equal stacks are one offer.
 */
#ifndef FF_UNWIND_OFFERS_H
#define FF_UNWIND_OFFERS_H

#include "unwind/unwind.h"

struct ff_offer {
    struct ff_task task;
    bool lent;      /* by another recording */
    uint32_t count; /* samples */
    uint32_t leaf;  /* node of the innermost activation */
    uint32_t depth; /* activations */
};

struct ff_offer_node {
    struct ff_activation activation;
    uint32_t caller; /* node; a thread's own root in the end */
    uint32_t offer;  /* that has this leaf; 0: none */
};

struct ff_offer_thread {
    struct ff_task task;
    bool lent;
    uint32_t root; /* node without activation */
    uint32_t last; /* offer; 0: none yet */
};

struct ff_offers {
    struct ff_offer *at; /* index 0 unused */
    uint32_t count, capacity;
    struct ff_offer_node *nodes; /* index 0 unused */
    uint32_t node_count, node_capacity;
    struct ff_map node_map;          /* by caller and activation */
    struct ff_offer_thread *threads; /* index 0 unused */
    uint32_t thread_count, thread_capacity;
    struct ff_map thread_map;
    bool failed;
};

void ff_offers_init(struct ff_offers *offers);
void ff_offers_release(struct ff_offers *offers);

/* Adds COUNT samples of a stack, innermost activation first; copied. LENT: by another recording. */
void ff_offers_add(struct ff_offers *offers, struct ff_task task, bool lent, uint32_t count,
                   const struct ff_activation *activations, uint32_t depth);

/* Adds all offers of another one, whose module M is modules[M] here. */
void ff_offers_append(struct ff_offers *offers, const struct ff_offers *from,
                      const uint32_t *modules);

/* Writes the activations of an offer, innermost first: offer->depth of them. */
void ff_offers_get(const struct ff_offers *offers, const struct ff_offer *offer,
                   struct ff_activation *activations);

/* The largest depth of all. */
uint32_t ff_offers_depth(const struct ff_offers *offers);

#endif
