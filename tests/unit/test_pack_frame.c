/* SPDX-License-Identifier: MIT
 *
 * Unwind rules in packs: at each place the same as in the library, although the entries were written
 * anew; without rules, ranges only, as before.
 */
#include "check.h"

#include <elf.h>

#include "image/cfi_row.h"
#include "image/pack_elf.h"

#define FIRST                                                                                      \
    0x2ff0 /* places of tests/data/cfi.so, from before the first entry to behind the last */
#define LAST  0x3400
#define COUNT (LAST - FIRST)

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
    bool same = a->function == b->function && a->cfa_expression == b->cfa_expression &&
                a->cfa_column == b->cfa_column && a->return_column == b->return_column &&
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

static struct ff_elf *open_packed(struct ff_output *output, const struct ff_pack_part *part)
{
    struct ff_elf *packed;
    struct ff_error error = {0};
    ff_output_memory(output);
    ff_pack_elf_write(output, part);
    CHECK(!output->out_of_memory);
    struct ff_text bytes = {output->buffer, output->used};
    CHECK(ff_elf_open_bytes(&packed, "packed", bytes, &error) == FF_OK);
    return packed;
}

static void test_rules(struct ff_elf *elf)
{
    struct ff_output output;
    struct ff_error error = {0};
    struct ff_pack_part part = {elf, functions, COUNT, places, COUNT};
    struct ff_elf *packed = open_packed(&output, &part);
    struct ff_cfi *left = ff_cfi_new(elf), *right = ff_cfi_new(packed);
    unsigned int ok = 0;
    for (unsigned int i = 0; i < COUNT; i++) {
        CHECK(same_row(left, right, places[i]));
        ok += ff_cfi_row(right, places[i])->status == FF_STEP_OK;
    }
    CHECK_NUMBER(ok, 0x2f1 + 0x3d); /* what readelf says: all but the gap before the PLT */
    struct ff_text bytes = {output.buffer, output.used};
    CHECK(ff_text_find_text(bytes, FF_TEXT("zPLR")) < 0);
    ff_cfi_free(left);
    ff_cfi_free(right);
    ff_elf_close(packed);
    ff_output_close(&output, &error);
}

static void test_ranges(struct ff_elf *elf)
{
    struct ff_output output;
    struct ff_error error = {0};
    struct ff_pack_part part = {elf, functions, COUNT, NULL, 0};
    struct ff_elf *packed = open_packed(&output, &part);
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
    struct ff_elf *elf;
    struct ff_error error = {0};
    CHECK(ff_elf_open(&elf, "tests/data/cfi.so", &error) == FF_OK);
    for (uint64_t i = 0; i < COUNT; i++)
        places[i] = FIRST + i;
    if (elf && ff_elf_functions(elf, places, COUNT, functions)) {
        test_rules(elf);
        test_ranges(elf);
    }
    ff_elf_close(elf);
    return check_result();
}
