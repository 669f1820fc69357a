/* SPDX-License-Identifier: MIT
 *
 * Numbers as a picture prints them: integers and fixed point only, no locale.
 */
#ifndef FF_DRAW_NUMBER_H
#define FF_DRAW_NUMBER_H

#include "base/output.h"

/* AMOUNT / TOTAL in PARTS (at most 2^20), rounded half up; 0 of 0 is 0. */
uint64_t ff_number_share(uint64_t amount, uint64_t total, uint32_t parts);

void ff_number_grouped(struct ff_output *output, uint64_t value); /* 1,234,567 */

/* VALUE / 10^DIGITS: (1234, 2) is "12.34". */
void ff_number_fixed(struct ff_output *output, uint64_t value, unsigned digits);

void ff_number_short(struct ff_output *output, uint64_t hundredths); /* 1250 is "12.5" */

/* Three digits or all whole seconds: "812 ns", "1.25 ms", "97.3 s", "1,234 s"; cut, not rounded. */
void ff_number_time(struct ff_output *output, uint64_t ns);

/* AMOUNT / ONE for readers: grouped, with one decimal only where it is no whole number. */
void ff_number_amount(struct ff_output *output, uint64_t amount, uint64_t one);

/* AMOUNT / ONE for the script: no grouping, up to six decimals. */
void ff_number_data(struct ff_output *output, uint64_t amount, uint64_t one);

#endif
