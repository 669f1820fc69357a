/* SPDX-License-Identifier: MIT
 *
 * Open addressing with linear probing; a slot keeps 32 bits of the hash, which also are enough to
 * place it again when the table grows. Nothing is ever removed.
 */
#include "base/map.h"
#include "base/memory.h"

struct ff_map_slot {
    uint32_t tag, id;
};

static uint32_t hash_tag(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32) * UINT32_C(0x9e3779b1);
}

static uint32_t slot_of(const struct ff_map *map, uint32_t tag)
{
    return (tag ^ tag >> 15) & (map->slot_count - 1);
}

uint32_t ff_map_next(const struct ff_map *map, struct ff_probe *probe)
{
    for (;;) {
        const struct ff_map_slot *slot = &map->slots[probe->slot];
        if (!slot->id)
            return 0;
        probe->slot = (probe->slot + 1) & (map->slot_count - 1);
        if (slot->tag == probe->tag)
            return slot->id;
    }
}

uint32_t ff_map_first(const struct ff_map *map, uint64_t hash, struct ff_probe *probe)
{
    if (!map->slot_count)
        return 0;
    probe->tag = hash_tag(hash);
    probe->slot = slot_of(map, probe->tag);
    return ff_map_next(map, probe);
}

static void put(struct ff_map *map, struct ff_map_slot entry)
{
    uint32_t at = slot_of(map, entry.tag);
    while (map->slots[at].id)
        at = (at + 1) & (map->slot_count - 1);
    map->slots[at] = entry;
}

static bool grow(struct ff_map *map)
{
    struct ff_map bigger = {.slot_count = map->slot_count ? map->slot_count * 2 : 64};
    bigger.slots = bigger.slot_count ? ff_alloc(bigger.slot_count, sizeof *bigger.slots) : NULL;
    if (!bigger.slots) {
        map->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < map->slot_count; i++) {
        if (map->slots[i].id)
            put(&bigger, map->slots[i]);
    }
    ff_free(map->slots);
    map->slots = bigger.slots;
    map->slot_count = bigger.slot_count;
    return true;
}

void ff_map_add(struct ff_map *map, uint64_t hash, uint32_t id)
{
    /* One slot always stays free: probing ends there. */
    if (map->used >= map->slot_count / 3 * 2 && !grow(map) && map->used + 1 >= map->slot_count)
        return;
    put(map, (struct ff_map_slot){hash_tag(hash), id});
    map->used++;
}

void ff_map_release(struct ff_map *map)
{
    ff_free(map->slots);
    *map = (struct ff_map){0};
}
