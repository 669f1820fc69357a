/* SPDX-License-Identifier: MIT
 *
 * The records of a perf.data file, in order, into a profile: one source.
 */
#ifndef FF_READ_PERF_APPLY_H
#define FF_READ_PERF_APPLY_H

#include "profile/select.h"
#include "read/perf_blocked.h"
#include "read/perf_deferred.h"
#include "read/perf_lender.h"
#include "read/perf_record.h"
#include "read/perf_share.h"
#include "read/perf_stack.h"
#include "read/perf_tasks.h"
#include "unwind/stitch.h"

struct ff_perf_part;

struct ff_perf_apply {
    struct ff_profile *profile;
    struct ff_perf_file *file;            /* borrowed */
    const struct ff_selection *selection; /* borrowed; CPUs are applied here */
    struct ff_window window;              /* of the samples to take; in ns, never percent */
    struct ff_perf_tasks tasks;
    struct ff_perf_stacks stacks;
    struct ff_perf_blocked blocked;
    struct ff_perf_deferred deferred;
    bool switches;                /* there are samples of sched_switch */
    struct ff_unwinder *unwinder; /* borrowed; NULL: user stacks are not unwound */
    struct ff_unwound unwound;    /* of the sample at hand */
    struct ff_stitcher stitcher;
    bool no_stitching;
    const struct ff_site_finder *finder; /* its observations are all that is wanted, see is_done */
    struct ff_perf_lender *lender; /* borrowed; gets tasks and offers in the end; NULL: none */
    struct ff_perf_lender *const *lenders; /* borrowed: their stacks serve as donors */
    uint32_t lender_count;
    uint32_t source;
    uint64_t first_ns, last_ns; /* of the samples */
    uint64_t counts[FF_LEDGER_COUNT], sample_counts[FF_LEDGER_COUNT];
    struct ff_perf_share share; /* of the samples */
    struct ff_perf_part
        *part; /* borrowed; gets offers and counts of samples in the end; NULL: this is
                                  the last part, which has what is of none */
};

/* Adds the source to the file's profile. */
void ff_perf_apply_init(struct ff_perf_apply *apply, struct ff_perf_file *file, struct ff_text name,
                        const struct ff_selection *selection);

/* Takes a kernel record (types up to FF_PERF_KERNEL_LAST); CONTEXT is a struct ff_perf_apply. */
void ff_perf_apply_record(void *context, struct ff_text record);

/* Widens first_ns .. last_ns to hold a sample's time. */
void ff_perf_apply_time(struct ff_perf_apply *apply, uint64_t time_ns);

/* Completes the source, writes the counts to the ledger, frees everything. FF_USAGE when a lender is of
 * another process: truncated stacks then stay so. */
enum ff_status ff_perf_apply_finish(struct ff_perf_apply *apply);

/* Applies one SAMPLE record. OWN: it is of the part that is read. USER: the words of a chain that was
 * deferred; NULL: they may still have to come, and then it waits. */
void ff_perf_apply_sample(struct ff_perf_apply *apply, struct ff_text record, bool own,
                          const uint64_t *user, uint64_t user_count);

#endif
