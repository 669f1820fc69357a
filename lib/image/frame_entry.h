/* SPDX-License-Identifier: MIT
 *
 * Entries of .eh_frame and .debug_frame: a common one (CIE), and one per function (FDE) that refers
 * to it. Formats: Linux Standard Base 5.0, "Exception Frames"; DWARF 5 section 6.4.1.
 */
#ifndef FF_IMAGE_FRAME_ENTRY_H
#define FF_IMAGE_FRAME_ENTRY_H

#include "base/cursor.h"

/* A part of a module's memory as it lies in the file. */
struct ff_section {
    uint64_t module_offset; /* of the first byte */
    struct ff_text bytes;   /* empty: there is no such section */
};

struct ff_frame_table {
    struct ff_section section;
    uint64_t data_start; /* module offset to which "datarel" pointers relate: .eh_frame_hdr's */
    bool is_debug;       /* .debug_frame, whose references are offsets from its start */
    bool is_64, swapped;
};

struct ff_frame_common {
    uint64_t code_align;
    int64_t data_align;
    uint64_t return_register; /* DWARF number */
    uint8_t encoding;         /* of the addresses in its FDEs */
    bool has_size;            /* augmentation 'z': each FDE has augmentation data */
    bool signal_frame;        /* 'S' */
    bool b_key;               /* 'B': return addresses are signed with AArch64's key B */
    struct ff_cursor program; /* the instructions */
};

struct ff_frame_entry {
    uint64_t start, size; /* the code that it describes: module offset, bytes */
    struct ff_frame_common common;
    struct ff_cursor program;
};

/* Reads the FDE at a module offset of the table's section, and its CIE. Returns an
 * enum ff_cfi_reason: 0 is success. */
uint8_t ff_frame_entry_read(const struct ff_frame_table *table, uint64_t at,
                            struct ff_frame_entry *entry);

/* Where the record after the one at this module offset starts; false when there is none. */
bool ff_frame_next(const struct ff_frame_table *table, uint64_t at, uint64_t *next);

/* Variable-length numbers; bits that do not fit are dropped. */
uint64_t ff_frame_uleb(struct ff_cursor *cursor);
int64_t ff_frame_sleb(struct ff_cursor *cursor);

/* An encoded pointer as a module offset; fails the cursor when the encoding is not supported. */
uint64_t ff_frame_pointer(const struct ff_frame_table *table, struct ff_cursor *cursor,
                          uint8_t encoding);

#endif
