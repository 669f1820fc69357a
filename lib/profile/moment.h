/* SPDX-License-Identifier: MIT
 *
 * When samples were taken. A sample row has a chain of moments: how much of its count fell into
 * which window of time. The windows of a source are equally wide; the width is a power of two that
 * doubles until the source spans at most FF_WINDOWS of them, so that memory grows with distinct
 * stacks and not with samples. A source of exact times has windows of 1 ns.
 */
#ifndef FF_PROFILE_MOMENT_H
#define FF_PROFILE_MOMENT_H

#include "base/output.h"
#include "profile/profile.h"

#define FF_WINDOWS 64

/* A chain of one moment for FF_COUNT_ONE at TIME_NS of the source's clock: the `moments` of a sample
 * that is about to be added. Widens the source's windows if need be; 0 when memory is out. */
uint32_t ff_moment_add(struct ff_profile *profile, uint32_t source, uint64_t time_ns);

/* One moment of a window that is known: COUNT in units of 1 / FF_COUNT_ONE. */
uint32_t ff_moment_add_count(struct ff_profile *profile, uint64_t time_ns, uint64_t count);

/* One chain of both; the chains are used up. Either may be 0. */
uint32_t ff_moments_join(struct ff_profile *profile, uint32_t a, uint32_t b);

/* A new chain of what two settled chains hold, itself settled; they stay as they are. Either may be 0. */
uint32_t ff_moments_merge(struct ff_profile *profile, uint32_t a, uint32_t b);

/* Takes COUNT off the front of *CHAIN, splitting a moment where need be, and returns it as a chain:
 * for a sample row that is split. Less when the chain has less. */
uint32_t ff_moments_take(struct ff_profile *profile, uint32_t *chain, uint64_t count);

/* Brings all chains to their source's final width, sorted by time, one moment for each window. A
 * reader calls it at its end, a writer at its beginning; calling it again changes nothing. */
void ff_moments_settle(struct ff_profile *profile);

/* The moments of a sample as the stream has them: "0,3*2,9*0+524288", windows counted from the
 * source's first, `*` and the whole count where it is not 1, `+` and the rest in 1 / FF_COUNT_ONE. */
void ff_moments_write(const struct ff_profile *profile, const struct ff_sample *sample,
                      struct ff_output *output);

/* The same back, as a new *chain of a sample of SOURCE. false: the text is none; *chain is 0. */
bool ff_moments_parse(struct ff_profile *profile, uint32_t source, struct ff_text text,
                      uint32_t *chain);

#endif
