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
