/* SPDX-License-Identifier: MIT
 *
 * Stepping out of generated code: by the unwind tables of a jit dump, else by the shape of CPython's
 * trampolines.
 */
#ifndef FF_UNWIND_GENERATED_H
#define FF_UNWIND_GENERATED_H

#include "image/cfi.h"
#include "image/images.h"

/* What is known about a process's generated code. The two are borrowed and may be NULL. */
struct ff_generated {
    const struct ff_jit_dump *dump;
    const struct ff_perf_map *map;
    struct ff_cfi **rules; /* by entry of the dump; made when needed */
};

/* Finds the sources of a process. ALONE: see ff_images_perf_map. */
void ff_generated_init(struct ff_generated *generated, struct ff_images *images, uint32_t pid,
                       bool alone);
void ff_generated_release(struct ff_generated *generated);

/* Steps from the frame at an address to its caller; for the rest see ff_cfi_step. */
struct ff_step ff_generated_step(struct ff_generated *generated, uint16_t machine, uint64_t address,
                                 const struct ff_registers *callee, bool innermost,
                                 const struct ff_memory *memory, struct ff_registers *caller);

#endif
