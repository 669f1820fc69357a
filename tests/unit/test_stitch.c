/* SPDX-License-Identifier: MIT
 *
 * Stitching by construction: stacks are made of (function, CFA) pairs, so that what a truncated one must
 * get is known. A function's number is its place; its module is always the same one.
 */
#include "stitch_maker.h"

#define LEAF_FRAME 7u /* stands for the frames that the sample itself has */

/* work (3) <- run (2) <- main (1) */
static const struct made whole[] = {
    {50, 1000, 0, 0}, {3, 1100, 0, 0}, {2, 1200, 0, 0}, {1, 1300, 0, 0}, {0}};
/* Another leaf in the same activation of work. */
static const struct made cut[] = {{60, 1010, 0, 0}, {3, 1100, 0, 0}, {0}};

static void test_one_donor(void)
{
    struct bench bench;
    begin(&bench);
    offer(&bench, whole);
    hold(&bench, LEAF_FRAME, cut);
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, LEAF_FRAME, "1 2 7 stitched");
    check_counts(&bench, (struct ff_stitch_counts){.single = 1});
    end(&bench);
}

static void test_donors_that_agree(void)
{
    static const struct made other_leaf[] = {
        {51, 990, 0, 0}, {3, 1100, 0, 0}, {2, 1200, 0, 0}, {1, 1300, 0, 0}, {0}};
    struct bench bench;
    begin(&bench);
    offer(&bench, whole);
    offer(&bench, other_leaf);
    hold(&bench, LEAF_FRAME, cut);
    hold(&bench, LEAF_FRAME, cut); /* the same again: one row of two samples */
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, LEAF_FRAME, "1 2 7 stitched");
    check_counts(&bench, (struct ff_stitch_counts){.agreed = 2});
    CHECK_NUMBER(bench.profile->samples.count, 2);
    CHECK_NUMBER(bench.profile->samples.at[1].count, 2 * FF_COUNT_ONE);
    CHECK_NUMBER(bench.profile->samples.at[1].weight, 10);
    end(&bench);
}

static void test_donors_that_disagree(void)
{
    static const struct made other[] = {
        {50, 1000, 0, 0}, {3, 1100, 0, 0}, {4, 1200, 0, 0}, {1, 1300, 0, 0}, {0}};
    struct bench bench;
    begin(&bench);
    for (int i = 0; i < 20; i++) { /* so that the self-test does not fail */
        offer(&bench, whole);
        offer(&bench, other);
    }
    hold(&bench, LEAF_FRAME, cut);
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, LEAF_FRAME, "1 [gap] 7 stitched");
    check_counts(&bench, (struct ff_stitch_counts){.disagreed = 1});
    end(&bench);
}

/* Same thread, function, module and CFA, or it is another activation. */
static void test_others_do_not_serve(void)
{
    static const struct made other_function[] = {{4, 1100, 0, 0}, {0}};
    static const struct made other_place[] = {{3, 1108, 0, 0}, {0}};
    struct bench bench;
    begin(&bench);
    offer_as(&bench, (struct ff_task){100, 102, 0}, whole);
    offer_as(&bench, (struct ff_task){102, 101, 0}, whole);
    offer_as(&bench, (struct ff_task){100, 101, 1}, whole); /* behind an exec */
    hold(&bench, LEAF_FRAME, cut);
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, LEAF_FRAME, "7 truncated");
    check_counts(&bench, (struct ff_stitch_counts){.none = 1});
    end(&bench);

    begin(&bench);
    offer(&bench, whole);
    hold(&bench, 8, other_function);
    hold(&bench, 9, other_place);
    bench.module = bench.other_module;
    hold(&bench, LEAF_FRAME, cut);
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, LEAF_FRAME, "7 truncated");
    check_stack(&bench, 8, "8 truncated");
    check_stack(&bench, 9, "9 truncated");
    check_counts(&bench, (struct ff_stitch_counts){.none = 3});
    end(&bench);
}

/* Each stack is cut one call farther in: stack I stands on the last frame of stack I - 1. Three of them
 * are reached, the fourth is not. */
static void test_hops(void)
{
    struct bench bench;
    begin(&bench);
    offer(&bench, whole);
    hold(&bench, 201, (const struct made[]){{10, 900, 0, 0}, {3, 1100, 0, 0}, {0}});
    hold(&bench, 202, (const struct made[]){{11, 800, 0, 0}, {10, 900, 0, 0}, {0}});
    hold(&bench, 203, (const struct made[]){{12, 700, 0, 0}, {11, 800, 0, 0}, {0}});
    hold(&bench, 204, (const struct made[]){{13, 600, 0, 0}, {12, 700, 0, 0}, {0}});
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, 201, "1 2 201 stitched");
    check_stack(&bench, 202, "1 2 3 202 stitched");
    check_stack(&bench, 203, "1 2 3 10 203 stitched");
    check_stack(&bench, 204, "204 truncated");
    check_counts(&bench, (struct ff_stitch_counts){.single = 3, .none = 1});
    end(&bench);
}

/* What stands on a stack with a gap has that gap too, but only if no whole donor is as near. */
static void test_hop_over_a_gap(void)
{
    static const struct made other[] = {
        {50, 1000, 0, 0}, {3, 1100, 0, 0}, {4, 1200, 0, 0}, {1, 1300, 0, 0}, {0}};
    static const struct made deep[] = {
        {20, 700, 0, 0}, {9, 950, 0, 0}, {5, 1200, 0, 0}, {1, 1300, 0, 0}, {0}};
    struct bench bench;
    begin(&bench);
    for (int i = 0; i < 20; i++) {
        offer(&bench, whole);
        offer(&bench, other);
    }
    offer(&bench, deep);
    hold(&bench, 201, (const struct made[]){{10, 900, 0, 0}, {3, 1100, 0, 0}, {0}}); /* a gap */
    hold(&bench, 202, (const struct made[]){{11, 800, 0, 0}, {10, 900, 0, 0}, {0}});
    hold(&bench, 203, (const struct made[]){{12, 850, 0, 0}, {10, 900, 0, 0}, {9, 950, 0, 0}, {0}});
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, 201, "1 [gap] 201 stitched");
    check_stack(&bench, 203, "1 5 203 stitched");
    check_stack(&bench, 202, "1 5 9 202 stitched");
    check_counts(&bench, (struct ff_stitch_counts){.disagreed = 1, .single = 2});
    end(&bench);

    begin(&bench);
    for (int i = 0; i < 20; i++) {
        offer(&bench, whole);
        offer(&bench, other);
    }
    hold(&bench, 201, (const struct made[]){{10, 900, 0, 0}, {3, 1100, 0, 0}, {0}});
    hold(&bench, 202, (const struct made[]){{11, 800, 0, 0}, {10, 900, 0, 0}, {0}});
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, 202, "1 [gap] 3 202 stitched");
    check_counts(&bench, (struct ff_stitch_counts){.disagreed = 2});
    end(&bench);
}

/* SP and frame pointer serve where the CFA is not known, in this order; never where it is. */
static void test_kinds_of_keys(void)
{
    /* Function 3 in three activations, told apart by one address each. */
    static const struct made by_sp[] = {{3, 5100, 2000, 3000}, {21, 5200, 0, 0}, {0}};
    static const struct made by_frame[] = {{3, 6100, 2008, 3008}, {22, 6200, 0, 0}, {0}};
    struct bench bench;
    begin(&bench);
    offer(&bench, by_sp);
    offer(&bench, by_frame);
    hold(&bench, 201,
         (const struct made[]){{3, 0, 2000, 3008}, {0}}); /* SP of one, frame of other */
    hold(&bench, 202, (const struct made[]){{3, 0, 2016, 3008}, {0}});
    hold(&bench, 203, (const struct made[]){{3, 6100, 2000, 3000}, {0}}); /* the CFA decides */
    hold(&bench, 204,
         (const struct made[]){{3, 7100, 2000, 3000}, {0}}); /* also where it finds none */
    hold(&bench, 205, (const struct made[]){{3, 0, 2024, 0}, {0}});
    hold(&bench, 206, (const struct made[]){{4, 0, 2000, 3000}, {0}}); /* another function */
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, 201, "21 201 stitched");
    check_stack(&bench, 202, "22 202 stitched");
    check_stack(&bench, 203, "22 203 stitched");
    check_stack(&bench, 204, "204 truncated");
    check_stack(&bench, 205, "205 truncated");
    check_stack(&bench, 206, "206 truncated");
    check_counts(&bench, (struct ff_stitch_counts){.single = 3, .none = 3});
    end(&bench);
}

/* GOOD activations whose two stacks agree (four samples that pass), BAD ones with two different callers
 * (two samples that fail), and one truncated stack for each. */
static void make_tested(struct bench *bench, uint32_t good, uint32_t bad)
{
    for (uint64_t i = 0; i < good + bad; i++) {
        uint64_t cfa = 10000 + i * 100;
        struct made first[] = {{3, cfa, 0, 0}, {2, 90000, 0, 0}, {0}};
        struct made second[] = {{3, cfa, 0, 0}, {i < good ? 2 : 4, 90000, 0, 0}, {0}};
        offer(bench, first);
        offer(bench, second);
        hold(bench, 1000 + i, (const struct made[]){{3, cfa, 0, 0}, {0}});
    }
}

static void test_self_test(void)
{
    struct bench bench;
    begin(&bench); /* 38 of 40: 95 % */
    make_tested(&bench, 19, 1);
    ff_stitcher_finish(&bench.stitcher);
    CHECK_NUMBER(bench.stitcher.counts.tested, 40);
    CHECK_NUMBER(bench.stitcher.counts.exact, 38);
    check_stack(&bench, 1000, "2 1000 stitched");
    check_stack(&bench, 1019, "[gap] 1019 stitched");
    check_counts(&bench, (struct ff_stitch_counts){.agreed = 19, .disagreed = 1});
    end(&bench);

    begin(&bench); /* 36 of 38: 94.7 % */
    make_tested(&bench, 18, 1);
    ff_stitcher_finish(&bench.stitcher);
    CHECK_NUMBER(bench.stitcher.counts.tested, 38);
    CHECK_NUMBER(bench.stitcher.counts.exact, 36);
    check_stack(&bench, 1000, "1000 truncated");
    check_counts(&bench, (struct ff_stitch_counts){.none = 19});
    end(&bench);
}

/* A kind of key that fails its test leaves the other kinds alone. */
static void test_self_test_by_kind(void)
{
    struct bench bench;
    begin(&bench);
    make_tested(&bench, 19, 1);
    offer(&bench, (const struct made[]){{3, 5000, 2000, 0}, {2, 90000, 0, 0}, {0}});
    offer(&bench, (const struct made[]){{3, 5008, 2000, 0}, {4, 90000, 0, 0}, {0}});
    hold(&bench, 201, (const struct made[]){{3, 0, 2000, 0}, {0}});
    ff_stitcher_finish(&bench.stitcher);
    CHECK(bench.stitcher.refused[FF_DONOR_SP] && !bench.stitcher.refused[FF_DONOR_CFA]);
    check_stack(&bench, 1000, "2 1000 stitched");
    check_stack(&bench, 201, "201 truncated");
    end(&bench);
}

/* What only another recording has seen is counted by itself, and tests nothing. */
static void test_lent(void)
{
    struct bench bench;
    begin(&bench);
    lend(&bench, whole);
    lend(&bench, whole);
    hold(&bench, LEAF_FRAME, cut);
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, LEAF_FRAME, "1 2 7 stitched");
    check_counts(&bench, (struct ff_stitch_counts){.lent = 1});
    end(&bench);

    /* The recording's own stack is tested by the lent ones: these say something else. */
    static const struct made own[] = {
        {50, 1000, 0, 0}, {3, 1100, 0, 0}, {4, 1200, 0, 0}, {1, 1300, 0, 0}, {0}};
    begin(&bench);
    lend(&bench, whole);
    offer(&bench, own);
    hold(&bench, LEAF_FRAME, cut);
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, LEAF_FRAME, "7 truncated");
    check_counts(&bench, (struct ff_stitch_counts){.none = 1});
    CHECK_NUMBER(bench.stitcher.counts.tested, 1);
    CHECK_NUMBER(bench.stitcher.counts.exact, 0);
    end(&bench);
}

/* work (3), entered at 100000: with a leaf 600 bytes below it was called by 2. What called it where
 * the stack goes further down can be told by a donor that went down a 16th of that at least. */
static void test_shallow(void)
{
    static const struct made donor[] = {
        {50, 0, 99400, 0}, {3, 100000, 0, 0}, {2, 100100, 0, 0}, {1, 100200, 0, 0}, {0}};
    static const struct made deep[] = {{60, 0, 100000 - 600 * 16 - 15, 0}, {3, 100000, 0, 0}, {0}};
    static const struct made deeper[] = {
        {60, 0, 100000 - 600 * 16 - 16, 0}, {3, 100000, 0, 0}, {0}};
    struct bench bench;
    begin(&bench);
    offer(&bench, donor);
    offer(&bench, donor);
    hold(&bench, 7, deep);
    hold(&bench, 8, deeper);
    ff_stitcher_finish(&bench.stitcher);
    check_stack(&bench, 7, "1 2 7 stitched");
    check_stack(&bench, 8, "8 truncated");
    check_counts(&bench, (struct ff_stitch_counts){.agreed = 1, .shallow = 1});
    end(&bench);
}

/* What comes in another order comes out the same. */
static void test_order(void)
{
    enum { STACKS = 36, HELD = 9 };
    char expected[HELD][256], text[256];
    uint32_t seed = 1;
    for (int round = 0; round < 50; round++) {
        struct bench bench;
        uint32_t order[STACKS + HELD];
        begin(&bench);
        for (uint32_t i = 0; i < STACKS + HELD; i++)
            order[i] = i;
        for (uint32_t i = STACKS + HELD - 1; round && i > 0; i--) {
            seed = seed * 1664525u + 1013904223u;
            uint32_t j = (seed >> 8) % (i + 1), swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        for (uint32_t i = 0; i < STACKS + HELD; i++) {
            uint64_t n = order[i], h = n - STACKS;
            if (n < STACKS) /* donors that agree, and of one key that do not */
                offer(&bench, (const struct made[]){{3, 1000 + n / 12 * 100, 0, 0},
                                                    {n % 4 == 1 && n / 12 == 1 ? 5 : 2, 2000, 0, 0},
                                                    {1, 3000, 0, 0},
                                                    {0}});
            else /* each on the one before, the first on a donor */
                hold(&bench, 300 + h,
                     (const struct made[]){
                         {10 + h, 900 - h % 3, 0, 0},
                         {h % 3 ? 9 + h : 3, h % 3 ? 901 - h % 3 : 1000 + h / 3 * 100, 0, 0},
                         {0}});
        }
        ff_stitcher_finish(&bench.stitcher);
        CHECK_NUMBER(bench.stitcher.counts.none, 0);
        for (uint32_t h = 0; h < HELD; h++) {
            stack_of(&bench, 300 + h, text);
            if (round)
                CHECK_TEXT(ff_text(text), expected[h]);
            else
                memcpy(expected[h], text, sizeof text);
        }
        end(&bench);
    }
}

int main(void)
{
    test_one_donor();
    test_donors_that_agree();
    test_donors_that_disagree();
    test_others_do_not_serve();
    test_hops();
    test_hop_over_a_gap();
    test_kinds_of_keys();
    test_self_test();
    test_self_test_by_kind();
    test_lent();
    test_shallow();
    test_order();
    return check_result();
}
