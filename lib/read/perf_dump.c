/* SPDX-License-Identifier: MIT
 *
 * perf's register numbers to DWARF's: linux arch/x86/include/uapi/asm/perf_regs.h and
 * arch/arm64/include/uapi/asm/perf_regs.h against the psABI supplements. Nothing is hard but the two
 * orders, which agree only on AArch64.
 */
#include "read/perf_dump.h"

#include <elf.h>

#define ABI_64 2u

enum { NONE = 255 };

/* AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8 .. R15 */
static const uint8_t x86_64_numbers[] = {0,    3,    2,    1,    4, 5, 6,  7,  16, NONE, NONE, NONE,
                                         NONE, NONE, NONE, NONE, 8, 9, 10, 11, 12, 13,   14,   15};

/* X0 .. X30, SP, PC */
static unsigned aarch64_number(unsigned perf_number)
{
    return perf_number <= 32 ? perf_number : NONE;
}

static unsigned dwarf_number(uint16_t machine, unsigned perf_number)
{
    if (machine == EM_AARCH64)
        return aarch64_number(perf_number);
    return perf_number < sizeof x86_64_numbers ? x86_64_numbers[perf_number] : NONE;
}

bool ff_perf_dump(const struct ff_perf_file *file, const struct ff_perf_sample *sample,
                  struct ff_dump *dump)
{
    *dump = (struct ff_dump){.machine = file->machine, .bytes = sample->stack};
    const unsigned char *at = sample->registers;
    if (!at || sample->abi != ABI_64 || !file->machine)
        return false;
    for (uint64_t mask = sample->attr->regs_user; mask; mask &= mask - 1, at += 8) {
        unsigned number = dwarf_number(file->machine, (unsigned)__builtin_ctzll(mask));
        if (number == NONE)
            continue;
        memcpy(&dump->registers.value[number], at, 8);
        dump->registers.known |= (uint64_t)1 << number;
    }
    unsigned sp = file->machine == EM_AARCH64 ? 31 : 7, pc = file->machine == EM_AARCH64 ? 32 : 16;
    dump->sp = dump->registers.value[sp];
    return dump->registers.known >> sp & 1 && dump->registers.known >> pc & 1;
}
