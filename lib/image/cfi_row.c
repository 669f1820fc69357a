/* SPDX-License-Identifier: MIT
 *
 * The rules of one place to a row: small, and quick to apply. The hard thing is what the tables leave
 * unsaid: which registers a function preserves is the ABI's matter.
 */
#include "image/cfi_row.h"
#include "image/cfi_program.h"
#include "image/expression.h"

#include <elf.h>

/* Columns whose value a function must preserve. AArch64's link register counts: a function that
 * does not save it returns through it. */
static uint64_t preserved_columns(uint16_t machine)
{
    const uint64_t rbx = 1u << 3, rbp = 1u << 6, r12_to_r15 = 0xfu << 12;
    const uint64_t x19_to_x30 = UINT64_C(0xfff) << 19;
    return machine == EM_X86_64 ? rbx | rbp | r12_to_r15 : x19_to_x30;
}

/* Turns rules that say nothing of memory into bits, and returns how many others there are. */
static uint8_t simplify(const struct ff_cfi_state *state, uint64_t *preserved)
{
    uint8_t count = 0;
    for (unsigned int i = 0; i < FF_CFI_REGISTERS; i++) {
        uint8_t kind = state->rules[i].kind;
        if (kind == FF_RULE_SAME)
            *preserved |= UINT64_C(1) << i;
        else if (kind != FF_RULE_NONE)
            *preserved &= ~(UINT64_C(1) << i);
        count += kind >= FF_RULE_OFFSET;
    }
    return count;
}

static struct ff_cfi_row *row_new(struct ff_arena *arena, uint64_t place, uint8_t rule_count)
{
    struct ff_cfi_row *row = ff_arena_take(arena, sizeof *row + rule_count * sizeof row->rules[0]);
    if (row)
        *row = (struct ff_cfi_row){.place = place, .rule_count = rule_count};
    return row;
}

struct ff_cfi_row *ff_cfi_row_none(struct ff_arena *arena, uint64_t place, uint8_t status,
                                   uint8_t reason)
{
    struct ff_cfi_row *row = row_new(arena, place, 0);
    if (row) {
        row->status = status;
        row->reason = reason;
    }
    return row;
}

/* The column of the return address; -1 when no rule says where that is. */
static int return_column(uint16_t machine, const struct ff_frame_common *common,
                         const struct ff_cfi_state *state, uint8_t *reason)
{
    int column = ff_cfi_column(machine, common->return_register);
    if (column < 0)
        *reason = FF_CFI_COLUMN;
    else if (state->rules[column].kind == FF_RULE_NONE &&
             !(preserved_columns(machine) >> column & 1))
        *reason = FF_CFI_NO_RETURN;
    return column;
}

static void put_rules(struct ff_cfi_row *row, const struct ff_cfi_state *state)
{
    uint8_t used = 0;
    for (uint8_t i = 0; i < FF_CFI_REGISTERS; i++)
        if (state->rules[i].kind >= FF_RULE_OFFSET)
            row->rules[used++] =
                (struct ff_cfi_rule){i, state->rules[i].kind, state->rules[i].value};
}

static struct ff_cfi_row *row_make(uint16_t machine, const struct ff_frame_entry *entry,
                                   const struct ff_cfi_state *state, uint64_t place,
                                   struct ff_arena *arena)
{
    uint8_t reason = FF_CFI_FINE;
    const struct ff_frame_common *common = &entry->common;
    int column = return_column(machine, common, state, &reason);
    if (reason)
        return ff_cfi_row_none(arena, place, FF_STEP_BAD_RULE, reason);
    uint64_t preserved = preserved_columns(machine);
    struct ff_cfi_row *row = row_new(arena, place, simplify(state, &preserved));
    if (!row)
        return NULL;
    row->cfa_value = state->cfa_value;
    row->cfa_column = state->cfa_column;
    row->cfa_expression = state->cfa_expression;
    row->return_column = (uint8_t)column;
    row->return_undefined = state->rules[column].kind == FF_RULE_UNDEFINED;
    row->signal_frame = common->signal_frame;
    row->is_signed = state->is_signed || common->b_key;
    row->preserved = preserved;
    put_rules(row, state);
    return row;
}

struct ff_cfi_row *ff_cfi_compile(const struct ff_frame_table *table, uint16_t machine, uint64_t at,
                                  uint64_t place, struct ff_arena *arena)
{
    struct ff_frame_entry entry;
    struct ff_cfi_state state;
    uint8_t reason = ff_frame_entry_read(table, at, &entry);
    if (!reason && (place < entry.start || place - entry.start >= entry.size))
        return ff_cfi_row_none(arena, place, FF_STEP_NO_RULE, FF_CFI_FINE);
    bool is_read = !reason;
    if (is_read)
        reason = ff_cfi_run(table, machine, &entry, place, &state);
    struct ff_cfi_row *row = reason ? ff_cfi_row_none(arena, place, FF_STEP_BAD_RULE, reason)
                                    : row_make(machine, &entry, &state, place, arena);
    if (row) {
        row->function = is_read ? entry.start : 0;
        row->is_debug = table->is_debug;
    }
    return row;
}
