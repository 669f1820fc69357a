/* SPDX-License-Identifier: MIT
 *
 * A stack machine for DWARF expressions. The hard thing: an expression comes from a file and may
 * lie in every way: it jumps only within itself, and stack and steps are bounded.
 */
#include "image/expression.h"

#include <dwarf.h>
#include <elf.h>

#define STACK_DEPTH 64
#define STEP_LIMIT  1000

struct run {
    const struct ff_expression_frame *frame;
    struct ff_text expression;
    struct ff_cursor cursor;
    struct ff_expression_result result; /* status OK while it runs */
    unsigned int depth;
    bool ended; /* DW_OP_stack_value or DW_OP_reg */
    uint64_t stack[STACK_DEPTH];
};

int ff_cfi_column(uint16_t machine, uint64_t dwarf_register)
{
    if (machine == EM_X86_64)
        return dwarf_register <= FF_CFI_X86_64_RIP ? (int)dwarf_register : -1;
    if (machine == EM_AARCH64 && dwarf_register <= FF_CFI_AARCH64_PC)
        return (int)dwarf_register;
    return machine == EM_AARCH64 && dwarf_register == 34 ? FF_CFI_AARCH64_RA_STATE : -1;
}

static void fail(struct run *run, enum ff_cfi_reason reason)
{
    if (run->result.status != FF_STEP_OK)
        return;
    run->result.status = FF_STEP_BAD_RULE;
    run->result.reason = (uint8_t)reason;
}

static void push(struct run *run, uint64_t value)
{
    if (run->depth == STACK_DEPTH)
        fail(run, FF_CFI_EXPRESSION_STACK);
    else
        run->stack[run->depth++] = value;
}

static uint64_t pop(struct run *run)
{
    if (run->depth)
        return run->stack[--run->depth];
    fail(run, FF_CFI_EXPRESSION_STACK);
    return 0;
}

/* The item INDEX below the top. */
static uint64_t peek(struct run *run, uint64_t index)
{
    if (index < run->depth)
        return run->stack[run->depth - 1 - index];
    fail(run, FF_CFI_EXPRESSION_STACK);
    return 0;
}

static uint64_t read_register(struct run *run, uint64_t number)
{
    int column = ff_cfi_column(run->frame->machine, number);
    if (column >= 0 && run->frame->registers->known >> column & 1)
        return run->frame->registers->value[column];
    if (run->result.status == FF_STEP_OK) {
        run->result.status = FF_STEP_NO_REGISTER;
        run->result.missing = number;
    }
    return 0;
}

static uint64_t read_memory(struct run *run, uint64_t address, unsigned int size)
{
    const struct ff_memory *memory = run->frame->memory;
    uint64_t value = 0;
    if (size < 1 || size > 8) {
        fail(run, FF_CFI_EXPRESSION_OPERATION);
    } else if (run->result.status == FF_STEP_OK &&
               !memory->read(memory->context, address, size, &value)) {
        run->result.status = FF_STEP_NO_MEMORY;
        run->result.missing = address;
    }
    return value;
}

/* Moves by a signed distance from behind the operand. */
static void jump(struct run *run, int16_t distance)
{
    const unsigned char *start = (const unsigned char *)run->expression.at;
    ptrdiff_t target = run->cursor.at - start + distance;
    if (target < 0 || (size_t)target > run->expression.size)
        fail(run, FF_CFI_EXPRESSION_JUMP);
    else
        run->cursor.at = start + target;
}

static void constant(struct run *run, uint8_t operation)
{
    struct ff_cursor *cursor = &run->cursor;
    switch (operation) {
    case DW_OP_const1u:
        push(run, ff_cursor_u8(cursor));
        break;
    case DW_OP_const1s:
        push(run, (uint64_t)(int64_t)(int8_t)ff_cursor_u8(cursor));
        break;
    case DW_OP_const2u:
        push(run, ff_cursor_u16(cursor));
        break;
    case DW_OP_const2s:
        push(run, (uint64_t)(int64_t)(int16_t)ff_cursor_u16(cursor));
        break;
    case DW_OP_const4u:
        push(run, ff_cursor_u32(cursor));
        break;
    case DW_OP_const4s:
        push(run, (uint64_t)(int64_t)(int32_t)ff_cursor_u32(cursor));
        break;
    case DW_OP_const8u:
    case DW_OP_const8s:
        push(run, ff_cursor_u64(cursor));
        break;
    case DW_OP_constu:
        push(run, ff_frame_uleb(cursor));
        break;
    case DW_OP_consts:
        push(run, (uint64_t)ff_frame_sleb(cursor));
        break;
    default: /* DW_OP_addr */
        push(run, run->frame->bias +
                      (run->frame->is_64 ? ff_cursor_u64(cursor) : ff_cursor_u32(cursor)));
    }
}

static bool arrange(struct run *run, uint8_t operation)
{
    uint64_t first, second, third;
    switch (operation) {
    case DW_OP_dup:
        push(run, peek(run, 0));
        return true;
    case DW_OP_drop:
        pop(run);
        return true;
    case DW_OP_over:
        push(run, peek(run, 1));
        return true;
    case DW_OP_pick:
        push(run, peek(run, ff_cursor_u8(&run->cursor)));
        return true;
    case DW_OP_swap:
        first = pop(run);
        second = pop(run);
        push(run, first);
        push(run, second);
        return true;
    case DW_OP_rot: /* the top becomes the third */
        first = pop(run);
        second = pop(run);
        third = pop(run);
        push(run, first);
        push(run, third);
        push(run, second);
        return true;
    default:
        return false;
    }
}

static bool arithmetic_one(struct run *run, uint8_t operation)
{
    uint64_t value;
    switch (operation) {
    case DW_OP_abs:
        value = pop(run);
        push(run, value >> 63 ? 0 - value : value);
        return true;
    case DW_OP_neg:
        push(run, 0 - pop(run));
        return true;
    case DW_OP_not:
        push(run, ~pop(run));
        return true;
    case DW_OP_plus_uconst:
        value = pop(run);
        push(run, value + ff_frame_uleb(&run->cursor));
        return true;
    default:
        return false;
    }
}

static uint64_t divide(struct run *run, uint64_t left, uint64_t right, bool remainder)
{
    if (!right) {
        fail(run, FF_CFI_EXPRESSION_DIVIDE);
        return 0;
    }
    if (remainder) /* DWARF 5: div is signed, mod is not */
        return left % right;
    return right == UINT64_MAX ? 0 - left : (uint64_t)((int64_t)left / (int64_t)right);
}

static uint64_t shift_signed(uint64_t value, uint64_t bits)
{
    uint64_t fill = value >> 63 ? UINT64_MAX : 0;
    if (bits > 63)
        return fill;
    return bits ? value >> bits | fill << (64 - bits) : value;
}

static bool arithmetic_two(struct run *run, uint8_t operation, uint64_t left, uint64_t right,
                           uint64_t *value)
{
    switch (operation) {
    case DW_OP_and:
        *value = left & right;
        return true;
    case DW_OP_or:
        *value = left | right;
        return true;
    case DW_OP_xor:
        *value = left ^ right;
        return true;
    case DW_OP_plus:
        *value = left + right;
        return true;
    case DW_OP_minus:
        *value = left - right;
        return true;
    case DW_OP_mul:
        *value = left * right;
        return true;
    case DW_OP_div:
    case DW_OP_mod:
        *value = divide(run, left, right, operation == DW_OP_mod);
        return true;
    case DW_OP_shl:
        *value = right > 63 ? 0 : left << right;
        return true;
    case DW_OP_shr:
        *value = right > 63 ? 0 : left >> right;
        return true;
    case DW_OP_shra:
        *value = shift_signed(left, right);
        return true;
    default:
        return false;
    }
}

/* Comparisons are signed. */
static bool compare(uint8_t operation, int64_t left, int64_t right, uint64_t *value)
{
    switch (operation) {
    case DW_OP_eq:
        *value = left == right;
        return true;
    case DW_OP_ge:
        *value = left >= right;
        return true;
    case DW_OP_gt:
        *value = left > right;
        return true;
    case DW_OP_le:
        *value = left <= right;
        return true;
    case DW_OP_lt:
        *value = left < right;
        return true;
    case DW_OP_ne:
        *value = left != right;
        return true;
    default:
        return false;
    }
}

static bool on_two(struct run *run, uint8_t operation)
{
    bool between = operation >= DW_OP_and && operation <= DW_OP_ne;
    if (!between || operation == DW_OP_bra || operation == DW_OP_neg || operation == DW_OP_not ||
        operation == DW_OP_plus_uconst)
        return false;
    uint64_t right = pop(run), left = pop(run), value = 0;
    if (!arithmetic_two(run, operation, left, right, &value))
        compare(operation, (int64_t)left, (int64_t)right, &value);
    push(run, value);
    return true;
}

static void end_with(struct run *run, uint64_t value)
{
    push(run, value);
    run->result.is_value = true;
    run->ended = true;
}

/* Operations that are a range of codes; false when it is none. */
static bool in_range(struct run *run, uint8_t operation)
{
    if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31)
        push(run, operation - DW_OP_lit0);
    else if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31)
        push(run,
             read_register(run, operation - DW_OP_breg0) + (uint64_t)ff_frame_sleb(&run->cursor));
    else if (operation >= DW_OP_reg0 && operation <= DW_OP_reg31)
        end_with(run, read_register(run, operation - DW_OP_reg0));
    else if ((operation >= DW_OP_const1u && operation <= DW_OP_consts) || operation == DW_OP_addr)
        constant(run, operation);
    else
        return arrange(run, operation) || arithmetic_one(run, operation) || on_two(run, operation);
    return true;
}

static void take(struct run *run, uint8_t operation)
{
    struct ff_cursor *cursor = &run->cursor;
    uint64_t value;
    uint8_t size;
    int16_t distance;
    switch (operation) {
    case DW_OP_nop:
        break;
    case DW_OP_deref:
        push(run, read_memory(run, pop(run), run->frame->is_64 ? 8 : 4));
        break;
    case DW_OP_deref_size:
        value = pop(run);
        size = ff_cursor_u8(cursor);
        push(run, cursor->failed ? 0 : read_memory(run, value, size));
        break;
    case DW_OP_bregx:
        value = read_register(run, ff_frame_uleb(cursor));
        push(run, value + (uint64_t)ff_frame_sleb(cursor));
        break;
    case DW_OP_regx:
        end_with(run, read_register(run, ff_frame_uleb(cursor)));
        break;
    case DW_OP_skip:
        jump(run, (int16_t)ff_cursor_u16(cursor));
        break;
    case DW_OP_bra:
        distance = (int16_t)ff_cursor_u16(cursor);
        if (pop(run))
            jump(run, distance);
        break;
    case DW_OP_call_frame_cfa:
        if (run->frame->cfa)
            push(run, *run->frame->cfa);
        else
            fail(run, FF_CFI_EXPRESSION_OPERATION);
        break;
    case DW_OP_stack_value:
        run->result.is_value = run->ended = true;
        break;
    default:
        if (!in_range(run, operation))
            fail(run, FF_CFI_EXPRESSION_OPERATION);
    }
    if (cursor->failed)
        fail(run, FF_CFI_EXPRESSION_CUT);
}

struct ff_expression_result ff_expression_run(struct ff_text expression,
                                              const struct ff_expression_frame *frame)
{
    struct run run = {.frame = frame, .expression = expression};
    unsigned int steps = 0;
    run.cursor = ff_cursor(expression.at, expression.size, frame->swapped);
    if (frame->cfa)
        push(&run, *frame->cfa);
    while (run.result.status == FF_STEP_OK && !run.ended && ff_cursor_left(&run.cursor)) {
        if (++steps > STEP_LIMIT)
            fail(&run, FF_CFI_EXPRESSION_LONG);
        else
            take(&run, ff_cursor_u8(&run.cursor));
    }
    if (run.ended && run.result.status == FF_STEP_OK && ff_cursor_left(&run.cursor))
        fail(&run, FF_CFI_EXPRESSION_OPERATION); /* pieces may follow a value, and nothing else */
    uint64_t value = pop(&run);
    run.result.value = run.result.status == FF_STEP_OK ? value : 0;
    return run.result;
}
