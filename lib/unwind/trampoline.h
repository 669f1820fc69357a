/* SPDX-License-Identifier: MIT
 *
 * CPython's perf trampolines: code without unwind tables whose shape is known.
 */
#ifndef FF_UNWIND_TRAMPOLINE_H
#define FF_UNWIND_TRAMPOLINE_H

#include "image/cfi.h"

/* A piece of generated code, as a perf map or a jit dump names it. */
struct ff_generated_code {
    uint64_t start, size; /* addresses */
    struct ff_text name;
};

/* One step out of the trampoline at an address. CPython copies the same few instructions for each
 * function (Python/asm_trampoline.S, Objects/asm_trampoline.S at first) and names them "py::...";
 * the size tells which ones:
 *   x86-64 11 bytes, 3.12 to 3.14.0: sub $8,%rsp; call *%rcx; add $8,%rsp; ret
 *           8 bytes, after that: push %rbp; mov %rsp,%rbp; call *%rcx; pop %rbp; ret
 *          15, 12 bytes: the same two behind an endbr64 (built with -fcf-protection)
 *   AArch64 20 bytes: stp x29,x30,[sp,-16]!; mov x29,sp; blr x3; ldp x29,x30,[sp],16; ret
 * No other register changes. FF_STEP_NO_RULE where the code (NULL: none) is none of these. */
struct ff_step ff_trampoline_step(const struct ff_generated_code *code, uint16_t machine,
                                  uint64_t address, const struct ff_registers *callee,
                                  const struct ff_memory *memory, struct ff_registers *caller);

#endif
