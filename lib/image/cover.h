/* SPDX-License-Identifier: MIT
 *
 * Which range holds which place, for many places at once: ranges come in the order in which they
 * win, and each place belongs to the first range that covers it. Near linear time whatever the
 * overlaps: a place that has an owner is never visited again.
 */
#ifndef FF_IMAGE_COVER_H
#define FF_IMAGE_COVER_H

#include <stdbool.h>
#include <stdint.h>

struct ff_cover {
    const uint64_t *places; /* ascending; borrowed */
    uint32_t count;
    uint32_t *owners; /* by place: what ff_cover_paint was given; 0: nobody yet */
    uint32_t *next;   /* by place: a place at or behind it that has no owner yet; private */
    uint32_t *first;  /* by (start - places[0]) >> shift: the first place not below; private */
    unsigned int shift;
};

/* False when memory is out. */
bool ff_cover_init(struct ff_cover *cover, const uint64_t *places, uint32_t count);
void ff_cover_release(struct ff_cover *cover);

/* Number of the first place that is not below START; count when there is none. */
uint32_t ff_cover_first(const struct ff_cover *cover, uint64_t start);

/* Makes OWNER (not 0) the owner of every place in [start, start + size) that has none. */
void ff_cover_paint(struct ff_cover *cover, uint64_t start, uint64_t size, uint32_t owner);

#endif
