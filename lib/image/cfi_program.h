/* SPDX-License-Identifier: MIT
 *
 * Runs the instructions of unwind entries. Format: DWARF 5 section 6.4.2.
 */
#ifndef FF_IMAGE_CFI_PROGRAM_H
#define FF_IMAGE_CFI_PROGRAM_H

#include "image/cfi_row.h"

struct ff_cfi_saved {
    uint8_t kind; /* enum ff_cfi_rule_kind */
    int32_t value;
};

/* What holds at one place. */
struct ff_cfi_state {
    bool has_cfa, cfa_expression;
    bool is_signed; /* AArch64: the return address is */
    uint8_t cfa_column;
    int64_t cfa_value;
    struct ff_cfi_saved rules[FF_CFI_REGISTERS];
};

/* Runs an entry up to a place. Returns an enum ff_cfi_reason; only with 0 the state is right. */
uint8_t ff_cfi_run(const struct ff_frame_table *table, uint16_t machine,
                   const struct ff_frame_entry *entry, uint64_t place, struct ff_cfi_state *state);

/* Whether the instructions of an entry mean the same wherever they lie: none gives a location of its
 * own (DW_CFA_set_loc) before the first that is wrong. */
bool ff_cfi_is_movable(const struct ff_frame_table *table, uint16_t machine,
                       const struct ff_frame_entry *entry);

#endif
