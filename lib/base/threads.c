/* SPDX-License-Identifier: MIT
 *
 * Threads for numbered pieces of work. A thread that cannot be started is no failure: its piece is
 * done by who wanted it.
 */
#include "base/threads.h"
#include "base/memory.h"

#include <unistd.h>

struct job {
    pthread_t thread;
    void (*work)(void *context, unsigned number);
    void *context;
    unsigned number;
    bool started;
};

unsigned ff_threads_available(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 1 ? (unsigned)count : 1;
}

static void *run(void *argument)
{
    struct job *job = argument;
    job->work(job->context, job->number);
    return NULL;
}

void ff_threads_run(unsigned count, void (*work)(void *context, unsigned number), void *context)
{
    struct job *jobs = count > 1 ? ff_alloc(count - 1, sizeof *jobs) : NULL;
    for (unsigned i = 0; jobs && i + 1 < count; i++) {
        jobs[i] = (struct job){.work = work, .context = context, .number = i};
        jobs[i].started = pthread_create(&jobs[i].thread, NULL, run, &jobs[i]) == 0;
    }
    if (count)
        work(context, count - 1);
    for (unsigned i = 0; i + 1 < count; i++) {
        if (jobs && jobs[i].started)
            pthread_join(jobs[i].thread, NULL);
        else
            work(context, i);
    }
    ff_free(jobs);
}

bool ff_claims_take(struct ff_claims *claims, uint64_t number)
{
    uint64_t next = number;
    return atomic_compare_exchange_strong(&claims->next, &next, number + 1);
}

void ff_lock_init(struct ff_lock *lock)
{
    pthread_mutex_init(&lock->mutex, NULL);
}

void ff_lock_release(struct ff_lock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

void ff_lock_take(struct ff_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

void ff_lock_give(struct ff_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}
