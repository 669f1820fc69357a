/* SPDX-License-Identifier: MIT
 *
 * Records of a machine with the other byte order to this machine's, so that no other code needs to
 * know. What is a number and how wide: linux include/uapi/linux/perf_event.h.
 */
#ifndef FF_READ_PERF_SWAP_H
#define FF_READ_PERF_SWAP_H

#include "read/perf_file.h"

/* Swaps an attribute in place; a tail that is not known stays. */
void ff_perf_swap_attr(unsigned char *attr, size_t size);

/* Swaps the 8-byte words of a list in place. */
void ff_perf_swap_words(unsigned char *words, size_t size);

/* Swaps a whole record in place, header and all. Never goes beyond SIZE; what a sample has behind its
 * stack stays as it is. Not for the payload that follows some records. */
void ff_perf_swap_record(const struct ff_perf_file *file, unsigned char *record, size_t size);

#endif
