/* SPDX-License-Identifier: MIT
 *
 * An address space: which module is mapped where, at one moment of reading.
 */
#ifndef FF_PROFILE_SPACE_H
#define FF_PROFILE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct ff_span {
    uint64_t start, end;  /* addresses, end not included */
    uint64_t file_offset; /* of the byte at `start` */
    uint32_t module;
    bool data; /* mapped without the right to execute: no code stands here */
};

/* Spans sorted by address, without overlap. All zero is an empty space. */
struct ff_space {
    struct ff_span *spans;
    uint32_t count, capacity;
    uint32_t owner; /* a number that tells this space from all others: given by who made it */
    uint32_t epoch; /* grows with each change, so that results of a lookup can be cached */
    bool failed;    /* memory ran out: a later mapping is missing */
};

/* Maps a span; what it overlaps is cut, as the kernel does. Empty or wrapped spans are ignored. */
void ff_space_map(struct ff_space *space, struct ff_span span);

/* The span that holds ADDRESS, or NULL. Lives until the next change. */
const struct ff_span *ff_space_find(const struct ff_space *space, uint64_t address);

void ff_space_clear(struct ff_space *space);                             /* exec */
void ff_space_copy(struct ff_space *space, const struct ff_space *from); /* fork */
void ff_space_release(struct ff_space *space);

#endif
