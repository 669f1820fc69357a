/* SPDX-License-Identifier: MIT
 *
 * perf.data, in file mode or pipe mode, into a profile.
 */
#ifndef FF_READ_PERF_H
#define FF_READ_PERF_H

#include "base/input.h"
#include "profile/select.h"
#include "unwind/unwind.h"

struct ff_perf_lender;
struct ff_perf_part;

/* Everything is borrowed. */
struct ff_perf_options {
    const struct ff_selection *selection;
    struct ff_unwinder *unwinder; /* NULL: user stacks are not unwound, and that is counted */
    bool no_stitching;
    struct ff_perf_lender
        *lender; /* takes the complete stacks, which are then all that is wanted; NULL:
                                      no other recording borrows from this one */
    struct ff_perf_lender *const
        *lenders; /* whose stacks serve as donors, if this has stack dumps */
    uint32_t lender_count;
    const char *folder;  /* of `perf record --threads`: the input is its file "data"; NULL: none */
    unsigned threads;    /* at most so many, for stack dumps; 0: one for each processor */
    uint64_t part_bytes; /* least size of what one thread reads; 0: FF_PERF_PART_BYTES */
    bool in_turn; /* threads take samples in turn, not as they come: for tests, which want all to work */
    struct ff_site_finder *finder; /* look only, until it has enough; NULL: read */
    struct ff_perf_part
        *part; /* read this part alone, and leave in it what cannot be in the profile;
                                  NULL: the whole */
};

/* Reads a recording as a new source called NAME. FF_BAD_INPUT and FF_UNSUPPORTED keep what stood
 * before the fault. Of the selection only the window and the CPUs are applied here. A window in
 * percent needs a file that says how long it is, or that can be read twice. */
enum ff_status ff_perf_read(struct ff_profile *profile, struct ff_input *input, struct ff_text name,
                            const struct ff_perf_options *options);

#endif
