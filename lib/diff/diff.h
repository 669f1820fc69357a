/* SPDX-License-Identifier: MIT
 *
 * Two profiles against each other: by bucket, by role of the threads, by stack.
 */
#ifndef FF_DIFF_DIFF_H
#define FF_DIFF_DIFF_H

#include "base/output.h"
#include "fold/tree.h"

/* All zero is the default. */
struct ff_diff_options {
    bool by_time;         /* compare samples per second, not shares */
    uint32_t stack_limit; /* stacks that the text shows; 0: 20 */
    const char *source;   /* name of the source to compare; NULL: the main one of each side */
};

/* Whole samples of A and of B, and what the test says. */
struct ff_diff_row {
    struct ff_text name;
    uint64_t count[2];
    double chance;          /* of such a difference without a cause */
    bool differs;           /* beyond noise, false discoveries held at 5 % */
    uint64_t thousandth[2]; /* share in 1/1000, or samples per 1000 s */
};

struct ff_diff_rows {
    struct ff_diff_row *at;
    uint32_t count, capacity;
};

struct ff_diff_side {
    struct ff_text name, event, population;
    uint64_t total;       /* whole samples */
    uint64_t duration_ns; /* 0: not known */
};

struct ff_diff {
    struct ff_diff_options options;
    struct ff_diff_side side[2];
    struct ff_diff_rows buckets, roles, stacks; /* what differs first, then by size */
    struct ff_intern names;
    bool failed;
};

/* The sources below SPLIT are A, those from it on are B; of each the main one counts (as in select.h), and its
 * event with the most samples. Stacks are the printed names below the role, without the lines of Python frames,
 * so that moved code is not other code. FF_BAD_INPUT when a side has no sample, FF_USAGE when by_time is
 * wanted and a duration is not known; message in profile->error. The diff must be released always. */
enum ff_status ff_diff_init(struct ff_diff *diff, struct ff_profile *profile, uint32_t split,
                            const struct ff_diff_options *options);
void ff_diff_release(struct ff_diff *diff);

void ff_diff_text(const struct ff_diff *diff, struct ff_output *output);

/* "ROLE;FRAME;FRAME A B", sorted, whole samples: as difffolded.pl writes it and flamegraph.pl reads it. For
 * the PICTURE counts of A are scaled to B's total, and what B no longer has stands below the root "[only in
 * A]" with the width that it had. */
void ff_diff_folded(const struct ff_diff *diff, bool picture, struct ff_output *output);

#endif
