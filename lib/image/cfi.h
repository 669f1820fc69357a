/* SPDX-License-Identifier: MIT
 *
 * One step up a recorded stack by the unwind tables: a callee's registers and its memory give the
 * caller's registers. Rules: DWARF 5 section 6.4 (call frame information) with the GNU additions,
 * System V ABI for x86-64 section 3.6, DWARF for the Arm 64-bit Architecture (AADWARF64).
 */
#ifndef FF_IMAGE_CFI_H
#define FF_IMAGE_CFI_H

#include "base/threads.h"
#include "image/elf.h"

/* Columns are DWARF register numbers.
 *   x86-64:  0-15 (rax rdx rcx rbx rsi rdi rbp rsp r8-r15), 16: the return address
 *   AArch64: 0-30, 31: sp, 32: pc, 33: RA_SIGN_STATE (34 in DWARF) */
#define FF_CFI_REGISTERS        34
#define FF_CFI_X86_64_RBX       3
#define FF_CFI_X86_64_RBP       6
#define FF_CFI_X86_64_RSP       7
#define FF_CFI_X86_64_RIP       16
#define FF_CFI_AARCH64_LR       30
#define FF_CFI_AARCH64_SP       31
#define FF_CFI_AARCH64_PC       32
#define FF_CFI_AARCH64_RA_STATE 33

struct ff_registers {
    uint64_t value[FF_CFI_REGISTERS];
    uint64_t known; /* bit n: value[n] is known */
};

/* The memory of the recorded process. READ stores a word of SIZE (1 to 8) bytes, little-endian and
 * extended by zeros; false where the recording has not all of it. */
struct ff_memory {
    bool (*read)(void *context, uint64_t address, unsigned int size, uint64_t *value);
    void *context;
};

enum ff_step_status {
    FF_STEP_OK,
    FF_STEP_END,         /* the return address is undefined: the outermost frame */
    FF_STEP_NO_RULE,     /* no unwind entry covers the place */
    FF_STEP_BAD_RULE,    /* its entry is damaged or not supported: `reason` */
    FF_STEP_NO_REGISTER, /* a register that is needed is not known: `missing` is its number */
    FF_STEP_NO_MEMORY,   /* a word that is needed is not recorded: `missing` is its address */
};

/* Why a rule is bad. */
#define FF_CFI_REASON_TABLE(X)                                                                     \
    X(FF_CFI_FINE, "")                                                                             \
    X(FF_CFI_MACHINE, "machine is neither x86-64 nor AArch64")                                     \
    X(FF_CFI_ENTRY_DAMAGED, "entry is cut or damaged")                                             \
    X(FF_CFI_CIE_VERSION, "version of the common entry is not 1, 3 or 4")                          \
    X(FF_CFI_CIE_ADDRESS, "size of addresses or segments in the common entry")                     \
    X(FF_CFI_AUGMENTATION, "augmentation is not known")                                            \
    X(FF_CFI_ENCODING,                                                                             \
      "encoding of pointers is not supported (aligned, indirect, textrel, funcrel)")               \
    X(FF_CFI_INSTRUCTION, "instruction is not known")                                              \
    X(FF_CFI_GNU_WINDOW, "DW_CFA_GNU_window_save is not supported")                                \
    X(FF_CFI_PROGRAM_CUT, "program ends inside an instruction")                                    \
    X(FF_CFI_PROGRAM_LONG, "program has more than 65536 instructions")                             \
    X(FF_CFI_STATE_DEPTH, "more than 16 remembered states, or restored without one")               \
    X(FF_CFI_LOCATION, "locations do not ascend")                                                  \
    X(FF_CFI_COLUMN, "frame or return register does not exist")                                    \
    X(FF_CFI_OFFSET, "offset is out of range")                                                     \
    X(FF_CFI_NO_CFA, "rule for the frame address is missing")                                      \
    X(FF_CFI_NO_RETURN, "rule for the return address is missing")                                  \
    X(FF_CFI_EXPRESSION_CUT, "expression ends inside an operation")                                \
    X(FF_CFI_EXPRESSION_OPERATION, "expression has an operation that is not supported")            \
    X(FF_CFI_EXPRESSION_STACK, "expression's stack is empty or deeper than 64")                    \
    X(FF_CFI_EXPRESSION_JUMP, "expression jumps outside itself")                                   \
    X(FF_CFI_EXPRESSION_LONG, "expression does not end within 1000 steps")                         \
    X(FF_CFI_EXPRESSION_DIVIDE, "expression divides by zero")                                      \
    X(FF_CFI_STANDS_STILL, "caller is the callee itself")                                          \
    X(FF_CFI_NO_MEMORY_LEFT, "out of memory")

enum ff_cfi_reason {
#define X(name, text) name,
    FF_CFI_REASON_TABLE(X)
#undef X
};

struct ff_step {
    enum ff_step_status status;
    bool has_cfa;      /* always with OK; also when only the return address is missing */
    uint64_t cfa;      /* address; 0 without has_cfa */
    uint64_t function; /* module offset of the start of the entry's code; not with NO_RULE */
    bool signal_frame; /* the caller was interrupted: its pc is exact, no return address */
    uint64_t missing;  /* see the status */
    uint8_t reason;    /* enum ff_cfi_reason */
};

/* The unwind tables of one ELF file, with a cache from places to compiled rules: one per image,
 * shared by all processes, for one thread at a time. The ELF must outlive it. NULL when memory is
 * out. */
struct ff_cfi *ff_cfi_new(struct ff_elf *elf);
void ff_cfi_free(struct ff_cfi *cfi); /* NULL is fine */

/* The same for an .eh_frame that no ELF holds, of a 64-bit machine in this one's byte order. Its bytes
 * must outlive it. */
struct ff_cfi *ff_cfi_new_bytes(uint16_t machine, struct ff_section frame);

/* Whether there are rules for a place. */
bool ff_cfi_covers(struct ff_cfi *cfi, uint64_t module_offset);

/* Also asks the .debug_frame of a debug file of the same ELF, where the ELF itself has no entry. The
 * debug file is borrowed. */
void ff_cfi_add_debug_file(struct ff_cfi *cfi, struct ff_elf *debug);

/* The lock that is taken to use the ELF, which other threads use too; borrowed. */
void ff_cfi_share(struct ff_cfi *cfi, struct ff_lock *lock);

/* Steps from the frame at MODULE_OFFSET to its caller. MODULE_OFFSET is the place whose rules hold:
 * that of the pc where the pc is exact, that of pc - 1 where it is a return address. CALLEE's pc
 * column must be known if the frame may be a PLT slot, whose rule uses it.
 *   innermost: the pc is exact (the first frame, or the one that a signal interrupted). A register
 *     said to be saved below the stack pointer then keeps its value: code may have popped it
 *     already.
 * CALLER, which is another one than CALLEE, holds with OK only, and of it only what it says is known: its
 * stack pointer is the CFA, its pc the return address (without pointer authentication), each other
 * register what its rule says; no rule: same value if the ABI preserves it, else unknown. Registers
 * that cannot be recovered become unknown,
 * which is no failure. A pc of 0 is returned as it is. */
struct ff_step ff_cfi_step(struct ff_cfi *cfi, uint64_t module_offset,
                           const struct ff_registers *callee, bool innermost,
                           const struct ff_memory *memory, struct ff_registers *caller);

/* The text of a reason. Never NULL. */
const char *ff_cfi_reason_text(uint8_t reason);

#endif
