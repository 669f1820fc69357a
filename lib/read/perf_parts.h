/* SPDX-License-Identifier: MIT
 *
 * One recording read by several threads. Each goes over all records for names and mappings, and takes a
 * part of the samples; what the parts made is put together behind the last one, which the caller's thread
 * reads. The result is that of one thread, whoever takes which sample.
 */
#ifndef FF_READ_PERF_PARTS_H
#define FF_READ_PERF_PARTS_H

#include "read/perf.h"
#include "read/perf_apply.h"

/* A part has at least so many bytes: fewer are not worth a thread. */
#define FF_PERF_PART_BYTES ((uint64_t)1 << 24)

#define FF_PERF_PARTS_MAX 64u

/* A part but the last. */
struct ff_perf_part {
    struct ff_perf_share share;
    struct ff_input input;
    struct ff_profile *profile;
    struct ff_unwinder *unwinder;
    struct ff_stitcher stitcher; /* what reading it left, with its counts of samples */
    uint64_t sample_counts[FF_LEDGER_COUNT];
    enum ff_status status;
};

struct ff_perf_parts {
    struct ff_perf_part at[FF_PERF_PARTS_MAX]; /* without the last */
    unsigned count; /* with the last: 1 where there is nothing to split */
    struct ff_claims claims;
    struct ff_text name;
    bool exact_times;
    struct ff_perf_options options; /* of each part, but for the part itself */
    void (*read_last)(void *context);
    void *context;
};

/* Plans for the records of a mapped file, at offsets START to END. One part, if OPTIONS want one thread, the
 * file is small, its records are compressed, or what follows from a sample depends on samples before it. */
void ff_perf_parts_plan(struct ff_perf_parts *parts, const struct ff_input *input, uint64_t start,
                        uint64_t end, const struct ff_perf_options *options);

/* The share of part NUMBER. PARTS must stay where it is. */
struct ff_perf_share ff_perf_parts_share(struct ff_perf_parts *parts, unsigned number);

/* Reads all parts; the last is what READ_LAST does. */
void ff_perf_parts_read(struct ff_perf_parts *parts, const struct ff_input *input,
                        void (*read_last)(void *context), void *context);

/* Adds what the other parts have made to the last one's, and frees it. FF_NO_MEMORY or FF_SYSTEM, with a
 * message, when a part could not be read. */
enum ff_status ff_perf_parts_join(struct ff_perf_parts *parts, struct ff_perf_apply *last);

#endif
