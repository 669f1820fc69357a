/* SPDX-License-Identifier: MIT
 *
 * Jit dumps by construction: what each record does, which one holds an address, how a table of rules
 * steps out of the code; and that no damage to a dump is believed.
 */
#include <elf.h>
#include <stdlib.h>

#include "check.h"
#include "unwind/generated.h"
#include "unwind/trampoline.h"

#define PID   100u
#define CODE  UINT64_C(0x7f0000001000)
#define MOVED UINT64_C(0x7f0000009000)
#define STACK UINT64_C(0x7ffe00000000)

struct maker {
    unsigned char bytes[4096];
    size_t used, record;
};

static void put(struct maker *maker, const void *bytes, size_t size)
{
    memcpy(maker->bytes + maker->used, bytes, size);
    maker->used += size;
}

static void put_number(struct maker *maker, uint64_t value, size_t size)
{
    put(maker, &value, size);
}

static void put_zeros(struct maker *maker, size_t size)
{
    memset(maker->bytes + maker->used, 0, size);
    maker->used += size;
}

/* magic, version, size, machine as CPython 3.13 writes it, 0, pid, time, flags */
static void put_header(struct maker *maker)
{
    put(maker, "DTiJ", 4);
    put_number(maker, 1, 4);
    put_number(maker, 40, 4);
    put_number(maker, 0, 4);
    put_number(maker, 0x1a1a1a1a, 4);
    put_number(maker, PID, 4);
    put_zeros(maker, 16);
}

static void begin(struct maker *maker, uint32_t id, uint64_t time)
{
    maker->record = maker->used;
    put_number(maker, id, 4);
    put_number(maker, 0, 4);
    put_number(maker, time, 8);
}

static void end(struct maker *maker)
{
    uint32_t size = (uint32_t)(maker->used - maker->record);
    memcpy(maker->bytes + maker->record + 4, &size, sizeof size);
}

static void put_load(struct maker *maker, uint64_t time, uint64_t start, size_t size,
                     uint64_t index, const char *name)
{
    static const unsigned char code[64] = {0x90};
    begin(maker, 0, time);
    put_number(maker, PID | (uint64_t)PID << 32, 8);
    put_number(maker, 0, 8); /* vma */
    put_number(maker, start, 8);
    put_number(maker, size, 8);
    put_number(maker, index, 8);
    put(maker, name, strlen(name) + 1);
    put(maker, code, size);
    end(maker);
}

static void put_move(struct maker *maker, uint64_t time, uint64_t to, size_t size, uint64_t index)
{
    begin(maker, 1, time);
    put_number(maker, PID | (uint64_t)PID << 32, 8);
    put_number(maker, 0, 8);
    put_number(maker, CODE, 8);
    put_number(maker, to, 8);
    put_number(maker, size, 8);
    put_number(maker, index, 8);
    end(maker);
}

static void put_debug_info(struct maker *maker)
{
    begin(maker, 2, 0);
    put_number(maker, CODE, 8);
    put_number(maker, 0, 8);
    end(maker);
}

/* A table for 32 bytes of code, as LSB 5.0 "Exception Frames" lays it out: a CIE "zR" (code alignment
 * 1, data alignment -8, return address in column 16, pointers pc-relative 32 bits) that says
 * CFA = rsp + 8, return address at CFA - 8; an FDE whose code is DISTANCE before the table, where
 * 4 bytes further CFA = rsp + 48 and rbx is saved at CFA - 24. And 20 bytes of .eh_frame_hdr. */
static void put_unwinding(struct maker *maker, int32_t distance)
{
    static const unsigned char cie[] = {20, 0,    0,  0, 0,    0,    0, 0, 1,    'z', 'R', 0,
                                        1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,   0};
    static const unsigned char program[] = {0, 0x44, 0x0e, 48, 0x83, 3, 0, 0};
    begin(maker, 4, 0);
    put_number(maker, sizeof cie + 16 + sizeof program + 20, 8);
    put_number(maker, 20, 8);
    put_number(maker, 0, 8);
    put(maker, cie, sizeof cie);
    put_number(maker, 12 + sizeof program, 4);
    put_number(maker, sizeof cie + 4, 4);
    put_number(maker, (uint32_t)(-distance - (int32_t)sizeof cie - 8), 4);
    put_number(maker, 32, 4);
    put(maker, program, sizeof program);
    put_zeros(maker, 20);
    end(maker);
}

static enum ff_status open_jit_dump(struct ff_jit_dump **dump, const char *name,
                                    struct ff_text bytes, struct ff_error *error)
{
    struct ff_file file;
    enum ff_status status = ff_file_borrow(&file, name, bytes, error);
    return status == FF_OK ? ff_jit_dump_open(dump, &file, error) : status;
}

static struct ff_jit_dump *open_dump(const struct maker *maker, enum ff_status expected)
{
    struct ff_jit_dump *dump;
    struct ff_error error = {0};
    struct ff_text bytes = {(const char *)maker->bytes, maker->used};
    CHECK(open_jit_dump(&dump, "jit-7.dump", bytes, &error) == expected);
    CHECK((dump != NULL) == (expected == FF_OK));
    return dump;
}

static const char *name_at(const struct ff_jit_dump *dump, uint64_t address, uint64_t time)
{
    const struct ff_jit_dump_entry *entry = ff_jit_dump_find(dump, address, time);
    static char name[64];
    snprintf(name, sizeof name, "%.*s", entry ? (int)entry->name.size : 1,
             entry ? entry->name.at : "-");
    return name;
}

static void test_records(void)
{
    struct maker maker = {0};
    put_header(&maker);
    put_load(&maker, 10, CODE, 32, 1, "first with blank");
    put_load(&maker, 20, CODE + 64, 32, 2, "second");
    put_load(&maker, 30, CODE + 16, 16, 3, "over the first");
    put_move(&maker, 40, MOVED, 32, 2);
    put_move(&maker, 50, MOVED + 64, 32, 9); /* no such code */
    begin(&maker, 17, 60);                   /* no such record */
    end(&maker);
    begin(&maker, 3, 70);
    end(&maker);
    put_load(&maker, 80, CODE + 128, 32, 4, "behind the end");
    struct ff_jit_dump *dump = open_dump(&maker, FF_OK);
    CHECK_NUMBER(dump->pid, PID);
    CHECK_NUMBER(dump->count, 4);
    CHECK_NUMBER(dump->bad_records, 1);
    CHECK_NUMBER(dump->cut, 0);
    CHECK(!strcmp(name_at(dump, CODE, 0), "first with blank"));
    CHECK(!strcmp(name_at(dump, CODE - 1, 0), "-"));
    CHECK(!strcmp(name_at(dump, CODE + 16, 0), "over the first"));
    CHECK(!strcmp(name_at(dump, CODE + 16, 29), "first with blank"));
    CHECK(!strcmp(name_at(dump, CODE + 16, 30), "over the first"));
    CHECK(!strcmp(name_at(dump, CODE + 16, 9), "-"));
    CHECK(!strcmp(name_at(dump, CODE + 32, 0), "-"));
    CHECK(!strcmp(name_at(dump, MOVED + 31, 0), "second"));
    CHECK(!strcmp(name_at(dump, MOVED + 31, 39), "-"));
    CHECK(!strcmp(name_at(dump, CODE + 128, 0), "-"));
    CHECK_NUMBER(ff_jit_dump_find(dump, MOVED, 0)->origin, 1);
    ff_jit_dump_close(dump);
    CHECK_NUMBER(ff_jit_dump_pid(FF_TEXT("/tmp/jit-630.dump")), 630);
    CHECK_NUMBER(ff_jit_dump_pid(FF_TEXT("jit-x.dump")), 0);
    CHECK_NUMBER(ff_jit_dump_pid(FF_TEXT("jit-.dump")), 0);
}

static void test_refused(void)
{
    struct maker maker = {0};
    put_header(&maker);
    put_load(&maker, 10, CODE, 32, 1, "first");
    put_load(&maker, 20, CODE + 64, 32, 2, "second");
    maker.used--;
    struct ff_jit_dump *dump = open_dump(&maker, FF_OK);
    CHECK_NUMBER(dump->count, 1);
    CHECK_NUMBER(dump->cut, 16 + 40 + 7 + 32 - 1);
    ff_jit_dump_close(dump);
    maker.used = 39;
    open_dump(&maker, FF_BAD_INPUT);
    maker.used = 40;
    ff_jit_dump_close(open_dump(&maker, FF_OK));
    maker.bytes[4] = 2;
    open_dump(&maker, FF_UNSUPPORTED);
    memcpy(maker.bytes, "JiTD", 4);
    open_dump(&maker, FF_UNSUPPORTED);
}

static bool read_stack(void *context, uint64_t address, unsigned int size, uint64_t *value)
{
    const uint64_t *words = context;
    uint64_t index = (address - STACK) / 8;
    if (address < STACK || index >= 8 || size != 8)
        return false;
    *value = words[index];
    return true;
}

/* From rsp + 48 the return address is word 5, rbx word 3. */
static void check_step(struct ff_generated *generated, uint64_t address, bool inside)
{
    uint64_t words[8] = {0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107};
    struct ff_memory memory = {read_stack, words};
    struct ff_registers callee = {.known = 1u << FF_CFI_X86_64_RSP | 1u << FF_CFI_X86_64_RIP};
    struct ff_registers caller = {0};
    callee.value[FF_CFI_X86_64_RSP] = STACK;
    callee.value[FF_CFI_X86_64_RIP] = address;
    struct ff_step step =
        ff_generated_step(generated, EM_X86_64, address, &callee, false, &memory, &caller);
    CHECK_NUMBER(step.status, FF_STEP_OK);
    CHECK_NUMBER(step.cfa, STACK + (inside ? 48 : 8));
    CHECK_NUMBER(step.function, address & ~UINT64_C(31));
    CHECK_NUMBER(caller.value[FF_CFI_X86_64_RIP], inside ? 0x105 : 0x100);
    CHECK_NUMBER(caller.value[FF_CFI_X86_64_RSP], STACK + (inside ? 48 : 8));
    if (inside)
        CHECK_NUMBER(caller.value[FF_CFI_X86_64_RBX], 0x103);
}

/* CPython puts the table 16-aligned behind the code, perf says 8: any distance must do. */
static void test_unwinding(void)
{
    for (int32_t distance = 32; distance <= 48; distance += 8) {
        struct maker maker = {0};
        put_header(&maker);
        put_unwinding(&maker, distance);
        put_debug_info(&maker);
        put_load(&maker, 10, CODE, 32, 1, "with rules");
        put_load(&maker, 20, CODE + 64, 32, 2, "without");
        put_move(&maker, 30, MOVED, 32, 1);
        struct ff_jit_dump *dump = open_dump(&maker, FF_OK);
        struct ff_generated generated = {.dump = dump,
                                         .rules = ff_alloc(dump->count, sizeof(struct ff_cfi *))};
        check_step(&generated, CODE + 3, false);
        check_step(&generated, CODE + 4, true);
        check_step(&generated, CODE + 31, true);
        check_step(&generated, MOVED + 4, true);
        struct ff_registers none = {0};
        CHECK_NUMBER(
            ff_generated_step(&generated, EM_X86_64, CODE + 70, &none, false, NULL, &none).status,
            FF_STEP_NO_RULE);
        ff_generated_release(&generated);
        ff_jit_dump_close(dump);
    }
}

/* Each byte to each of some values: nothing but a status, and no step beyond the bytes. */
static void test_damage(void)
{
    static const unsigned char values[] = {0, 1, 4, 0x7f, 0x80, 0xff};
    struct maker maker = {0};
    struct ff_error error = {0};
    put_header(&maker);
    put_unwinding(&maker, 32);
    put_load(&maker, 10, CODE, 32, 1, "one");
    put_move(&maker, 30, MOVED, 32, 1);
    unsigned int opened = 0;
    for (size_t i = 0; i < maker.used * sizeof values; i++) {
        struct ff_jit_dump *dump;
        char *copy = ff_alloc(maker.used, 1);
        memcpy(copy, maker.bytes, maker.used);
        copy[i / sizeof values] = (char)values[i % sizeof values];
        if (open_jit_dump(&dump, "damaged", (struct ff_text){copy, maker.used}, &error) == FF_OK) {
            uint64_t words[8] = {0};
            struct ff_memory memory = {read_stack, words};
            struct ff_registers registers = {.known = 1u << FF_CFI_X86_64_RSP};
            struct ff_generated generated = {
                .dump = dump, .rules = ff_alloc(dump->count, sizeof(struct ff_cfi *))};
            ff_generated_step(&generated, EM_X86_64, CODE + 4, &registers, true, &memory,
                              &registers);
            ff_generated_release(&generated);
            ff_jit_dump_close(dump);
            opened++;
        }
        ff_free(copy);
    }
    CHECK(opened > 0);
}

/* One trampoline at CODE, asked at each of its instructions: INSIDE from BODY to before EXIT. */
static void check_trampoline(uint16_t machine, uint64_t size, uint64_t body, uint64_t exit,
                             bool saves)
{
    uint64_t words[8] = {0x200, 0x201, 0x202};
    struct ff_memory memory = {read_stack, words};
    struct ff_generated_code code = {CODE, size, FF_TEXT("py::f:<string>")};
    bool arm = machine == EM_AARCH64;
    unsigned int sp = arm ? FF_CFI_AARCH64_SP : FF_CFI_X86_64_RSP;
    unsigned int pc = arm ? FF_CFI_AARCH64_PC : FF_CFI_X86_64_RIP;
    unsigned int frame = arm ? 29 : FF_CFI_X86_64_RBP;
    struct ff_registers callee = {.known = UINT64_C(1) << sp | UINT64_C(1) << frame}, caller;
    callee.value[sp] = STACK;
    callee.value[frame] = 0x300;
    callee.value[FF_CFI_AARCH64_LR] = arm ? 0x400 : 0;
    for (uint64_t offset = 0; offset < size; offset++) {
        bool inside = offset >= body && offset < exit;
        struct ff_step step =
            ff_trampoline_step(&code, machine, CODE + offset, &callee, &memory, &caller);
        CHECK_NUMBER(step.status, FF_STEP_OK);
        CHECK_NUMBER(step.cfa, STACK + (inside ? 16 : arm ? 0 : 8));
        CHECK_NUMBER(caller.value[sp], step.cfa);
        CHECK_NUMBER(caller.value[pc], inside ? 0x201 : arm ? 0x400 : 0x200);
        CHECK_NUMBER(caller.value[frame], inside && saves ? 0x200 : 0x300);
    }
    code.name = FF_TEXT("other");
    CHECK_NUMBER(ff_trampoline_step(&code, machine, CODE, &callee, &memory, &caller).status,
                 FF_STEP_NO_RULE);
    code = (struct ff_generated_code){CODE, size + 2, FF_TEXT("py::f:<string>")};
    CHECK_NUMBER(ff_trampoline_step(&code, machine, CODE, &callee, &memory, &caller).status,
                 FF_STEP_NO_RULE);
}

int main(void)
{
    test_records();
    test_refused();
    test_unwinding();
    test_damage();
    check_trampoline(EM_X86_64, 11, 4, 10, false);
    check_trampoline(EM_X86_64, 15, 8, 14, false);
    check_trampoline(EM_X86_64, 8, 1, 7, true);
    check_trampoline(EM_X86_64, 12, 5, 11, true);
    check_trampoline(EM_AARCH64, 20, 4, 16, true);
    return check_result();
}
