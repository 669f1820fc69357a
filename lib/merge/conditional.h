/* SPDX-License-Identifier: MIT
 *
 * Python frames for perf's stacks from what py-spy saw with native frames (`py-spy record -n -t`):
 * P(Python frames | thread, native frames at the entry from Python). Each native stack is parted over
 * the ways that were seen with its like; totals of native stacks stay exactly as they were.
 * docs/merging.md has the method, its limits and its measured accuracy.
 */
#ifndef FF_MERGE_CONDITIONAL_H
#define FF_MERGE_CONDITIONAL_H

#include "merge/part.h"

struct ff_conditional_options {
    bool one_to_one; /* every Python frame has an evaluation loop of its own (CPython up to 3.10, or
                        with `-X perf`), so that their number may be compared */
    bool sites;      /* use call sites where the recording has them: merge/sites.h */
    bool plumbing;   /* show the interpreter's carrying functions */
};

struct ff_conditional_counts {
    uint64_t site;        /* samples: their call sites name the innermost function */
    uint64_t conditional; /* samples: parted by what stood with their entry frames */
    uint64_t marginal;    /* parted by their thread's role alone: no such entry was seen */
    uint64_t unmatched;   /* of a joined process, but nothing like it was seen */
    uint64_t cut;         /* with Python in it, but not complete: left as they were */
};

/* IDENTITY[process] is the same for processes of two sources that are one process, 0 for one that no
 * other source has (ff_merge_names). Sources with Python and native frames are the reference;
 * samples of perf sources without Python frames are parted. *counts may be NULL. */
enum ff_status ff_merge_conditional(struct ff_profile *profile, const uint32_t *identity,
                                    struct ff_conditional_options options,
                                    struct ff_conditional_counts *counts);

#endif
