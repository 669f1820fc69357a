/* SPDX-License-Identifier: MIT
 *
 * The parts of perf maps and jit dumps that a pack keeps.
 */
#ifndef FF_IMAGE_PACK_GENERATED_H
#define FF_IMAGE_PACK_GENERATED_H

#include "base/output.h"
#include "image/jit_dump.h"
#include "image/perf_map.h"
#include "image/places.h"

/* A process whose generated code is packed. */
struct ff_pack_process {
    const struct ff_profile *profile;
    const struct ff_places *places;
    uint32_t pid;
};

/* Whether a module is generated code of the process. */
bool ff_pack_is_generated(const struct ff_pack_process *process, uint32_t module);

/* Append what holds frames of the process, and nothing where nothing does: the lines of a map, the
 * header and the records of a dump, in their order, so that the last one still holds. False when
 * memory is out. */
bool ff_pack_put_perf_map(struct ff_output *output, const struct ff_pack_process *process,
                          const struct ff_perf_map *map);
bool ff_pack_put_jit_dump(struct ff_output *output, const struct ff_pack_process *process,
                          const struct ff_jit_dump *dump);

#endif
