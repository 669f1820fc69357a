/* SPDX-License-Identifier: MIT
 *
 * The compiled rules of one place: what the program of its unwind entry says there.
 */
#ifndef FF_IMAGE_CFI_ROW_H
#define FF_IMAGE_CFI_ROW_H

#include "base/memory.h"
#include "image/cfi.h"
#include "image/frame_entry.h"

enum ff_cfi_rule_kind {
    FF_RULE_NONE, /* nothing was said: the ABI decides */
    FF_RULE_UNDEFINED,
    FF_RULE_SAME,
    FF_RULE_OFFSET,         /* saved at CFA + value */
    FF_RULE_VAL_OFFSET,     /* is CFA + value */
    FF_RULE_REGISTER,       /* is in column `value` of the callee */
    FF_RULE_EXPRESSION,     /* saved at the address that an expression gives */
    FF_RULE_VAL_EXPRESSION, /* is what an expression gives */
};

/* Expressions are given by where their block (length, bytes) starts in the table's section. */
struct ff_cfi_rule {
    uint8_t column, kind; /* enum ff_cfi_rule_kind */
    int32_t value;
};

/* About 40 bytes and 8 for each rule, of which there are 2 to 8 in nearly all rows. */
struct ff_cfi_row {
    uint64_t place, function; /* module offsets: of the row, of the entry's start */
    int64_t cfa_value;        /* offset, or place of the expression's block */
    uint8_t cfa_column;
    bool cfa_expression;
    uint8_t status, reason; /* OK, NO_RULE or BAD_RULE; only with OK the rest holds */
    uint8_t return_column, rule_count;
    bool return_undefined; /* the outermost frame */
    bool signal_frame, is_signed, is_debug;
    uint64_t preserved;         /* columns without a rule that keep their value */
    struct ff_cfi_rule rules[]; /* ascending, without those that `preserved` says */
};

/* Compiles the rules of a place from the FDE at module offset AT. The row lies in the arena and is
 * NULL only when memory is out; all other failures are in it. */
struct ff_cfi_row *ff_cfi_compile(const struct ff_frame_table *table, uint16_t machine, uint64_t at,
                                  uint64_t place, struct ff_arena *arena);

/* A row without rules: status NO_RULE or BAD_RULE. */
struct ff_cfi_row *ff_cfi_row_none(struct ff_arena *arena, uint64_t place, uint8_t status,
                                   uint8_t reason);

/* The row of a place, compiled or from the cache; NULL when memory is out. It lives until the next
 * call. For tests, and for ff_cfi_step. */
const struct ff_cfi_row *ff_cfi_row(struct ff_cfi *cfi, uint64_t place);

/* The bytes of an expression that a row refers to. */
struct ff_text ff_cfi_block(const struct ff_cfi *cfi, const struct ff_cfi_row *row, int64_t value);

#endif
