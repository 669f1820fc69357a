/* SPDX-License-Identifier: MIT
 *
 * Bounds against all ways in which samples in a bucket and samples with a function can fall together:
 * for small numbers every way is tried.
 */
#include "check.h"

#include "merge/bounds.h"

#define LOOPS 6u

static unsigned bits(unsigned mask)
{
    unsigned count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* Of 8 samples LOOPS hold Python, the first IN of these are in the bucket, and any FOUND of these hold
 * the function. */
static void check_all_ways(unsigned in, unsigned found)
{
    unsigned least = LOOPS, most = 0;
    for (unsigned mask = 0; mask < 1u << LOOPS; mask++) {
        unsigned both = bits(mask & ((1u << in) - 1));
        if (bits(mask) != found)
            continue;
        least = both < least ? both : least;
        most = both > most ? both : most;
    }
    /* py-spy sees five times as many samples, and only those with Python. */
    struct ff_bounds bounds = ff_bounds_of(8, LOOPS, in, 5 * found, 5 * LOOPS);
    CHECK_NUMBER(bounds.least, least * 1000000 / 8);
    CHECK_NUMBER(bounds.most, most * 1000000 / 8);
}

int main(void)
{
    for (unsigned in = 0; in <= LOOPS; in++) {
        for (unsigned found = 0; found <= LOOPS; found++)
            check_all_ways(in, found);
    }
    CHECK_NUMBER(ff_bounds_of(8, 0, 0, 3, 3).most, 0); /* no stack can hold Python */
    CHECK_NUMBER(ff_bounds_of(0, 0, 0, 0, 0).most, 0);
    CHECK_NUMBER(ff_bounds_of(8, 8, 8, 0, 0).most, 0);
    return check_result();
}
