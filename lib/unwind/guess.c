/* SPDX-License-Identifier: MIT
 *
 * Stack words to return addresses. The hard thing is to believe few of them: a stack is full of
 * return addresses of calls that are over.
 */
#include "unwind/guess.h"

#include <elf.h>

#define CALL_SIZE_MAX 7u /* call *disp32(base, index) is FF, ModRM, SIB, disp32; a prefix is free */
#define ARM_CALL_SIZE 4u

struct columns {
    unsigned int pc, sp, frame;
};

static struct columns columns_of(uint16_t machine)
{
    if (machine == EM_AARCH64)
        return (struct columns){FF_CFI_AARCH64_PC, FF_CFI_AARCH64_SP, 29};
    return (struct columns){FF_CFI_X86_64_RIP, FF_CFI_X86_64_RSP, FF_CFI_X86_64_RBP};
}

static bool is_known(const struct ff_registers *registers, unsigned int column)
{
    return registers->known >> column & 1;
}

/* How long FF /2 with this ModRM byte (and SIB byte) is: Intel's manual, volume 2, section 2.1. */
static size_t indirect_call_size(unsigned char modrm, unsigned char sib)
{
    unsigned int mod = modrm >> 6, rm = modrm & 7;
    size_t size = 2;
    if (mod == 3)
        return size;
    size += rm == 4;
    if (mod == 1)
        return size + 1;
    return mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5) ? size + 4 : size;
}

static bool ends_with_x86_call(const unsigned char *end, size_t size)
{
    if (size >= 5 && end[-5] == 0xe8)
        return true;
    for (size_t back = 2; back <= CALL_SIZE_MAX && back <= size; back++) {
        const unsigned char *at = end - back;
        unsigned char sib = back > 2 ? at[2] : 0;
        if (at[0] == 0xff && (at[1] >> 3 & 7) == 2 && indirect_call_size(at[1], sib) == back)
            return true;
    }
    return false;
}

/* BL, BLR and the authenticated forms of BLR. */
static bool is_arm_call(uint32_t word)
{
    return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000 ||
           (word & 0xfefff800) == 0xd63f0800;
}

bool ff_guess_ends_with_call(uint16_t machine, struct ff_text before)
{
    bool arm = machine == EM_AARCH64, zeros = true;
    size_t need = arm ? ARM_CALL_SIZE : CALL_SIZE_MAX;
    if (before.size < need)
        return true;
    const unsigned char *end = (const unsigned char *)before.at + before.size;
    for (size_t i = 1; i <= need; i++)
        zeros &= end[-(ptrdiff_t)i] == 0;
    if (!arm || zeros)
        return zeros || ends_with_x86_call(end, before.size);
    return is_arm_call((uint32_t)end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 |
                       (uint32_t)end[-1] << 24);
}

/* Whether ADDRESS is one that a call may have left. */
static bool is_return(const struct ff_guesser *guesser, uint64_t address, bool covered)
{
    struct ff_guess_code code = guesser->look(guesser->context, address);
    return code.executable && (code.covered || !covered) &&
           ff_guess_ends_with_call(guesser->machine, code.before);
}

static bool load(const struct ff_guesser *guesser, uint64_t address, uint64_t *value)
{
    return guesser->memory->read(guesser->memory->context, address, 8, value);
}

/* The frame record at ADDRESS: the caller's frame pointer and the return address. */
static bool load_record(const struct ff_guesser *guesser, uint64_t address, bool covered,
                        struct ff_registers *caller)
{
    struct columns columns = columns_of(guesser->machine);
    if (!load(guesser, address, &caller->value[columns.frame]) ||
        !load(guesser, address + 8, &caller->value[columns.pc]) ||
        !is_return(guesser, caller->value[columns.pc], covered))
        return false;
    caller->value[columns.sp] = address + 16;
    caller->known |= UINT64_C(1) << columns.frame | UINT64_C(1) << columns.pc;
    return true;
}

static bool arm_vdso_caller(const struct ff_guesser *guesser, const struct ff_registers *callee,
                            struct ff_registers *caller)
{
    struct ff_registers result = *callee;
    uint64_t frame = callee->value[29], link = callee->value[FF_CFI_AARCH64_LR];
    bool has_record = is_known(callee, 29) && frame == callee->value[FF_CFI_AARCH64_SP];
    if (!has_record || !load_record(guesser, frame, true, &result)) {
        if (!is_known(callee, FF_CFI_AARCH64_LR) || !is_return(guesser, link, true))
            return false;
        result = *callee;
        result.value[FF_CFI_AARCH64_PC] = link;
    }
    *caller = result;
    return true;
}

bool ff_guess_vdso_caller(const struct ff_guesser *guesser, const struct ff_registers *callee,
                          struct ff_registers *caller)
{
    if (guesser->machine == EM_AARCH64)
        return arm_vdso_caller(guesser, callee, caller);
    uint64_t sp = callee->value[FF_CFI_X86_64_RSP], word;
    for (uint64_t slot = sp; slot < sp + FF_GUESS_WORDS * 8; slot += 8) {
        if (!load(guesser, slot, &word))
            return false;
        if (!is_return(guesser, word, true))
            continue;
        *caller = *callee;
        caller->value[FF_CFI_X86_64_RIP] = word;
        caller->value[FF_CFI_X86_64_RSP] = slot + 8;
        /* A function that begins with push %rbp; mov %rsp,%rbp. */
        if (slot > sp && is_known(callee, FF_CFI_X86_64_RBP) &&
            callee->value[FF_CFI_X86_64_RBP] == slot - 8)
            load(guesser, slot - 8, &caller->value[FF_CFI_X86_64_RBP]);
        return true;
    }
    return false;
}

bool ff_guess_frame_caller(const struct ff_guesser *guesser, const struct ff_registers *callee,
                           struct ff_registers *caller)
{
    struct columns columns = columns_of(guesser->machine);
    struct ff_registers result = {.known = UINT64_C(1) << columns.sp};
    uint64_t frame = callee->value[columns.frame];
    if (!is_known(callee, columns.frame) || frame < callee->value[columns.sp] || frame % 8 != 0 ||
        !load_record(guesser, frame, false, &result))
        return false;
    *caller = result;
    return true;
}
