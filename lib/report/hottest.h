/* SPDX-License-Identifier: MIT
 *
 * The hottest stacks of each bucket, shortened to a line.
 */
#ifndef FF_REPORT_HOTTEST_H
#define FF_REPORT_HOTTEST_H

#include "report/summary.h"

#define FF_HOTTEST_STACKS 3

struct ff_hottest_stack {
    uint32_t text;  /* "sched_yield < libcuda < cuLaunchKernel < ... < step (a.py:3)" */
    uint64_t count; /* in units of 1 / FF_COUNT_ONE */
};

/* For the buckets of a summary, in its order. */
struct ff_hottest {
    const struct ff_profile *profile;
    struct ff_hottest_stack *stacks; /* [bucket * FF_HOTTEST_STACKS + i]; count 0: no more */
};

/* Stacks whose lines are equal are one: kernel frames under user code are left out, runs of nameless
 * functions of one library are one word, of what has no room the innermost Python frame is kept.
 * FF_NO_MEMORY leaves nothing that could be read; to be released in any case. */
enum ff_status ff_hottest_init(struct ff_hottest *hottest, struct ff_profile *profile,
                               const struct ff_summary *summary);
void ff_hottest_release(struct ff_hottest *hottest);

#endif
