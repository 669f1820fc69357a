/* SPDX-License-Identifier: MIT
 *
 * DWARF expressions: each operation against the value that DWARF 5 section 2.5 gives it, and every
 * way to be wrong. Register n holds 0x1000 * (n + 1), the word at address A holds 3 * A.
 */
#include "check.h"

#include <elf.h>
#include <stdlib.h>

#include "image/expression.h"

#define LOW_MEMORY 0x100000 /* above it nothing is recorded */

static bool read_word(void *context, uint64_t address, unsigned int size, uint64_t *value)
{
    ++*(unsigned int *)context;
    *value = 3 * address;
    if (size < 8)
        *value &= (UINT64_C(1) << 8 * size) - 1;
    return address < LOW_MEMORY;
}

static struct ff_expression_result run_bytes(const char *bytes, size_t size, const uint64_t *cfa,
                                             uint16_t machine)
{
    unsigned int reads = 0;
    struct ff_registers registers = {.known = UINT64_C(0x2ffffffdf)};
    struct ff_memory memory = {read_word, &reads};
    struct ff_expression_frame frame = {&registers, &memory, cfa,  0x7f0000000000,
                                        machine,    true,    false};
    for (unsigned int i = 0; i < FF_CFI_REGISTERS; i++)
        registers.value[i] = 0x1000 * ((uint64_t)i + 1);
    /* A copy of exactly this size, so that a sanitizer sees any read behind it. */
    char *copy = malloc(size ? size : 1);
    if (copy && size)
        memcpy(copy, bytes, size);
    struct ff_expression_result result = ff_expression_run((struct ff_text){copy, size}, &frame);
    free(copy);
    return result;
}

#define MINUS(n) (UINT64_MAX - (n) + 1)

static const struct {
    const char *bytes;
    size_t size;
    uint64_t value;
} values[] = {
#define V(bytes, value)                                                                            \
    {                                                                                              \
        bytes, sizeof bytes - 1, value                                                             \
    }
    V("\x30", 0),
    V("\x4f", 31),
    V("\x03\x10\x20\0\0\0\0\0\0", 0x7f0000002010),
    V("\x08\xff", 255),
    V("\x09\xff", MINUS(1)),
    V("\x0a\x00\x80", 0x8000),
    V("\x0b\x00\x80", MINUS(0x8000)),
    V("\x0c\x01\x00\x00\x80", 0x80000001),
    V("\x0d\x01\x00\x00\x80", MINUS(0x7fffffff)),
    V("\x0e\x08\x07\x06\x05\x04\x03\x02\x01", 0x0102030405060708),
    V("\x0f\xff\xff\xff\xff\xff\xff\xff\xff", MINUS(1)),
    V("\x10\x80\x01", 128),
    V("\x11\x80\x7f", MINUS(128)),
    V("\x11\x3f", 63),
    V("\x76\x58", 0x7000 - 40),                 /* breg6 -40 */
    V("\x76\x58\x06", 3 * (0x7000 - 40)),       /* and what is there */
    V("\x92\x07\x80\x01", 0x8000 + 128),        /* bregx */
    V("\x76\x00\x94\x01", (3 * 0x7000) & 0xff), /* deref_size 1 */
    V("\x76\x04\x94\x02", (3 * 0x7004) & 0xffff),
    V("\x31\x12\x22", 2),         /* dup plus */
    V("\x31\x32\x13", 1),         /* drop */
    V("\x31\x32\x14", 1),         /* over */
    V("\x31\x32\x33\x15\x02", 1), /* pick 2 */
    V("\x31\x32\x33\x15\x00", 3), /* pick 0 */
    V("\x31\x32\x16", 1),         /* swap */
    V("\x31\x32\x33\x17", 2),     /* rot: 1 2 3 becomes 3 1 2 */
    V("\x31\x32\x33\x17\x13", 1),
    V("\x31\x32\x33\x17\x13\x13", 3),
    V("\x09\xfb\x19", 5), /* abs */
    V("\x35\x19", 5),
    V("\x3c\x3a\x1a", 8),            /* and */
    V("\x09\xf9\x32\x1b", MINUS(3)), /* div is signed and goes towards 0 */
    V("\x11\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f\x09\xff\x1b", UINT64_C(1) << 63),
    V("\x3a\x33\x1c", 7), /* minus */
    V("\x33\x3a\x1c", MINUS(7)),
    V("\x3a\x33\x1d", 1),         /* mod */
    V("\x3a\x33\x1e", 30),        /* mul */
    V("\x3a\x1f", MINUS(10)),     /* neg */
    V("\x30\x20", MINUS(1)),      /* not */
    V("\x3c\x3a\x21", 14),        /* or */
    V("\x31\x23\x80\x01", 129),   /* plus_uconst */
    V("\x31\x34\x24", 16),        /* shl */
    V("\x31\x08\x40\x24", 0),     /* by 64 */
    V("\x09\xff\x08\x3f\x25", 1), /* shr */
    V("\x09\xff\x08\x40\x25", 0),
    V("\x09\xf0\x32\x26", MINUS(4)), /* shra */
    V("\x09\xf0\x30\x26", MINUS(16)),
    V("\x09\xf0\x08\x80\x26", MINUS(1)),
    V("\x3c\x3a\x27", 6),     /* xor */
    V("\x09\xff\x31\x2d", 1), /* lt is signed */
    V("\x09\xff\x31\x2b", 0), /* gt */
    V("\x31\x31\x29", 1),     /* eq */
    V("\x31\x32\x29", 0),
    V("\x31\x31\x2a", 1), /* ge */
    V("\x31\x31\x2c", 1), /* le */
    V("\x32\x31\x2c", 0),
    V("\x31\x31\x2e", 0),                 /* ne */
    V("\x31\x2f\x01\x00\x32", 1),         /* skip over lit2 */
    V("\x30\x31\x28\x01\x00\x32", 0),     /* bra taken */
    V("\x31\x30\x28\x01\x00\x32", 2),     /* bra not taken */
    V("\x35\x31\x1c\x12\x28\xfa\xff", 0), /* counts 5 down to 0 */
    V("\x31\x96\x96", 1),                 /* nop */
    V("\x31\x2f\x00\x00", 1),             /* a jump to the next operation, which is the end */
    V("\x56", 0x7000),                    /* reg6 */
    V("\x90\x07", 0x8000),                /* regx */
    V("\x31\x9f", 1),                     /* stack_value */
#undef V
};

static void test_values(void)
{
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct ff_expression_result result =
            run_bytes(values[i].bytes, values[i].size, NULL, EM_X86_64);
        if (result.status != FF_STEP_OK || result.value != values[i].value)
            fprintf(stderr, "expression %zu: %s\n", i, ff_cfi_reason_text(result.reason));
        CHECK_NUMBER(result.status, FF_STEP_OK);
        CHECK_NUMBER(result.value, values[i].value);
        /* Each of them cut anywhere ends, whatever it says. */
        for (size_t size = 0; size < values[i].size; size++)
            run_bytes(values[i].bytes, size, NULL, EM_X86_64);
    }
}

static const struct {
    const char *bytes;
    size_t size;
    enum ff_cfi_reason reason;
} failures[] = {
#define F(bytes, reason)                                                                           \
    {                                                                                              \
        bytes, sizeof bytes - 1, reason                                                            \
    }
    F("", FF_CFI_EXPRESSION_STACK),
    F("\x22", FF_CFI_EXPRESSION_STACK),
    F("\x31\x22", FF_CFI_EXPRESSION_STACK),
    F("\x31\x14", FF_CFI_EXPRESSION_STACK),
    F("\x31\x15\x01", FF_CFI_EXPRESSION_STACK),
    F("\x31\x13\x13", FF_CFI_EXPRESSION_STACK),
    F("\x31\x32\x17", FF_CFI_EXPRESSION_STACK),
    F("\x06", FF_CFI_EXPRESSION_STACK),
    F("\x9f", FF_CFI_EXPRESSION_STACK),
    F("\x31\x2f\xfc\xff", FF_CFI_EXPRESSION_STACK), /* pushes without end */
    F("\x2f\xfd\xff", FF_CFI_EXPRESSION_LONG),      /* skip to itself */
    F("\x31\x28\xfc\xff", FF_CFI_EXPRESSION_LONG),  /* bra that is always taken */
    F("\x12\x2f\xfc\xff", FF_CFI_EXPRESSION_STACK), /* dup of nothing */
    F("\x2f\xf0\xff", FF_CFI_EXPRESSION_JUMP),
    F("\x2f\x01\x00", FF_CFI_EXPRESSION_JUMP),
    F("\x31\x28\xff\x7f", FF_CFI_EXPRESSION_JUMP),
    F("\x0e\x00\x00", FF_CFI_EXPRESSION_CUT),
    F("\x10\x80\x80", FF_CFI_EXPRESSION_CUT),
    F("\x76", FF_CFI_EXPRESSION_CUT),
    F("\x31\x2f\x00", FF_CFI_EXPRESSION_CUT),
    F("\x31\x94", FF_CFI_EXPRESSION_CUT),
    F("\x31\x30\x1b", FF_CFI_EXPRESSION_DIVIDE),
    F("\x31\x30\x1d", FF_CFI_EXPRESSION_DIVIDE),
    F("\x31\x94\x00", FF_CFI_EXPRESSION_OPERATION),
    F("\x31\x94\x09", FF_CFI_EXPRESSION_OPERATION),
    F("\x31\x93\x04", FF_CFI_EXPRESSION_OPERATION), /* piece */
    F("\x31\x9f\x93\x08", FF_CFI_EXPRESSION_OPERATION),
    F("\x91\x00", FF_CFI_EXPRESSION_OPERATION),     /* fbreg: needs debug information */
    F("\x97", FF_CFI_EXPRESSION_OPERATION),         /* push_object_address */
    F("\x9c", FF_CFI_EXPRESSION_OPERATION),         /* call_frame_cfa while that is computed */
    F("\x31\x31\x18", FF_CFI_EXPRESSION_OPERATION), /* xderef */
    F("\xff", FF_CFI_EXPRESSION_OPERATION),
    F("\x00", FF_CFI_EXPRESSION_OPERATION),
#undef F
};

static void test_failures(void)
{
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        struct ff_expression_result result =
            run_bytes(failures[i].bytes, failures[i].size, NULL, EM_X86_64);
        if (result.reason != failures[i].reason)
            fprintf(stderr, "failure %zu: '%s'\n", i, ff_cfi_reason_text(result.reason));
        CHECK_NUMBER(result.status, FF_STEP_BAD_RULE);
        CHECK_NUMBER(result.reason, failures[i].reason);
    }
}

static void test_missing(void)
{
    struct ff_expression_result result = run_bytes("\x75\x00", 2, NULL, EM_X86_64);
    CHECK_NUMBER(result.status, FF_STEP_NO_REGISTER);
    CHECK_NUMBER(result.missing, 5);
    result = run_bytes("\x81\x00", 2, NULL, EM_X86_64); /* xmm0 */
    CHECK_NUMBER(result.status, FF_STEP_NO_REGISTER);
    CHECK_NUMBER(result.missing, 17);
    result = run_bytes("\x0c\x08\x00\x10\x00\x06", 6, NULL, EM_X86_64);
    CHECK_NUMBER(result.status, FF_STEP_NO_MEMORY);
    CHECK_NUMBER(result.missing, LOW_MEMORY + 8);
    result = run_bytes("\x92\x22\x02", 3, NULL, EM_AARCH64); /* RA_SIGN_STATE */
    CHECK_NUMBER(result.status, FF_STEP_OK);
    CHECK_NUMBER(result.value, 0x22002);
    result = run_bytes("\x92\x21\x02", 3, NULL, EM_AARCH64);
    CHECK_NUMBER(result.status, FF_STEP_NO_REGISTER);
}

static void test_frame_address(void)
{
    const uint64_t cfa = 0x4000;
    struct ff_expression_result result = run_bytes("", 0, &cfa, EM_X86_64);
    CHECK_NUMBER(result.value, 0x4000);
    CHECK(!result.is_value);
    result = run_bytes("\x23\x08", 2, &cfa, EM_X86_64);
    CHECK_NUMBER(result.value, 0x4008);
    result = run_bytes("\x9c\x22", 2, &cfa, EM_X86_64);
    CHECK_NUMBER(result.value, 0x8000);
    result = run_bytes("\x56", 1, &cfa, EM_X86_64);
    CHECK(result.is_value);
}

int main(void)
{
    test_values();
    test_failures();
    test_missing();
    test_frame_address();
    return check_result();
}
