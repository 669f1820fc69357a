/* SPDX-License-Identifier: MIT
 *
 * The crew: every item is done once, by a worker that exists, whatever the numbers are.
 */
#include "check.h"

#include "base/crew.h"

#include <stdbool.h>

#define ITEMS 10000u

struct job {
    uint32_t done[ITEMS], by[64];
    uint32_t size;
    bool stranger;
};

/* Each item has its own cell; a worker's number indexes cells of its own. */
static void task(void *context, uint32_t worker, uint32_t item)
{
    struct job *job = context;
    job->done[item]++;
    if (worker < job->size)
        job->by[worker]++;
    else
        job->stranger = true;
}

static void check_crew(uint32_t workers, uint32_t items, uint32_t rounds)
{
    struct ff_crew *crew = ff_crew_new(workers);
    static struct job job;
    uint32_t wrong = 0, sum = 0;
    CHECK(crew != NULL);
    job = (struct job){.size = ff_crew_size(crew)};
    CHECK(job.size >= 1 && job.size <= (workers ? workers : 1));
    for (uint32_t round = 1; round <= rounds; round++) {
        ff_crew_start(crew, task, &job, items);
        ff_crew_wait(crew);
        for (uint32_t i = 0; i < ITEMS; i++)
            wrong += job.done[i] != (i < items ? round : 0);
    }
    for (uint32_t i = 0; i < job.size; i++)
        sum += job.by[i];
    CHECK_NUMBER(wrong, 0);
    CHECK_NUMBER(sum, items * rounds);
    CHECK(!job.stranger);
    ff_crew_free(crew);
}

int main(void)
{
    static const uint32_t workers[] = {0, 1, 2, 7}, items[] = {0, 1, 7, 8, 9, ITEMS};
    for (size_t w = 0; w < sizeof workers / sizeof *workers; w++) {
        for (size_t i = 0; i < sizeof items / sizeof *items; i++)
            check_crew(workers[w], items[i], 20);
    }
    struct ff_crew *crew = ff_crew_new(3);
    ff_crew_free(crew); /* without any work */
    ff_crew_free(NULL);
    return check_result();
}
