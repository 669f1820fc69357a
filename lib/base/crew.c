/* SPDX-License-Identifier: MIT
 *
 * A few threads around one counter. The hard thing is the hand-over: one lock and two conditions
 * order everything, so that what was written before a start is seen by the workers, and what they
 * wrote is seen after the wait.
 */
#include "base/crew.h"
#include "base/memory.h"

#include <pthread.h>

#define STEP 8u /* items that a worker takes at a time */

struct worker {
    struct ff_crew *crew;
    pthread_t thread;
    uint32_t number;
};

struct ff_crew {
    pthread_mutex_t lock;
    pthread_cond_t started, finished;
    ff_crew_task *task;
    void *context;
    uint32_t next, count; /* items: the first that nobody took; all */
    uint32_t busy;        /* workers with items in their hands */
    bool ending;
    struct worker *workers;
    uint32_t worker_count;
};

/* Takes items until none is left. The lock is held at both ends. */
static void work(struct ff_crew *crew, uint32_t number)
{
    while (crew->next < crew->count) {
        uint32_t first = crew->next, left = crew->count - first;
        uint32_t end = first + (left < STEP ? left : STEP);
        crew->next = end;
        crew->busy++;
        pthread_mutex_unlock(&crew->lock);
        for (uint32_t item = first; item < end; item++)
            crew->task(crew->context, number, item);
        pthread_mutex_lock(&crew->lock);
        crew->busy--;
    }
    if (!crew->busy)
        pthread_cond_broadcast(&crew->finished);
}

static void *run(void *argument)
{
    struct worker *worker = argument;
    struct ff_crew *crew = worker->crew;
    pthread_mutex_lock(&crew->lock);
    while (!crew->ending) {
        if (crew->next < crew->count)
            work(crew, worker->number);
        else
            pthread_cond_wait(&crew->started, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

struct ff_crew *ff_crew_new(uint32_t workers)
{
    struct ff_crew *crew = ff_alloc(1, sizeof *crew);
    if (!crew)
        return NULL;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->started, NULL);
    pthread_cond_init(&crew->finished, NULL);
    crew->workers = ff_alloc(workers, sizeof *crew->workers);
    for (uint32_t i = 0; crew->workers && i < workers; i++) {
        struct worker *worker = &crew->workers[crew->worker_count];
        *worker = (struct worker){.crew = crew, .number = crew->worker_count};
        if (pthread_create(&worker->thread, NULL, run, worker) != 0)
            break;
        crew->worker_count++;
    }
    return crew;
}

void ff_crew_free(struct ff_crew *crew)
{
    if (!crew)
        return;
    ff_crew_wait(crew);
    pthread_mutex_lock(&crew->lock);
    crew->ending = true;
    pthread_cond_broadcast(&crew->started);
    pthread_mutex_unlock(&crew->lock);
    for (uint32_t i = 0; i < crew->worker_count; i++)
        pthread_join(crew->workers[i].thread, NULL);
    pthread_cond_destroy(&crew->started);
    pthread_cond_destroy(&crew->finished);
    pthread_mutex_destroy(&crew->lock);
    ff_free(crew->workers);
    ff_free(crew);
}

uint32_t ff_crew_size(const struct ff_crew *crew)
{
    return crew->worker_count ? crew->worker_count : 1;
}

void ff_crew_start(struct ff_crew *crew, ff_crew_task *task, void *context, uint32_t count)
{
    pthread_mutex_lock(&crew->lock);
    crew->task = task;
    crew->context = context;
    crew->next = 0;
    crew->count = count;
    pthread_cond_broadcast(&crew->started);
    pthread_mutex_unlock(&crew->lock);
}

void ff_crew_wait(struct ff_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    if (!crew->worker_count)
        work(crew, 0);
    while (crew->next < crew->count || crew->busy)
        pthread_cond_wait(&crew->finished, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}
