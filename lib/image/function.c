/* SPDX-License-Identifier: MIT
 *
 * Places to functions in one pass over the symbol tables. The hard thing is speed: PyTorch has
 * 400,000 symbols and a profile touches a few hundred, so nothing is sorted but the symbols that
 * cover a place, and no name is read but theirs.
 */
#include "base/memory.h"
#include "image/cover.h"
#include "image/elf.h"
#include "image/plt.h"

#include <gelf.h>
#include <stdlib.h>

/* A symbol that covers at least one place. */
struct candidate {
    uint64_t start, size;
    const char *name;
    uint32_t number;                       /* in the order of the tables */
    uint8_t no_size, underscores, binding; /* less is better */
};

struct search {
    struct ff_elf *elf;
    struct ff_cover cover;
    struct ff_fde *fdes; /* by place; size 0: none */
    struct candidate *candidates;
    uint32_t count, capacity;
    bool failed;
};

static uint8_t leading_underscores(const char *name)
{
    uint8_t count = 0;
    if (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R'))
        return 0;
    while (name[count] == '_' && count < UINT8_MAX)
        count++;
    return count;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    if (left->start != right->start)
        return left->start > right->start ? -1 : 1;
    if (left->no_size != right->no_size)
        return left->no_size - right->no_size;
    if (left->underscores != right->underscores)
        return left->underscores - right->underscores;
    if (left->binding != right->binding)
        return left->binding - right->binding;
    size_t left_size = strlen(left->name), right_size = strlen(right->name);
    if (left_size != right_size)
        return left_size > right_size ? -1 : 1;
    return left->number < right->number ? -1 : 1;
}

static uint8_t binding_rank(unsigned char info)
{
    switch (GELF_ST_BIND(info)) {
    case STB_WEAK:
        return 1;
    case STB_LOCAL:
        return 2;
    default:
        return 0;
    }
}

/* The range of a symbol if it holds a place; size 0 if not. */
static uint64_t covering_size(const struct search *search, const GElf_Sym *symbol)
{
    uint32_t first = ff_cover_first(&search->cover, symbol->st_value);
    if (first == search->cover.count)
        return 0;
    uint64_t size = symbol->st_size;
    const struct ff_fde *fde = &search->fdes[first];
    if (!size && fde->size && fde->start == symbol->st_value)
        size = fde->size;
    return search->cover.places[first] - symbol->st_value < size ? size : 0;
}

static void consider(struct search *search, const GElf_Sym *symbol, size_t strings)
{
    unsigned char type = GELF_ST_TYPE(symbol->st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF)
        return;
    uint64_t size = covering_size(search, symbol);
    if (!size)
        return;
    const char *name = elf_strptr(search->elf->handle, strings, symbol->st_name);
    if (!name || !*name)
        return;
    search->candidates = ff_grow(search->candidates, &search->capacity, (uint64_t)search->count + 1,
                                 sizeof *search->candidates, &search->failed);
    if (search->failed)
        return;
    search->candidates[search->count] = (struct candidate){
        .start = symbol->st_value,
        .size = size,
        .name = name,
        .number = search->count,
        .no_size = !symbol->st_size,
        .underscores = leading_underscores(name),
        .binding = binding_rank(symbol->st_info),
    };
    search->count++;
}

/* A symbol by number; NULL behind the last. libelf's arrays of 64-bit symbols are used as they are:
 * its access function would take as long as all the rest. */
static const GElf_Sym *symbol_at(const struct search *search, Elf_Data *symbols, uint32_t number,
                                 GElf_Sym *copy)
{
    if (!search->elf->is_64)
        return gelf_getsym(symbols, (int)number, copy);
    if (number >= symbols->d_size / sizeof *copy)
        return NULL;
    return (const GElf_Sym *)symbols->d_buf + number;
}

static void search_table(struct search *search, Elf_Data *symbols, size_t strings)
{
    GElf_Sym copy;
    const GElf_Sym *symbol;
    for (uint32_t i = 0; !search->failed && (symbol = symbol_at(search, symbols, i, &copy)); i++)
        consider(search, symbol, strings);
}

/* .symtab first: at equal rank the first symbol wins. */
static void search_tables(struct search *search)
{
    static const GElf_Word types[] = {SHT_SYMTAB, SHT_DYNSYM};
    for (int i = 0; i < 2; i++) {
        Elf_Scn *section = NULL;
        GElf_Shdr header;
        while ((section = elf_nextscn(search->elf->handle, section))) {
            if (!gelf_getshdr(section, &header) || header.sh_type != types[i])
                continue;
            Elf_Data *symbols = elf_getdata(section, NULL);
            if (symbols && symbols->d_buf)
                search_table(search, symbols, header.sh_link);
        }
    }
}

static void find_fdes(struct search *search)
{
    const struct ff_fde_index *index = ff_elf_fdes(search->elf);
    for (uint32_t i = 0; i < search->cover.count; i++) {
        struct ff_fde *fde = &search->fdes[i];
        if (!ff_fde_find(index, search->cover.places[i], fde))
            fde->size = 0;
    }
}

static void choose(struct search *search, struct ff_function *functions)
{
    struct ff_cover *cover = &search->cover;
    if (search->count)
        qsort(search->candidates, search->count, sizeof *search->candidates, compare_candidates);
    for (uint32_t i = 0; i < search->count; i++)
        ff_cover_paint(cover, search->candidates[i].start, search->candidates[i].size, i + 1);
    for (uint32_t i = 0; i < cover->count; i++) {
        functions[i] = (struct ff_function){0};
        if (!cover->owners[i])
            continue;
        const struct candidate *best = &search->candidates[cover->owners[i] - 1];
        functions[i] =
            (struct ff_function){best->start, best->size, best->name, FF_FUNCTION_SYMBOL};
    }
    ff_plt_functions(search->elf, cover->places, cover->count, functions);
    for (uint32_t i = 0; i < cover->count; i++) {
        const struct ff_fde *fde = &search->fdes[i];
        if (functions[i].kind == FF_FUNCTION_NONE && fde->size)
            functions[i] = (struct ff_function){fde->start, fde->size, NULL, FF_FUNCTION_FDE};
    }
}

bool ff_elf_functions(struct ff_elf *elf, const uint64_t *places, uint32_t count,
                      struct ff_function *functions)
{
    struct search search = {.elf = elf};
    search.fdes = ff_alloc(count, sizeof *search.fdes);
    search.failed = !search.fdes || !ff_cover_init(&search.cover, places, count);
    if (!search.failed) {
        find_fdes(&search);
        search_tables(&search);
    }
    if (!search.failed)
        choose(&search, functions);
    ff_cover_release(&search.cover);
    ff_free(search.candidates);
    ff_free(search.fdes);
    return !search.failed;
}

static bool find_range(struct ff_elf *elf, const char *name)
{
    struct search search = {.elf = elf};
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Sym copy;
    const GElf_Sym *symbol;
    while ((section = elf_nextscn(elf->handle, section))) {
        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        Elf_Data *symbols = elf_getdata(section, NULL);
        for (uint32_t i = 0;
             symbols && symbols->d_buf && (symbol = symbol_at(&search, symbols, i, &copy)); i++) {
            if (symbol->st_shndx == SHN_UNDEF || !symbol->st_size)
                continue;
            const char *found = elf_strptr(elf->handle, header.sh_link, symbol->st_name);
            if (!found || strcmp(found, name) != 0)
                continue;
            elf->range_start = symbol->st_value;
            elf->range_end = symbol->st_value + symbol->st_size;
            return true;
        }
    }
    return false;
}

bool ff_elf_range(struct ff_elf *elf, const char *name, uint64_t *start, uint64_t *end)
{
    if (!elf->range_name || strcmp(elf->range_name, name) != 0) {
        elf->range_found = find_range(elf, name);
        elf->range_name = name;
    }
    if (!elf->range_found)
        return false;
    *start = elf->range_start;
    *end = elf->range_end;
    return true;
}
