/* SPDX-License-Identifier: MIT
 *
 * Frames whose size is not known beforehand: alloca, arrays of variable length, realignment, and all
 * of these at once, where the frame address is a word of the frame itself.
 */
#include "shadow.h"

#include <string.h>

#ifdef __has_include
#if __has_include(<alloca.h>)
#include <alloca.h>
#endif
#endif

KEPT static long use(volatile char *bytes, size_t size)
{
    ENTER();
    long sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += bytes[i];
    POINT("below a frame of variable size");
    LEAVE();
    return sum;
}

KEPT static long with_alloca(size_t size)
{
    ENTER();
    char *room = alloca(size);
    memset(room, 1, size);
    long sum = use(room, size);
    char *more = alloca(size * 3);
    memset(more, 2, size * 3);
    POINT("alloca");
    sum += use(more, size);
    LEAVE();
    return sum;
}

KEPT static long variable_array(int n)
{
    char room[n + 1];
    ENTER();
    memset(room, n, (size_t)n + 1);
    long sum = n > 3 ? variable_array(n - 2) : use(room, (size_t)n);
    POINT("variable array");
    sum += use(room, (size_t)n + 1);
    LEAVE();
    return sum;
}

KEPT static long realigned(int n)
{
    __attribute__((aligned(128))) volatile char room[256];
    ENTER();
    memset((void *)room, n, sizeof room);
    POINT("realigned");
    long sum = use(room, sizeof room) + (long)((uintptr_t)room % 128);
    LEAVE();
    return sum;
}

KEPT static long realigned_alloca(size_t n, long a, long b, long c, long d, long e, long f)
{
    __attribute__((aligned(64))) volatile char room[64];
    ENTER();
    char *more = alloca(n);
    memset((void *)room, 1, sizeof room);
    memset(more, 1, n);
    POINT("realigned, alloca, stack arguments");
    long sum = use(room, sizeof room) + use(more, n) + a * b - c * d + e * f + realigned((int)n);
    LEAVE();
    return sum;
}

void run_frames(void)
{
    ENTER();
    volatile long sink = with_alloca(17) + with_alloca(1000);
    sink += variable_array(9);
    sink += realigned(5);
    sink += realigned_alloca(33, sink, 2, 3, 4, 5, 6);
    LEAVE();
}
