/* SPDX-License-Identifier: MIT
 *
 * Compiled unwind rules against libdw's, an independent reader of the same tables: the frame address
 * and every register, by kind, numbers and expression bytes, at many places of captured libraries,
 * and at each place of tests/data/cfi.so (.eh_frame) and cfi-debug.so (compressed .debug_frame).
 */
#include "check.h"
#include "cfi_maker.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define CAPTURED "build/shared/"
#define TORCH    CAPTURED "opt/torch/.venv/lib/python3.12/site-packages/"

/* Entries examined per library, evenly spread; all of those with fewer. */
#define ENTRIES 2000

static const char *const libraries[] = {
    CAPTURED "vdso.so",
    CAPTURED "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
    CAPTURED "usr/lib/x86_64-linux-gnu/libc.so.6",
    CAPTURED "usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.33",
    CAPTURED "usr/bin/python3.12",
    CAPTURED "usr/local/nvidia/lib64/libcuda.so.580.159.04",
    TORCH "nvidia/cu13/lib/libcublasLt.so.13",
    TORCH "torch/lib/libtorch_cpu.so",
    TORCH "torch/lib/libtorch_python.so",
};

struct both {
    struct ff_elf *elf;
    struct ff_cfi *ours;
    Dwarf_CFI *libdw;
    bool is_owner; /* of libdw's, which else belongs to a Dwarf */
    unsigned long places, rules, expressions, differences;
};

/* Whether libdw's operations FIRST to END are those of a block. Operands of DW_OP_breg are compared
 * too, those of others through the offset of the next operation. */
static bool same_block(struct ff_text block, const Dwarf_Op *ops, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        size_t at = ops[i].offset;
        if (at >= block.size || (uint8_t)block.at[at] != ops[i].atom || (i == first && at != 0))
            return false;
        struct ff_cursor operand = ff_cursor(block.at + at + 1, block.size - at - 1, false);
        bool is_breg = ops[i].atom >= DW_OP_breg0 && ops[i].atom <= DW_OP_breg31;
        if (is_breg && ff_frame_sleb(&operand) != (int64_t)ops[i].number)
            return false;
        bool bare = (ops[i].atom >= DW_OP_lit0 && ops[i].atom <= DW_OP_lit31) ||
                    ops[i].atom == DW_OP_deref ||
                    (ops[i].atom >= DW_OP_and && ops[i].atom <= DW_OP_mul);
        if (bare || is_breg) {
            size_t next = (size_t)(operand.at - (const unsigned char *)block.at);
            if (next != (i + 1 < end ? ops[i + 1].offset : block.size))
                return false;
        }
    }
    return first < end;
}

static bool same_cfa(struct both *both, const struct ff_cfi_row *row, Dwarf_Frame *frame)
{
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_frame_cfa(frame, &ops, &count) != 0)
        return false;
    both->expressions += row->cfa_expression;
    if (row->cfa_expression)
        return same_block(ff_cfi_block(both->ours, row, row->cfa_value), ops, 0, count);
    return count == 1 && ops[0].atom == DW_OP_bregx && ops[0].number == row->cfa_column &&
           (int64_t)ops[0].number2 == row->cfa_value;
}

static const struct ff_cfi_rule *rule_of(const struct ff_cfi_row *row, unsigned int column)
{
    for (unsigned int i = 0; i < row->rule_count; i++)
        if (row->rules[i].column == column)
            return &row->rules[i];
    return NULL;
}

static bool same_without_rule(const struct both *both, const struct ff_cfi_row *row,
                              unsigned int column, const Dwarf_Op *memory, const Dwarf_Op *ops,
                              size_t count)
{
    bool arm = both->elf->machine == EM_AARCH64;
    bool is_sp = column == (arm ? FF_CFI_AARCH64_SP : FF_CFI_X86_64_RSP);
    bool preserved = row->preserved >> column & 1;
    /* libdw 0.188 has a slip in its list of preserved registers: rax (0) in the place of rbx. */
    if (!arm && (column == 0 || (column == FF_CFI_X86_64_RBX && preserved)))
        return count == 0;
    if (preserved)
        return count == 0 && !ops;
    if (is_sp)
        return count == 2 && ops[0].atom == DW_OP_call_frame_cfa &&
               ops[1].atom == DW_OP_stack_value;
    return count == 0 && ops == memory;
}

static bool same_offset(const struct ff_cfi_rule *rule, const Dwarf_Op *ops, size_t count)
{
    size_t used = 0;
    if (used >= count || ops[used++].atom != DW_OP_call_frame_cfa)
        return false;
    if (rule->value && (used >= count || ops[used].atom != DW_OP_plus_uconst ||
                        (int64_t)ops[used++].number != rule->value))
        return false;
    if (rule->kind == FF_RULE_VAL_OFFSET &&
        (used >= count || ops[used++].atom != DW_OP_stack_value))
        return false;
    return used == count;
}

static bool same_rule(struct both *both, const struct ff_cfi_row *row, unsigned int column,
                      Dwarf_Frame *frame)
{
    Dwarf_Op memory[3], *ops;
    size_t count;
    const struct ff_cfi_rule *rule = rule_of(row, column);
    if (dwarf_frame_register(frame, (int)column, memory, &ops, &count) != 0)
        return false;
    if (!rule)
        return same_without_rule(both, row, column, memory, ops, count);
    both->rules++;
    if (rule->kind == FF_RULE_OFFSET || rule->kind == FF_RULE_VAL_OFFSET)
        return same_offset(rule, ops, count);
    if (rule->kind == FF_RULE_REGISTER)
        return count == 1 && ops[0].atom == DW_OP_regx && (int64_t)ops[0].number == rule->value;
    both->expressions++;
    size_t is_value = rule->kind == FF_RULE_VAL_EXPRESSION;
    if (count < 1 + is_value || ops[0].atom != DW_OP_call_frame_cfa ||
        (is_value && ops[count - 1].atom != DW_OP_stack_value))
        return false;
    return same_block(ff_cfi_block(both->ours, row, rule->value), ops, 1, count - is_value);
}

static bool same_info(const struct ff_cfi_row *row, Dwarf_Frame *frame)
{
    Dwarf_Addr start, end;
    bool is_signal;
    int column = dwarf_frame_info(frame, &start, &end, &is_signal);
    return column == row->return_column && is_signal == row->signal_frame;
}

static void compare(struct both *both, uint64_t place)
{
    Dwarf_Frame *frame = NULL;
    const struct ff_cfi_row *row = ff_cfi_row(both->ours, place);
    bool found = dwarf_cfi_addrframe(both->libdw, place, &frame) == 0;
    bool same = row && found == (row->status == FF_STEP_OK);
    both->places++;
    if (same && found) {
        same = same_info(row, frame) && same_cfa(both, row, frame);
        unsigned int columns = both->elf->machine == EM_AARCH64 ? 32 : 16;
        for (unsigned int column = 0; column < columns; column++)
            same = same_rule(both, row, column, frame) && same;
        same = same_rule(both, row, row->return_column, frame) && same;
    }
    if (!same && both->differences++ < 5)
        fprintf(stderr, "%s: place %llx differs: status %d, reason '%s', libdw %s\n",
                both->elf->path, (unsigned long long)place, row ? row->status : -1,
                ff_cfi_reason_text(row ? row->reason : 0), found ? "ok" : dwarf_errmsg(-1));
    free(frame);
}

static void compare_entry(struct both *both, const struct ff_fde *fde)
{
    const uint64_t offsets[] = {0, 1, 2, 4, 6, 9, 14, 20};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++)
        if (offsets[i] < fde->size)
            compare(both, fde->start + offsets[i]);
    for (uint64_t part = 1; part < 8; part++)
        compare(both, fde->start + fde->size * part / 8);
    for (uint64_t back = 1; back <= 8 && back <= fde->size; back++)
        compare(both, fde->start + fde->size - back);
    compare(both, fde->start + fde->size);
}

static bool both_open(struct both *both, const char *path)
{
    struct ff_error error = {0};
    CHECK(ff_elf_open(&both->elf, path, &error) == FF_OK);
    both->ours = both->elf ? ff_cfi_new(both->elf) : NULL;
    CHECK(both->ours);
    return both->ours;
}

static void both_close(struct both *both)
{
    if (getenv("FF_VERBOSE") && both->elf)
        printf("%s: %lu places, %lu rules, %lu expressions, %lu differences\n", both->elf->path,
               both->places, both->rules, both->expressions, both->differences);
    CHECK_NUMBER(both->differences, 0);
    CHECK(both->places > 10 && both->rules > both->places);
    if (both->libdw && both->is_owner)
        dwarf_cfi_end(both->libdw);
    ff_cfi_free(both->ours);
    ff_elf_close(both->elf);
}

static void compare_library(const char *path)
{
    struct both both = {.is_owner = true};
    if (access(path, R_OK) != 0) {
        SKIP("a captured library is not there");
        return;
    }
    if (both_open(&both, path) && (both.libdw = dwarf_getcfi_elf(both.elf->handle))) {
        const struct ff_fde_index *index = ff_elf_fdes(both.elf);
        uint32_t step = index->count > ENTRIES ? index->count / ENTRIES : 1;
        for (uint32_t i = 0; i < index->count; i += step) {
            struct ff_fde fde;
            CHECK(ff_fde_at(index, i, &fde));
            compare_entry(&both, &fde);
        }
    }
    both_close(&both);
}

/* Places of cfi.s, from before the first entry to behind the last. */
static void compare_all(struct both *both)
{
    CHECK(both->libdw);
    for (uint64_t place = 0x2ff0; both->libdw && place < 0x3400; place++)
        compare(both, place);
    CHECK(both->expressions > 50);
    both_close(both);
}

static void compare_data(void)
{
    struct both both = {.is_owner = true};
    if (both_open(&both, "tests/data/cfi.so"))
        both.libdw = dwarf_getcfi_elf(both.elf->handle);
    compare_all(&both);
    both = (struct both){0};
    int descriptor = open("tests/data/cfi-debug.so", O_RDONLY);
    Dwarf *dwarf = dwarf_begin(descriptor, DWARF_C_READ);
    if (both_open(&both, "tests/data/cfi-debug.so") && dwarf)
        both.libdw = dwarf_getcfi(dwarf);
    compare_all(&both);
    dwarf_end(dwarf);
    close(descriptor);
}

#define TEXT(text) text, sizeof text - 1

/* AArch64, of which no library is here: rules as compilers write them. Code alignment is 4 there. */
static void compare_arm(void)
{
    struct maker maker = {0};
    struct both both = {.is_owner = true};
    size_t cie = maker_cie(&maker, "zR", TEXT("\x00"), 30, TEXT("\x0c\x1f\x00"));
    size_t align = cie + 4 + 4 + 1 + 3;
    maker.bytes[align] = 4;
    maker_fde(&maker, cie, true, 0x1000,
              0x100, /* stp x29, x30, [sp, -48]!; ... with x19, x20, d8 */
              TEXT("\x41\x2d\x41\x0e\x30\x9d\x06\x9e\x05\x41\x0d\x1d\x42\x93\x04\x94\x03"
                   "\x05\x48\x02\x4c\x0a\x0c\x1f\x00\xdd\xde\xd3\xd4\x2d\x41\x0b"));
    maker_fde(&maker, cie, true, 0x1100, 0x40, TEXT("\x07\x1e"));
    maker_fde(&maker, cie, true, 0x1140, 0x40, TEXT("\x41\x0c\x1d\x10\x10\x1e\x02\x8d\x08"));
    maker_open(&maker, EM_AARCH64, ".eh_frame");
    both.elf = maker.elf;
    both.ours = maker.cfi;
    both.libdw = dwarf_getcfi_elf(maker.elf->handle);
    CHECK(both.libdw);
    for (uint64_t place = 0xff0; both.libdw && place < 0x1190; place++)
        compare(&both, place);
    CHECK_NUMBER(both.differences, 0);
    CHECK(both.rules > 500 && both.expressions > 10);
    dwarf_cfi_end(both.libdw);
    maker_close(&maker);
}

int main(void)
{
    compare_data();
    compare_arm();
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        compare_library(libraries[i]);
    return check_result();
}
