/* SPDX-License-Identifier: MIT
 *
 * Wilson's interval. The hard thing is the same digits on every machine: only the four basic
 * operations of IEEE 754 are used, and the root is Newton's.
 */
#include "report/interval.h"

#define Z 1.959964

/* Newton's method from above falls until rounding stops it. */
static double root(double square)
{
    double guess = square < 1 ? 1 : square;
    for (;;) {
        double better = (guess + square / guess) / 2;
        if (better >= guess)
            return guess;
        guess = better;
    }
}

static uint32_t permille(double share)
{
    if (share <= 0)
        return 0;
    return share >= 1 ? 1000 : (uint32_t)(share * 1000 + 0.5);
}

/* Wilson's formula, for sizes that need not be whole. */
static struct ff_interval score(double hits, double n)
{
    double share = hits / n;
    double scale = 1 + Z * Z / n;
    double middle = share + Z * Z / (2 * n);
    double reach = Z * root(share * (1 - share) / n + Z * Z / (4 * n * n));
    return (struct ff_interval){permille((middle - reach) / scale),
                                permille((middle + reach) / scale)};
}

struct ff_interval ff_interval_wilson(uint64_t hits, uint64_t n)
{
    if (!n)
        return (struct ff_interval){0, 1000};
    if (hits > n)
        hits = n;
    struct ff_interval interval = score((double)hits, (double)n);
    /* The exact bounds that rounding may miss. */
    if (!hits)
        interval.low = 0;
    if (hits == n)
        interval.high = 1000;
    return interval;
}

struct ff_interval ff_interval_merged(uint64_t count, uint64_t spread, uint64_t n)
{
    double one = (double)(1 << 20), hits = (double)count / one, all = (double)n / one;
    if (!spread || !count || count > n)
        return ff_interval_wilson(count >> 20, n >> 20);
    double kept = (double)count / ((double)count + (double)spread);
    return score(hits * kept, all * kept);
}

/* P(B <= k) for B binomial (n, 1/2), in doubles: exact enough up to hundreds of values. */
static uint32_t rank_of_end(uint32_t n)
{
    double term = 1, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        term /= 2;
    for (uint32_t k = 0; k < n / 2; k++) {
        sum += term;
        if (sum > 0.025)
            return k;
        term = term * (n - k) / (k + 1);
    }
    return n / 2;
}

#define MEDIAN_N 1000 /* 2^-1000 is still a number; of more values the middle ones are taken */

struct ff_interval ff_interval_median(const uint32_t *values, uint32_t n)
{
    uint32_t first = n > MEDIAN_N ? (n - MEDIAN_N) / 2 : 0;
    uint32_t count = n > MEDIAN_N ? MEDIAN_N : n, rank = rank_of_end(count);
    if (rank)
        rank--;
    return (struct ff_interval){values[first + rank], values[first + count - 1 - rank]};
}
