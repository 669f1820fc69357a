/* SPDX-License-Identifier: MIT
 *
 * The one hash table: a 64-bit hash to candidate ids. The caller compares its own rows:
 *
 *     struct ff_probe probe;
 *     for (uint32_t id = ff_map_first(map, hash, &probe); id; id = ff_map_next(map, &probe))
 *         if (row_equals(id)) return id;
 *     ff_map_add(map, hash, new_id);
 */
#ifndef FF_BASE_MAP_H
#define FF_BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* All zero is an empty map. Ids are never 0. */
struct ff_map {
    struct ff_map_slot *slots; /* a power of two, at most 2/3 full */
    uint32_t slot_count, used;
    bool failed; /* memory ran out: later additions may be missing */
};

struct ff_probe {
    uint32_t tag, slot;
};

uint32_t ff_map_first(const struct ff_map *map, uint64_t hash, struct ff_probe *probe);
uint32_t ff_map_next(const struct ff_map *map, struct ff_probe *probe);
void ff_map_add(struct ff_map *map, uint64_t hash, uint32_t id);
void ff_map_release(struct ff_map *map);

#endif
