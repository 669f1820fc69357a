/* SPDX-License-Identifier: MIT
 *
 * Signals: a handler above the interrupted function, one in the other, and on a stack of its own.
 */
#define _GNU_SOURCE
#include "shadow.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

static int nested;

#if defined(__x86_64__)
#define PC(machine) ((machine)->gregs[REG_RIP])
#else
#define PC(machine) ((machine)->pc)
#endif

KEPT static int inside(int a)
{
    ENTER();
    POINT(nested > 1 ? "in a handler in a handler" : "in a handler");
    LEAVE();
    return a + 1;
}

KEPT static int interrupted(int a)
{
    ENTER();
    volatile long room[40];
    room[a] = a;
    __asm__ volatile(BAD ::: "memory");
    LEAVE();
    return (int)room[a];
}

/* What a handler returns to: on x86-64 libc's, on AArch64 the vdso's, which qemu 7.2 does not have. */
static int trampoline_known(void)
{
#if defined(__x86_64__)
    return 1;
#else
    return getauxval(AT_SYSINFO_EHDR) != 0;
#endif
}

static void handle(int number, siginfo_t *info, void *context)
{
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    size_t depth = shadow_depth();
    (void)info;
    shadow_push(SHADOW_EXACT, (uintptr_t)PC(machine));
    if (!trampoline_known())
        shadow_push(SHADOW_LOST, 0);
    ENTER();
    volatile int sink = inside(number);
    if (nested++ == 0)
        sink += interrupted(3);
    nested = 0;
    PC(machine) += BAD_BYTES;
    shadow_restore(depth);
}

static void handle_elsewhere(int number, siginfo_t *info, void *context)
{
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    (void)info;
    size_t depth = shadow_depth();
    shadow_push(SHADOW_LOST, 0);
    shadow_push(SHADOW_EXACT, (uintptr_t)PC(machine));
    if (!trampoline_known())
        shadow_push(SHADOW_LOST, 0);
    ENTER();
    volatile int sink = inside(number);
    (void)sink;
    PC(machine) += BAD_BYTES;
    shadow_restore(depth);
}

static void handle_by(void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | flags;
    sigaction(SIGILL, &action, NULL);
}

void run_signals(void)
{
    ENTER();
    volatile int sink = 0;
    handle_by(handle, 0);
    sink += interrupted(5);
    stack_t other = {.ss_sp = malloc(1 << 17), .ss_size = 1 << 17};
    if (other.ss_sp && sigaltstack(&other, NULL) == 0) {
        handle_by(handle_elsewhere, SA_ONSTACK);
        sink += interrupted(6);
    }
    LEAVE();
}
