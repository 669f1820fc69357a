/* SPDX-License-Identifier: MIT
 *
 * Programs that know their own call chain. Each function keeps its return address on a shadow stack;
 * POINT() traps, and the trap's handler prints registers, stack bytes and the shadow stack (see
 * driver.c for the form). Nothing here forces a frame pointer.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <stddef.h>
#include <stdint.h>

enum shadow_kind {
    SHADOW_RETURN = 'c', /* a return address */
    SHADOW_EXACT = 'x',  /* where a signal interrupted */
    SHADOW_GAP = 'g',    /* any number of frames of a library */
    SHADOW_LOST = 'l',   /* from here on the stack lies elsewhere: another signal stack */
};

void shadow_push(enum shadow_kind kind, uintptr_t pc);
void shadow_pop(void);
/* For a function that was jumped to: pushes its return address unless the caller's frame is gone,
 * so that it stands there already. Returns what shadow_leave_tail wants. */
int shadow_enter_tail(uintptr_t pc);
void shadow_leave_tail(int pushed);
size_t shadow_depth(void);
void shadow_restore(size_t depth); /* behind longjmp */

#define RETURN_ADDRESS ((uintptr_t)__builtin_return_address(0))
#define ENTER()        shadow_push(SHADOW_RETURN, RETURN_ADDRESS)
#define LEAVE()        shadow_pop()
#define KEPT           __attribute__((noinline))

#if defined(__x86_64__)
#define TRAP       "int3"
#define TRAP_BYTES 0 /* the pc is behind it already */
#define BAD        "ud2"
#define BAD_BYTES  2
#else
#define TRAP       "brk #0"
#define TRAP_BYTES 4
#define BAD        ".inst 0"
#define BAD_BYTES  4
#endif

/* The name of the place; the text is printed with the dump. */
extern const char *volatile shadow_place;
#define POINT(name)                                                                                \
    do {                                                                                           \
        shadow_place = (name);                                                                     \
        __asm__ volatile(TRAP ::: "memory");                                                       \
    } while (0)

/* The scenarios. */
void run_calls(void);
void run_frames(void);
void run_jumps(void);
void run_signals(void);
void run_library(void);
void run_threads(void);
void run_hand(void);

/* In the shared object: calls back, with pieces of its own frame in registers and memory. */
int library_call(int (*callback)(int), int value);

#endif
