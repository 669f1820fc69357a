/* SPDX-License-Identifier: MIT
 *
 * Stacks that name their Python frames themselves: CPython's trampolines (`-X perf`) or its jit dump
 * leave a frame "py::qualname:file" beside each evaluation loop.
 */
#ifndef FF_MERGE_EXACT_H
#define FF_MERGE_EXACT_H

#include "merge/part.h"

struct ff_exact_counts {
    uint64_t exact;      /* samples all of whose evaluation loops have a name */
    uint64_t unmatched;  /* samples with a loop that was entered before the trampolines were on */
    uint64_t cut_inside; /* samples whose outermost frame is a trampoline: the rest is missing */
};

/* Rewrites the samples of perf sources' processes that have trampolines: the Python frame takes the
 * place of trampoline and loop, a loop without a name becomes the Python frame "[python]", class
 * unmatched. With PLUMBING false the interpreter's carrying functions are hidden where Python or
 * another library comes next. Counts samples in *counts (NULL is fine). */
enum ff_status ff_merge_exact(struct ff_profile *profile, bool plumbing,
                              struct ff_exact_counts *counts);

#endif
