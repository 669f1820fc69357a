/* SPDX-License-Identifier: MIT
 *
 * Overlapping ranges to intervals without overlaps. The hard thing is "the last one holds" when
 * memory is used again in other pieces: the ranges are painted, last one first, over the intervals
 * between all their edges.
 */
#include "image/ranges.h"
#include "base/memory.h"
#include "image/cover.h"

#include <stdlib.h>
#include <string.h>

static int compare_edges(const void *a, const void *b)
{
    uint64_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return left < right ? -1 : left > right;
}

static bool find_edges(struct ff_ranges *ranges, const struct ff_range *at, uint32_t range_count)
{
    uint32_t count = 0;
    if (range_count > UINT32_MAX / 2)
        return false;
    ranges->edges = ff_alloc((size_t)range_count * 2, sizeof *ranges->edges);
    if (!ranges->edges)
        return false;
    for (uint32_t i = 0; i < range_count; i++) {
        ranges->edges[count++] = at[i].start;
        ranges->edges[count++] = at[i].start + at[i].size;
    }
    if (count)
        qsort(ranges->edges, count, sizeof *ranges->edges, compare_edges);
    for (uint32_t i = 0; i < count; i++) {
        if (!i || ranges->edges[i] != ranges->edges[ranges->edge_count - 1])
            ranges->edges[ranges->edge_count++] = ranges->edges[i];
    }
    return true;
}

bool ff_ranges_init(struct ff_ranges *ranges, const struct ff_range *at, uint32_t count)
{
    struct ff_cover cover;
    *ranges = (struct ff_ranges){0};
    if (!find_edges(ranges, at, count) || !ff_cover_init(&cover, ranges->edges, ranges->edge_count))
        return false;
    for (uint32_t i = count; i-- > 0;)
        ff_cover_paint(&cover, at[i].start, at[i].size, i + 1);
    ranges->holders = cover.owners;
    cover.owners = NULL;
    ff_cover_release(&cover);
    return true;
}

void ff_ranges_release(struct ff_ranges *ranges)
{
    ff_free(ranges->edges);
    ff_free(ranges->holders);
    *ranges = (struct ff_ranges){0};
}

uint32_t ff_ranges_find(const struct ff_ranges *ranges, uint64_t address)
{
    uint32_t low = 0, high = ranges->edge_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ranges->edges[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? ranges->holders[low - 1] : 0;
}
