/* SPDX-License-Identifier: MIT
 *
 * Exact tests of two counts. The hard thing is summing a tail of a distribution over millions without
 * losing digits: terms are followed outwards from the observed one by their ratios, and soon vanish.
 */
#include "diff/significance.h"

#include <math.h>
#include <stdlib.h>

static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Sums terms from FIRST on: term k + 1 is term k times ratio(k). */
static double sum_tail(double first, double k, double last, double step,
                       double (*ratio)(double k, const double *about), const double *about)
{
    double sum = first, term = first;
    for (; k != last; k += step) {
        term *= ratio(k, about);
        sum += term;
        if (term < sum * 1e-17)
            break;
    }
    return sum;
}

/* about: n, odds of b. */
static double binomial_up(double k, const double *about)
{
    return (about[0] - k) / (k + 1) * about[1];
}

static double binomial_down(double k, const double *about)
{
    return k / (about[0] - k + 1) / about[1];
}

/* Both tails: double the one that begins at the observed count and leads away from the middle. */
static double both(double tail)
{
    return tail * 2 < 1 ? tail * 2 : 1;
}

double ff_poisson_test(uint64_t a, uint64_t b, double exposed_a, double exposed_b)
{
    double n = (double)a + (double)b, k = (double)b;
    double about[2] = {n, exposed_b / exposed_a};
    if (a + b == 0 || !(exposed_a > 0) || !(exposed_b > 0))
        return 1;
    double share = exposed_b / (exposed_a + exposed_b);
    double here = exp(log_choose(n, k) + k * log(share) + (n - k) * log1p(-share));
    return both(k < n * share ? sum_tail(here, k, 0, -1, binomial_down, about)
                              : sum_tail(here, k, n, 1, binomial_up, about));
}

/* about: all marked samples, all samples of B, all samples of A. */
static double deal_up(double k, const double *about)
{
    return (about[0] - k) * (about[1] - k) / ((k + 1) * (about[2] - about[0] + k + 1));
}

static double deal_down(double k, const double *about)
{
    return k * (about[2] - about[0] + k) / ((about[0] - k + 1) * (about[1] - k + 1));
}

double ff_permutation_test(uint64_t a, uint64_t b, uint64_t total_a, uint64_t total_b)
{
    double marked = (double)a + (double)b, k = (double)b;
    double about[3] = {marked, (double)total_b, (double)total_a};
    if (a > total_a || b > total_b || !total_a || !total_b)
        return 1;
    double here = exp(log_choose((double)total_b, k) + log_choose((double)total_a, (double)a) -
                      log_choose((double)total_a + (double)total_b, marked));
    double least = marked > (double)total_a ? marked - (double)total_a : 0;
    double most = marked < (double)total_b ? marked : (double)total_b;
    double middle = marked * (double)total_b / ((double)total_a + (double)total_b);
    return both(k < middle ? sum_tail(here, k, least, -1, deal_down, about)
                           : sum_tail(here, k, most, 1, deal_up, about));
}

static int compare_chances(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double ff_false_discovery_limit(double *p, uint32_t count, double rate)
{
    double limit = -1;
    if (count)
        qsort(p, count, sizeof *p, compare_chances);
    for (uint32_t i = 0; i < count; i++) {
        if (p[i] <= rate * (i + 1) / count)
            limit = p[i];
    }
    return limit;
}
