/* SPDX-License-Identifier: MIT
 *
 * A hash table of bodies. The hard thing is the search for their ends, which looks at every byte of
 * the file: it takes eight at a time.
 */
#include "read/perf_script_bodies.h"

void ff_script_bodies_release(struct ff_script_bodies *bodies)
{
    ff_free(bodies->rows);
    ff_map_release(&bodies->map);
    ff_arena_release(&bodies->arena);
    *bodies = (struct ff_script_bodies){0};
}

struct ff_script_body *ff_script_bodies_find(struct ff_script_bodies *bodies, struct ff_text text,
                                             uint64_t *hash)
{
    struct ff_probe probe;
    *hash = ff_hash_bytes(text.at, text.size, 3);
    for (uint32_t id = ff_map_first(&bodies->map, *hash, &probe); id;
         id = ff_map_next(&bodies->map, &probe)) {
        if (ff_text_equal(bodies->rows[id].text, text))
            return &bodies->rows[id];
    }
    return NULL;
}

struct ff_script_body *ff_script_bodies_add(struct ff_script_bodies *bodies, uint64_t hash,
                                            struct ff_script_body body)
{
    if (bodies->bytes > FF_SCRIPT_BODIES_MAX)
        ff_script_bodies_release(bodies);
    uint32_t id = bodies->count ? bodies->count : 1;
    bodies->rows = ff_grow(bodies->rows, &bodies->capacity, (uint64_t)id + 1, sizeof *bodies->rows,
                           &bodies->failed);
    char *copy = id < bodies->capacity ? ff_arena_take(&bodies->arena, body.text.size) : NULL;
    if (!copy) {
        bodies->failed = true;
        return NULL;
    }
    body.text.at = memcpy(copy, body.text.at, body.text.size);
    bodies->bytes += body.text.size + sizeof body;
    bodies->rows[id] = body;
    bodies->count = id + 1;
    ff_map_add(&bodies->map, hash, id);
    return &bodies->rows[id];
}

#define EVERY_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

size_t ff_script_blank_line(struct ff_text text, size_t from)
{
    size_t at = from;
    for (; at + 9 <= text.size; at += 8) {
        uint64_t here, next;
        memcpy(&here, text.at + at, 8);
        memcpy(&next, text.at + at + 1, 8);
        /* A byte is zero where both are line ends. */
        uint64_t both = (here ^ EVERY_BYTE('\n')) | (next ^ EVERY_BYTE('\n'));
        if ((both - EVERY_BYTE(0x01)) & ~both & EVERY_BYTE(0x80))
            break;
    }
    for (; at + 1 < text.size; at++) {
        if (text.at[at] == '\n' && text.at[at + 1] == '\n')
            return at;
    }
    return text.size;
}
