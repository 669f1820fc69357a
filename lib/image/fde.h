/* SPDX-License-Identifier: MIT
 *
 * Where functions start and end according to the unwind tables, which survive stripping: the
 * binary search table of .eh_frame_hdr, and each FDE read from .eh_frame only when asked for.
 * Format: Linux Standard Base 5.0, "Exception Frames"; pointer encodings: ibid., "DWARF Exception
 * Header Encoding".
 */
#ifndef FF_IMAGE_FDE_H
#define FF_IMAGE_FDE_H

#include "image/frame_entry.h"

struct ff_fde {
    uint64_t start, size; /* the code that it describes: module offset, bytes */
    uint64_t at;          /* module offset of the FDE itself */
};

struct ff_fde_index {
    struct ff_section header, frame; /* .eh_frame_hdr, .eh_frame */
    struct ff_text table;            /* the header's search table; empty when `walked` is used */
    uint32_t count;                  /* entries of either */
    struct ff_fde *walked;           /* sorted by start; owned */
    bool is_64, swapped;
    bool is_debug; /* the frame is .debug_frame */
};

/* What an index says of its section, to read entries. */
struct ff_frame_table ff_fde_table(const struct ff_fde_index *index);

/* Prepares an index; the sections' bytes are borrowed and must outlive it. HEADER may be empty or
 * not understood: then FRAME is walked from its start at once, which costs time in its size. False
 * when memory is out; the index then finds nothing. */
bool ff_fde_index_init(struct ff_fde_index *index, struct ff_section header,
                       struct ff_section frame, bool is_64, bool swapped);

/* The same for a .debug_frame, which has no header. */
bool ff_fde_index_init_debug(struct ff_fde_index *index, struct ff_section frame, bool is_64,
                             bool swapped);
void ff_fde_index_release(struct ff_fde_index *index);

/* The module offset of .eh_frame as a header gives it; 0 when it does not say so understandably. */
uint64_t ff_fde_frame_start(struct ff_section header, bool is_64, bool swapped);

/* The FDE that covers a module offset; false when none does. */
bool ff_fde_find(const struct ff_fde_index *index, uint64_t module_offset, struct ff_fde *fde);

/* The module offset of the FDE that covers a module offset if any does, whether or not its bytes
 * make sense; false when all start behind it. */
bool ff_fde_place(const struct ff_fde_index *index, uint64_t module_offset, uint64_t *at);

/* The FDE of the entry with this number (0 <= number < count), in order of start; false when its
 * bytes make no sense. */
bool ff_fde_at(const struct ff_fde_index *index, uint32_t number, struct ff_fde *fde);

#endif
