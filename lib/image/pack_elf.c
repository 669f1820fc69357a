/* SPDX-License-Identifier: MIT
 *
 * Functions to a small ELF file: header, program headers, note, FDEs, symbols, names, section
 * headers. The hard thing is that it must answer like the library: the segments are the library's,
 * although nothing of them is here, so whatever this file holds is found through sections.
 */
#include "image/pack_elf.h"

#include <elf.h>

enum { NONE, NOTE, FRAME, SYMBOLS, STRINGS, NAMES, DEBUG, SECTION_COUNT };

static const char section_names[] =
    "\0.note.gnu.build-id\0.eh_frame\0.symtab\0.strtab\0.shstrtab\0.debug_frame";
static const Elf64_Word name_offsets[SECTION_COUNT] = {0, 1, 20, 30, 38, 46, 56};

struct writer {
    struct ff_output *output;
    const struct ff_elf *elf;
    const struct ff_pack_part *part;
    struct ff_output frame, debug_frame; /* the sections' bytes */
    Elf64_Shdr sections[SECTION_COUNT];
    uint64_t offset; /* where the next section goes */
};

static void put(struct writer *writer, const void *bytes, size_t size)
{
    ff_output_text(writer->output, (struct ff_text){bytes, size});
}

static bool is_named(const struct writer *writer, uint32_t i)
{
    return ff_pack_part_has(writer->part, i) && writer->part->functions[i].kind != FF_FUNCTION_FDE;
}

static size_t name_size(const struct ff_function *function)
{
    return strlen(function->name) + (function->kind == FF_FUNCTION_PLT ? sizeof "@plt" : 1);
}

static size_t note_size(const struct writer *writer)
{
    size_t id = strlen(writer->elf->build_id) / 2;
    return id ? sizeof(Elf64_Nhdr) + 4 + (id + 3) / 4 * 4 : 0;
}

/* Gives a section its place in the file; sections lie there in the order of these calls. */
static void lay_out(struct writer *writer, int number, Elf64_Word type, uint64_t size,
                    uint64_t entry_size)
{
    writer->sections[number] = (Elf64_Shdr){
        .sh_name = name_offsets[number],
        .sh_type = type,
        .sh_offset = writer->offset,
        .sh_size = size,
        .sh_entsize = entry_size,
        .sh_addralign = 1,
    };
    writer->offset += size;
}

/* The last section is there only if it has something. */
static Elf64_Half section_count(const struct writer *writer)
{
    return writer->sections[DEBUG].sh_size ? SECTION_COUNT : DEBUG;
}

static size_t section_names_size(const struct writer *writer)
{
    return writer->sections[DEBUG].sh_size ? sizeof section_names : name_offsets[DEBUG];
}

static uint32_t executable_count(const struct ff_elf *elf)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < elf->segment_count; i++)
        count += elf->segments[i].executable;
    return count;
}

static void plan(struct writer *writer)
{
    uint64_t symbols = 1, names = 1;
    for (uint32_t i = 0; i < writer->part->function_count; i++) {
        if (is_named(writer, i)) {
            symbols++;
            names += name_size(&writer->part->functions[i]);
        }
    }
    writer->offset = sizeof(Elf64_Ehdr) + executable_count(writer->elf) * sizeof(Elf64_Phdr);
    lay_out(writer, NOTE, SHT_NOTE, note_size(writer), 0);
    lay_out(writer, FRAME, SHT_PROGBITS, writer->frame.used, 0);
    lay_out(writer, DEBUG, SHT_PROGBITS, writer->debug_frame.used, 0);
    lay_out(writer, STRINGS, SHT_STRTAB, names, 0);
    lay_out(writer, NAMES, SHT_STRTAB, section_names_size(writer), 0);
    writer->offset = (writer->offset + 7) / 8 * 8;
    lay_out(writer, SYMBOLS, SHT_SYMTAB, symbols * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
    writer->sections[SYMBOLS].sh_link = STRINGS;
    writer->sections[SYMBOLS].sh_info = 1;
    writer->sections[SYMBOLS].sh_addralign = 8;
}

static void put_headers(struct writer *writer)
{
    const uint16_t one = 1;
    const struct ff_elf *elf = writer->elf;
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, 0, EV_CURRENT},
        .e_type = elf->type,
        .e_machine = elf->machine,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof header,
        .e_shoff = writer->offset,
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = (Elf64_Half)executable_count(elf),
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = section_count(writer),
        .e_shstrndx = NAMES,
    };
    header.e_ident[EI_DATA] = *(const uint8_t *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;
    put(writer, &header, sizeof header);
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        const struct ff_segment *segment = &elf->segments[i];
        Elf64_Phdr load = {
            .p_type = PT_LOAD,
            .p_flags = PF_R | PF_X,
            .p_offset = segment->file_offset,
            .p_vaddr = segment->module_offset,
            .p_paddr = segment->module_offset,
            .p_filesz = segment->size,
            .p_memsz = segment->size,
            .p_align = 1,
        };
        if (segment->executable)
            put(writer, &load, sizeof load);
    }
}

static uint8_t hex_digit(char digit)
{
    return (uint8_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

static void put_note(struct writer *writer)
{
    const char *id = writer->elf->build_id;
    uint32_t size = (uint32_t)strlen(id) / 2;
    Elf64_Nhdr note = {.n_namesz = 4, .n_descsz = size, .n_type = NT_GNU_BUILD_ID};
    if (!size)
        return;
    put(writer, &note, sizeof note);
    put(writer, "GNU", 4);
    for (uint32_t i = 0; i < size; i++)
        ff_output_byte(writer->output,
                       (char)(hex_digit(id[2 * i]) << 4 | hex_digit(id[2 * i + 1])));
    put(writer, "\0\0\0", (4 - size % 4) % 4);
}

static void put_names(struct writer *writer)
{
    ff_output_byte(writer->output, '\0');
    for (uint32_t i = 0; i < writer->part->function_count; i++) {
        if (!is_named(writer, i))
            continue;
        ff_output_string(writer->output, writer->part->functions[i].name);
        if (writer->part->functions[i].kind == FF_FUNCTION_PLT)
            ff_output_string(writer->output, "@plt");
        ff_output_byte(writer->output, '\0');
    }
    put(writer, section_names, section_names_size(writer));
}

static void put_symbols(struct writer *writer)
{
    Elf64_Sym symbol = {0};
    put(writer, &symbol, sizeof symbol);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = SHN_ABS;
    symbol.st_name = 1;
    for (uint32_t i = 0; i < writer->part->function_count; i++) {
        const struct ff_function *function = &writer->part->functions[i];
        if (!is_named(writer, i))
            continue;
        symbol.st_value = function->start;
        symbol.st_size = function->size;
        put(writer, &symbol, sizeof symbol);
        symbol.st_name += (Elf64_Word)name_size(function);
    }
}

uint32_t ff_pack_elf_write(struct ff_output *output, const struct ff_pack_part *part)
{
    struct writer writer = {.output = output, .elf = part->elf, .part = part};
    struct ff_error error = {0};
    ff_output_memory(&writer.frame);
    ff_output_memory(&writer.debug_frame);
    uint32_t lost = ff_pack_frame_write(&writer.frame, &writer.debug_frame, part);
    output->out_of_memory |= writer.frame.out_of_memory || writer.debug_frame.out_of_memory;
    plan(&writer);
    put_headers(&writer);
    put_note(&writer);
    put(&writer, writer.frame.buffer, writer.frame.used);
    put(&writer, writer.debug_frame.buffer, writer.debug_frame.used);
    ff_output_close(&writer.frame, &error); /* out of memory is in the output already */
    ff_output_close(&writer.debug_frame, &error);
    put_names(&writer);
    uint64_t used = writer.sections[NAMES].sh_offset + writer.sections[NAMES].sh_size;
    put(&writer, "\0\0\0\0\0\0\0", writer.sections[SYMBOLS].sh_offset - used);
    put_symbols(&writer);
    put(&writer, writer.sections, section_count(&writer) * sizeof *writer.sections);
    return lost;
}
