/* SPDX-License-Identifier: MIT
 *
 * Sorted, and stable: against qsort by key and place, for few and many items, keys of few and of all bytes.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

static int compare(const void *left, const void *right)
{
    const struct ff_sort_item *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

static void check_count(uint32_t count, uint64_t mask, uint64_t *state)
{
    struct ff_sort_item *items = ff_alloc((size_t)count * 2 + 1, sizeof *items);
    struct ff_sort_item *expected = ff_alloc((size_t)count + 1, sizeof *expected);
    for (uint32_t i = 0; i < count; i++)
        items[i] = expected[i] = (struct ff_sort_item){next(state) & mask, i};
    qsort(expected, count, sizeof *expected, compare);
    ff_sort(items, count, items + count);
    bool equal = true;
    for (uint32_t i = 0; i < count; i++)
        equal &= items[i].key == expected[i].key && items[i].id == expected[i].id;
    CHECK(equal);
    ff_free(items);
    ff_free(expected);
}

int main(void)
{
    static const uint32_t counts[] = {0, 1, 2, 47, 48, 49, 50, 300, 5000};
    static const uint64_t masks[] = {0, 3, 255, 0xff00, 0xffff0000000000ff, UINT64_MAX};
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (size_t k = 0; k < sizeof masks / sizeof *masks; k++)
            check_count(counts[i], masks[k], &state);
    }
    return check_result();
}
