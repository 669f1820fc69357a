/* SPDX-License-Identifier: MIT
 *
 * Whether two counts differ by more than chance. Samples are taken as independent; where they are not
 * (one long call hit many times), the tests call too much a difference, never too little.
 */
#ifndef FF_DIFF_SIGNIFICANCE_H
#define FF_DIFF_SIGNIFICANCE_H

#include <stdbool.h>
#include <stdint.h>

/* The chance that counts A and B, or less likely ones, come from equal rates per unit of exposure
 * EXPOSED_A and EXPOSED_B: given A + B, B is binomial (the exact conditional test of J. Przyborowski and
 * H. Wilenski, Biometrika 31, 1940). Both tails count double the smaller one, at most 1. */
double ff_poisson_test(uint64_t a, uint64_t b, double exposed_a, double exposed_b);

/* The chance that A of TOTAL_A and B of TOTAL_B samples, or more extreme parts, come about when the
 * A + B samples are dealt to both at random: the permutation test of labels, in closed form (R. A. Fisher's
 * exact test, hypergeometric). Both tails as above. */
double ff_permutation_test(uint64_t a, uint64_t b, uint64_t total_a, uint64_t total_b);

/* For COUNT tests with chances P: the largest chance that still counts as a difference, so that of the
 * differences called at most RATE are expected to be chance (Y. Benjamini and Y. Hochberg, Journal of the
 * Royal Statistical Society B 57, 1995); below 0: none. P is sorted by the call. */
double ff_false_discovery_limit(double *p, uint32_t count, double rate);

#endif
