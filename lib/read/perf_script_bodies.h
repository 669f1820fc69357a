/* SPDX-License-Identifier: MIT
 *
 * What stands below the heads of perf script text, as a whole: a profile has far fewer distinct
 * bodies than samples, so one look-up of the bytes gives the stack.
 */
#ifndef FF_READ_PERF_SCRIPT_BODIES_H
#define FF_READ_PERF_SCRIPT_BODIES_H

#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"

struct ff_script_body {
    struct ff_text text; /* in the arena */
    uint32_t stack, line_count;
    uint32_t address_words; /* frames that were printed with an address */
    uint32_t sample;        /* for the caller: the row that took the last such sample; 0: none */
};

/* All zero is ready for use. Memory is bounded: beyond FF_SCRIPT_BODIES_MAX everything is forgotten. */
#define FF_SCRIPT_BODIES_MAX ((size_t)32 << 20)

struct ff_script_bodies {
    struct ff_script_body *rows; /* index 0 unused */
    uint32_t count, capacity;
    struct ff_map map;
    struct ff_arena arena;
    size_t bytes;
    bool failed;
};

void ff_script_bodies_release(struct ff_script_bodies *bodies);

/* The body with this text; NULL if it was not seen, or is forgotten. Lives until the next addition. */
struct ff_script_body *ff_script_bodies_find(struct ff_script_bodies *bodies, struct ff_text text,
                                             uint64_t *hash);

/* Remembers a body with its text's hash. NULL when memory is out. */
struct ff_script_body *ff_script_bodies_add(struct ff_script_bodies *bodies, uint64_t hash,
                                            struct ff_script_body body);

/* Where the first blank line at or behind FROM begins: the first of two line ends in a row. TEXT.size
 * where there is none. */
size_t ff_script_blank_line(struct ff_text text, size_t from);

#endif
