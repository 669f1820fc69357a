/* SPDX-License-Identifier: MIT
 *
 * CPython's perf trampolines: code without unwind tables whose shape is known.
 */
#ifndef FF_UNWIND_TRAMPOLINE_H
#define FF_UNWIND_TRAMPOLINE_H

#include "image/cfi.h"
#include "image/perf_map.h"

/* One step out of the trampoline at an address, on x86-64. CPython 3.12 (Objects/
 * asm_trampoline.S) copies 11 bytes for each function: sub $8,%rsp; call *%rcx; add $8,%rsp; ret.
 * So CFA = rsp + 16 between the first instruction and the last, rsp + 8 at them; the return address
 * is at CFA - 8; no other register changes. FF_STEP_NO_RULE where the process's perf map (NULL: none)
 * has no Python function of that size. */
struct ff_step ff_trampoline_step(const struct ff_perf_map *map, uint64_t address,
                                  const struct ff_registers *callee,
                                  const struct ff_memory *memory, struct ff_registers *caller);

#endif
