/* SPDX-License-Identifier: MIT
 *
 * Plain calls: recursion, arguments on the stack, many registers saved, a large frame, a structure
 * returned through memory, a leaf.
 */
#include "shadow.h"

#include <stdarg.h>

struct large {
    long words[20];
};

KEPT static int leaf(int a)
{
    ENTER();
    POINT("leaf");
    LEAVE();
    return a + 1;
}

KEPT static int recurse(int n, long a)
{
    ENTER();
    int result = n ? recurse(n - 1, a * 3 + n) + 1 : leaf((int)a);
    LEAVE();
    return result;
}

KEPT static int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
    ENTER();
    int sum = leaf(a) + leaf(b);
    POINT("many arguments");
    sum += leaf(c + d) * leaf(e - f) + leaf(g) * h - i * j;
    LEAVE();
    return sum;
}

KEPT static struct large by_memory(long seed)
{
    struct large large;
    ENTER();
    for (int i = 0; i < 20; i++)
        large.words[i] = seed * i + leaf((int)seed);
    POINT("returns a structure");
    LEAVE();
    return large;
}

KEPT static long big_frame(int n)
{
    volatile char room[20000];
    ENTER();
    room[n] = (char)n;
    long result = recurse(n, 7) + room[n];
    POINT("big frame");
    LEAVE();
    return result;
}

KEPT static long sum_of(int count, ...)
{
    va_list list;
    long sum = 0;
    ENTER();
    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(list, long) + leaf(i);
    va_end(list);
    POINT("variable arguments");
    LEAVE();
    return sum;
}

/* More values alive over calls than there are registers that calls preserve. */
KEPT static long pressed(long a, long b, long c, long d)
{
    ENTER();
    long e = leaf((int)a), f = leaf((int)b), g = leaf((int)c), h = leaf((int)d);
    long i = a * b + leaf(1), j = c * d + leaf(2), k = a - d + leaf(3), l = b ^ c;
    POINT("all registers in use");
    long sum = a + b * c - d + e * f + g - h + i * j - k + l + leaf((int)(i + j));
    LEAVE();
    return sum;
}

void run_calls(void)
{
    ENTER();
    volatile long sink = recurse(0, 1) + recurse(5, 2);
    sink += many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    sink += by_memory(sink).words[3];
    sink += big_frame(3);
    sink += sum_of(3, 1L, 2L, 3L);
    sink += pressed(sink, 2, 3, 4);
    LEAVE();
}
