/* SPDX-License-Identifier: MIT
 *
 * Any input that is read, into a profile.
 */
#ifndef FF_READ_READ_H
#define FF_READ_READ_H

#include "base/input.h"
#include "profile/select.h"
#include "read/format.h"
#include "unwind/unwind.h"

struct ff_about;
struct ff_perf_lender;

/* All but the selection may be NULL; everything is borrowed. */
struct ff_read_options {
    const struct ff_selection
        *selection; /* readers apply its window and CPUs; the rest is ff_select's */
    const struct ff_progress *progress;
    bool no_stitching; /* truncated stacks stay so, even where others know how they go on */
    struct ff_perf_lender *const
        *lenders; /* recordings whose stacks serve as donors, see perf_lender.h */
    uint32_t lender_count;
    const struct ff_about *about; /* what the user tells of the file */
    unsigned threads;             /* that unwind stack dumps, at most; 0: one for each processor */
    uint32_t pid; /* of the process that the file belongs to, if it is a side file; 0 not known */
    bool no_open_sample;          /* see perf_script.h */
    struct ff_unwinder *unwinder; /* NULL: user stack dumps are not unwound, and that is a loss */
};

/* The side format of a format (read/side.h); NULL: it holds samples, or is not read. */
const struct ff_side_format *ff_read_side_format(enum ff_format format);

/* Recognises PATH ("-" is stdin) by its first bytes and adds it to the profile, as a source of its
 * own (a stream brings its sources with it). FF_BAD_INPUT keeps what could be read; FF_UNSUPPORTED
 * names what the file is and what to do with it. */
enum ff_status ff_read(struct ff_profile *profile, const char *path,
                       const struct ff_read_options *options);

/* What to open for PATH: a folder that `perf record --threads` wrote is its file "data", whose name goes
 * to BUFFER, and *folder is PATH; else PATH itself, and *folder is NULL. */
const char *ff_read_path(const char *path, char *buffer, size_t size, const char **folder);

#endif
