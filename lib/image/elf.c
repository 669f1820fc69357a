/* SPDX-License-Identifier: MIT
 *
 * A mapped ELF file through libelf: header, build-id, segments, unwind sections. The hard thing is
 * that symbol skeletons, debug files and packs lack what a whole library has: everything that a
 * loader needs is taken from the program headers, sections are only a second chance.
 */
#include "image/elf.h"
#include "base/memory.h"
#include "image/file.h"

#include <gelf.h>

#include <elfutils/libdwelf.h>

bool ff_elf_recognise(struct ff_text bytes)
{
    return ff_text_starts(bytes, FF_TEXT("\177ELF"));
}

static void read_build_id(struct ff_elf *elf)
{
    const void *bytes;
    ssize_t size = dwelf_elf_gnu_build_id(elf->handle, &bytes);
    size_t used = 0;
    for (ssize_t i = 0; i < size && used + 2 < sizeof elf->build_id; i++) {
        uint8_t byte = ((const uint8_t *)bytes)[i];
        elf->build_id[used++] = "0123456789abcdef"[byte >> 4];
        elf->build_id[used++] = "0123456789abcdef"[byte & 15];
    }
}

static bool read_segments(struct ff_elf *elf)
{
    size_t count;
    if (elf_getphdrnum(elf->handle, &count) != 0)
        return false;
    elf->segments = ff_alloc(count, sizeof *elf->segments);
    for (size_t i = 0; elf->segments && i < count && i < UINT16_MAX; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf->handle, (int)i, &header) || header.p_type != PT_LOAD ||
            !header.p_filesz || header.p_vaddr > UINT64_MAX - header.p_filesz)
            continue;
        elf->segments[elf->segment_count++] = (struct ff_segment){
            .file_offset = header.p_offset,
            .module_offset = header.p_vaddr,
            .size = header.p_filesz,
            .executable = header.p_flags & PF_X,
        };
    }
    return elf->segments != NULL;
}

static enum ff_status read_headers(struct ff_elf *elf, struct ff_error *error)
{
    GElf_Ehdr header;
    elf_version(EV_CURRENT);
    /* libelf takes the bytes as writable but does not write what it was not asked to. */
    elf->handle = elf_memory((char *)(uintptr_t)elf->bytes.at, elf->bytes.size);
    if (!elf->handle || elf_kind(elf->handle) != ELF_K_ELF || !gelf_getehdr(elf->handle, &header))
        return ff_error_set(error, FF_BAD_INPUT, "%s: not a readable ELF file: %s", elf->path,
                            elf->handle ? "unexpected header" : elf_errmsg(-1));
    elf->machine = header.e_machine;
    elf->type = header.e_type;
    elf->is_64 = header.e_ident[EI_CLASS] == ELFCLASS64;
    const uint16_t one = 1;
    bool little_machine = *(const uint8_t *)&one == 1;
    elf->swapped = (header.e_ident[EI_DATA] == ELFDATA2LSB) != little_machine;
    read_build_id(elf);
    if (!read_segments(elf))
        return ff_error_set(error, FF_BAD_INPUT, "%s: program headers cannot be read", elf->path);
    return FF_OK;
}

static enum ff_status elf_new(struct ff_elf **elf, const char *path, struct ff_text bytes,
                              bool mapped, struct ff_error *error)
{
    struct ff_elf *made = ff_alloc(1, sizeof *made);
    char *name = ff_alloc(strlen(path) + 1, 1);
    *elf = NULL;
    if (!made || !name) {
        if (mapped)
            ff_file_unmap(bytes);
        ff_free(made);
        ff_free(name);
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", path);
    }
    memcpy(name, path, strlen(path));
    *made = (struct ff_elf){.path = name, .bytes = bytes, .mapped = mapped};
    enum ff_status status = read_headers(made, error);
    if (status != FF_OK)
        ff_elf_close(made);
    else
        *elf = made;
    return status;
}

enum ff_status ff_elf_open_bytes(struct ff_elf **elf, const char *name, struct ff_text bytes,
                                 struct ff_error *error)
{
    return elf_new(elf, name, bytes, false, error);
}

enum ff_status ff_elf_open(struct ff_elf **elf, const char *path, struct ff_error *error)
{
    struct ff_text bytes;
    enum ff_status status = ff_file_map(path, &bytes, error);
    *elf = NULL;
    return status == FF_OK ? elf_new(elf, path, bytes, true, error) : status;
}

void ff_elf_close(struct ff_elf *elf)
{
    if (!elf)
        return;
    ff_fde_index_release(&elf->fdes);
    if (elf->handle)
        elf_end(elf->handle);
    ff_debug_frame_release(&elf->debug_frame);
    if (elf->mapped)
        ff_file_unmap(elf->bytes);
    ff_free((void *)(uintptr_t)elf->path);
    ff_free(elf->segments);
    ff_free(elf->unpacked);
    ff_free(elf);
}

bool ff_elf_module_offset(const struct ff_elf *elf, uint64_t file_offset, uint64_t *module_offset)
{
    const struct ff_segment *found = NULL;
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        const struct ff_segment *segment = &elf->segments[i];
        if (file_offset >= segment->file_offset &&
            file_offset - segment->file_offset < segment->size &&
            (!found || (segment->executable && !found->executable)))
            found = segment;
    }
    if (found)
        *module_offset = found->module_offset + (file_offset - found->file_offset);
    return found != NULL;
}

static const struct ff_segment *segment_find(const struct ff_elf *elf, uint64_t module_offset)
{
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        const struct ff_segment *segment = &elf->segments[i];
        if (module_offset >= segment->module_offset &&
            module_offset - segment->module_offset < segment->size)
            return segment;
    }
    return NULL;
}

bool ff_elf_file_offset(const struct ff_elf *elf, uint64_t module_offset, uint64_t *file_offset)
{
    const struct ff_segment *segment = segment_find(elf, module_offset);
    if (segment)
        *file_offset = segment->file_offset + (module_offset - segment->module_offset);
    return segment != NULL;
}

struct ff_text ff_elf_bytes(const struct ff_elf *elf, uint64_t module_offset)
{
    const struct ff_segment *segment = segment_find(elf, module_offset);
    if (!segment)
        return FF_TEXT("");
    uint64_t skip = module_offset - segment->module_offset;
    uint64_t start = segment->file_offset + skip, left = segment->size - skip;
    if (start < skip || start >= elf->bytes.size)
        return FF_TEXT("");
    if (left > elf->bytes.size - start)
        left = elf->bytes.size - start;
    return ff_text_slice(elf->bytes, (size_t)start, (size_t)(start + left));
}

struct ff_section ff_elf_section(const struct ff_elf *elf, const char *name)
{
    size_t strings;
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf->handle, &strings) != 0)
        return (struct ff_section){0};
    while ((section = elf_nextscn(elf->handle, section))) {
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        const char *found = elf_strptr(elf->handle, strings, header.sh_name);
        if (found && strcmp(found, name) == 0 && header.sh_offset < elf->bytes.size &&
            header.sh_size <= elf->bytes.size - header.sh_offset)
            return (struct ff_section){header.sh_addr,
                                       {elf->bytes.at + header.sh_offset, header.sh_size}};
    }
    return (struct ff_section){0};
}

bool ff_elf_has_symtab(const struct ff_elf *elf)
{
    return ff_elf_section(elf, ".symtab").bytes.size > 0;
}

/* .eh_frame_hdr as the loader finds it. */
static struct ff_section unwind_header(const struct ff_elf *elf)
{
    size_t count;
    GElf_Phdr header;
    if (elf_getphdrnum(elf->handle, &count) != 0)
        return (struct ff_section){0};
    for (size_t i = 0; i < count && i < UINT16_MAX; i++) {
        if (!gelf_getphdr(elf->handle, (int)i, &header) || header.p_type != PT_GNU_EH_FRAME)
            continue;
        struct ff_text bytes = ff_elf_bytes(elf, header.p_vaddr);
        return (struct ff_section){header.p_vaddr, ff_text_slice(bytes, 0, header.p_filesz)};
    }
    return ff_elf_section(elf, ".eh_frame_hdr");
}

const struct ff_fde_index *ff_elf_fdes(struct ff_elf *elf)
{
    if (elf->fdes_ready)
        return &elf->fdes;
    struct ff_section header = unwind_header(elf);
    struct ff_section frame = ff_elf_section(elf, ".eh_frame");
    if (!frame.bytes.size && header.bytes.size) {
        frame.module_offset = ff_fde_frame_start(header, elf->is_64, elf->swapped);
        frame.bytes = ff_elf_bytes(elf, frame.module_offset);
    }
    ff_fde_index_init(&elf->fdes, header, frame, elf->is_64, elf->swapped);
    elf->fdes_ready = true;
    return &elf->fdes;
}
