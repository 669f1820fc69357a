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

#include "profile/append.h"
#include "unwind/donors.h"
#include "unwind/offers.h"

/* How the stitched stacks came about, in samples. */
struct ff_stitch_counts {
    uint64_t agreed;    /* two or more donors, all with the same callers */
    uint64_t single;    /* one donor */
    uint64_t lent;      /* donors of other recordings alone, which this one cannot test */
    uint64_t disagreed; /* donors with different callers: their common outer part, and a gap; or the
                           donors had one */
    uint64_t shallow;   /* all donors are far shallower: the stack stays truncated */
    uint64_t none;      /* no donor: the same */
    uint64_t tested;    /* self-test: donors that were cut and stitched from the others ... */
    uint64_t exact;     /* ... and got the callers that they had */
};

/* Samples with the same truncated stack at the same place. */
struct ff_stitch_held {
    struct ff_sample sample;
    struct ff_task task;
    const struct ff_activation *activations;
    uint32_t activation_count;
    struct ff_donor_verdict verdict; /* of its donors; a count of 0: it stays truncated */
    uint8_t hops;                    /* 1: from complete stacks; 2 and 3: from stitched ones */
    bool shallow;                    /* it has donors, and they are too far above it */
};

/* How far from a complete stack a donor may be. */
#define FF_STITCH_HOPS 3u

/* How many times further below the activation a cut stack's end may lie than that of any donor. A
 * function with two callers is cut only where it goes deep: if one caller always goes deep, all donors
 * are the other's. Measured: 13 at the most where the truth is known and right, 55 in a program made
 * to be wrong. */
#define FF_STITCH_STRETCH 16u

struct ff_stitcher {
    struct ff_profile *profile;
    uint8_t hops_max; /* FF_STITCH_HOPS; tests change it */
    struct ff_offers
        offers; /* complete stacks; those of another recording of the process may be added */
    struct ff_stitch_held *held; /* index 0 unused */
    uint32_t held_count, held_capacity;
    struct ff_map held_map;
    struct ff_arena arena; /* activations of held */
    struct ff_donors donors;
    struct ff_stitch_counts counts;
    bool refused[FF_DONOR_KINDS]; /* kinds of keys that failed the self-test */
    bool failed;
};

void ff_stitcher_init(struct ff_stitcher *stitcher, struct ff_profile *profile);
void ff_stitcher_release(struct ff_stitcher *stitcher);

/* Offers the activations of a complete stack. */
void ff_stitcher_offer(struct ff_stitcher *stitcher, struct ff_task task,
                       const struct ff_unwound *unwound);

/* Keeps a sample whose stack is truncated, instead of adding it to the profile. */
void ff_stitcher_hold(struct ff_stitcher *stitcher, struct ff_task task,
                      const struct ff_sample *sample, const struct ff_unwound *unwound);

/* Adds what another stitcher was offered and holds, of a part of the same recording that MAPS brought to
 * the profile. */
void ff_stitcher_append(struct ff_stitcher *stitcher, const struct ff_stitcher *from,
                        const struct ff_append *maps);

/* Adds the held samples to the profile: stitched, or truncated as they are. Complete donors come
 * first, then stitched ones up to three hops away, and those with a gap where there is no other. A
 * kind of key with which the self-test finds fewer than 95 % exact is not used. The answer does not depend on the order of the calls before. */
void ff_stitcher_finish(struct ff_stitcher *stitcher);

#endif
