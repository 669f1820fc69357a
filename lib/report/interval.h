/* SPDX-License-Identifier: MIT
 *
 * How sure a share is.
 */
#ifndef FF_REPORT_INTERVAL_H
#define FF_REPORT_INTERVAL_H

#include <stdint.h>

/* In units of 1/1000: 123 is 12.3 %. */
struct ff_interval {
    uint32_t low, high;
};

/* The 95 % score interval of a share of HITS among N independent samples (E. B. Wilson, Journal of
 * the American Statistical Association 22, 1927; z = 1.959964), rounded to the nearest 1/1000.
 * N == 0 gives 0 to 1000. HITS > N counts as N. */
struct ff_interval ff_interval_wilson(uint64_t hits, uint64_t n);

/* The same for a share that rests on a merge: COUNT of N in units of 1 / FF_COUNT_ONE, SPREAD as in
 * struct ff_sample. The share has the variance of one of COUNT * N' / N hits among N' samples with
 * N' = N * COUNT / (COUNT + SPREAD). */
struct ff_interval ff_interval_merged(uint64_t count, uint64_t spread, uint64_t n);

/* The interval of the median of the N VALUES, ascending: the narrowest pair of them, by rank, that holds
 * it in at least 95 % of cases whatever they are distributed like (the sign test's interval); below 6
 * values the smallest and the largest, which hold it less often. N is at least 1. */
struct ff_interval ff_interval_median(const uint32_t *values, uint32_t n);

#endif
