/* SPDX-License-Identifier: MIT
 *
 * Growable tables and arenas over realloc. The hard thing is arithmetic on sizes that a file may
 * have chosen: every product is checked before it is asked for.
 */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)1 << 16)

struct ff_arena_block {
    struct ff_arena_block *next;
    size_t size;
    uint64_t bytes[];
};

void *ff_grow_more(void *items, uint32_t *capacity, uint64_t want, size_t size, bool *failed)
{
    uint64_t count = *capacity < 16 ? 16 : *capacity + (uint64_t)*capacity / 2;
    if (count < want)
        count = want;
    void *grown = NULL;
    if (count <= UINT32_MAX && count <= SIZE_MAX / size)
        grown = realloc(items, (size_t)count * size);
    if (!grown) {
        *failed = true;
        return items;
    }
    memset((char *)grown + (size_t)*capacity * size, 0, (size_t)(count - *capacity) * size);
    *capacity = (uint32_t)count;
    return grown;
}

void *ff_alloc(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

void ff_free(void *memory)
{
    free(memory);
}

static bool arena_add_block(struct ff_arena *arena, size_t size)
{
    size_t want = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    struct ff_arena_block *block = NULL;
    if (want <= SIZE_MAX - sizeof *block)
        block = malloc(sizeof *block + want);
    if (!block) {
        arena->failed = true;
        return false;
    }
    *block = (struct ff_arena_block){.next = arena->block, .size = want};
    arena->block = block;
    arena->used = 0;
    arena->size = want;
    return true;
}

void *ff_arena_take(struct ff_arena *arena, size_t size)
{
    if (size > SIZE_MAX - 8) {
        arena->failed = true;
        return NULL;
    }
    size = (size + 7) & ~(size_t)7;
    if ((!arena->block || size > arena->size - arena->used) && !arena_add_block(arena, size))
        return NULL;
    void *memory = (char *)arena->block->bytes + arena->used;
    arena->used += size;
    return memory;
}

void ff_arena_release(struct ff_arena *arena)
{
    while (arena->block) {
        struct ff_arena_block *next = arena->block->next;
        free(arena->block);
        arena->block = next;
    }
    *arena = (struct ff_arena){0};
}

void ff_arena_reset(struct ff_arena *arena)
{
    while (arena->block && arena->block->next) {
        struct ff_arena_block *next = arena->block->next;
        free(arena->block);
        arena->block = next;
    }
    arena->used = 0;
    arena->size = arena->block ? arena->block->size : 0;
}
