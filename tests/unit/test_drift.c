/* SPDX-License-Identifier: MIT
 *
 * When a mix of work changes. The threshold against the printed table of chi-square; then tables drawn
 * from mixes that are known to change or not, by samples that are independent or come in runs.
 */
#include "check.h"

#include "merge/drift.h"

#include <stdlib.h>

#define WINDOWS (FF_DRIFT_PARTS * FF_DRIFT_WINDOWS)
#define ENTRIES 5u
#define TABLES  1000u

static uint32_t pick(uint64_t *state, uint32_t many)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 20) % many;
}

/* COUNT samples of a part, as evenly over its windows as they go. */
static void spread(struct ff_drift_row *row, uint32_t part, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        row->count[part * FF_DRIFT_WINDOWS + i % FF_DRIFT_WINDOWS]++;
}

/* Two entries, 80 samples in each part; of one of them 40 + MORE, 40 - MORE, 40, 40. Chi-square is
 * MORE * MORE / 10, with 3 degrees of freedom, for which tables print 16.266 at p = 0.001. */
static bool differs(uint32_t more)
{
    struct ff_drift_row rows[2] = {{.entry = 1}, {.entry = 2}};
    const uint32_t counts[FF_DRIFT_PARTS] = {40 + more, 40 - more, 40, 40};
    for (uint32_t part = 0; part < FF_DRIFT_PARTS; part++) {
        spread(&rows[0], part, counts[part]);
        spread(&rows[1], part, 80 - counts[part]);
    }
    return ff_drift_differs(rows, 2);
}

static void check_threshold(void)
{
    CHECK(!differs(0));
    CHECK(!differs(12)); /* 14.4 */
    CHECK(differs(13));  /* 16.9 */
    CHECK(differs(39));
}

static void check_few(void)
{
    /* 4 of 40 and 0 of 40: nothing expects 5. One row, and none: there is nothing to compare. */
    struct ff_drift_row rows[2] = {{.entry = 1}, {.entry = 2}};
    spread(&rows[0], 0, 4);
    for (uint32_t part = 0; part < FF_DRIFT_PARTS; part++)
        spread(&rows[1], part, 10);
    CHECK(!ff_drift_differs(rows, 2));
    CHECK(!ff_drift_differs(rows, 1));
    CHECK(!ff_drift_differs(rows, 0));
    /* Rare entries count as one: twenty of three samples in the first half, twenty in the second. */
    struct ff_drift_row rare[40] = {{0}};
    for (uint32_t i = 0; i < 40; i++)
        spread(&rare[i], i % 2 * 3, 3);
    CHECK(!ff_drift_differs(rare, 40)); /* as one there is nothing beside it */
    /* A thread that lived in one part only. */
    struct ff_drift_row late[2] = {{.entry = 1}, {.entry = 2}};
    spread(&late[0], 3, 100);
    spread(&late[1], 3, 100);
    CHECK(!ff_drift_differs(late, 2));
}

/* How many of the TABLES differ where each draw is seen RUN times in a row, and the first entry's share
 * is FIRST and LAST percent in the halves. */
static uint32_t count_differing(uint32_t run, uint32_t first, uint32_t last)
{
    uint64_t state = 20261129;
    uint32_t found = 0;
    for (uint32_t t = 0; t < TABLES; t++) {
        struct ff_drift_row rows[ENTRIES] = {{0}};
        uint32_t entry = 0;
        for (uint32_t i = 0; i < WINDOWS * 30; i++) {
            uint32_t share = i < WINDOWS * 15 ? first : last;
            if (i % run == 0)
                entry = pick(&state, 100) < share ? 0 : 1 + pick(&state, ENTRIES - 1);
            rows[entry].count[i / 30]++;
        }
        found += ff_drift_differs(rows, ENTRIES);
    }
    return found;
}

static void check_draws(void)
{
    CHECK(count_differing(1, 30, 30) <= 6);            /* 1 is expected; 6 has p < 0.001 */
    CHECK(count_differing(10, 30, 30) <= TABLES / 50); /* calls of ten samples are no change */
    CHECK(count_differing(1, 30, 60) >= TABLES * 99 / 100);
    CHECK(count_differing(10, 10, 70) >= TABLES * 9 / 10);
}

int main(void)
{
    check_threshold();
    check_few();
    check_draws();
    return check_result();
}
