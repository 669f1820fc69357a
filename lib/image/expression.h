/* SPDX-License-Identifier: MIT
 *
 * DWARF expressions as far as unwind tables use them: no debug information, no pieces, no types.
 * Format: DWARF 5 section 2.5.
 */
#ifndef FF_IMAGE_EXPRESSION_H
#define FF_IMAGE_EXPRESSION_H

#include "image/cfi.h"

struct ff_expression_frame {
    const struct ff_registers *registers;
    const struct ff_memory *memory;
    const uint64_t *cfa; /* on the stack at the start; NULL: it is being computed */
    uint64_t bias;       /* address - module offset, for DW_OP_addr */
    uint16_t machine;    /* e_machine: which registers there are */
    bool is_64, swapped; /* of the expression's bytes */
};

/* Where an expression ended: status OK, BAD_RULE, NO_REGISTER or NO_MEMORY as in struct ff_step. */
struct ff_expression_result {
    enum ff_step_status status;
    uint8_t reason;
    bool is_value;    /* the result is a value (DW_OP_stack_value, DW_OP_reg), not an address */
    uint64_t value;   /* with OK */
    uint64_t missing; /* as in struct ff_step */
};

struct ff_expression_result ff_expression_run(struct ff_text expression,
                                              const struct ff_expression_frame *frame);

/* The column of a DWARF register; -1 when it is none of the machine's, or not one that matters. */
int ff_cfi_column(uint16_t machine, uint64_t dwarf_register);

#endif
