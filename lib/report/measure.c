/* SPDX-License-Identifier: MIT
 *
 * Counts to measures. The hard thing is a sample whose stack is too short to tell: it is neither for
 * nor against, so it moves the upper end only.
 */
#include "report/measure.h"
#include "report/interval.h"

const struct ff_measure_about ff_measures[FF_MEASURE_COUNT] = {
#define X(name, word, kind, buckets, phrase) [name] = {word, buckets, phrase, kind},
    FF_MEASURE_TABLE(X)
#undef X
};

struct ff_measure ff_measure_share(uint64_t count, uint64_t hidden, uint64_t n)
{
    struct ff_measure measure = {.known = n != 0, .count = count, .n = n};
    if (!n)
        return measure;
    measure.value = (uint32_t)((double)count * 1000 / (double)n + 0.5);
    measure.low = ff_interval_wilson(count, n).low;
    measure.high = ff_interval_wilson(count + hidden, n).high;
    return measure;
}

struct ff_measure ff_measure_exact(uint32_t value)
{
    return (struct ff_measure){
        .known = true, .count = value, .value = value, .low = value, .high = value};
}

uint64_t ff_measure_needed(uint32_t value, uint32_t threshold)
{
    double p = value / 1000.0, distance = p - threshold / 1000.0;
    if (value == threshold)
        return 0;
    /* A share of 0 or 1 has an interval too: it reaches z^2 / (n + z^2). */
    if (value == 0 || value >= 1000) {
        double reach = distance < 0 ? -distance : distance;
        return (uint64_t)(3.8415 * (1 - reach) / reach) + 1;
    }
    return (uint64_t)(3.8415 * p * (1 - p) / (distance * distance)) + 1;
}
