/* SPDX-License-Identifier: MIT
 *
 * One step: the row of a place from the cache, its rules applied to registers and memory. The hard
 * thing is to be fast and honest at once: nearly all rules are "saved at CFA + n", and whatever
 * cannot be read makes a register unknown, and only the frame address or the return address a
 * failure that says which word was missing.
 */
#include "image/cfi_find.h"
#include "image/expression.h"

#include <elf.h>

/* What one step works on. */
struct stepping {
    const struct ff_cfi *cfi;
    const struct ff_cfi_row *row;
    const struct ff_registers *callee;
    const struct ff_memory *memory;
    struct ff_registers *caller;
    struct ff_step *step;
    uint64_t sp, bias;
    uint8_t pc_column;
    bool innermost;
};

static const char *const reason_texts[] = {
#define X(name, text) text,
    FF_CFI_REASON_TABLE(X)
#undef X
};

const char *ff_cfi_reason_text(uint8_t reason)
{
    bool known = reason < sizeof reason_texts / sizeof reason_texts[0];
    return known ? reason_texts[reason] : "not known";
}

struct ff_text ff_cfi_block(const struct ff_cfi *cfi, const struct ff_cfi_row *row, int64_t value)
{
    const struct ff_frame_table *table = &cfi->tables[row->is_debug];
    struct ff_text bytes = ff_text_from(table->section.bytes, (size_t)value);
    struct ff_cursor cursor = ff_cursor(bytes.at, bytes.size, table->swapped);
    uint64_t size = ff_frame_uleb(&cursor);
    const char *block = ff_cursor_bytes(&cursor, size);
    return block ? (struct ff_text){block, (size_t)size} : FF_TEXT("");
}

static struct ff_expression_result run_block(const struct stepping *now, int64_t block,
                                             const uint64_t *cfa)
{
    struct ff_expression_frame frame = {
        .registers = now->callee,
        .memory = now->memory,
        .cfa = cfa,
        .bias = now->bias,
        .machine = now->cfi->machine,
        .is_64 = now->cfi->is_64,
        .swapped = now->cfi->swapped,
    };
    return ff_expression_run(ff_cfi_block(now->cfi, now->row, block), &frame);
}

static bool is_known(const struct ff_registers *registers, unsigned int column)
{
    return registers->known >> column & 1;
}

static void set(struct ff_registers *registers, unsigned int column, uint64_t value)
{
    registers->value[column] = value;
    registers->known |= UINT64_C(1) << column;
}

static void stop(struct ff_step *step, enum ff_step_status status, uint64_t missing)
{
    step->status = status;
    step->missing = missing;
}

static bool compute_cfa(const struct stepping *now)
{
    const struct ff_cfi_row *row = now->row;
    struct ff_step *step = now->step;
    if (row->cfa_expression) {
        struct ff_expression_result result = run_block(now, row->cfa_value, NULL);
        stop(step, result.status, result.missing);
        step->reason = result.reason;
        step->cfa = result.value;
    } else if (is_known(now->callee, row->cfa_column)) {
        step->cfa = now->callee->value[row->cfa_column] + (uint64_t)row->cfa_value;
    } else {
        stop(step, FF_STEP_NO_REGISTER, row->cfa_column);
    }
    step->has_cfa = step->status == FF_STEP_OK;
    return step->has_cfa;
}

/* Takes a register from where it was saved. Code that ends has popped it already when the place
 * lies below the stack pointer; a return address on the stack is never popped without returning. */
static struct ff_expression_result load(const struct stepping *now, uint8_t column,
                                        uint64_t address)
{
    struct ff_expression_result result = {.status = FF_STEP_OK};
    const struct ff_memory *memory = now->memory;
    if (now->innermost && address < now->sp && column != now->pc_column) {
        result.value = now->callee->value[column];
        if (!is_known(now->callee, column))
            result = (struct ff_expression_result){FF_STEP_NO_REGISTER, .missing = column};
    } else if (!memory->read(memory->context, address, 8, &result.value)) {
        result = (struct ff_expression_result){FF_STEP_NO_MEMORY, .missing = address};
    }
    return result;
}

static struct ff_expression_result apply(const struct stepping *now, const struct ff_cfi_rule *rule)
{
    uint64_t cfa = now->step->cfa, value = cfa + (uint64_t)(int64_t)rule->value;
    struct ff_expression_result result = {.status = FF_STEP_OK, .value = value};
    switch (rule->kind) {
    case FF_RULE_OFFSET:
        return load(now, rule->column, value);
    case FF_RULE_VAL_OFFSET:
        return result;
    case FF_RULE_REGISTER:
        result.value = now->callee->value[rule->value];
        if (!is_known(now->callee, (unsigned int)rule->value))
            result = (struct ff_expression_result){FF_STEP_NO_REGISTER,
                                                   .missing = (uint64_t)rule->value};
        return result;
    default:
        result = run_block(now, rule->value, &cfa);
        if (result.status == FF_STEP_OK && rule->kind == FF_RULE_EXPRESSION && !result.is_value)
            return load(now, rule->column, result.value);
        return result;
    }
}

/* The usual rule, saved in the stack's memory at CFA + n; false where it is another, or one with a catch. */
static bool take_saved(const struct stepping *now, const struct ff_cfi_rule *rule)
{
    const struct ff_memory *memory = now->memory;
    uint64_t address = now->step->cfa + (uint64_t)(int64_t)rule->value;
    if (rule->kind != FF_RULE_OFFSET || (now->innermost && address < now->sp) ||
        !memory->read(memory->context, address, 8, &now->caller->value[rule->column]))
        return false;
    now->caller->known |= UINT64_C(1) << rule->column;
    return true;
}

/* Applies all rules; STEP gets the failure of the one for the return address. */
static void apply_rules(const struct stepping *now)
{
    const struct ff_cfi_row *row = now->row;
    for (uint8_t i = 0; i < row->rule_count; i++) {
        const struct ff_cfi_rule *rule = &row->rules[i];
        if (take_saved(now, rule))
            continue;
        struct ff_expression_result result = apply(now, rule);
        if (result.status == FF_STEP_OK) {
            set(now->caller, rule->column, result.value);
        } else if (rule->column == row->return_column) {
            stop(now->step, result.status, result.missing);
            now->step->reason = result.reason;
        }
    }
}

/* An AArch64 return address without its signature, which takes the bits above the address except
 * bit 55, by which user and kernel addresses differ. */
static uint64_t strip_signature(uint64_t address)
{
    const uint64_t high = UINT64_C(0xffff) << 48;
    return address >> 55 & 1 ? address | high : address & ~high;
}

/* The caller's pc from the return column. */
static void return_to(const struct stepping *now)
{
    struct ff_registers *caller = now->caller;
    const struct ff_cfi_row *row = now->row;
    uint8_t column = row->return_column;
    if (now->step->status != FF_STEP_OK)
        return;
    if (!is_known(caller, column)) {
        stop(now->step, FF_STEP_NO_REGISTER, column);
        return;
    }
    uint64_t address = caller->value[column];
    bool is_arm = now->cfi->machine == EM_AARCH64;
    bool said =
        is_known(caller, FF_CFI_AARCH64_RA_STATE) && caller->value[FF_CFI_AARCH64_RA_STATE] & 1;
    if (is_arm && (row->is_signed || said))
        address = strip_signature(address);
    set(caller, now->pc_column, address);
    /* A frame that was called but keeps its return address in the register that the call wrote. */
    if (is_arm && !now->innermost && row->preserved >> column & 1) {
        now->step->status = FF_STEP_BAD_RULE;
        now->step->reason = FF_CFI_STANDS_STILL;
    }
}

static void step_by_row(struct stepping *now)
{
    const struct ff_cfi_row *row = now->row;
    struct ff_registers *caller = now->caller;
    bool is_arm = now->cfi->machine == EM_AARCH64;
    uint8_t sp_column = is_arm ? FF_CFI_AARCH64_SP : FF_CFI_X86_64_RSP;
    now->pc_column = is_arm ? FF_CFI_AARCH64_PC : FF_CFI_X86_64_RIP;
    now->sp = is_known(now->callee, sp_column) ? now->callee->value[sp_column] : 0;
    bool has_cfa = compute_cfa(now);
    if (row->return_undefined)
        stop(now->step, FF_STEP_END, 0);
    if (row->return_undefined || !has_cfa)
        return;
    caller->known = 0;
    for (uint64_t kept = now->callee->known & row->preserved; kept; kept &= kept - 1) {
        unsigned int column = (unsigned int)__builtin_ctzll(kept);
        set(caller, column, now->callee->value[column]);
    }
    if (!is_known(caller, sp_column))
        set(caller, sp_column, now->step->cfa);
    apply_rules(now);
    return_to(now);
}

struct ff_step ff_cfi_step(struct ff_cfi *cfi, uint64_t module_offset,
                           const struct ff_registers *callee, bool innermost,
                           const struct ff_memory *memory, struct ff_registers *caller)
{
    struct ff_step step = {.status = FF_STEP_OK};
    const struct ff_cfi_row *row = ff_cfi_row(cfi, module_offset);
    if (!row) {
        step.status = FF_STEP_BAD_RULE;
        step.reason = FF_CFI_NO_MEMORY_LEFT;
        return step;
    }
    step.status = row->status;
    step.reason = row->reason;
    step.function = row->function;
    step.signal_frame = row->signal_frame;
    uint64_t pc = callee->value[cfi->machine == EM_AARCH64 ? FF_CFI_AARCH64_PC : FF_CFI_X86_64_RIP];
    struct stepping now = {
        .cfi = cfi,
        .row = row,
        .callee = callee,
        .memory = memory,
        .caller = caller,
        .step = &step,
        /* Modules lie at pages; the place may be that of pc - 1. */
        .bias = (pc - module_offset) & ~(uint64_t)4095,
        .innermost = innermost,
    };
    if (row->status == FF_STEP_OK)
        step_by_row(&now);
    return step;
}
