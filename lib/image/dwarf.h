/* SPDX-License-Identifier: MIT
 *
 * Debug information of one ELF file: at a place, the function, the functions that were inlined into
 * it there, and the source line of each. Asked once for all places of a file: each compilation unit
 * that holds one is gone through once. DWARF 2 to 5, also compressed, and split into .dwo files
 * where these lie where the compiler put them; .dwp packages are not read.
 */
#ifndef FF_IMAGE_DWARF_H
#define FF_IMAGE_DWARF_H

#include "image/elf.h"

/* One function at a place. */
struct ff_dwarf_level {
    const char *name; /* linkage name, else the plain one; NULL when none is given */
    const char *file; /* NULL when not known */
    uint32_t line;    /* 0 when not known. Of the innermost level where the place is, of the others
                         where they call the next one */
};

/* Levels of place I: levels[first[I] .. first[I] + counts[I]), outermost (the function that has code
 * of its own) first. None: the debug information does not cover the place. */
struct ff_dwarf_answer {
    struct ff_dwarf_level *levels;
    uint32_t level_count, level_capacity;
    uint32_t *first, *counts;
    bool damaged; /* something could not be read, or was too much to be meant */
};

/* The debug information of a file; NULL when it has none, or when the ELF is not a file of its own
 * but part of a pack. */
struct ff_dwarf *ff_dwarf_open(const struct ff_elf *elf);
void ff_dwarf_close(struct ff_dwarf *dwarf); /* NULL is fine */

/* Asks about COUNT places: module offsets, ascending, each once. Texts of the answer live as long as
 * the debug information. Work is bounded by the file's size and COUNT. False when memory is out:
 * then the answer is empty, and the debug information can only be closed. */
bool ff_dwarf_find(struct ff_dwarf *dwarf, const uint64_t *places, uint32_t count,
                   struct ff_dwarf_answer *answer);
void ff_dwarf_answer_release(struct ff_dwarf_answer *answer);

#endif
