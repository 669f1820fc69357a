/* SPDX-License-Identifier: MIT
 *
 * Two small sections to what they lead to. Nothing is hard: a link is believed only if the whole file has
 * its checksum.
 */
#include "image/debug_link.h"
#include "base/memory.h"
#include "base/unpack.h"

#include <zlib.h>

/* No symbol table is larger, packed into a library for the case that its debug file is missing. */
#define INSIDE_MAX ((size_t)1 << 28)

bool ff_debug_link(const struct ff_elf *elf, struct ff_debug_link *link)
{
    struct ff_text bytes = ff_elf_section(elf, ".gnu_debuglink").bytes;
    ptrdiff_t end = ff_text_find(bytes, '\0');
    if (end <= 0 || (size_t)end > bytes.size - 4)
        return false;
    size_t at = ((size_t)end + 4) & ~(size_t)3; /* behind the NUL, aligned */
    if (at + 4 > bytes.size || ff_text_find(ff_text_slice(bytes, 0, (size_t)end), '/') >= 0)
        return false;
    struct ff_cursor cursor = ff_cursor(bytes.at + at, 4, elf->swapped);
    *link = (struct ff_debug_link){ff_text_slice(bytes, 0, (size_t)end), ff_cursor_u32(&cursor)};
    return true;
}

bool ff_debug_link_fits(const struct ff_debug_link *link, struct ff_text bytes)
{
    return crc32_z(0, (const unsigned char *)bytes.at, bytes.size) == link->crc;
}

struct ff_elf *ff_debug_inside(const struct ff_elf *elf)
{
    char *unpacked = NULL;
    size_t size = 0;
    struct ff_elf *inside = NULL;
    struct ff_error error = {0};
    struct ff_text packed = ff_elf_section(elf, ".gnu_debugdata").bytes;
    const char *why =
        packed.size ? ff_unpack_whole(packed, INSIDE_MAX, &unpacked, &size) : "no such section";
    if (!why && unpacked &&
        ff_elf_open_bytes(&inside, elf->path, (struct ff_text){unpacked, size}, &error) == FF_OK)
        inside->unpacked = unpacked;
    else
        ff_free(unpacked);
    return inside;
}
