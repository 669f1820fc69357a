/* SPDX-License-Identifier: MIT
 *
 * The only place that allocates. Out of memory is sticky: a failed growth sets the owner's flag and
 * leaves the old items in place, callers go on with row 0 (reserved in every table), and the stage
 * looks at the flag once, at its end.
 */
#ifndef FF_BASE_MEMORY_H
#define FF_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns ITEMS with room for at least WANT items of SIZE bytes; *capacity is updated. New items
 * are zero. On failure ITEMS is returned as it was, *capacity stays, *failed becomes true. */
static inline void *ff_grow(void *items, uint32_t *capacity, uint64_t want, size_t size,
                            bool *failed);

/* Zeroed memory of COUNT * SIZE bytes (never NULL for 0 bytes), or NULL. Freed with ff_free. */
void *ff_alloc(size_t count, size_t size);
void ff_free(void *memory); /* NULL is fine */

/* Memory that dies together: blocks of bytes, released at once. All zero is an empty arena. */
struct ff_arena {
    struct ff_arena_block *block; /* newest first */
    size_t used, size;            /* bytes of the newest block */
    bool failed;
};

/* SIZE bytes, aligned to 8, not cleared; NULL when memory is out (arena->failed is set). The memory
 * lives until ff_arena_release. */
void *ff_arena_take(struct ff_arena *arena, size_t size);
void ff_arena_release(struct ff_arena *arena);

/* Forgets all content but keeps one block, so that a loop does not pay for fresh pages. */
void ff_arena_reset(struct ff_arena *arena);

/* What ff_grow does where there is no room yet. */
void *ff_grow_more(void *items, uint32_t *capacity, uint64_t want, size_t size, bool *failed);

static inline void *ff_grow(void *items, uint32_t *capacity, uint64_t want, size_t size,
                            bool *failed)
{
    return want <= *capacity ? items : ff_grow_more(items, capacity, want, size, failed);
}

#endif
