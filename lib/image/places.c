/* SPDX-License-Identifier: MIT
 *
 * Frames to sorted places by module: count, place, sort. No hard thing here.
 */
#include "image/places.h"
#include "base/memory.h"

#include <stdlib.h>

static bool is_wanted(const struct ff_frame *frame, bool unnamed_only)
{
    if (frame->kind != FF_FRAME_NATIVE && frame->kind != FF_FRAME_KERNEL)
        return false;
    return frame->named == FF_NAMED_NOT || (!unnamed_only && frame->named != FF_NAMED_RECORDED);
}

static int compare_places(const void *a, const void *b)
{
    const struct ff_place *left = a, *right = b;
    if (left->place != right->place)
        return left->place < right->place ? -1 : 1;
    return left->frame < right->frame ? -1 : left->frame > right->frame;
}

static void sort(struct ff_place *places, uint32_t count)
{
    if (count > 1)
        qsort(places, count, sizeof *places, compare_places);
}

bool ff_places_init(struct ff_places *places, const struct ff_profile *profile, bool unnamed_only)
{
    uint32_t modules = profile->modules.count;
    *places = (struct ff_places){.module_count = modules};
    places->at = ff_alloc(profile->frames.count, sizeof *places->at);
    places->first = ff_alloc((size_t)modules + 1, sizeof *places->first);
    if (!places->at || !places->first) {
        ff_places_release(places);
        return false;
    }
    for (uint32_t i = 1; i < profile->frames.count; i++) {
        if (is_wanted(&profile->frames.at[i], unnamed_only))
            places->first[profile->frames.at[i].module]++;
    }
    for (uint32_t i = 1; i <= modules; i++)
        places->first[i] += places->first[i - 1];
    /* Filled from its end, each module's range ends up starting at first[module]. */
    for (uint32_t i = profile->frames.count; i-- > 1;) {
        const struct ff_frame *frame = &profile->frames.at[i];
        if (is_wanted(frame, unnamed_only))
            places->at[--places->first[frame->module]] = (struct ff_place){frame->place, i};
    }
    for (uint32_t i = 0; i < modules; i++)
        sort(places->at + places->first[i], places->first[i + 1] - places->first[i]);
    return true;
}

void ff_places_release(struct ff_places *places)
{
    ff_free(places->at);
    ff_free(places->first);
    *places = (struct ff_places){0};
}

struct ff_place *ff_places_of(const struct ff_places *places, uint32_t module, uint32_t *count)
{
    *count = 0;
    if (module >= places->module_count)
        return NULL;
    *count = places->first[module + 1] - places->first[module];
    return places->at + places->first[module];
}

bool ff_places_alone(const struct ff_profile *profile, uint32_t pid)
{
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        const struct ff_module *row = &profile->modules.at[i];
        if (row->kind == FF_MODULE_PERF_MAP && row->pid != pid)
            return false;
    }
    return true;
}

uint32_t ff_places_to_module_offsets(struct ff_place *places, uint32_t count,
                                     const struct ff_elf *elf)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct ff_place place = places[i];
        if (ff_elf_module_offset(elf, place.place, &place.place))
            places[kept++] = place;
    }
    sort(places, kept);
    return kept;
}

uint32_t ff_places_distinct(const struct ff_place *places, uint32_t count, uint64_t *distinct,
                            uint32_t *numbers)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!i || places[i].place != places[i - 1].place)
            distinct[used++] = places[i].place;
        numbers[i] = used - 1;
    }
    return used;
}

uint32_t ff_places_first(const uint64_t *places, uint32_t low, uint32_t high, uint64_t start)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (places[middle] < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
