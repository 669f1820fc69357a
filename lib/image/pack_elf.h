/* SPDX-License-Identifier: MIT
 *
 * The ELF file that stands for a library in a pack. Always ELF64 in this machine's byte order; type
 * and machine are the library's, and so is the build-id note. It has the library's executable
 * PT_LOAD headers, whose offsets say where code lies in the library, not in this file; .symtab with
 * a symbol for each touched function (PLT slots as NAME@plt); .eh_frame with an FDE, without any
 * rules, for each touched function that has no name; where stacks were unwound, with the rules of
 * all touched functions instead, and .debug_frame with those that the library has only there.
 */
#ifndef FF_IMAGE_PACK_ELF_H
#define FF_IMAGE_PACK_ELF_H

#include "image/pack_frame.h"

/* Writes the file. Output failures are the output's. Returns how many unwind entries lost their
 * rules. */
uint32_t ff_pack_elf_write(struct ff_output *output, const struct ff_pack_part *part);

#endif
