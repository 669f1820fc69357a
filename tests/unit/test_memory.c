/* SPDX-License-Identifier: MIT
 *
 * Growing tables and arenas: the sizes at which they break, and that failure leaves things as they
 * were.
 */
#include "check.h"

#include "base/memory.h"

static void test_grow(void)
{
    uint32_t capacity = 0;
    bool failed = false;
    uint32_t *items = ff_grow(NULL, &capacity, 1, sizeof *items, &failed);
    CHECK(items && capacity >= 1 && !failed);
    items[0] = 7;
    items = ff_grow(items, &capacity, 1000, sizeof *items, &failed);
    CHECK(capacity >= 1000 && items[0] == 7);
    uint32_t sum = 0;
    for (uint32_t i = 1; i < capacity; i++)
        sum |= items[i];
    CHECK_NUMBER(sum, 0); /* new items are zero */
    uint32_t before = capacity;
    uint32_t *same = ff_grow(items, &capacity, UINT64_MAX, sizeof *items, &failed);
    CHECK(failed && same == items);
    CHECK_NUMBER(capacity, before);
    CHECK_NUMBER(items[0], 7);
    ff_free(items);
}

static void test_arena(void)
{
    struct ff_arena arena = {0};
    CHECK(ff_arena_take(&arena, 0) != NULL); /* before there is any block */
    CHECK(arena.block != NULL);
    unsigned char *places[200];
    unsigned int wrong = 0;
    for (size_t i = 0; i < 200; i++) {
        places[i] = ff_arena_take(&arena, i * 37);
        wrong += (uintptr_t)places[i] % 8 != 0;
        memset(places[i], (int)i, i * 37);
    }
    unsigned char *large = ff_arena_take(&arena, (size_t)5 << 20);
    memset(large, 1, (size_t)5 << 20);
    for (size_t i = 1; i < 200; i++)
        wrong += places[i][0] != i || places[i][i * 37 - 1] != i;
    CHECK_NUMBER(wrong, 0);
    CHECK(ff_arena_take(&arena, SIZE_MAX) == NULL);
    CHECK(arena.failed);
    ff_arena_reset(&arena);
    CHECK(ff_arena_take(&arena, 100) != NULL);
    ff_arena_release(&arena);
    CHECK(arena.block == NULL);
    ff_arena_reset(&arena); /* an empty one */
    ff_arena_release(&arena);
}

static void test_alloc(void)
{
    void *nothing = ff_alloc(0, 8);
    CHECK(nothing != NULL);
    ff_free(nothing);
    ff_free(NULL);
}

int main(void)
{
    test_grow();
    test_arena();
    test_alloc();
    return check_result();
}
