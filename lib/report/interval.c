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

struct ff_interval ff_interval_wilson(uint64_t hits, uint64_t n)
{
    if (!n)
        return (struct ff_interval){0, 1000};
    if (hits > n)
        hits = n;
    double count = (double)n, share = (double)hits / count;
    double scale = 1 + Z * Z / count;
    double middle = share + Z * Z / (2 * count);
    double reach = Z * root(share * (1 - share) / count + Z * Z / (4 * count * count));
    struct ff_interval interval = {permille((middle - reach) / scale),
                                   permille((middle + reach) / scale)};
    /* The exact bounds that rounding may miss. */
    if (!hits)
        interval.low = 0;
    if (hits == n)
        interval.high = 1000;
    return interval;
}
