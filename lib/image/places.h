/* SPDX-License-Identifier: MIT
 *
 * The places of a profile's native and kernel frames, grouped by module and sorted, so that each
 * image is asked once for all of them.
 */
#ifndef FF_IMAGE_PLACES_H
#define FF_IMAGE_PLACES_H

#include "image/elf.h"
#include "profile/profile.h"

struct ff_place {
    uint64_t place; /* as in the frame, until it is converted */
    uint32_t frame;
};

struct ff_places {
    struct ff_place *at;
    uint32_t *first; /* by module; one more at the end */
    uint32_t module_count;
};

/* Collects the frames whose name the source did not record; with UNNAMED_ONLY, those without a
 * name. False when memory is out: then there are no places. */
bool ff_places_init(struct ff_places *places, const struct ff_profile *profile, bool unnamed_only);
void ff_places_release(struct ff_places *places);

/* The places in a module (0: in none), ascending. */
struct ff_place *ff_places_of(const struct ff_places *places, uint32_t module, uint32_t *count);

/* Whether no process but PID has modules that a perf map names. */
bool ff_places_alone(const struct ff_profile *profile, uint32_t pid);

/* Turns file offsets into module offsets, ascending. Those in no segment are dropped; returns how
 * many are left. */
uint32_t ff_places_to_module_offsets(struct ff_place *places, uint32_t count,
                                     const struct ff_elf *elf);

/* Each distinct place once into DISTINCT; NUMBERS gets, for each place, its number there. Returns
 * how many. Both arrays hold COUNT items. */
uint32_t ff_places_distinct(const struct ff_place *places, uint32_t count, uint64_t *distinct,
                            uint32_t *numbers);

/* Number of the first of the ascending places [low, high) that is not below START; HIGH when there is
 * none. */
uint32_t ff_places_first(const uint64_t *places, uint32_t low, uint32_t high, uint64_t start);

#endif
