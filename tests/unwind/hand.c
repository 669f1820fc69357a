/* SPDX-License-Identifier: MIT
 *
 * Rules that no compiler writes, by hand in assembly (x86-64). Each function traps at one or more
 * places; it has told its return address to the shadow stack before, or is the only unknown.
 */
#include "shadow.h"

#if defined(__x86_64__)

/* Each is called as f(shadow_push, SHADOW_RETURN): it pushes its own return address first. */
#define FUNCTION(name, body)                                                                       \
    __asm__(".text\n.p2align 4\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n" body     \
            ".cfi_endproc\n.size " #name ", .-" #name "\n");                                       \
    void name(void (*push)(enum shadow_kind, uintptr_t), int kind) __asm__(#name)

/* Registers: rdi = push, esi = kind. Leaves all but rax and flags as they were to the body. */
#define TELL                                                                                       \
    "movq %rdi, %rax\nmovl %esi, %edi\nmovq (%rsp), %rsi\n"                                        \
    "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\ncall *%rax\n"                                        \
    "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"

/* The return address in a register while the function runs. */
FUNCTION(hand_in_register, TELL "popq %r11\n.cfi_adjust_cfa_offset -8\n.cfi_register rip, r11\n"
                                "int3\npushq %r11\n.cfi_adjust_cfa_offset 8\n"
                                ".cfi_offset rip, -8\nret\n");

/* The frame address in another register, with a register kept in a third. */
FUNCTION(hand_other_cfa, TELL "movq %rbx, %r10\n.cfi_register rbx, r10\nmovq %rsp, %rbx\n"
                              ".cfi_def_cfa_register rbx\nsubq $1000, %rsp\nint3\n"
                              "movq %rbx, %rsp\n.cfi_def_cfa_register rsp\nmovq %r10, %rbx\n"
                              ".cfi_restore rbx\nret\n");

/* DW_CFA_def_cfa_expression: breg7 (rsp) 8, deref: the frame address is a word in the frame.
 * 0f 04 77 08 06, and 31 (lit1 = 31), 1c (minus), 23 01 (plus_uconst 1): a detour. */
FUNCTION(hand_cfa_expression,
         TELL "leaq 8(%rsp), %rax\nsubq $32, %rsp\n.cfi_adjust_cfa_offset 32\n"
              "movq %rax, 8(%rsp)\n"
              ".cfi_escape 0x0f, 0x07, 0x77, 0x08, 0x06, 0x31, 0x1c, 0x23, 0x01\n"
              "int3\naddq $32, %rsp\n.cfi_def_cfa rsp, 8\nret\n");

/* DW_CFA_expression for rbp (10 06 ...): breg7 16: saved at rsp + 16; DW_CFA_val_expression for rbx
 * (16 03 ...): breg10 (r10) 0: its value is in r10. */
FUNCTION(hand_register_expression, TELL
         "subq $40, %rsp\n.cfi_adjust_cfa_offset 40\nmovq %rbp, 16(%rsp)\nmovq %rbx, %r10\n"
         ".cfi_escape 0x10, 0x06, 0x02, 0x77, 0x10\n.cfi_escape 0x16, 0x03, 0x02, 0x7a, 0x00\n"
         "movq $-1, %rbp\nmovq $-1, %rbx\nint3\nmovq 16(%rsp), %rbp\nmovq %r10, %rbx\n"
         ".cfi_restore rbp\n.cfi_restore rbx\naddq $40, %rsp\n.cfi_adjust_cfa_offset -40\nret\n");

/* Remembered and restored states; DW_CFA_val_offset for rsp (14 07 00): its value is CFA + 0. Offsets
 * behind a restored state are absolute: clang 14 adjusts the one before it. */
FUNCTION(hand_remembered, TELL "pushq %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_offset rbx, -16\n"
                               ".cfi_escape 0x14, 0x07, 0x00\nmovq $-1, %rbx\n.cfi_remember_state\n"
                               "int3\ncmpq $0, %rbx\njne 1f\npopq %rbx\n.cfi_adjust_cfa_offset -8\n"
                               ".cfi_restore rbx\nret\n1:\n.cfi_restore_state\nint3\n"
                               "popq %rbx\n.cfi_def_cfa_offset 8\n.cfi_restore rbx\nint3\nret\n");

/* Between the pop of a saved register and the ret, with the rule still saying that it is saved: now
 * below SP, and in no dump. */
FUNCTION(hand_below_sp, TELL "pushq %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_offset rbp, -16\n"
                             "movq %rsp, %rbp\npopq %rbp\n.cfi_adjust_cfa_offset -8\nint3\nret\n");

KEPT static void call(void (*function)(void (*)(enum shadow_kind, uintptr_t), int),
                      const char *name)
{
    ENTER();
    shadow_place = name;
    function(shadow_push, SHADOW_RETURN);
    shadow_pop();
    LEAVE();
}

void run_hand(void)
{
    ENTER();
    call(hand_in_register, "return address in a register");
    call(hand_other_cfa, "frame address by another register");
    call(hand_cfa_expression, "frame address by an expression");
    call(hand_register_expression, "registers by expressions");
    call(hand_remembered, "remembered state");
    call(hand_below_sp, "register saved below the stack pointer");
    LEAVE();
}

#else

void run_hand(void)
{
}

#endif
