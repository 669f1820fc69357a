/* SPDX-License-Identifier: MIT
 *
 * What a stripped ELF file says of its symbols: the name of a separate file (.gnu_debuglink), or a packed
 * one inside of itself (.gnu_debugdata). Formats: GDB manual, "Separate Debug Files" and "MiniDebugInfo".
 */
#ifndef FF_IMAGE_DEBUG_LINK_H
#define FF_IMAGE_DEBUG_LINK_H

#include "image/elf.h"

struct ff_debug_link {
    struct ff_text name; /* base name; of the ELF's own bytes, a NUL behind it */
    uint32_t crc;        /* CRC-32 of all bytes of the file */
};

/* False when there is none, or one that leads elsewhere than to a base name. */
bool ff_debug_link(const struct ff_elf *elf, struct ff_debug_link *link);

/* Whether it is the file: by its bytes. */
bool ff_debug_link_fits(const struct ff_debug_link *link, struct ff_text bytes);

/* The ELF file inside of one, closed by the caller; NULL when there is none, or none that can be read. */
struct ff_elf *ff_debug_inside(const struct ff_elf *elf);

#endif
