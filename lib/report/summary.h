/* SPDX-License-Identifier: MIT
 *
 * The numbers behind a report: one source and event, its threads, buckets and stack states.
 */
#ifndef FF_REPORT_SUMMARY_H
#define FF_REPORT_SUMMARY_H

#include "profile/profile.h"
#include "report/interval.h"

/* Counts are in units of 1 / FF_COUNT_ONE. */
struct ff_summary_thread {
    uint32_t thread;
    uint64_t count;
    uint32_t row; /* of `cells` */
};

struct ff_summary_bucket {
    uint32_t name;          /* 0: samples that were not classified */
    uint64_t count, spread; /* spread: for ff_interval_merged */
    uint32_t column;        /* of `cells` */
};

struct ff_summary {
    const struct ff_profile *profile;
    uint32_t source, event;
    uint64_t total;
    uint64_t states[FF_STATE_COUNT];
    struct ff_summary_thread *threads; /* hottest first; ties by label, pid, tid */
    struct ff_summary_bucket *buckets; /* hottest first; ties by name */
    uint64_t *cells;                   /* [row * bucket_count + column] */
    uint32_t thread_count, bucket_count;
    bool classified; /* some sample has a bucket */
};

/* Of one source and one of its events; 0 means the main one (profile/select.h). FF_NO_MEMORY leaves
 * a summary that still must be released; without any source everything is 0. */
enum ff_status ff_summary_init(struct ff_summary *summary, struct ff_profile *profile,
                               uint32_t source, uint32_t event);
void ff_summary_release(struct ff_summary *summary);

static inline uint64_t ff_summary_cell(const struct ff_summary *summary, uint32_t thread,
                                       uint32_t bucket)
{
    return summary->cells[(size_t)summary->threads[thread].row * summary->bucket_count +
                          summary->buckets[bucket].column];
}

/* The 95 % interval of the share of bucket INDEX. */
struct ff_interval ff_summary_interval(const struct ff_summary *summary, uint32_t index);

/* COUNT in whole samples, rounded to the nearest. */
uint64_t ff_summary_samples(uint64_t count);

/* PART of WHOLE in 1/1000, rounded to the nearest; 0 of nothing. */
uint32_t ff_summary_permille(uint64_t part, uint64_t whole);

/* The profile's ledger entries with a count, by grade, source, name: ids, *count of them. NULL when
 * memory is out; freed with ff_free. */
uint32_t *ff_summary_ledger(struct ff_profile *profile, uint32_t *count);

#endif
