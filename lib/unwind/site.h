/* SPDX-License-Identifier: MIT
 *
 * Call sites of Python in a dumped stack. While CPython's evaluation loop calls something, the address
 * of its next instruction in the bytecode stands in a word of its stack frame, or in a register that its
 * callees save. That word names the Python function and line without any Python symbol. Which word it is
 * differs from build to build, and is found from the dumps themselves.
 */
#ifndef FF_UNWIND_SITE_H
#define FF_UNWIND_SITE_H

#include "base/memory.h"
#include "image/cfi.h"

#define FF_SITE_FRAME 64u /* words of an evaluation loop's frame, from its stack pointer on */
#define FF_SITE_WORDS (FF_SITE_FRAME + FF_CFI_REGISTERS)
/* Observations to decide by; by 750 two captures of six give another word. */
#define FF_SITE_ENOUGH 1500u
#define FF_SITE_LEAST  200u /* fewer decide nothing */

/* One evaluation loop that calls. */
struct ff_site_observation {
    uint64_t pc; /* place of the call */
    uint64_t sp;
    uint64_t words[FF_SITE_WORDS]; /* frame, registers by DWARF number; 0: not known */
};

/* What was found. Shares in millionths of the observations. */
struct ff_site_slot {
    uint32_t offset;      /* bytes above the loop's stack pointer; 0: it is no word of the frame */
    uint32_t in_register; /* DWARF number; 0: it is no register. Both 0: none was found */
    uint32_t observed;    /* observations it was found by */
    uint32_t distinct;    /* values of the word */
    uint32_t one_call;    /* share whose value goes with one place of call only */
    uint32_t recurring;   /* share whose value was seen again */
};

struct ff_site_finder {
    struct ff_site_observation *at;
    uint32_t count, capacity;
    bool failed;
};

/* The next observation to fill in; NULL when there are enough, or memory is out. */
struct ff_site_observation *ff_site_finder_next(struct ff_site_finder *finder);

static inline bool ff_site_is_found(const struct ff_site_slot *slot)
{
    return slot->offset || slot->in_register;
}

/* Whether a word of a frame with this stack pointer can be a site at all: even, no small number, not
 * near on the stack. Bytecode may lie in the next mapping: more than what one call chain takes would
 * exclude it. */
static inline bool ff_site_is_possible(uint64_t word, uint64_t sp)
{
    uint64_t reach = (uint64_t)1 << 17;
    return word % 2 == 0 && word >= 65536 && word - sp + reach >= 2 * reach;
}

/* Scores every word of the frame. An address in the bytecode is possible in most observations, comes
 * again in others, also in other threads where there are any, which tells it from pointers to frames
 * and objects; and it goes with one place of call, since one instruction calls from one place, which
 * tells it from pointers to code. Of those that are
 * nearly the best in both together, the one with most values is taken. The first word of a frame is its callee's
 * business. */
struct ff_site_slot ff_site_finder_decide(const struct ff_site_finder *finder);

void ff_site_finder_release(struct ff_site_finder *finder);

#endif
