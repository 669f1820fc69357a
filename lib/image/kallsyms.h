/* SPDX-License-Identifier: MIT
 *
 * A copy of /proc/kallsyms: lines `address type name [module]`. It has no sizes: a text symbol
 * (types t, T, w, W) reaches to the next text symbol of the same module, and 64 KiB at most.
 */
#ifndef FF_IMAGE_KALLSYMS_H
#define FF_IMAGE_KALLSYMS_H

#include "base/status.h"
#include "base/text.h"
#include "image/file.h"

#define FF_KALLSYMS_REACH ((uint64_t)1 << 16)

struct ff_kallsyms {
    struct ff_file file;
    struct ff_kallsyms_symbol *symbols; /* by module, then address, then line */
    uint32_t count, capacity;
    struct ff_kallsyms_module *modules; /* 0 is the kernel proper */
    uint32_t module_count, module_capacity;
    uint64_t bad_lines; /* lines that are no symbol */
    bool failed;
};

struct ff_kallsyms_symbol {
    uint64_t address;
    uint32_t name; /* offset in the bytes */
    uint16_t name_size;
    uint16_t module;
    char type;
};

struct ff_kallsyms_module {
    struct ff_text name;   /* without brackets; the kernel's is empty */
    uint32_t first, count; /* its symbols */
};

struct ff_kernel_function {
    uint64_t start, size;
    struct ff_text name; /* lives as long as the table */
    char type;
};

/* Reads a table from a file, which it takes over (leaves empty) in every case. *table is NULL on failure: FF_BAD_INPUT when it has no text symbol, or when all
 * addresses are 0 because it was read without privileges. */
enum ff_status ff_kallsyms_open(struct ff_kallsyms **table, struct ff_file *file,
                                struct ff_error *error);
void ff_kallsyms_close(struct ff_kallsyms *table); /* NULL is fine */

/* Whether bytes begin like such a table. */
bool ff_kallsyms_recognise(struct ff_text bytes);

/* Name of a kernel module as the table has it ("nvidia_uvm"), from what a recording may write:
 * "[nvidia_uvm]", "/lib/modules/6.1/nvidia-uvm.ko.zst". BUFFER holds the result. */
struct ff_text ff_kallsyms_module_name(struct ff_text path, char *buffer, size_t size);

/* The text symbol that holds an address. MODULE is a name as above, empty for the kernel. At one
 * address the last line holds: that is what perf shows, to which all earlier ones have no length.
 */
bool ff_kallsyms_find(const struct ff_kallsyms *table, struct ff_text module, uint64_t address,
                      struct ff_kernel_function *function);

/* Whether the kernel that this table is of had its first symbol (_text or _stext) at ANCHOR: a table
 * of another boot or another kernel had it elsewhere, unless both run without KASLR. */
bool ff_kallsyms_anchored(const struct ff_kallsyms *table, uint64_t anchor);

#endif
