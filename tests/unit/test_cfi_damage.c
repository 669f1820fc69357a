/* SPDX-License-Identifier: MIT
 *
 * Unwind tables that lie. Each ends with its reason, in bounded time, and reads no byte outside the
 * section: run this under the sanitizers.
 */
#include "check.h"
#include "cfi_maker.h"

#define CODE        0x1000
#define CIE_PROGRAM "\x0c\x07\x08\x90\x01"
#define TEXT(text)  text, sizeof text - 1

static bool read_anything(void *context, uint64_t address, unsigned int size, uint64_t *value)
{
    (void)size;
    *value = address * 0x9e3779b97f4a7c15 ^ *(uint64_t *)context;
    return address % 7 != 0;
}

static struct ff_step step_at(struct maker *maker, uint64_t place)
{
    uint64_t seed = 1;
    struct ff_memory memory = {read_anything, &seed};
    struct ff_registers registers = {.known = UINT64_MAX}, caller;
    for (unsigned int i = 0; i < FF_CFI_REGISTERS; i++)
        registers.value[i] = 0x1000 * ((uint64_t)i + 1) + 8;
    return ff_cfi_step(maker->cfi, place, &registers, false, &memory, &caller);
}

#define DEEP    "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"
#define UNDEEP  "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b"
#define LARGEST "\xff\xff\xff\xff\xff\xff\xff\xff\x7f" /* 2^63 - 1 */

static const struct {
    const char *program;
    size_t size;
    enum ff_cfi_reason reason;
} programs[] = {
#define P(program, reason)                                                                         \
    {                                                                                              \
        program, sizeof program - 1, reason                                                        \
    }
    P(DEEP UNDEEP, FF_CFI_FINE),
    P(DEEP "\x0a", FF_CFI_STATE_DEPTH),
    P("\x0b", FF_CFI_STATE_DEPTH),
    P("\x0a\x0b\x0b", FF_CFI_STATE_DEPTH),
    P("\x0e", FF_CFI_PROGRAM_CUT),
    P("\x0c\x07", FF_CFI_PROGRAM_CUT),
    P("\x04\x00\x00", FF_CFI_PROGRAM_CUT),
    P("\x0f\x05\x77\x08", FF_CFI_PROGRAM_CUT), /* a block longer than the entry */
    P("\x10\x06" LARGEST, FF_CFI_PROGRAM_CUT),
    P("\x0c\x11\x08", FF_CFI_COLUMN),
    P("\x0d\x21", FF_CFI_COLUMN),
    P("\x09\x06\x40", FF_CFI_COLUMN),
    P("\x0e\xff" LARGEST, FF_CFI_OFFSET),
    P("\x86" LARGEST, FF_CFI_OFFSET),
    P("\x86\xff\xff\xff\xff\x0f", FF_CFI_OFFSET),
    P("\x14\x06\xff\xff\xff\xff\x0f", FF_CFI_OFFSET),
    P("\x01\x00\x00\x00\x00\x00\x00\x00\x00", FF_CFI_LOCATION),
    P("\x0f\x01\x30\x0e\x08", FF_CFI_NO_CFA), /* an offset to an expression */
    P("\x2d", FF_CFI_GNU_WINDOW),
    P("\x2c", FF_CFI_INSTRUCTION),
    P("\x1d\x00\x00\x00\x00\x00\x00\x00\x00", FF_CFI_INSTRUCTION),
    P("\x3f", FF_CFI_INSTRUCTION),
    P("\x17", FF_CFI_INSTRUCTION),
    P("\x0f\x03\x2f\xfd\xff", FF_CFI_EXPRESSION_LONG), /* endless */
    P("\x0f\x00", FF_CFI_EXPRESSION_STACK),
    P("\x16\x10\x01\x06\x16\x10\x03\x2f\xfd\xff", FF_CFI_EXPRESSION_LONG),
#undef P
};

static void test_programs(void)
{
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        struct maker maker = {0};
        size_t cie = maker_cie(&maker, "", NULL, 0, 16, TEXT(CIE_PROGRAM));
        maker_fde(&maker, cie, false, CODE, 16, programs[i].program, programs[i].size);
        maker_open(&maker, EM_X86_64, ".eh_frame");
        struct ff_step step = step_at(&maker, CODE + 15);
        if (step.reason != programs[i].reason)
            fprintf(stderr, "program %zu: '%s'\n", i, ff_cfi_reason_text(step.reason));
        CHECK_NUMBER(step.reason, programs[i].reason);
        CHECK_NUMBER(step.status == FF_STEP_BAD_RULE, programs[i].reason != FF_CFI_FINE);
        maker_close(&maker);
    }
}

static const struct {
    const char *letters, *data;
    size_t data_size;
    uint8_t return_register;
    const char *program;
    size_t size;
    enum ff_cfi_reason reason;
} commons[] = {
    {"zR", TEXT("\x00"), 16, TEXT("\x0c\x07\x08\x90\x01"), FF_CFI_FINE},
    {"zPLR", TEXT("\x9b\x01\x02\x03\x04\x1b\x00"), 16, TEXT("\x0c\x07\x08\x90\x01"), FF_CFI_FINE},
    {"zPR", TEXT("\xff\x00"), 16, TEXT("\x0c\x07\x08\x90\x01"), FF_CFI_FINE},
    {"zR", TEXT("\x00"), 16, TEXT("\x0c\x07\x08"), FF_CFI_NO_RETURN},
    {"zR", TEXT("\x00"), 16, TEXT("\x90\x01"), FF_CFI_NO_CFA},
    {"zR", TEXT("\x00"), 17, TEXT("\x0c\x07\x08\x90\x01"), FF_CFI_COLUMN},
    {"zR", TEXT("\x00"), 16, TEXT("\x0c\x07\x08\xc3"), FF_CFI_INSTRUCTION}, /* restores what? */
    {"zR", TEXT("\x00"), 16, TEXT("\x0d\x06"), FF_CFI_NO_CFA},
};

static void test_commons(void)
{
    for (size_t i = 0; i < sizeof commons / sizeof commons[0]; i++) {
        struct maker maker = {0};
        size_t cie = maker_cie(&maker, commons[i].letters, commons[i].data, commons[i].data_size,
                               commons[i].return_register, commons[i].program, commons[i].size);
        maker_fde(&maker, cie, true, CODE, 16, TEXT(""));
        maker_open(&maker, EM_X86_64, ".eh_frame");
        CHECK_NUMBER(step_at(&maker, CODE).reason, commons[i].reason);
        maker_close(&maker);
    }
}

/* Reads the entry at AT directly: an index that is walked leaves out what it cannot read. */
static uint8_t entry_reason(struct maker *maker, size_t at)
{
    struct ff_frame_entry entry;
    struct ff_frame_table table = {.section = ff_elf_fdes(maker->elf)->frame, .is_64 = true};
    return ff_frame_entry_read(&table, MAKER_FRAME + at, &entry);
}

static void check_entry(const char *letters, const char *data, size_t data_size, uint8_t version,
                        enum ff_cfi_reason reason)
{
    struct maker maker = {0};
    size_t cie = maker_cie(&maker, letters, data, data_size, 16, TEXT(CIE_PROGRAM));
    maker.bytes[cie + 8] = version;
    size_t fde = maker_fde(&maker, cie, letters[0] == 'z', CODE, 16, TEXT(""));
    maker_open(&maker, EM_X86_64, ".eh_frame");
    CHECK_NUMBER(entry_reason(&maker, fde), reason);
    CHECK_NUMBER(step_at(&maker, CODE).status == FF_STEP_OK, reason == FF_CFI_FINE);
    maker_close(&maker);
}

static void test_entries(void)
{
    check_entry("", NULL, 0, 1, FF_CFI_FINE);
    check_entry("", NULL, 0, 3, FF_CFI_FINE);
    check_entry("", NULL, 0, 2, FF_CFI_CIE_VERSION);
    check_entry("", NULL, 0, 4, FF_CFI_CIE_ADDRESS);
    check_entry("eh", NULL, 0, 1, FF_CFI_AUGMENTATION);
    check_entry("zQ", TEXT("\x00"), 1, FF_CFI_AUGMENTATION);
    check_entry("zR", TEXT("\x50"), 1, FF_CFI_ENCODING); /* aligned */
    check_entry("zR", TEXT("\x9b"), 1, FF_CFI_ENCODING); /* indirect */
    check_entry("zR", TEXT("\x2b"), 1, FF_CFI_ENCODING); /* textrel */
    check_entry("zR", TEXT("\x05"), 1, FF_CFI_ENCODING);
    check_entry("zR", TEXT("\xff"), 1, FF_CFI_ENCODING); /* omitted */
    check_entry("zPR", TEXT("\x00\x01\x02"), 1, FF_CFI_ENTRY_DAMAGED);
}

static void test_references(void)
{
    struct maker maker = {0};
    size_t cie = maker_cie(&maker, "", NULL, 0, 16, TEXT(CIE_PROGRAM));
    size_t to_itself = maker_fde(&maker, maker.used, false, CODE, 16, TEXT(""));
    size_t to_entry = maker_fde(&maker, to_itself, false, CODE + 16, 16, TEXT(""));
    size_t outside = maker_fde(&maker, maker.used - 0x7fffffff, false, CODE + 32, 16, TEXT(""));
    size_t empty = maker_fde(&maker, cie, false, CODE + 48, 0, TEXT(""));
    size_t round = maker_fde(&maker, cie, false, UINT64_MAX - 4, 16, TEXT(""));
    maker_open(&maker, EM_X86_64, ".eh_frame");
    CHECK_NUMBER(entry_reason(&maker, cie), FF_CFI_ENTRY_DAMAGED);
    CHECK_NUMBER(entry_reason(&maker, to_itself), FF_CFI_ENTRY_DAMAGED);
    CHECK_NUMBER(entry_reason(&maker, to_entry), FF_CFI_ENTRY_DAMAGED);
    CHECK_NUMBER(entry_reason(&maker, outside), FF_CFI_ENTRY_DAMAGED);
    CHECK_NUMBER(entry_reason(&maker, empty), FF_CFI_ENTRY_DAMAGED);
    CHECK_NUMBER(entry_reason(&maker, round), FF_CFI_ENTRY_DAMAGED);
    CHECK_NUMBER(entry_reason(&maker, maker.used), FF_CFI_ENTRY_DAMAGED);
    CHECK_NUMBER(entry_reason(&maker, (size_t)-8), FF_CFI_ENTRY_DAMAGED);
    maker_close(&maker);
}

/* The entry that starts nearest below a place decides; behind its end nobody does. */
static void test_overlap(void)
{
    struct maker maker = {0};
    size_t cie = maker_cie(&maker, "", NULL, 0, 16, TEXT(CIE_PROGRAM));
    maker_fde(&maker, cie, false, CODE, 0x100, TEXT(""));
    maker_fde(&maker, cie, false, CODE + 0x40, 0x20, TEXT("\x0e\x10"));
    maker_open(&maker, EM_X86_64, ".eh_frame");
    CHECK_NUMBER(step_at(&maker, CODE + 0x3f).function, CODE);
    CHECK_NUMBER(step_at(&maker, CODE + 0x40).function, CODE + 0x40);
    CHECK_NUMBER(step_at(&maker, CODE + 0x60).status, FF_STEP_NO_RULE);
    maker_close(&maker);
}

static void test_long_program(void)
{
    struct maker maker = {0};
    static char nops[65537];
    size_t cie = maker_cie(&maker, "", NULL, 0, 16, TEXT(CIE_PROGRAM));
    maker_fde(&maker, cie, false, CODE, 16, nops, 65534); /* the CIE has two more */
    maker_fde(&maker, cie, false, CODE + 16, 16, nops, 65535);
    maker_open(&maker, EM_X86_64, ".eh_frame");
    CHECK_NUMBER(step_at(&maker, CODE).status, FF_STEP_OK);
    CHECK_NUMBER(step_at(&maker, CODE + 16).reason, FF_CFI_PROGRAM_LONG);
    maker_close(&maker);
}

static void test_machine(void)
{
    struct maker maker = {0};
    size_t cie = maker_cie(&maker, "", NULL, 0, 16, TEXT(CIE_PROGRAM));
    maker_fde(&maker, cie, false, CODE, 16, TEXT(""));
    maker_open(&maker, EM_S390, ".eh_frame");
    CHECK_NUMBER(step_at(&maker, CODE).reason, FF_CFI_MACHINE);
    maker_close(&maker);
}

/* A section cut after each of its bytes, and one with damaged bytes again and again. */
static void fill(struct maker *maker)
{
    size_t cie =
        maker_cie(maker, "zPLRS", TEXT("\x03\x01\x02\x03\x04\x1b\x00"), 16, TEXT(CIE_PROGRAM));
    maker_fde(
        maker, cie, true, CODE, 64,
        TEXT("\x41\x0e\x10\x86\x02\x43\x0d\x06\x0a\x0f\x05\x76\x58\x06\x31\x22\x0b\x16\x03\x05"
             "\x31\x28\x01\x00\x96\x10\x0c\x02\x76\x00\x44\xc6\x0c\x07\x08"));
}

static void step_everywhere(struct maker *maker)
{
    for (uint64_t place = CODE; place < CODE + 64; place += 3)
        step_at(maker, place);
}

static void test_damage(void)
{
    uint64_t random = 1;
    struct maker whole = {0};
    fill(&whole);
    for (size_t size = 0; size <= whole.used; size++) {
        struct maker maker = whole;
        maker.used = size;
        maker_open(&maker, EM_X86_64, ".eh_frame");
        step_everywhere(&maker);
        maker_close(&maker);
    }
    for (unsigned int round = 0; round < 20000; round++) {
        struct maker maker = {.used = whole.used};
        memcpy(maker.bytes, whole.bytes, whole.used);
        for (unsigned int i = 0; i < 1 + round % 3; i++) {
            random = random * 6364136223846793005 + 1442695040888963407;
            maker.bytes[(random >> 33) % whole.used] = (unsigned char)(random >> 56);
        }
        maker_open(&maker, round % 2 ? EM_X86_64 : EM_AARCH64, ".eh_frame");
        step_everywhere(&maker);
        maker_close(&maker);
    }
    CHECK(true); /* it came here */
}

int main(void)
{
    test_programs();
    test_commons();
    test_entries();
    test_references();
    test_overlap();
    test_long_program();
    test_machine();
    test_damage();
    return check_result();
}
