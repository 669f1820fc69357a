/* SPDX-License-Identifier: MIT
 *
 * A shared object, reached through the procedure linkage table, that calls back.
 */
#include "shadow.h"

__attribute__((noinline)) static int between(int (*callback)(int), int value)
{
    volatile int room[30];
    ENTER();
    room[value & 15] = value;
    int result = callback(value) + room[value & 15];
    LEAVE();
    return result;
}

int library_call(int (*callback)(int), int value)
{
    ENTER();
    int result = between(callback, value) + 1;
    POINT("in a shared object");
    LEAVE();
    return result;
}
