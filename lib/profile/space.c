/* SPDX-License-Identifier: MIT
 *
 * A sorted array of spans. The hard thing is cutting: one new mapping can shorten two old ones,
 * swallow any number between them, or split one in two.
 */
#include "profile/space.h"
#include "base/memory.h"

#include <string.h>

/* Index of the first span that ends behind ADDRESS. */
static uint32_t first_ending_after(const struct ff_space *space, uint64_t address)
{
    uint32_t low = 0, high = space->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (space->spans[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct ff_span *ff_space_find(const struct ff_space *space, uint64_t address)
{
    uint32_t at = first_ending_after(space, address);
    return at < space->count && space->spans[at].start <= address ? &space->spans[at] : NULL;
}

/* Replaces spans[at .. at + removed) by COUNT new ones. */
static void splice(struct ff_space *space, uint32_t at, uint32_t removed,
                   const struct ff_span *added, uint32_t count)
{
    uint64_t want = (uint64_t)space->count - removed + count;
    space->spans =
        ff_grow(space->spans, &space->capacity, want, sizeof *space->spans, &space->failed);
    if (want > space->capacity)
        return;
    memmove(space->spans + at + count, space->spans + at + removed,
            (space->count - at - removed) * sizeof *space->spans);
    memcpy(space->spans + at, added, count * sizeof *added);
    space->count = (uint32_t)want;
}

void ff_space_map(struct ff_space *space, struct ff_span span)
{
    if (span.start >= span.end)
        return;
    struct ff_span parts[3];
    uint32_t count = 0, first = first_ending_after(space, span.start), last = first;
    if (first < space->count && space->spans[first].start < span.start) {
        parts[count] = space->spans[first];
        parts[count++].end = span.start;
    }
    parts[count++] = span;
    while (last < space->count && space->spans[last].start < span.end)
        last++;
    if (last > first && space->spans[last - 1].end > span.end) {
        parts[count] = space->spans[last - 1];
        parts[count].file_offset += span.end - parts[count].start;
        parts[count++].start = span.end;
    }
    splice(space, first, last - first, parts, count);
    space->epoch++;
}

void ff_space_clear(struct ff_space *space)
{
    space->count = 0;
    space->epoch++;
}

void ff_space_copy(struct ff_space *space, const struct ff_space *from)
{
    ff_space_clear(space);
    if (from->count)
        splice(space, 0, 0, from->spans, from->count);
}

void ff_space_release(struct ff_space *space)
{
    ff_free(space->spans);
    *space = (struct ff_space){0};
}
