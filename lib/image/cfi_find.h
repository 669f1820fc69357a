/* SPDX-License-Identifier: MIT
 *
 * The tables of one file and the rows that were compiled from them: see ff_cfi_row in cfi_row.h.
 */
#ifndef FF_IMAGE_CFI_FIND_H
#define FF_IMAGE_CFI_FIND_H

#include "image/cfi.h"
#include "image/cfi_row.h"

struct ff_cfi_slot {
    uint64_t place;
    struct ff_cfi_row *row; /* NULL: free */
};

struct ff_cfi {
    uint16_t machine;
    bool is_64, swapped;
    struct ff_elf *elf;               /* NULL: a bare table */
    const struct ff_fde_index *frame; /* .eh_frame: the ELF's, or `own` */
    struct ff_fde_index own;
    struct ff_elf *debug;            /* where .debug_frame is looked for; borrowed */
    struct ff_fde_index debug_frame; /* made at the first place without an entry in .eh_frame */
    bool debug_ready;
    struct ff_lock *lock;            /* of the ELF and its debug file; NULL: nobody else has them */
    struct ff_frame_table tables[2]; /* .eh_frame, .debug_frame: see ff_cfi_row's is_debug */
    struct ff_cfi_slot *slots;       /* by hash of the place, open addressing, at most half full */
    uint32_t slot_count, row_count;
    struct ff_arena arena; /* the rows */
};

#endif
