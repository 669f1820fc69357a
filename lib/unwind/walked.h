/* SPDX-License-Identifier: MIT
 *
 * Where the last walk over a stack read. The next one mostly reads there too, and a dump is not in the
 * processor's cache: to ask for all its lines at once takes as long as to wait for one.
 */
#ifndef FF_UNWIND_WALKED_H
#define FF_UNWIND_WALKED_H

#include "base/text.h"

#include <stdint.h>

#define FF_WALKED_STACKS 64u
#define FF_WALKED_LINES  128u
#define FF_LINE_SHIFT    6 /* of the processor's cache: 64 bytes */

struct ff_walked_stack {
    uint64_t lines[FF_WALKED_LINES]; /* addresses >> FF_LINE_SHIFT */
    uint32_t count;                  /* the latest is lines[count % FF_WALKED_LINES] */
};

/* All zero is none. */
struct ff_walked {
    struct ff_walked_stack stacks[FF_WALKED_STACKS]; /* by place of the stack */
};

/* Asks for the lines of a dump (bytes from SP on, of address space OWNER) that the last walk over its
 * stack read. That walk is forgotten; the answer is where this one is noted. */
struct ff_walked_stack *ff_walked_fetch(struct ff_walked *walked, uint32_t owner, uint64_t sp,
                                        struct ff_text bytes);

static inline void ff_walked_note(struct ff_walked_stack *stack, uint64_t address)
{
    if (stack->lines[stack->count % FF_WALKED_LINES] != address >> FF_LINE_SHIFT)
        stack->lines[++stack->count % FF_WALKED_LINES] = address >> FF_LINE_SHIFT;
}

#endif
