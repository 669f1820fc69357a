/* SPDX-License-Identifier: MIT
 *
 * .debug_frame, unpacked. The hard thing: libelf unpacks a section only in place, and the file is
 * mapped read-only, so it gets a file in memory that holds a copy of this one section.
 */
#include "image/debug_frame.h"
#include "base/memory.h"
#include "image/elf.h"

#include <gelf.h>

void ff_debug_frame_release(struct ff_debug_frame *frame)
{
    if (frame->file)
        elf_end(frame->file);
    ff_free(frame->bytes);
    *frame = (struct ff_debug_frame){0};
}

/* Whether the section is compressed; false also when it is not found. */
static bool is_compressed(const struct ff_elf *elf, struct ff_text bytes)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = elf_nextscn(elf->handle, section)))
        if (gelf_getshdr(section, &header) && header.sh_flags & SHF_COMPRESSED &&
            header.sh_offset == (uint64_t)(bytes.at - elf->bytes.at))
            return true;
    return false;
}

/* Makes an ELF64 file with one compressed section of these bytes. */
static char *make_file(struct ff_text bytes, size_t *size)
{
    const uint16_t one = 1;
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, 0, EV_CURRENT},
        .e_type = ET_DYN,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof header,
        .e_shoff = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = 2,
    };
    Elf64_Shdr sections[2] = {
        [1] = {.sh_type = SHT_PROGBITS,
               .sh_flags = SHF_COMPRESSED,
               .sh_offset = sizeof header + sizeof sections,
               .sh_size = bytes.size,
               .sh_addralign = 8},
    };
    header.e_ident[EI_DATA] = *(const uint8_t *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;
    *size = sections[1].sh_offset + bytes.size;
    char *file = ff_alloc(*size, 1);
    if (!file)
        return NULL;
    memcpy(file, &header, sizeof header);
    memcpy(file + sizeof header, sections, sizeof sections);
    memcpy(file + sections[1].sh_offset, bytes.at, bytes.size);
    return file;
}

/* libelf refuses sizes that no compression could have come from. */
static struct ff_text unpack(struct ff_debug_frame *frame, struct ff_text bytes)
{
    size_t size;
    frame->bytes = make_file(bytes, &size);
    frame->file = frame->bytes ? elf_memory(frame->bytes, size) : NULL;
    Elf_Scn *section = frame->file ? elf_getscn(frame->file, 1) : NULL;
    if (!section || elf_compress(section, 0, 0) < 0)
        return FF_TEXT("");
    const Elf_Data *data = elf_getdata(section, NULL);
    return data && data->d_buf ? (struct ff_text){data->d_buf, data->d_size} : FF_TEXT("");
}

struct ff_section ff_elf_debug_frame(struct ff_elf *elf)
{
    struct ff_debug_frame *frame = &elf->debug_frame;
    if (frame->ready)
        return frame->section;
    frame->ready = true;
    if (elf->type == ET_REL || !elf->is_64 || elf->swapped)
        return frame->section;
    struct ff_text bytes = ff_elf_section(elf, ".debug_frame").bytes;
    if (bytes.size && is_compressed(elf, bytes))
        bytes = unpack(frame, bytes);
    frame->section = (struct ff_section){0, bytes};
    return frame->section;
}
