/* SPDX-License-Identifier: MIT
 *
 * Names of the slots of a procedure linkage table (x86-64, AArch64), from section headers and
 * relocations only: the code itself is not read, so it also works on skeletons.
 */
#ifndef FF_IMAGE_PLT_H
#define FF_IMAGE_PLT_H

#include "image/elf.h"

/* Fills in those of COUNT functions (of ascending places) that are of kind NONE and whose place is
 * in a slot of .plt or .plt.sec. Slots of .plt.got lead to functions that only their code tells, so
 * they stay unnamed, and so does the header slot of .plt. */
void ff_plt_functions(struct ff_elf *elf, const uint64_t *places, uint32_t count,
                      struct ff_function *functions);

#endif
