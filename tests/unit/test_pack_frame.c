/* SPDX-License-Identifier: MIT
 *
 * Unwind rules in packs: at each place the same as in the library, although the entries were written
 * anew, whichever section they came from; without rules, ranges only, as before.
 */
#include "check.h"

#include <elf.h>

#include "cfi_maker.h"
#include "image/cfi_row.h"
#include "image/pack_elf.h"

#define FIRST                                                                                      \
    0x2ff0 /* places of tests/data/cfi.so, from before the first entry to behind the last */
#define LAST  0x3400
#define COUNT (LAST - FIRST)
/* Places with rules in either, as readelf says: all but the gap before the PLT. */
#define PLACES (0x2f1 + 0x3d)

static uint64_t places[COUNT];
static struct ff_function functions[COUNT];

static bool same_block(const struct ff_cfi *left, const struct ff_cfi_row *left_row, int64_t a,
                       const struct ff_cfi *right, const struct ff_cfi_row *right_row, int64_t b)
{
    return ff_text_equal(ff_cfi_block(left, left_row, a), ff_cfi_block(right, right_row, b));
}

static bool same_row(struct ff_cfi *left, struct ff_cfi *right, uint64_t place)
{
    const struct ff_cfi_row *a = ff_cfi_row(left, place), *b = ff_cfi_row(right, place);
    if (!a || !b || a->status != b->status || a->reason != b->reason)
        return false;
    if (a->status != FF_STEP_OK)
        return true;
    bool same = a->function == b->function && a->is_debug == b->is_debug &&
                a->cfa_expression == b->cfa_expression && a->cfa_column == b->cfa_column &&
                a->return_column == b->return_column &&
                a->return_undefined == b->return_undefined && a->is_signed == b->is_signed &&
                a->signal_frame == b->signal_frame && a->preserved == b->preserved &&
                a->rule_count == b->rule_count;
    same = same && (a->cfa_expression ? same_block(left, a, a->cfa_value, right, b, b->cfa_value)
                                      : a->cfa_value == b->cfa_value);
    for (unsigned int i = 0; same && i < a->rule_count; i++) {
        const struct ff_cfi_rule *rule = &a->rules[i], *other = &b->rules[i];
        same = rule->column == other->column && rule->kind == other->kind &&
               (rule->kind >= FF_RULE_EXPRESSION
                    ? same_block(left, a, rule->value, right, b, other->value)
                    : rule->value == other->value);
    }
    return same;
}

static struct ff_elf *open_packed(struct ff_output *output, const struct ff_pack_part *part,
                                  uint32_t lost)
{
    struct ff_elf *packed;
    struct ff_error error = {0};
    ff_output_memory(output);
    CHECK_NUMBER(ff_pack_elf_write(output, part), lost);
    CHECK(!output->out_of_memory);
    struct ff_text bytes = {output->buffer, output->used};
    CHECK(ff_elf_open_bytes(&packed, "packed", bytes, &error) == FF_OK);
    return packed;
}

/* Packs all rules of LEFT, whose files these are. Returns how many places have rules in the pack. */
static unsigned int count_rules(struct ff_cfi *left, struct ff_elf *elf, struct ff_elf *debug)
{
    struct ff_output output;
    struct ff_error error = {0};
    struct ff_pack_part part = {elf, debug, functions, COUNT, places, COUNT};
    struct ff_elf *packed = open_packed(&output, &part, 0);
    struct ff_cfi *right = ff_cfi_new(packed);
    unsigned int ok = 0;
    for (unsigned int i = 0; i < COUNT; i++) {
        CHECK(same_row(left, right, places[i]));
        ok += ff_cfi_row(right, places[i])->status == FF_STEP_OK;
    }
    struct ff_text bytes = {output.buffer, output.used};
    CHECK(ff_text_find_text(bytes, FF_TEXT("zPLR")) < 0);
    ff_cfi_free(right);
    ff_elf_close(packed);
    ff_output_close(&output, &error);
    return ok;
}

static void test_rules(struct ff_elf *elf, unsigned int ok)
{
    struct ff_cfi *cfi = ff_cfi_new(elf);
    CHECK_NUMBER(count_rules(cfi, elf, NULL), ok);
    ff_cfi_free(cfi);
}

/* Entries of .eh_frame before, inside and behind those of a separate debug file: its own come first,
 * and where they end the others hold again. */
static void test_overlap(struct ff_elf *debug)
{
    struct maker maker = {0};
    size_t cie = maker_cie(&maker, "", NULL, 0, 16, "\x0c\x07\x08\x90\x01", 5);
    maker_fde(&maker, cie, false, 0x2ff8, 16, "\x0e\x30", 2);
    maker_fde(&maker, cie, false, 0x3044, 4, "\x0e\x40", 2);
    maker_fde(&maker, cie, false, 0x33f0, 8, "\x0e\x50", 2);
    maker_open(&maker, EM_X86_64, ".eh_frame");
    ff_cfi_add_debug_file(maker.cfi, debug);
    memset(functions, 0, sizeof functions);
    /* What the debug file says, and of the three only what it does not. */
    CHECK_NUMBER(count_rules(maker.cfi, maker.elf, debug), PLACES + 8 + 8);
    maker_close(&maker);
}

/* An entry with a place of its own (DW_CFA_set_loc) is counted, once, and kept as a range. */
static void test_lost(void)
{
    struct maker maker = {0};
    struct ff_output output;
    struct ff_error error = {0};
    size_t cie = maker_cie(&maker, "", NULL, 0, 16, "\x0c\x07\x08\x90\x01", 5);
    maker_fde(&maker, cie, false, 0x3000, 16, "\x01\x04\x30\0\0\0\0\0\0\x0e\x10", 11);
    maker_fde(&maker, cie, false, 0x3010, 16, "\x0e\x10", 2);
    maker_open(&maker, EM_X86_64, ".eh_frame");
    struct ff_pack_part part = {maker.elf, NULL, functions, COUNT, places, COUNT};
    struct ff_elf *packed = open_packed(&output, &part, 1);
    struct ff_cfi *cfi = ff_cfi_new(packed);
    CHECK_NUMBER(ff_cfi_row(maker.cfi, 0x3008)->status, FF_STEP_OK);
    CHECK_NUMBER(ff_cfi_row(cfi, 0x3008)->reason, FF_CFI_NO_CFA);
    CHECK_NUMBER(ff_cfi_row(cfi, 0x3018)->status, FF_STEP_OK);
    ff_cfi_free(cfi);
    ff_elf_close(packed);
    ff_output_close(&output, &error);
    maker_close(&maker);
}

static void test_ranges(struct ff_elf *elf)
{
    struct ff_output output;
    struct ff_error error = {0};
    struct ff_pack_part part = {elf, NULL, functions, COUNT, NULL, 0};
    struct ff_elf *packed = open_packed(&output, &part, 0);
    struct ff_cfi *cfi = ff_cfi_new(packed);
    for (unsigned int i = 0; i < COUNT; i++) {
        struct ff_fde full, range;
        bool found = ff_fde_find(ff_elf_fdes(elf), places[i], &full);
        CHECK(ff_fde_find(ff_elf_fdes(packed), places[i], &range) == found);
        if (!found)
            continue;
        CHECK(range.start == full.start && range.size == full.size);
        CHECK_NUMBER(ff_cfi_row(cfi, places[i])->reason, FF_CFI_NO_CFA);
    }
    ff_cfi_free(cfi);
    ff_elf_close(packed);
    ff_output_close(&output, &error);
}

int main(void)
{
    struct ff_elf *elf, *debug;
    struct ff_error error = {0};
    CHECK(ff_elf_open(&elf, "tests/data/cfi.so", &error) == FF_OK);
    CHECK(ff_elf_open(&debug, "tests/data/cfi-debug.so", &error) == FF_OK);
    for (uint64_t i = 0; i < COUNT; i++)
        places[i] = FIRST + i;
    if (elf && ff_elf_functions(elf, places, COUNT, functions)) {
        test_rules(elf, PLACES);
        test_ranges(elf);
    }
    if (debug && ff_elf_functions(debug, places, COUNT, functions)) {
        test_rules(debug, PLACES);
        test_overlap(debug);
    }
    test_lost();
    ff_elf_close(elf);
    ff_elf_close(debug);
    return check_result();
}
