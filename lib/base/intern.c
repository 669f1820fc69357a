/* SPDX-License-Identifier: MIT
 *
 * Interned text: bytes in an arena, found again through the hash map. No hard thing here.
 */
#include "base/intern.h"

uint32_t ff_intern_find(const struct ff_intern *intern, struct ff_text text)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_bytes(text.at, text.size, 1);
    for (uint32_t id = ff_map_first(&intern->map, hash, &probe); id;
         id = ff_map_next(&intern->map, &probe)) {
        if (ff_text_equal(intern->texts[id], text))
            return id;
    }
    return 0;
}

uint32_t ff_intern(struct ff_intern *intern, struct ff_text text)
{
    if (!text.size)
        return 0;
    uint32_t id = ff_intern_find(intern, text);
    if (id)
        return id;
    id = intern->count ? intern->count : 1;
    intern->texts = ff_grow(intern->texts, &intern->capacity, (uint64_t)id + 1,
                            sizeof *intern->texts, &intern->failed);
    char *copy = id < intern->capacity ? ff_arena_take(&intern->arena, text.size + 1) : NULL;
    if (!copy) {
        intern->failed = true;
        return 0;
    }
    memcpy(copy, text.at, text.size);
    copy[text.size] = '\0';
    intern->texts[id] = (struct ff_text){copy, text.size};
    intern->count = id + 1;
    ff_map_add(&intern->map, ff_hash_bytes(copy, text.size, 1), id);
    intern->failed |= intern->map.failed;
    return id;
}

void ff_intern_release(struct ff_intern *intern)
{
    ff_free(intern->texts);
    ff_map_release(&intern->map);
    ff_arena_release(&intern->arena);
    *intern = (struct ff_intern){0};
}
