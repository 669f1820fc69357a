/* SPDX-License-Identifier: MIT
 *
 * Ranges of addresses that may overlap, where the last one holds: generated code, whose memory is
 * used again.
 */
#ifndef FF_IMAGE_RANGES_H
#define FF_IMAGE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

struct ff_range {
    uint64_t start, size;
};

struct ff_ranges {
    uint64_t *edges;   /* ascending: all starts and ends, and who holds [edge, next edge) */
    uint32_t *holders; /* number of a range + 1; 0: nobody */
    uint32_t edge_count;
};

/* Prepares COUNT ranges, none of which passes the end of the address space; they are not needed any
 * more afterwards. False when memory is out. */
bool ff_ranges_init(struct ff_ranges *ranges, const struct ff_range *at, uint32_t count);
void ff_ranges_release(struct ff_ranges *ranges);

/* Number + 1 of the last range that holds an address; 0 when none does. */
uint32_t ff_ranges_find(const struct ff_ranges *ranges, uint64_t address);

#endif
