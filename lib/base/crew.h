/* SPDX-License-Identifier: MIT
 *
 * Worker threads for one kind of work at a time: numbered items that do not depend on each other.
 * What comes out must not depend on who does which item, nor on how many workers there are.
 */
#ifndef FF_BASE_CREW_H
#define FF_BASE_CREW_H

#include <stdint.h>

struct ff_crew;

/* Does item ITEM; WORKER (0 .. workers - 1) names the caller, for scratch memory of its own. */
typedef void ff_crew_task(void *context, uint32_t worker, uint32_t item);

/* A crew of WORKERS threads (0: none; then the work is done by whoever waits, as worker 0). Threads that
 * the system does not give are gone without, NULL only when memory is out. */
struct ff_crew *ff_crew_new(uint32_t workers);
void ff_crew_free(struct ff_crew *crew); /* waits first; NULL is fine */

/* How many different workers tasks will be called with; at least 1. */
uint32_t ff_crew_size(const struct ff_crew *crew);

/* Hands items 0 .. COUNT - 1 to the crew and returns at once. Only after a wait. What the task reads must
 * not change, and what it writes must not be read, until the next wait returns. */
void ff_crew_start(struct ff_crew *crew, ff_crew_task *task, void *context, uint32_t count);

/* Returns when all items are done. */
void ff_crew_wait(struct ff_crew *crew);

#endif
