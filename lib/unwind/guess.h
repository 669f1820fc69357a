/* SPDX-License-Identifier: MIT
 *
 * Callers that no rule gives: plausible, never proven. What is found here is marked as guessed
 * wherever it goes.
 */
#ifndef FF_UNWIND_GUESS_H
#define FF_UNWIND_GUESS_H

#include "base/text.h"
#include "image/cfi.h"

/* How many words above the stack pointer may hold the return address of the vdso's function. */
#define FF_GUESS_WORDS 64u

/* What is known of the code that ends at an address. */
struct ff_guess_code {
    bool executable;       /* lies in an executable mapping */
    bool covered;          /* of a file, and that has unwind rules for it */
    struct ff_text before; /* its last bytes; empty: they are not known */
};

struct ff_guesser {
    uint16_t machine; /* EM_X86_64 or EM_AARCH64 */
    const struct ff_memory *memory;
    struct ff_guess_code (*look)(void *context, uint64_t address);
    void *context;
};

/* The caller of a leaf in a vdso without image. x86-64: the first of FF_GUESS_WORDS words from SP on
 * that is a return address into covered code. AArch64: the frame record at SP if the frame pointer
 * points there, else the link register. False when there is none. CALLER is written with true
 * only, as below; registers that the vdso's function may have changed are taken to be unchanged. */
bool ff_guess_vdso_caller(const struct ff_guesser *guesser, const struct ff_registers *callee,
                          struct ff_registers *caller);

/* The caller by the frame pointer: a record (frame pointer, return address) that lies above SP in
 * the dump, the return address in an executable mapping and, where the code's bytes are known,
 * behind a call. Of CALLER's registers only frame pointer, SP and pc are known. */
bool ff_guess_frame_caller(const struct ff_guesser *guesser, const struct ff_registers *callee,
                           struct ff_registers *caller);

/* Whether bytes end with a call instruction. Zeros, of which the code sections of stripped-down
 * files consist, and fewer than a call needs count as one: nothing is known. */
bool ff_guess_ends_with_call(uint16_t machine, struct ff_text before);

#endif
