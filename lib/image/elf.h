/* SPDX-License-Identifier: MIT
 *
 * One ELF file: what it is, where its segments lie, which functions hold given places. Opening maps
 * the file and reads only its headers; each table is touched at the first question about it.
 */
#ifndef FF_IMAGE_ELF_H
#define FF_IMAGE_ELF_H

#include "base/status.h"
#include "image/debug_frame.h"
#include "image/fde.h"

/* A PT_LOAD with bytes in the file. */
struct ff_segment {
    uint64_t file_offset, module_offset, size; /* size: bytes in the file */
    bool executable;
};

struct ff_elf {
    const char *path; /* for messages; owned */
    struct ff_text bytes;
    bool mapped;            /* the bytes are a mapping of its own; else borrowed */
    char *unpacked;         /* the bytes again, where they are memory of its own */
    struct Elf *handle;     /* libelf's */
    uint16_t machine, type; /* e_machine, e_type */
    bool is_64, swapped;
    char build_id[129]; /* lower-case hexadecimal; "" when it has none */
    struct ff_segment *segments;
    uint32_t segment_count;
    struct ff_fde_index fdes; /* use ff_elf_fdes */
    bool fdes_ready;
    struct ff_debug_frame debug_frame; /* use ff_elf_debug_frame */
    const char *range_name;            /* what ff_elf_range was asked last, and its answer */
    bool range_found;
    uint64_t range_start, range_end;
};

/* How the function at a place is known. */
enum ff_function_kind { FF_FUNCTION_NONE, FF_FUNCTION_FDE, FF_FUNCTION_PLT, FF_FUNCTION_SYMBOL };

struct ff_function {
    uint64_t start, size; /* module offset, bytes */
    const char *name;     /* as the file has it, mangled; lives as long as the ELF; NULL for FDE.
                             PLT: the name of the function that the slot leads to */
    uint8_t kind;         /* enum ff_function_kind */
};

/* Opens a file. *elf is NULL on failure: FF_BAD_INPUT when it is no ELF file or a damaged one. */
enum ff_status ff_elf_open(struct ff_elf **elf, const char *path, struct ff_error *error);

/* The same for bytes in memory (a member of a pack), which must outlive the ELF. NAME is copied. */
enum ff_status ff_elf_open_bytes(struct ff_elf **elf, const char *name, struct ff_text bytes,
                                 struct ff_error *error);
void ff_elf_close(struct ff_elf *elf); /* NULL is fine */

/* Whether bytes begin like an ELF file. */
bool ff_elf_recognise(struct ff_text bytes);

/* Between file offsets and module offsets through the segments; false where no segment has the
 * place. The two are different numbers in any file whose segments are shifted. */
bool ff_elf_module_offset(const struct ff_elf *elf, uint64_t file_offset, uint64_t *module_offset);
bool ff_elf_file_offset(const struct ff_elf *elf, uint64_t module_offset, uint64_t *file_offset);

/* The bytes of the file from a module offset to the end of its segment; empty when there is none.
 */
struct ff_text ff_elf_bytes(const struct ff_elf *elf, uint64_t module_offset);

/* Whether it has a full symbol table; a stripped file has only .dynsym. */
bool ff_elf_has_symtab(const struct ff_elf *elf);

/* The unwind tables' index; made at the first call. */
const struct ff_fde_index *ff_elf_fdes(struct ff_elf *elf);

/* A section by name, as far as the file has its bytes; empty when there is none. */
struct ff_section ff_elf_section(const struct ff_elf *elf, const char *name);

/* .debug_frame, unpacked if it was compressed (SHF_COMPRESSED); empty when there is none, or when
 * the file is not linked. The bytes live as long as the ELF. */
struct ff_section ff_elf_debug_frame(struct ff_elf *elf);

/* For COUNT places (module offsets, ascending) the function that holds each, into FUNCTIONS, in one
 * pass over the symbol tables. A symbol holds a place only within its own range: its size, or, when
 * that is 0, the FDE that starts where it starts. Order of choice:
 *   1. symbols of .symtab and .dynsym (STT_FUNC and STT_GNU_IFUNC, defined): the largest start that
 *      still covers the place; at one start: with a size before without; fewer leading underscores
 *      (mangled names count as none: so `sched_yield` before `__sched_yield`); global, weak, local;
 *      the longer name; the one that comes first, .symtab before .dynsym
 *   2. slots of the procedure linkage table
 *   3. the FDE
 * False when memory is out. */
bool ff_elf_functions(struct ff_elf *elf, const uint64_t *places, uint32_t count,
                      struct ff_function *functions);

/* The range of the function with this name (as in the symbol table) in .symtab or .dynsym; false when
 * there is none. Module offsets. The last answer is kept: NAME must live as long as the ELF. */
bool ff_elf_range(struct ff_elf *elf, const char *name, uint64_t *start, uint64_t *end);

#endif
