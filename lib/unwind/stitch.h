/* SPDX-License-Identifier: MIT
 *
 * Completing truncated stacks from others. A thread's stack addresses are absolute: where the same
 * function stands at the same place of the stack in two samples of one thread, both were called along
 * the same path. So the callers that one dump no longer held are taken from a dump that did.
 *
 * What is taken are functions, not call sites: the frames have no lines, and are marked as stitched.
 */
#ifndef FF_UNWIND_STITCH_H
#define FF_UNWIND_STITCH_H

#include "unwind/unwind.h"

/* How the stitched stacks came about, in samples. */
struct ff_stitch_counts {
    uint64_t agreed;    /* two or more donors, all with the same callers */
    uint64_t single;    /* one donor */
    uint64_t disagreed; /* donors with different callers: their common outer part, and a gap */
    uint64_t none;      /* no donor: the stack stays truncated */
    uint64_t tested;    /* self-test: donors that were cut and stitched from the others ... */
    uint64_t exact;     /* ... and got the callers that they had */
};

struct ff_stitcher {
    struct ff_profile *profile;
    struct ff_stitch_offer *offers; /* complete stacks; index 0 unused */
    uint32_t offer_count, offer_capacity;
    struct ff_stitch_key *needed; /* the activations that held stacks end at; index 0 unused */
    uint32_t needed_count, needed_capacity;
    struct ff_map needed_map;
    struct ff_stitch_donor *donors; /* who has a needed activation; index 0 unused */
    uint32_t donor_count, donor_capacity;
    struct ff_map donor_map; /* by activation; one activation may have several callers */
    struct ff_stitch_held *held; /* index 0 unused */
    uint32_t held_count, held_capacity;
    struct ff_map held_map;
    struct ff_arena arena; /* activations of offers and held */
    struct ff_stitch_counts counts;
    bool failed;
};

void ff_stitcher_init(struct ff_stitcher *stitcher, struct ff_profile *profile);
void ff_stitcher_release(struct ff_stitcher *stitcher);

/* Offers a complete stack of a thread. NEAR is what an earlier offer returned that is likely to be the
 * same (0: none); returns the offer's number. */
uint32_t ff_stitcher_offer(struct ff_stitcher *stitcher, uint32_t near, uint32_t thread,
                           const struct ff_unwound *unwound);

/* Keeps a sample whose stack is truncated, instead of adding it to the profile. */
void ff_stitcher_hold(struct ff_stitcher *stitcher, const struct ff_sample *sample,
                      const struct ff_unwound *unwound);

/* Adds the held samples to the profile: stitched, or truncated as they are. Complete donors come
 * first, then stitched ones up to three hops away. Nothing is stitched when the self-test finds
 * fewer than 95 % exact. */
void ff_stitcher_finish(struct ff_stitcher *stitcher);

#endif
