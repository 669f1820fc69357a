/* SPDX-License-Identifier: MIT
 *
 * What is not call and return: calls that never come back at the very end of a function, tail calls,
 * longjmp.
 */
#include "shadow.h"

#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;
static volatile int always = 1;

/* Its call is the last instruction of its callers: their return addresses belong to whatever function
 * comes next. */
__attribute__((noinline, noreturn)) static void never_returns(int value)
{
    ENTER();
    POINT("never returns");
    if (always)
        longjmp(back, value);
    abort();
}

__attribute__((noinline, noreturn)) static void ends_with_call(int value)
{
    ENTER();
    never_returns(value + 1);
}

KEPT static int ends_in_a_branch(int value)
{
    ENTER();
    if (value > 1)
        ends_with_call(value);
    LEAVE();
    return value;
}

KEPT static int last(int a)
{
    int pushed = shadow_enter_tail(RETURN_ADDRESS);
    POINT("behind tail calls");
    shadow_leave_tail(pushed);
    return a * 2;
}

/* No LEAVE: when the call is a jump, the frame is gone before `last` begins. */
KEPT static int jumps_on(int a)
{
    int pushed = shadow_enter_tail(RETURN_ADDRESS);
    POINT("before a tail call");
    shadow_leave_tail(pushed);
    shadow_enter_tail(RETURN_ADDRESS);
    return last(a + 1);
}

KEPT static int jumps(int a)
{
    shadow_enter_tail(RETURN_ADDRESS);
    return jumps_on(a + 1);
}

KEPT static int calls_jumps(int a)
{
    ENTER();
    size_t depth = shadow_depth();
    int result = jumps(a) + 1;
    shadow_restore(depth);
    result += jumps(result);
    shadow_restore(depth);
    LEAVE();
    return result;
}

void run_jumps(void)
{
    volatile int sink = 0;
    ENTER();
    size_t depth = shadow_depth();
    if (!setjmp(back))
        sink = ends_in_a_branch(4);
    shadow_restore(depth);
    sink += ends_in_a_branch(1);
    sink += calls_jumps(3);
    LEAVE();
}
