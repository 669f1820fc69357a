/* SPDX-License-Identifier: MIT
 *
 * Address spaces against a model that cannot be wrong: an array with one entry for each address. All
 * ways in which one span can meet another, then long random sequences, then fork and exec.
 */
#include "check.h"

#include "profile/space.h"

#define ADDRESSES 64

/* module[a] == 0: nothing is mapped at address a. */
struct model {
    uint32_t module[ADDRESSES];
    uint64_t file_offset[ADDRESSES];
};

static void model_map(struct model *model, struct ff_span span)
{
    for (uint64_t a = span.start; a < span.end; a++) {
        model->module[a] = span.module;
        model->file_offset[a] = span.file_offset + (a - span.start);
    }
}

/* Every address has the model's answer, and the spans are sorted and apart. */
static bool agrees(const struct ff_space *space, const struct model *model)
{
    for (uint32_t i = 0; i < space->count; i++) {
        if (space->spans[i].start >= space->spans[i].end)
            return false;
        if (i && space->spans[i - 1].end > space->spans[i].start)
            return false;
    }
    for (uint64_t a = 0; a < ADDRESSES; a++) {
        const struct ff_span *span = ff_space_find(space, a);
        if ((span ? span->module : 0) != model->module[a])
            return false;
        if (span && span->file_offset + (a - span->start) != model->file_offset[a])
            return false;
    }
    return true;
}

static void map_both(struct ff_space *space, struct model *model, struct ff_span span)
{
    ff_space_map(space, span);
    model_map(model, span);
}

/* Two spans with a gap, then a third one in every place: before, touching, cutting from either
 * side, inside, equal, over one, over both. */
static void test_every_overlap(void)
{
    unsigned int wrong = 0, cases = 0;
    for (uint64_t start = 0; start < 16; start++) {
        for (uint64_t end = start; end <= 16; end++) {
            struct ff_space space = {0};
            struct model model = {{0}, {0}};
            map_both(&space, &model, (struct ff_span){3, 7, 1000, 1, false});
            map_both(&space, &model, (struct ff_span){9, 13, 2000, 2, false});
            map_both(&space, &model, (struct ff_span){start, end, 3000, 3, false});
            wrong += !agrees(&space, &model);
            cases++;
            ff_space_release(&space);
        }
    }
    CHECK_NUMBER(cases, 16 * 17 / 2 + 16);
    CHECK_NUMBER(wrong, 0);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void test_random_sequences(void)
{
    uint64_t state = 1;
    unsigned int wrong = 0;
    for (int round = 0; round < 200; round++) {
        struct ff_space space = {0};
        struct model model = {{0}, {0}};
        for (uint32_t module = 1; module < 100; module++) {
            uint64_t start = next_random(&state) % ADDRESSES;
            uint64_t end = start + next_random(&state) % 20;
            end = end < ADDRESSES ? end : ADDRESSES;
            uint32_t epoch = space.epoch;
            map_both(&space, &model, (struct ff_span){start, end, module * 1000, module, false});
            wrong += !agrees(&space, &model) || (space.epoch == epoch && start < end);
        }
        ff_space_release(&space);
    }
    CHECK_NUMBER(wrong, 0);
}

static void test_edges(void)
{
    struct ff_space space = {0};
    CHECK(ff_space_find(&space, 0) == NULL);
    ff_space_map(&space, (struct ff_span){5, 5, 0, 1, false}); /* empty */
    ff_space_map(&space, (struct ff_span){9, 2, 0, 1, false}); /* wrapped */
    CHECK_NUMBER(space.count, 0);
    ff_space_map(&space, (struct ff_span){UINT64_MAX - 1, UINT64_MAX, 0, 1, false});
    CHECK(ff_space_find(&space, UINT64_MAX - 1) != NULL);
    CHECK(ff_space_find(&space, UINT64_MAX) == NULL);
    CHECK(ff_space_find(&space, UINT64_MAX - 2) == NULL);
    ff_space_release(&space);
}

static void test_fork_and_exec(void)
{
    struct ff_space parent = {0}, child = {0};
    struct model before = {{0}, {0}}, after;
    map_both(&parent, &before, (struct ff_span){1, 5, 0, 1, false});
    map_both(&parent, &before, (struct ff_span){8, 9, 0, 2, false});
    ff_space_map(&child,
                 (struct ff_span){20, 30, 0, 9, false}); /* a copy replaces what was there */
    ff_space_copy(&child, &parent);
    CHECK(agrees(&child, &before));
    after = before;
    map_both(&child, &after, (struct ff_span){2, 3, 0, 7, false});
    CHECK(agrees(&child, &after));
    CHECK(agrees(&parent, &before));
    uint32_t epoch = child.epoch;
    ff_space_clear(&child);
    CHECK_NUMBER(child.count, 0);
    CHECK(child.epoch != epoch);
    ff_space_release(&parent);
    ff_space_release(&child);
    ff_space_copy(&child, &parent); /* nothing from nothing */
    CHECK_NUMBER(child.count, 0);
    ff_space_release(&child);
}

int main(void)
{
    test_every_overlap();
    test_random_sequences();
    test_edges();
    test_fork_and_exec();
    return check_result();
}
