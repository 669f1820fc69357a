/* SPDX-License-Identifier: MIT
 *
 * Complete stacks that are kept: what was put in comes out, what is equal is kept once.
 */
#include "check.h"

#include "base/memory.h"
#include "unwind/offers.h"

#define DEPTH 5u

/* A stack of DEPTH activations, outermost last; the inner ones up to INNER differ by SEED. */
static void make(struct ff_activation activations[DEPTH], uint32_t inner, uint64_t seed)
{
    memset(activations, 0, DEPTH * sizeof *activations);
    for (uint32_t i = 0; i < DEPTH; i++) {
        activations[i].module = 1;
        activations[i].function = 0x100 * (i + 1) + (i < inner ? seed : 0);
        activations[i].cfa = 0x1000 * (i + 1);
        activations[i].has_cfa = true;
    }
}

static void test_sharing(void)
{
    struct ff_offers offers;
    struct ff_activation stack[DEPTH], found[DEPTH];
    ff_offers_init(&offers);
    make(stack, 0, 0);
    ff_offers_add(&offers, (struct ff_task){1, 2, 0}, false, 1, stack, DEPTH);
    ff_offers_add(&offers, (struct ff_task){1, 2, 0}, false, 3, stack,
                  DEPTH); /* the last one again */
    make(stack, 2, 7);
    ff_offers_add(&offers, (struct ff_task){1, 2, 0}, false, 1, stack,
                  DEPTH); /* two activations more */
    make(stack, 0, 0);
    ff_offers_add(&offers, (struct ff_task){1, 2, 0}, false, 1, stack,
                  DEPTH); /* not the last one, but known */
    CHECK_NUMBER(offers.count, 3);
    CHECK_NUMBER(offers.at[1].count, 5);
    CHECK_NUMBER(offers.at[2].count, 1);
    CHECK_NUMBER(offers.node_count, 1 + 1 + DEPTH + 2); /* none, the thread's root, the stacks */
    ff_offers_add(&offers, (struct ff_task){1, 3, 0}, false, 1, stack,
                  DEPTH); /* other threads share nothing */
    ff_offers_add(&offers, (struct ff_task){2, 2, 0}, false, 1, stack, DEPTH);
    CHECK_NUMBER(offers.count, 5);
    CHECK_NUMBER(offers.node_count, 1 + 3 * (1 + DEPTH) + 2);
    ff_offers_add(&offers, (struct ff_task){1, 2, 0}, false, 1, stack + 1,
                  DEPTH - 1); /* the outer part alone is another stack */
    CHECK_NUMBER(offers.count, 6);
    CHECK_NUMBER(offers.at[5].depth, DEPTH - 1);
    CHECK_NUMBER(ff_offers_depth(&offers), DEPTH);
    ff_offers_get(&offers, &offers.at[1], found);
    CHECK(memcmp(found, stack, sizeof found) == 0);
    ff_offers_get(&offers, &offers.at[5], found);
    CHECK(memcmp(found, stack + 1, (DEPTH - 1) * sizeof *found) == 0);
    make(stack, 2, 7);
    ff_offers_get(&offers, &offers.at[2], found);
    CHECK(memcmp(found, stack, sizeof found) == 0);
    CHECK(!offers.failed);
    ff_offers_release(&offers);
}

/* Random stacks of several threads: as many offers as different ones, each as it was. */
static void test_random(void)
{
    struct ff_offers offers;
    struct ff_activation stack[DEPTH], found[DEPTH];
    uint32_t counts[3][DEPTH][4] = {{{0}}}, seed = 1, different = 0, total = 0;
    ff_offers_init(&offers);
    for (int i = 0; i < 2000; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t tid = seed >> 8 & 1, inner = (seed >> 12) % DEPTH, variant = seed >> 20 & 3;
        make(stack, inner, inner ? variant + 1 : 0);
        different += !counts[tid][inner][inner ? variant : 0]++;
        ff_offers_add(&offers, (struct ff_task){10, tid, 0}, false, 1, stack, DEPTH);
    }
    CHECK_NUMBER(offers.count - 1, different);
    for (uint32_t i = 1; i < offers.count; i++) {
        uint32_t inner = 0;
        ff_offers_get(&offers, &offers.at[i], found);
        while (inner < DEPTH && found[inner].function != 0x100 * (inner + 1))
            inner++;
        uint64_t variant = inner ? found[0].function - 0x101 : 0;
        make(stack, inner, inner ? variant + 1 : 0);
        CHECK(memcmp(found, stack, sizeof found) == 0);
        CHECK_NUMBER(offers.at[i].count, counts[offers.at[i].task.tid][inner][variant]);
        total += offers.at[i].count;
    }
    CHECK_NUMBER(total, 2000);
    ff_offers_release(&offers);
}

int main(void)
{
    test_sharing();
    test_random();
    return check_result();
}
