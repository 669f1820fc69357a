/* SPDX-License-Identifier: MIT
 *
 * The program of one unwind entry, run up to one place, to the rules that hold there. The hard thing is damage: every
 * operand is checked, the number of instructions and of remembered states is bounded, and a program
 * that is not understood ends with the reason why.
 */
#include "image/cfi_program.h"
#include "image/expression.h"

#include <dwarf.h>
#include <elf.h>

#define INSTRUCTION_LIMIT 65536
#define STATE_DEPTH       16

/* DW_CFA_AARCH64_negate_ra_state_with_pc: as 0x2d, and the pc takes part in signing. */
#define NEGATE_RA_STATE_WITH_PC 0x2c
#define NEGATE_RA_STATE         0x2d

struct program {
    const struct ff_frame_table *table;
    const struct ff_frame_common *common;
    uint16_t machine;
    struct ff_cursor cursor;
    uint64_t location;
    const struct ff_cfi_state *initial; /* after the CIE's part; NULL in it */
    struct ff_cfi_state now, remembered[STATE_DEPTH];
    unsigned int depth, instructions;
    bool has_location; /* DW_CFA_set_loc was met */
    uint8_t reason;    /* enum ff_cfi_reason; 0 while all is well */
};

static void fail(struct program *program, enum ff_cfi_reason reason)
{
    if (!program->reason)
        program->reason = (uint8_t)reason;
}

static uint64_t read_uleb(struct program *program)
{
    return ff_frame_uleb(&program->cursor);
}

static int64_t factored(struct program *program, int64_t value)
{
    int64_t result = 0;
    if (__builtin_mul_overflow(value, program->common->data_align, &result))
        fail(program, FF_CFI_OFFSET);
    return result;
}

static int64_t read_factored(struct program *program)
{
    uint64_t value = read_uleb(program);
    if (value > INT64_MAX)
        fail(program, FF_CFI_OFFSET);
    return factored(program, (int64_t)(value & INT64_MAX));
}

static int64_t negated(struct program *program, int64_t value)
{
    if (value == INT64_MIN)
        fail(program, FF_CFI_OFFSET);
    return value == INT64_MIN ? 0 : -value;
}

static int64_t read_factored_signed(struct program *program)
{
    return factored(program, ff_frame_sleb(&program->cursor));
}

/* Rules for registers that are no column (vectors, flags) are read and dropped. */
static void set_rule(struct program *program, uint64_t number, enum ff_cfi_rule_kind kind,
                     int64_t value)
{
    int column = ff_cfi_column(program->machine, number);
    if (column < 0)
        return;
    if (value < INT32_MIN || value > INT32_MAX)
        fail(program, FF_CFI_OFFSET);
    program->now.rules[column] = (struct ff_cfi_saved){(uint8_t)kind, (int32_t)value};
}

static void set_register_rule(struct program *program, uint64_t number, uint64_t source)
{
    int column = ff_cfi_column(program->machine, source);
    if (column < 0 && ff_cfi_column(program->machine, number) >= 0)
        fail(program, FF_CFI_COLUMN);
    set_rule(program, number, FF_RULE_REGISTER, column);
}

/* Steps over an expression's block; returns where it starts. */
static int64_t read_block(struct program *program)
{
    const char *start = (const char *)program->cursor.at;
    ff_cursor_bytes(&program->cursor, read_uleb(program));
    return start - program->table->section.bytes.at;
}

static void restore(struct program *program, uint64_t number)
{
    int column = ff_cfi_column(program->machine, number);
    if (!program->initial)
        fail(program, FF_CFI_INSTRUCTION);
    else if (column >= 0)
        program->now.rules[column] = program->initial->rules[column];
}

static void set_cfa_column(struct program *program, uint64_t number)
{
    int column = ff_cfi_column(program->machine, number);
    if (column < 0)
        fail(program, FF_CFI_COLUMN);
    program->now.cfa_column = (uint8_t)column;
}

static void set_cfa(struct program *program, uint64_t number, int64_t offset)
{
    set_cfa_column(program, number);
    program->now.cfa_value = offset;
    program->now.cfa_expression = false;
    program->now.has_cfa = true;
}

static int64_t read_offset(struct program *program)
{
    uint64_t value = read_uleb(program);
    if (value > INT64_MAX)
        fail(program, FF_CFI_OFFSET);
    return (int64_t)(value & INT64_MAX);
}

/* Instructions about the CFA; false when it is none. */
static bool take_cfa(struct program *program, uint8_t instruction)
{
    struct ff_cfi_state *now = &program->now;
    uint64_t number;
    switch (instruction) {
    case DW_CFA_def_cfa:
        number = read_uleb(program);
        set_cfa(program, number, read_offset(program));
        return true;
    case DW_CFA_def_cfa_sf:
        number = read_uleb(program);
        set_cfa(program, number, read_factored_signed(program));
        return true;
    case DW_CFA_def_cfa_expression:
        now->cfa_value = read_block(program);
        now->has_cfa = now->cfa_expression = true;
        return true;
    case DW_CFA_def_cfa_register:
    case DW_CFA_def_cfa_offset:
    case DW_CFA_def_cfa_offset_sf:
        if (!now->has_cfa || now->cfa_expression)
            fail(program, FF_CFI_NO_CFA);
        if (instruction == DW_CFA_def_cfa_register)
            set_cfa_column(program, read_uleb(program));
        else if (instruction == DW_CFA_def_cfa_offset)
            now->cfa_value = read_offset(program);
        else
            now->cfa_value = read_factored_signed(program);
        return true;
    default:
        return false;
    }
}

#define BIT(instruction) (UINT64_C(1) << (instruction))
#define REGISTER_INSTRUCTIONS                                                                      \
    (BIT(DW_CFA_offset_extended) | BIT(DW_CFA_restore_extended) | BIT(DW_CFA_undefined) |          \
     BIT(DW_CFA_same_value) | BIT(DW_CFA_register) | BIT(DW_CFA_expression) |                      \
     BIT(DW_CFA_offset_extended_sf) | BIT(DW_CFA_val_offset) | BIT(DW_CFA_val_offset_sf) |         \
     BIT(DW_CFA_val_expression) | BIT(DW_CFA_GNU_negative_offset_extended))

/* Instructions whose first operand is a register; false when it is none. */
static bool take_register(struct program *program, uint8_t instruction)
{
    if (!(REGISTER_INSTRUCTIONS >> instruction & 1))
        return false;
    uint64_t number = read_uleb(program);
    switch (instruction) {
    case DW_CFA_offset_extended:
        set_rule(program, number, FF_RULE_OFFSET, read_factored(program));
        break;
    case DW_CFA_offset_extended_sf:
        set_rule(program, number, FF_RULE_OFFSET, read_factored_signed(program));
        break;
    case DW_CFA_GNU_negative_offset_extended:
        set_rule(program, number, FF_RULE_OFFSET, negated(program, read_factored(program)));
        break;
    case DW_CFA_val_offset:
        set_rule(program, number, FF_RULE_VAL_OFFSET, read_factored(program));
        break;
    case DW_CFA_val_offset_sf:
        set_rule(program, number, FF_RULE_VAL_OFFSET, read_factored_signed(program));
        break;
    case DW_CFA_expression:
        set_rule(program, number, FF_RULE_EXPRESSION, read_block(program));
        break;
    case DW_CFA_val_expression:
        set_rule(program, number, FF_RULE_VAL_EXPRESSION, read_block(program));
        break;
    case DW_CFA_restore_extended:
        restore(program, number);
        break;
    case DW_CFA_undefined:
        set_rule(program, number, FF_RULE_UNDEFINED, 0);
        break;
    case DW_CFA_same_value:
        set_rule(program, number, FF_RULE_SAME, 0);
        break;
    default: /* DW_CFA_register */
        set_register_rule(program, number, read_uleb(program));
    }
    return true;
}

static void advance(struct program *program, uint64_t steps)
{
    uint64_t distance = 0;
    if (__builtin_mul_overflow(steps, program->common->code_align, &distance) ||
        __builtin_add_overflow(program->location, distance, &program->location))
        fail(program, FF_CFI_LOCATION);
}

static void set_location(struct program *program)
{
    uint64_t location =
        ff_frame_pointer(program->table, &program->cursor, program->common->encoding);
    if (location < program->location)
        fail(program, FF_CFI_LOCATION);
    program->location = location;
    program->has_location = true;
}

/* Instructions that change the location; false when it is none. */
static bool take_location(struct program *program, uint8_t instruction)
{
    switch (instruction) {
    case DW_CFA_set_loc:
        set_location(program);
        return true;
    case DW_CFA_advance_loc1:
        advance(program, ff_cursor_u8(&program->cursor));
        return true;
    case DW_CFA_advance_loc2:
        advance(program, ff_cursor_u16(&program->cursor));
        return true;
    case DW_CFA_advance_loc4:
        advance(program, ff_cursor_u32(&program->cursor));
        return true;
    default:
        return false;
    }
}

static void remember(struct program *program)
{
    if (program->depth == STATE_DEPTH)
        fail(program, FF_CFI_STATE_DEPTH);
    else
        program->remembered[program->depth++] = program->now;
}

static void recall(struct program *program)
{
    if (!program->depth)
        fail(program, FF_CFI_STATE_DEPTH);
    else
        program->now = program->remembered[--program->depth];
}

static void take_other(struct program *program, uint8_t instruction)
{
    bool is_arm = program->machine == EM_AARCH64;
    switch (instruction) {
    case DW_CFA_nop:
        break;
    case DW_CFA_remember_state:
        remember(program);
        break;
    case DW_CFA_restore_state:
        recall(program);
        break;
    case DW_CFA_GNU_args_size: /* concerns landing pads only */
        read_uleb(program);
        break;
    case NEGATE_RA_STATE: /* elsewhere: DW_CFA_GNU_window_save */
        if (!is_arm)
            fail(program, FF_CFI_GNU_WINDOW);
        program->now.is_signed = !program->now.is_signed;
        break;
    case NEGATE_RA_STATE_WITH_PC:
        if (!is_arm)
            fail(program, FF_CFI_INSTRUCTION);
        program->now.is_signed = !program->now.is_signed;
        break;
    default:
        fail(program, FF_CFI_INSTRUCTION);
    }
}

static void take(struct program *program, uint8_t instruction)
{
    uint8_t operand = instruction & 0x3f;
    switch (instruction & 0xc0) {
    case DW_CFA_advance_loc:
        advance(program, operand);
        break;
    case DW_CFA_offset:
        set_rule(program, operand, FF_RULE_OFFSET, read_factored(program));
        break;
    case DW_CFA_restore:
        restore(program, operand);
        break;
    default:
        if (!take_cfa(program, operand) && !take_register(program, operand) &&
            !take_location(program, operand))
            take_other(program, operand);
    }
    if (program->cursor.failed)
        fail(program, FF_CFI_PROGRAM_CUT);
}

/* Runs instructions up to the first that moves the location beyond PLACE. */
static void run(struct program *program, struct ff_cursor instructions, uint64_t place)
{
    program->cursor = instructions;
    while (!program->reason && ff_cursor_left(&program->cursor)) {
        if (++program->instructions > INSTRUCTION_LIMIT)
            fail(program, FF_CFI_PROGRAM_LONG);
        else
            take(program, ff_cursor_u8(&program->cursor));
        if (program->location > place)
            break;
    }
}

/* Runs the CIE's part, then the FDE's. */
static void run_entry(struct program *program, const struct ff_frame_entry *entry, uint64_t place)
{
    program->location = entry->start;
    run(program, entry->common.program, UINT64_MAX);
    const struct ff_cfi_state initial = program->now;
    program->location = entry->start;
    program->depth = 0;
    program->initial = &initial;
    run(program, entry->program, place);
    program->initial = NULL;
    if (!program->now.has_cfa)
        fail(program, FF_CFI_NO_CFA);
}

uint8_t ff_cfi_run(const struct ff_frame_table *table, uint16_t machine,
                   const struct ff_frame_entry *entry, uint64_t place, struct ff_cfi_state *state)
{
    struct program program = {.table = table, .common = &entry->common, .machine = machine};
    run_entry(&program, entry, place);
    *state = program.now;
    return program.reason;
}

bool ff_cfi_is_movable(const struct ff_frame_table *table, uint16_t machine,
                       const struct ff_frame_entry *entry)
{
    struct program program = {.table = table, .common = &entry->common, .machine = machine};
    run_entry(&program, entry, UINT64_MAX);
    return !program.has_location;
}
