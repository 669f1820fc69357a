/* SPDX-License-Identifier: MIT
 *
 * The ELF file that stands for a library in a pack. Always ELF64 in this machine's byte order; type
 * and machine are the library's, and so is the build-id note. It has the library's executable
 * PT_LOAD headers, whose offsets say where code lies in the library, not in this file; .symtab with
 * a symbol for each touched function (PLT slots as NAME@plt); .eh_frame with an FDE, without any
 * rules, for each touched function that has no name.
 */
#ifndef FF_IMAGE_PACK_ELF_H
#define FF_IMAGE_PACK_ELF_H

#include "base/output.h"
#include "image/elf.h"

/* Writes the file for COUNT functions; those of kind NONE, and one equal to the one before, are
 * left out. Output failures are the output's. */
void ff_pack_elf_write(struct ff_output *output, const struct ff_elf *elf,
                       const struct ff_function *functions, uint32_t count);

#endif
