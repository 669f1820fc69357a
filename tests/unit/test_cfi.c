/* SPDX-License-Identifier: MIT
 *
 * Steps by hand-made unwind rules: expected registers are worked out by hand from DWARF 5 section
 * 6.4. Register n of the callee holds 0x10000 * (n + 1), except sp (0x7000); the word at address A
 * of the stack (0x7000 to 0x8000) is A + 0x500000.
 */
#include "check.h"
#include "cfi_maker.h"

#define CODE   0x1000 /* module offset of the code */
#define BIAS   0x7f0000000000
#define SP     0x7000
#define STACK  0x1000
#define AT(a)  ((a) + UINT64_C(0x500000))
#define REG(n) (0x10000 * ((uint64_t)(n) + 1))

/* CFA = rsp + 8, return address at CFA - 8. */
#define CIE_PROGRAM "\x0c\x07\x08\x90\x01"
#define TEXT(text)  text, sizeof text - 1

static bool read_stack(void *context, uint64_t address, unsigned int size, uint64_t *value)
{
    uint64_t low = *(uint64_t *)context;
    if (address < low || address > SP + STACK - size)
        return false;
    *value = AT(address);
    return true;
}

static struct ff_registers registers_at(uint64_t place, uint16_t machine)
{
    bool arm = machine == EM_AARCH64;
    struct ff_registers registers = {.known = arm ? 0x1ffffffff : 0x1ffff};
    for (unsigned int i = 0; i < FF_CFI_REGISTERS; i++)
        registers.value[i] = REG(i);
    registers.value[arm ? FF_CFI_AARCH64_SP : FF_CFI_X86_64_RSP] = SP;
    registers.value[arm ? FF_CFI_AARCH64_PC : FF_CFI_X86_64_RIP] = BIAS + place;
    return registers;
}

static struct ff_step step_at(struct maker *maker, uint64_t place, bool innermost,
                              struct ff_registers *caller)
{
    uint64_t low = SP;
    struct ff_memory memory = {read_stack, &low};
    struct ff_registers callee = registers_at(place, maker->elf->machine);
    *caller = (struct ff_registers){0};
    return ff_cfi_step(maker->cfi, place, &callee, innermost, &memory, caller);
}

static bool knows(const struct ff_registers *registers, unsigned int column)
{
    return registers->known >> column & 1;
}

/* One function at CODE of 0x100 bytes with these instructions. */
static void make(struct maker *maker, const char *program, size_t size)
{
    *maker = (struct maker){0};
    size_t cie = maker_cie(maker, "", NULL, 0, 16, TEXT(CIE_PROGRAM));
    maker_fde(maker, cie, false, CODE, 0x100, program, size);
    maker_open(maker, EM_X86_64, ".eh_frame");
}

static void test_frame_pointer(void)
{
    struct maker maker;
    struct ff_registers caller;
    /* push rbp; mov rbp, rsp; ...; pop rbp; ret */
    make(&maker, TEXT("\x41\x0e\x10\x86\x02\x43\x0d\x06\x02\x40\x0c\x07\x08"));
    struct ff_step step = step_at(&maker, CODE, true, &caller);
    CHECK_NUMBER(step.status, FF_STEP_OK);
    CHECK_NUMBER(step.cfa, SP + 8);
    CHECK_NUMBER(step.function, CODE);
    CHECK(!step.signal_frame);
    CHECK_NUMBER(caller.value[16], AT(SP));
    CHECK_NUMBER(caller.value[7], SP + 8);
    CHECK_NUMBER(caller.value[6], REG(6));
    CHECK_NUMBER(caller.value[3], REG(3));
    CHECK_NUMBER(caller.known, 0x1f0c8); /* rbx rbp rsp r12-r15 and the pc */
    step_at(&maker, CODE + 1, true, &caller);
    CHECK_NUMBER(caller.value[16], AT(SP + 8));
    CHECK_NUMBER(caller.value[6], AT(SP));
    step = step_at(&maker, CODE + 3, true, &caller);
    CHECK_NUMBER(step.cfa, SP + 16);
    /* rbp + 16 lies outside of what is recorded */
    step = step_at(&maker, CODE + 4, true, &caller);
    CHECK_NUMBER(step.status, FF_STEP_NO_MEMORY);
    CHECK(step.has_cfa);
    CHECK_NUMBER(step.cfa, REG(6) + 16);
    CHECK_NUMBER(step.missing, REG(6) + 8);
    /* behind pop rbp: rbp's place is below sp, so it has its value already */
    step = step_at(&maker, CODE + 0x44, true, &caller);
    CHECK_NUMBER(step.status, FF_STEP_OK);
    CHECK_NUMBER(caller.value[16], AT(SP));
    CHECK(knows(&caller, 6));
    CHECK_NUMBER(caller.value[6], REG(6));
    step = step_at(&maker, CODE + 0x44, false, &caller);
    CHECK_NUMBER(step.status, FF_STEP_OK);
    CHECK(!knows(&caller, 6));
    step = step_at(&maker, CODE + 0x100, true, &caller);
    CHECK_NUMBER(step.status, FF_STEP_NO_RULE);
    step = step_at(&maker, CODE - 1, true, &caller);
    CHECK_NUMBER(step.status, FF_STEP_NO_RULE);
    maker_close(&maker);
}

/* cuBLAS realigns its stack: CFA = the word at rbp - 40. */
static void test_realigned(void)
{
    struct maker maker;
    struct ff_registers callee, caller;
    uint64_t low = SP;
    struct ff_memory memory = {read_stack, &low};
    make(&maker, TEXT("\x0f\x03\x76\x58\x06"));
    callee = registers_at(CODE, EM_X86_64);
    callee.value[6] = SP + 0x100;
    struct ff_step step = ff_cfi_step(maker.cfi, CODE, &callee, true, &memory, &caller);
    CHECK_NUMBER(step.status, FF_STEP_NO_MEMORY); /* of the return address */
    CHECK_NUMBER(step.cfa, AT(SP + 0x100 - 40));
    CHECK_NUMBER(step.missing, AT(SP + 0x100 - 40) - 8);
    callee.value[6] = 0x12345678;
    step = ff_cfi_step(maker.cfi, CODE, &callee, true, &memory, &caller);
    CHECK_NUMBER(step.status, FF_STEP_NO_MEMORY);
    CHECK(!step.has_cfa);
    CHECK_NUMBER(step.missing, 0x12345678 - 40);
    callee.known &= ~UINT64_C(0x40);
    step = ff_cfi_step(maker.cfi, CODE, &callee, true, &memory, &caller);
    CHECK_NUMBER(step.status, FF_STEP_NO_REGISTER);
    CHECK_NUMBER(step.missing, 6);
    maker_close(&maker);
}

/* The rule that linkers write for .plt: rsp + 8, and 8 more behind the push at 11 of 16 bytes. */
static void test_plt(void)
{
    struct maker maker;
    struct ff_registers caller;
    make(&maker, TEXT("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"));
    CHECK_NUMBER(step_at(&maker, CODE + 0x20, true, &caller).cfa, SP + 8);
    CHECK_NUMBER(step_at(&maker, CODE + 0x2a, true, &caller).cfa, SP + 8);
    CHECK_NUMBER(step_at(&maker, CODE + 0x2b, true, &caller).cfa, SP + 16);
    CHECK_NUMBER(step_at(&maker, CODE + 0x30, true, &caller).cfa, SP + 8);
    CHECK_NUMBER(caller.value[16], AT(SP));
    maker_close(&maker);
}

static void test_every_rule(void)
{
    struct maker maker;
    struct ff_registers caller;
    make(&maker, TEXT("\x0e\x80\x01"             /* CFA = rsp + 128 */
                      "\x05\x03\x04"             /* rbx at CFA - 32 */
                      "\x11\x06\x7c"             /* rbp at CFA + 32 */
                      "\x2f\x0c\x02"             /* r12 at CFA + 16 */
                      "\x14\x0d\x03"             /* r13 = CFA - 24 */
                      "\x15\x0e\x7d"             /* r14 = CFA + 24 */
                      "\x09\x0f\x02"             /* r15 is in rcx */
                      "\x08\x00"                 /* rax keeps its value */
                      "\x10\x01\x02\x23\x08"     /* rdx at CFA + 8 */
                      "\x16\x02\x03\x31\x24\x96" /* rcx = CFA << 1 */
                      "\x16\x04\x01\x55"         /* rsi is rdi */
                      "\x83\x05\xc3"             /* rbx at CFA - 40; as it was in the CIE */
                      "\x91\x01"                 /* a vector register */
                      "\x2e\x10"                 /* args_size */
                      "\x0a\x0e\x10\x07\x06\x86\x02\x07\x0c\x0b"));
    struct ff_step step = step_at(&maker, CODE, false, &caller);
    const uint64_t cfa = SP + 128;
    CHECK_NUMBER(step.status, FF_STEP_OK);
    CHECK_NUMBER(step.cfa, cfa);
    CHECK_NUMBER(caller.value[3], REG(3));
    CHECK_NUMBER(caller.value[6], AT(cfa + 32));
    CHECK_NUMBER(caller.value[12], AT(cfa + 16));
    CHECK_NUMBER(caller.value[13], cfa - 24);
    CHECK_NUMBER(caller.value[14], cfa + 24);
    CHECK_NUMBER(caller.value[15], REG(2));
    CHECK_NUMBER(caller.value[0], REG(0));
    CHECK_NUMBER(caller.value[1], AT(cfa + 8));
    CHECK_NUMBER(caller.value[2], cfa << 1);
    CHECK_NUMBER(caller.value[4], REG(5));
    CHECK_NUMBER(caller.value[7], cfa);
    CHECK_NUMBER(caller.value[16], AT(cfa - 8));
    CHECK_NUMBER(caller.known, 0x1f0df);
    maker_close(&maker);
}

static void test_locations(void)
{
    struct maker maker;
    struct ff_registers caller;
    make(&maker, TEXT("\x02\x02\x0e\x10\x03\x02\x00\x0e\x18\x04\x02\x00\x00\x00\x0e\x20"
                      "\x01\x10\x10\x00\x00\x00\x00\x00\x00\x0e\x28"
                      "\x04\x00\x00\xa0\x00\x0e\x30"));
    const uint64_t expected[] = {8, 8, 16, 16, 24, 24, 32};
    for (uint64_t i = 0; i < 7; i++)
        CHECK_NUMBER(step_at(&maker, CODE + i, true, &caller).cfa, SP + expected[i]);
    CHECK_NUMBER(step_at(&maker, CODE + 15, true, &caller).cfa, SP + 32);
    CHECK_NUMBER(step_at(&maker, CODE + 16, true, &caller).cfa, SP + 40);
    CHECK_NUMBER(step_at(&maker, CODE + 0xff, true, &caller).cfa, SP + 40); /* 10 MB further */
    maker_close(&maker);
}

static void test_ends(void)
{
    struct maker maker;
    struct ff_registers caller, callee = registers_at(CODE, EM_X86_64);
    make(&maker, TEXT("\x07\x10"));
    CHECK_NUMBER(step_at(&maker, CODE, true, &caller).status, FF_STEP_END);
    callee.known = 0;
    CHECK_NUMBER(ff_cfi_step(maker.cfi, CODE, &callee, true, NULL, &caller).status, FF_STEP_END);
    maker_close(&maker);

    make(&maker, TEXT(""));
    CHECK_NUMBER(ff_cfi_step(maker.cfi, CODE, &callee, true, NULL, &caller).status,
                 FF_STEP_NO_REGISTER);
    maker_close(&maker);

    make(&maker, TEXT("\x09\x10\x02")); /* the return address is in rcx */
    CHECK_NUMBER(step_at(&maker, CODE, true, &caller).status, FF_STEP_OK);
    CHECK_NUMBER(caller.value[16], REG(2));
    callee.known = 0x80;
    struct ff_step step = ff_cfi_step(maker.cfi, CODE, &callee, true, NULL, &caller);
    CHECK_NUMBER(step.status, FF_STEP_NO_REGISTER);
    CHECK_NUMBER(step.missing, 2);
    maker_close(&maker);
}

static void test_signal_frame(void)
{
    struct maker maker = {0};
    struct ff_registers caller;
    size_t cie = maker_cie(&maker, "zRS", TEXT("\x00"), 16, TEXT("\x0c\x07\x08\x90\x01"));
    /* As in the C library: all from a context on the stack. */
    maker_fde(&maker, cie, true, CODE, 16,
              TEXT("\x0f\x04\x77\xa0\x01\x06\x10\x07\x03\x77\xa0\x01\x10\x10\x03\x77\xa8\x01"
                   "\x10\x00\x03\x77\x90\x01"));
    maker_open(&maker, EM_X86_64, ".eh_frame");
    struct ff_step step = step_at(&maker, CODE, true, &caller);
    CHECK_NUMBER(step.status, FF_STEP_OK);
    CHECK(step.signal_frame);
    CHECK_NUMBER(step.cfa, AT(SP + 160));
    CHECK_NUMBER(caller.value[7], AT(SP + 160));
    CHECK_NUMBER(caller.value[16], AT(SP + 168));
    CHECK_NUMBER(caller.value[0], AT(SP + 144));
    maker_close(&maker);
}

/* AArch64: CFA = sp; offsets 0x10.. have a frame of 32 bytes with x29 and x30 at its bottom. */
static void make_arm(struct maker *maker, const char *letters, const char *data, size_t data_size)
{
    *maker = (struct maker){0};
    size_t cie = maker_cie(maker, letters, data, data_size, 30, TEXT("\x0c\x1f\x00"));
    maker_fde(maker, cie, letters[0] == 'z', CODE, 0x100,
              TEXT("\x44\x2d\x44\x0e\x20\x9d\x04\x9e\x03\x44\x0d\x1d\x44\x2d"));
    maker_open(maker, EM_AARCH64, ".eh_frame");
}

static uint64_t signed_address(uint64_t address)
{
    return address | UINT64_C(0xa95a) << 48;
}

static bool read_signed(void *context, uint64_t address, unsigned int size, uint64_t *value)
{
    (void)size;
    *value = signed_address(AT(address)) | *(uint64_t *)context;
    return true;
}

static void test_arm(void)
{
    struct maker maker;
    struct ff_registers caller, callee = registers_at(CODE, EM_AARCH64);
    uint64_t more = 0;
    struct ff_memory memory = {read_signed, &more};
    make_arm(&maker, "", NULL, 0);
    struct ff_step step = step_at(&maker, CODE, true, &caller);
    CHECK_NUMBER(step.status, FF_STEP_OK);
    CHECK_NUMBER(step.cfa, SP);
    CHECK_NUMBER(caller.value[32], REG(30));
    CHECK_NUMBER(caller.known, 0x1fff80000); /* x19 to x30, sp, pc */
    step = step_at(&maker, CODE, false, &caller);
    CHECK_NUMBER(step.status, FF_STEP_BAD_RULE); /* it called, so its x30 is its own */
    CHECK_NUMBER(step.reason, FF_CFI_STANDS_STILL);
    callee.value[30] = signed_address(0x1234560);
    ff_cfi_step(maker.cfi, CODE + 4, &callee, true, &memory, &caller); /* signed, in x30 */
    CHECK_NUMBER(caller.value[32], 0x1234560);
    ff_cfi_step(maker.cfi, CODE, &callee, true, &memory, &caller); /* not signed yet */
    CHECK_NUMBER(caller.value[32], signed_address(0x1234560));
    step = ff_cfi_step(maker.cfi, CODE + 8, &callee, false, &memory, &caller);
    CHECK_NUMBER(step.status, FF_STEP_OK);
    CHECK_NUMBER(step.cfa, SP + 32);
    CHECK_NUMBER(caller.value[31], SP + 32);
    CHECK_NUMBER(caller.value[32], AT(SP + 8));
    CHECK_NUMBER(caller.value[29], signed_address(AT(SP)));
    more = UINT64_C(1) << 55;
    ff_cfi_step(maker.cfi, CODE + 8, &callee, false, &memory, &caller);
    CHECK_NUMBER(caller.value[32], UINT64_C(0xffff) << 48 | AT(SP + 8));
    callee.value[29] = SP;
    step = ff_cfi_step(maker.cfi, CODE + 12, &callee, false, &memory, &caller);
    CHECK_NUMBER(step.cfa, SP + 32);
    more = 0;
    ff_cfi_step(maker.cfi, CODE + 16, &callee, false, &memory, &caller); /* signed no longer */
    CHECK_NUMBER(caller.value[32], signed_address(AT(SP + 8)));
    maker_close(&maker);

    make_arm(&maker, "zRB", TEXT("\x00"));
    ff_cfi_step(maker.cfi, CODE + 16, &callee, false, &memory, &caller);
    CHECK_NUMBER(caller.value[32], AT(SP + 8));
    maker_close(&maker);
}

/* A file without entries, and its debug file. */
static void test_debug_file(void)
{
    struct maker maker = {0};
    struct ff_registers caller;
    struct ff_elf *debug;
    struct ff_error error = {0};
    size_t cie = maker_cie(&maker, "", NULL, 0, 16, TEXT(CIE_PROGRAM));
    maker_fde(&maker, cie, false, 0x3100, 16, TEXT("\x0e\x30"));
    maker_open(&maker, EM_X86_64, ".eh_frame");
    CHECK(ff_elf_open(&debug, "tests/data/cfi-debug.so", &error) == FF_OK);
    ff_cfi_add_debug_file(maker.cfi, debug);
    CHECK_NUMBER(step_at(&maker, 0x3001, true, &caller).cfa, SP + 16);
    CHECK_NUMBER(caller.value[6], AT(SP));
    CHECK_NUMBER(step_at(&maker, 0x3001, true, &caller).function, 0x3000);
    CHECK_NUMBER(step_at(&maker, 0x3100, true, &caller).cfa, SP + 0x30); /* its own come first */
    CHECK_NUMBER(step_at(&maker, 0x3400, true, &caller).status, FF_STEP_NO_RULE);
    maker_close(&maker);
    ff_elf_close(debug);
}

int main(void)
{
    test_debug_file();
    test_frame_pointer();
    test_realigned();
    test_plt();
    test_every_rule();
    test_locations();
    test_ends();
    test_signal_frame();
    test_arm();
    return check_result();
}
