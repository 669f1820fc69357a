/* SPDX-License-Identifier: MIT
 *
 * A recording that lends its complete stacks to another one of the same process, as donors: a short one
 * with large stack dumps beside a long one with small dumps. Its samples go nowhere.
 */
#ifndef FF_READ_PERF_LENDER_H
#define FF_READ_PERF_LENDER_H

#include "read/perf_tasks.h"
#include "unwind/stitch.h"

struct ff_perf_lender {
    char *path;
    struct ff_images *images;    /* borrowed */
    struct ff_profile *profile;  /* its own; NULL until it was read */
    struct ff_perf_tasks tasks;  /* with the address spaces as they were at the end */
    struct ff_stitcher stitcher; /* what it offers */
    bool used;                   /* it has lent, or was refused */
};

/* A lender that finds code through IMAGES. PATH is copied, and opened when it is needed first: images may
 * still be added. NULL when memory is out. */
struct ff_perf_lender *ff_perf_lender_new(const char *path, struct ff_images *images);
void ff_perf_lender_free(struct ff_perf_lender *lender); /* NULL is fine */

/* FF_USAGE, and a message, when the file is no recording that could lend. */
enum ff_status ff_perf_lender_check(const struct ff_perf_lender *lender, struct ff_error *error);

/* Adds the stacks of all processes that stand in both recordings to STITCHER, and their number of samples
 * to *count. TASKS are those of the recording that borrows; its source has its times. FF_USAGE when it
 * is the lender itself, when no process is in both, or one pid is two processes: the same process is
 * proven by equal pid and all executable mappings that both have (module, start address, file offset)
 * being equal. Nothing is lent then. */
enum ff_status ff_perf_lender_lend(struct ff_perf_lender *lender, struct ff_perf_tasks *tasks,
                                   struct ff_stitcher *stitcher, uint64_t *count,
                                   struct ff_error *error);

#endif
