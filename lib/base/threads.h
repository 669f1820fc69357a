/* SPDX-License-Identifier: MIT
 *
 * Work in several threads at once. Nothing here makes shared data safe but the lock.
 */
#ifndef FF_BASE_THREADS_H
#define FF_BASE_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Threads that this machine can run at once; at least 1. */
unsigned ff_threads_available(void);

/* Calls WORK with each number from 0 to COUNT - 1, at once as far as threads can be started: the last in the
 * calling thread, what got no thread of its own behind it. Returns when all are done. */
void ff_threads_run(unsigned count, void (*work)(void *context, unsigned number), void *context);

/* Pieces of work 0, 1, 2 and so on. All zero at first. */
struct ff_claims {
    _Atomic uint64_t next;
};

/* Several threads come by all pieces, each in this order, and ask for every one: true for the first. */
bool ff_claims_take(struct ff_claims *claims, uint64_t number);

/* Lets one thread in at a time. Not to be taken twice by one thread. */
struct ff_lock {
    pthread_mutex_t mutex;
};

void ff_lock_init(struct ff_lock *lock);
void ff_lock_release(struct ff_lock *lock); /* pairs with init */
void ff_lock_take(struct ff_lock *lock);
void ff_lock_give(struct ff_lock *lock);

#endif
