/* SPDX-License-Identifier: MIT
 *
 * The .eh_frame and .debug_frame of a pack's ELF file: ranges of functions that have no name, and,
 * where stacks were unwound, the rules of all places that unwinding came by. Each rule stays in the
 * section that it was in: in .eh_frame, one of .debug_frame would give a range to code that had none
 * for naming, and hide an entry that it overlaps.
 */
#ifndef FF_IMAGE_PACK_FRAME_H
#define FF_IMAGE_PACK_FRAME_H

#include "base/output.h"
#include "image/elf.h"

/* What a pack holds of one ELF file. */
struct ff_pack_part {
    struct ff_elf *elf;
    struct ff_elf *debug; /* NULL, or where .debug_frame is when the ELF has none */
    const struct ff_function
        *functions; /* by start and kind; NONE and repeated ones are left out */
    uint32_t function_count;
    const uint64_t *rule_places; /* module offsets, ascending: the rules that hold there are kept */
    uint32_t rule_count;
};

/* Whether function number I is one to keep. */
bool ff_pack_part_has(const struct ff_pack_part *part, uint32_t i);

/* Writes the sections to empty memory outputs; nothing when there is nothing to say. Personalities
 * and landing pads are left out. Returns how many entries lost their rules: those that hold at one
 * place only (DW_CFA_set_loc) or lie in another byte order, which are kept as mere ranges, and those
 * that cannot be read. */
uint32_t ff_pack_frame_write(struct ff_output *output, struct ff_output *debug_output,
                             const struct ff_pack_part *part);

#endif
