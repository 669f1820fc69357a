/* SPDX-License-Identifier: MIT
 *
 * What two recordings of one thread say together without any sample of both: how often, at least and at
 * most, a Python function is on the stack while the thread is in a bucket. Where perf sees a share X
 * and py-spy a share F of the same moments, both hold in max(0, X + F - 1) to min(X, F) of them (M. Frechet,
 * Annales de l'Universite de Lyon A 14, 1951). Samples that cannot hold Python (whole stacks without an
 * evaluation loop) are outside of both: py-spy takes none there.
 */
#ifndef FF_MERGE_BOUNDS_H
#define FF_MERGE_BOUNDS_H

#include "base/output.h"
#include "profile/profile.h"

/* Shares in millionths of the thread's samples. */
struct ff_bounds {
    uint32_t least, most;
};

/* Of SAMPLES of the thread in perf LOOPS may hold Python, and so may BUCKET of those in the bucket;
 * FOUND of SEEN in py-spy hold the function. The bounds are of all SAMPLES. */
struct ff_bounds ff_bounds_of(uint64_t samples, uint64_t loops, uint64_t bucket, uint64_t found,
                              uint64_t seen);

/* Writes a table: for each thread that both recorded, each bucket (largest first) with the functions of
 * which most is known. py-spy sources with native frames, of chosen moments (--gil) or with idle time
 * (--idle) are left out. FF_BAD_INPUT with a message where no thread was recorded by both; NOTE is ff_merge_names's. */
enum ff_status ff_bounds_write(struct ff_profile *profile, struct ff_output *output,
                               struct ff_error *note);

#endif
