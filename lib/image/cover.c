/* SPDX-License-Identifier: MIT
 *
 * Painting ranges over sorted places. The hard thing is not to be quadratic for a file whose ranges
 * all overlap: painted places are skipped through links that are shortened as they are followed.
 */
#include "image/cover.h"
#include "base/memory.h"
#include "image/places.h"

/* As many buckets as make a search end after a step or two, whatever is searched for. */
#define BUCKETS ((uint32_t)1 << 12)

static void fill_buckets(struct ff_cover *cover)
{
    uint32_t place = 0;
    uint64_t span = cover->count ? cover->places[cover->count - 1] - cover->places[0] : 0;
    while (span >> cover->shift >= BUCKETS)
        cover->shift++;
    for (uint32_t i = 0; i <= BUCKETS; i++) {
        while (place < cover->count &&
               (cover->places[place] - cover->places[0]) >> cover->shift < i)
            place++;
        cover->first[i] = place;
    }
}

bool ff_cover_init(struct ff_cover *cover, const uint64_t *places, uint32_t count)
{
    *cover = (struct ff_cover){.places = places, .count = count};
    cover->owners = ff_alloc(count, sizeof *cover->owners);
    cover->next = ff_alloc((size_t)count + 1, sizeof *cover->next);
    cover->first = ff_alloc((size_t)BUCKETS + 1, sizeof *cover->first);
    if (!cover->owners || !cover->next || !cover->first) {
        ff_cover_release(cover);
        return false;
    }
    for (uint32_t i = 0; i <= count; i++)
        cover->next[i] = i;
    fill_buckets(cover);
    return true;
}

void ff_cover_release(struct ff_cover *cover)
{
    ff_free(cover->owners);
    ff_free(cover->next);
    ff_free(cover->first);
    *cover = (struct ff_cover){0};
}

uint32_t ff_cover_first(const struct ff_cover *cover, uint64_t start)
{
    if (!cover->count || start <= cover->places[0])
        return 0;
    uint64_t bucket = (start - cover->places[0]) >> cover->shift;
    if (bucket >= BUCKETS)
        return cover->count;
    return ff_places_first(cover->places, cover->first[bucket], cover->first[bucket + 1], start);
}

static uint32_t next_free(struct ff_cover *cover, uint32_t place)
{
    while (cover->next[place] != place) {
        cover->next[place] = cover->next[cover->next[place]];
        place = cover->next[place];
    }
    return place;
}

void ff_cover_paint(struct ff_cover *cover, uint64_t start, uint64_t size, uint32_t owner)
{
    uint32_t place = next_free(cover, ff_cover_first(cover, start));
    while (place < cover->count && cover->places[place] - start < size) {
        cover->owners[place] = owner;
        cover->next[place] = place + 1;
        place = next_free(cover, place);
    }
}
