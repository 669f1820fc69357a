/* SPDX-License-Identifier: MIT
 *
 * A recording while it is read: what perf.c (the whole) and perf_walk.c (its records) share.
 */
#ifndef FF_READ_PERF_READER_H
#define FF_READ_PERF_READER_H

#include "read/perf_apply.h"
#include "read/perf_order.h"
#include "read/perf_zstd.h"

struct ff_perf_reader {
    struct ff_profile *profile;
    struct ff_input *input;
    struct ff_perf_file file;
    struct ff_perf_zstd zstd;
    struct ff_perf_order order;
    struct ff_perf_apply apply;
    const char *view; /* the bytes at input->offset; NULL inside of a compressed record */
    uint64_t skip;    /* bytes of payload behind the last record */
    enum ff_status status;
    const char *folder; /* holds data.0 and so on, with more records; NULL: none */
    char *scratch;      /* a record of the other byte order, in this machine's */
    bool only_times;    /* a first pass that finds out how long the recording is */
};

static inline void ff_perf_reader_count(struct ff_perf_reader *reader, enum ff_ledger_id id,
                                        uint64_t amount)
{
    reader->apply.counts[id] += amount;
}

static inline void ff_perf_reader_fail(struct ff_perf_reader *reader, enum ff_status status)
{
    if (reader->status == FF_OK)
        reader->status = status;
}

/* Reads the records from where the input stands to the end of the data: those of the recorder itself are
 * applied, the kernel's go to the order queue. What is damaged or missing is counted. */
void ff_perf_walk(struct ff_perf_reader *reader);

#endif
