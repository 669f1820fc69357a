/* SPDX-License-Identifier: MIT
 *
 * Binary logarithms in integers, so that no mathematics library changes a bit of a result.
 */
#ifndef FF_MERGE_BITS_H
#define FF_MERGE_BITS_H

#include <stdint.h>

#define FF_BITS_ONE ((int64_t)1 << 16) /* one bit */

/* log2(VALUE) in units of 1 / FF_BITS_ONE, rounded down; of 0 as of 1. */
int64_t ff_bits_of(uint64_t value);

/* 2^30 * 2^-BITS for BITS >= 0 in the same units, within 2^-20 of it; 0 from 30 bits on. */
uint64_t ff_bits_share(int64_t bits);

#endif
