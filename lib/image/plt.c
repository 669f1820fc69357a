/* SPDX-License-Identifier: MIT
 *
 * PLT slot to function name. The hard thing: the relocations of .rela.plt are not in the order of
 * the slots (linkers put those of indirect functions at the end), but the GOT words that they fill
 * are. So the slot with number N belongs to the relocation of the Nth GOT word.
 */
#include "image/plt.h"

#include <gelf.h>

struct plt {
    GElf_Shdr table;       /* .plt */
    GElf_Shdr secondary;   /* .plt.sec: what is called where .plt has its lazy part only */
    Elf_Data *relocations; /* .rela.plt */
    size_t relocation_count;
    Elf_Data *symbols; /* .dynsym and its names' section */
    size_t strings;
    uint64_t got;   /* the lowest GOT word that a relocation fills */
    uint64_t words; /* from there to the highest, both included */
};

static bool is_slot(const struct ff_elf *elf, const GElf_Rela *relocation)
{
    uint64_t type = GELF_R_TYPE(relocation->r_info);
    if (elf->machine == EM_X86_64)
        return type == R_X86_64_JUMP_SLOT || type == R_X86_64_IRELATIVE;
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_IRELATIVE;
}

static void note_section(struct ff_elf *elf, struct plt *plt, Elf_Scn *section, const char *name)
{
    GElf_Shdr header, linked;
    gelf_getshdr(section, &header);
    if (strcmp(name, ".plt") == 0)
        plt->table = header;
    else if (strcmp(name, ".plt.sec") == 0)
        plt->secondary = header;
    if (strcmp(name, ".rela.plt") != 0 || header.sh_type != SHT_RELA)
        return;
    Elf_Scn *symbols = elf_getscn(elf->handle, header.sh_link);
    plt->relocations = elf_getdata(section, NULL);
    if (plt->relocations && header.sh_entsize)
        plt->relocation_count = plt->relocations->d_size / header.sh_entsize;
    if (symbols && gelf_getshdr(symbols, &linked)) {
        plt->symbols = elf_getdata(symbols, NULL);
        plt->strings = linked.sh_link;
    }
}

/* Whether the file has a table whose slots can be told apart. */
static bool plt_read(struct ff_elf *elf, struct plt *plt)
{
    size_t strings;
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    *plt = (struct plt){.got = UINT64_MAX};
    if ((elf->machine != EM_X86_64 && elf->machine != EM_AARCH64) ||
        elf_getshdrstrndx(elf->handle, &strings) != 0)
        return false;
    while ((section = elf_nextscn(elf->handle, section))) {
        const char *name = gelf_getshdr(section, &header)
                               ? elf_strptr(elf->handle, strings, header.sh_name)
                               : NULL;
        if (name)
            note_section(elf, plt, section, name);
    }
    if (!plt->table.sh_size || !plt->relocations || !plt->symbols)
        return false;
    uint64_t highest = 0;
    GElf_Rela relocation;
    for (size_t i = 0; i < plt->relocation_count; i++) {
        if (!gelf_getrela(plt->relocations, (int)i, &relocation) || !is_slot(elf, &relocation))
            continue;
        if (relocation.r_offset < plt->got)
            plt->got = relocation.r_offset;
        if (relocation.r_offset > highest)
            highest = relocation.r_offset;
    }
    if (highest < plt->got)
        return false;
    plt->words = (highest - plt->got) / 8 + 1;
    return true;
}

static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

/* The symbol that an indirect function's resolver stands for: it has the resolver's address. Of
 * several, the one with the fewest leading underscores, as for any symbol. */
static const char *resolver_name(struct ff_elf *elf, const struct plt *plt, uint64_t resolver)
{
    const char *best = NULL;
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(plt->symbols, i, &symbol); i++) {
        if (symbol.st_value != resolver || GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC)
            continue;
        const char *name = elf_strptr(elf->handle, plt->strings, symbol.st_name);
        if (name && (!best || underscores(name) < underscores(best)))
            best = name;
    }
    return best;
}

static const char *slot_name(struct ff_elf *elf, const struct plt *plt, uint64_t slot)
{
    GElf_Rela relocation;
    GElf_Sym symbol;
    for (size_t i = 0; i < plt->relocation_count; i++) {
        if (!gelf_getrela(plt->relocations, (int)i, &relocation) || !is_slot(elf, &relocation) ||
            relocation.r_offset != plt->got + slot * 8)
            continue;
        if (!GELF_R_SYM(relocation.r_info))
            return resolver_name(elf, plt, (uint64_t)relocation.r_addend);
        if (!gelf_getsym(plt->symbols, (int)GELF_R_SYM(relocation.r_info), &symbol))
            return NULL;
        const char *name = elf_strptr(elf->handle, plt->strings, symbol.st_name);
        return name && *name ? name : NULL;
    }
    return NULL;
}

/* Names the function at a place in [start, start + words * size). */
static void name_slot(struct ff_elf *elf, const struct plt *plt, uint64_t start, uint64_t size,
                      uint64_t place, struct ff_function *function)
{
    if (place < start || (place - start) / size >= plt->words)
        return;
    uint64_t slot = (place - start) / size;
    const char *name = slot_name(elf, plt, slot);
    if (name)
        *function = (struct ff_function){start + slot * size, size, name, FF_FUNCTION_PLT};
}

/* Size of a slot of .plt: 16 bytes, 24 on AArch64 with branch protection; behind the slots there
 * may be one more entry for thread-local descriptors. 0 when the sizes do not add up. */
static uint64_t slot_size(const struct ff_elf *elf, const struct plt *plt, uint64_t *header)
{
    static const uint64_t sizes[] = {16, 24};
    *header = elf->machine == EM_AARCH64 ? 32 : 16;
    for (int i = 0; i < 2; i++) {
        uint64_t used = *header + plt->words * sizes[i];
        if (plt->table.sh_size == used || plt->table.sh_size == used + *header)
            return sizes[i];
    }
    return 0;
}

void ff_plt_functions(struct ff_elf *elf, const uint64_t *places, uint32_t count,
                      struct ff_function *functions)
{
    struct plt plt;
    uint64_t header;
    if (!plt_read(elf, &plt))
        return;
    uint64_t size = slot_size(elf, &plt, &header);
    bool secondary = plt.secondary.sh_size == plt.words * 16;
    for (uint32_t i = 0; i < count; i++) {
        if (functions[i].kind != FF_FUNCTION_NONE)
            continue;
        if (size)
            name_slot(elf, &plt, plt.table.sh_addr + header, size, places[i], &functions[i]);
        if (secondary && functions[i].kind == FF_FUNCTION_NONE)
            name_slot(elf, &plt, plt.secondary.sh_addr, 16, places[i], &functions[i]);
    }
}
