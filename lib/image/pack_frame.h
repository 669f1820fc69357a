/* SPDX-License-Identifier: MIT
 *
 * The .eh_frame of a pack's ELF file: ranges of functions that have no name, and, where stacks were
 * unwound, the rules of all places that unwinding came by.
 */
#ifndef FF_IMAGE_PACK_FRAME_H
#define FF_IMAGE_PACK_FRAME_H

#include "base/output.h"
#include "image/elf.h"

/* What a pack holds of one ELF file. */
struct ff_pack_part {
    struct ff_elf *elf;
    const struct ff_function
        *functions; /* by start and kind; NONE and repeated ones are left out */
    uint32_t function_count;
    const uint64_t *rule_places; /* module offsets, ascending: the rules that hold there are kept */
    uint32_t rule_count;
};

/* Whether function number I is one to keep. */
bool ff_pack_part_has(const struct ff_pack_part *part, uint32_t i);

/* Appends the section to a memory output; nothing when there is nothing to say. Personalities and
 * landing pads are left out. Rules that hold at one place only (DW_CFA_set_loc), or that lie in
 * another byte order, are kept as mere ranges. */
void ff_pack_frame_write(struct ff_output *output, const struct ff_pack_part *part);

#endif
