/* SPDX-License-Identifier: MIT
 *
 * Which samples of a recording a thread takes, where several read it. All come by the same samples in the
 * same order, so a sample is known by its number.
 */
#ifndef FF_READ_PERF_SHARE_H
#define FF_READ_PERF_SHARE_H

#include "base/threads.h"

/* So many samples in a row are taken by one thread: they use the same caches. */
#define FF_PERF_SHARE_SAMPLES 32u

/* All zero takes every sample. */
struct ff_perf_share {
    struct ff_claims *claims; /* borrowed; of all threads */
    unsigned number,
        count;     /* this thread of so many take one sample each in turn; COUNT 0: who comes
                                 first takes a run of them */
    uint64_t seen; /* samples so far */
    bool own;      /* of the run at hand */
};

/* Whether the next sample is to be taken. Called once for each. */
static inline bool ff_perf_share_next(struct ff_perf_share *share)
{
    uint64_t run = share->seen / FF_PERF_SHARE_SAMPLES;
    if (!share->claims)
        return true;
    if (share->count)
        return share->seen++ % share->count == share->number;
    if (share->seen++ % FF_PERF_SHARE_SAMPLES == 0)
        share->own = ff_claims_take(share->claims, run);
    return share->own;
}

#endif
