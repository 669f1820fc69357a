/* SPDX-License-Identifier: MIT
 *
 * Frames of libraries between ours: qsort with a callback, a thread's root, a shared object of ours.
 */
#include "shadow.h"

#include <pthread.h>
#include <stdlib.h>

static int compared;

static int compare(const void *a, const void *b)
{
    ENTER();
    if (compared++ == 0)
        POINT("called by qsort");
    LEAVE();
    return *(const int *)a - *(const int *)b;
}

KEPT static void sort(void)
{
    int numbers[] = {4, 2, 5, 1};
    ENTER();
    shadow_push(SHADOW_GAP, 0);
    qsort(numbers, 4, sizeof *numbers, compare);
    shadow_pop();
    LEAVE();
}

KEPT static int called_back(int value)
{
    ENTER();
    POINT("called back by a shared object");
    LEAVE();
    return value * 2;
}

static void *thread(void *argument)
{
    ENTER();
    POINT("thread");
    sort();
    LEAVE();
    return argument;
}

void run_library(void)
{
    ENTER();
    volatile int sink = library_call(called_back, 3);
    (void)sink;
    sort();
    LEAVE();
}

/* The main thread waits: the one shadow stack belongs to the thread meanwhile, whose outermost return
 * address is libc's. */
void run_threads(void)
{
    pthread_t id;
    size_t depth = shadow_depth();
    shadow_push(SHADOW_LOST, 1);
    compared = 0;
    if (pthread_create(&id, NULL, thread, NULL) == 0)
        pthread_join(id, NULL);
    shadow_restore(depth);
}
