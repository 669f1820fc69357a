/* SPDX-License-Identifier: MIT
 *
 * ELF files made in memory that hold nothing but an .eh_frame (or .debug_frame), for tests of unwind
 * rules. All bytes of the section's entries are chosen by the test.
 */
#ifndef FF_TESTS_CFI_MAKER_H
#define FF_TESTS_CFI_MAKER_H

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "image/cfi_row.h"

#define MAKER_FRAME 0x200000 /* module offset of the section */

struct maker {
    unsigned char bytes[3 << 16];
    size_t used, entry;
    struct ff_elf *elf;
    struct ff_cfi *cfi;
    unsigned char *file;
};

static inline void maker_put(struct maker *maker, const void *bytes, size_t size)
{
    if (size > sizeof maker->bytes - maker->used)
        abort();
    if (size)
        memcpy(maker->bytes + maker->used, bytes, size);
    maker->used += size;
}

static inline void maker_put_number(struct maker *maker, uint64_t value, size_t size)
{
    maker_put(maker, &value, size);
}

/* Starts an entry with its id word; returns where it starts. */
static inline size_t maker_begin(struct maker *maker, uint32_t id)
{
    maker->entry = maker->used;
    maker_put_number(maker, 0, 4);
    maker_put_number(maker, id, 4);
    return maker->entry;
}

/* Sets the length of the entry that was begun. */
static inline void maker_end(struct maker *maker)
{
    uint32_t size = (uint32_t)(maker->used - maker->entry - 4);
    memcpy(maker->bytes + maker->entry, &size, 4);
}

/* A CIE of version 1 with code alignment 1 and data alignment -8. DATA: of the augmentation. */
static inline size_t maker_cie(struct maker *maker, const char *letters, const char *data,
                               size_t data_size, uint8_t return_register, const char *program,
                               size_t size)
{
    size_t at = maker_begin(maker, 0);
    maker_put_number(maker, 1, 1);
    maker_put(maker, letters, strlen(letters) + 1);
    maker_put_number(maker, 1, 1);
    maker_put_number(maker, 0x78, 1);
    maker_put_number(maker, return_register, 1);
    if (letters[0] == 'z') {
        maker_put_number(maker, data_size, 1);
        maker_put(maker, data, data_size);
    }
    maker_put(maker, program, size);
    maker_end(maker);
    return at;
}

/* An FDE with 8-byte addresses that are not relative. */
static inline size_t maker_fde(struct maker *maker, size_t cie, bool has_data, uint64_t start,
                               uint64_t code_size, const char *program, size_t size)
{
    size_t at = maker_begin(maker, (uint32_t)(maker->used + 4 - cie));
    maker_put_number(maker, start, 8);
    maker_put_number(maker, code_size, 8);
    if (has_data)
        maker_put_number(maker, 0, 1);
    maker_put(maker, program, size);
    maker_end(maker);
    return at;
}

/* Makes the file and opens it. The file's bytes are exactly as many as it has, so that a sanitizer
 * sees any read behind them. */
static inline void maker_open(struct maker *maker, uint16_t machine, const char *section)
{
    char names[64] = {0};
    size_t name_size = strlen(section) + 1;
    memcpy(names + 1, section, name_size);
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = machine,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = 3,
        .e_shstrndx = 2,
        .e_shoff = sizeof header + sizeof names,
    };
    Elf64_Shdr sections[3] = {
        [1] = {.sh_name = 1,
               .sh_type = SHT_PROGBITS,
               .sh_addr = MAKER_FRAME,
               .sh_offset = sizeof header + sizeof names + sizeof sections,
               .sh_size = maker->used},
        [2] = {.sh_type = SHT_STRTAB, .sh_offset = sizeof header, .sh_size = sizeof names},
    };
    size_t size = sections[1].sh_offset + maker->used;
    struct ff_error error = {0};
    maker->file = malloc(size);
    if (!maker->file)
        abort();
    memcpy(maker->file, &header, sizeof header);
    memcpy(maker->file + sizeof header, names, sizeof names);
    memcpy(maker->file + sizeof header + sizeof names, sections, sizeof sections);
    memcpy(maker->file + sections[1].sh_offset, maker->bytes, maker->used);
    if (ff_elf_open_bytes(&maker->elf, "made", (struct ff_text){(const char *)maker->file, size},
                          &error) != FF_OK)
        abort();
    maker->cfi = ff_cfi_new(maker->elf);
}

static inline void maker_close(struct maker *maker)
{
    ff_cfi_free(maker->cfi);
    ff_elf_close(maker->elf);
    free(maker->file);
    *maker = (struct maker){0};
}

#endif
