# Source of cfi.so and cfi-debug.so: code that is never run, with unwind rules of every kind. Made by
#   gcc -nostdlib -shared -o cfi.so cfi.s -Wl,-z,noseparate-code -Wl,-z,max-page-size=256 \
#       -Wl,--build-id=0x0123456789abcdef0123456789abcdef -Wl,-Ttext=0x3000 -s
#   gcc -nostdlib -shared -o cfi-debug.so cfi.s -Wa,--defsym,DEBUG=1 -Wl,-z,noseparate-code \
#       -Wl,-z,max-page-size=256 -Wl,--build-id=0x1123456789abcdef0123456789abcdef -Wl,-Ttext=0x3000 \
#       -Wl,--compress-debug-sections=zlib
# (binutils 2.40). cfi-debug.so has the rules in a compressed .debug_frame only.
        .ifdef  DEBUG
        .cfi_sections .debug_frame
        .endif
        .text
# 0x3000: push rbp; mov rbp, rsp; the end in the middle
        .cfi_startproc
        .fill   1, 1, 0x90
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        .fill   3, 1, 0x90
        .cfi_def_cfa_register rbp
        .fill   16, 1, 0x90
        .cfi_remember_state
        .cfi_restore rbp
        .cfi_def_cfa rsp, 8
        .fill   2, 1, 0x90
        .cfi_restore_state
        .fill   10, 1, 0x90
        .cfi_endproc
# 0x3020: all registers, near and far
        .cfi_startproc
        .fill   2, 1, 0x90
        .cfi_adjust_cfa_offset 0x1000
        .cfi_offset rbx, -24
        .cfi_offset r12, -32
        .cfi_offset r13, 0x100
        .fill   300, 1, 0x90
        .cfi_rel_offset r14, 16
        .cfi_register r15, rdx
        .cfi_same_value rax
        .cfi_undefined rbx
        .cfi_val_offset rcx, -48
        .fill   400, 1, 0x90
        .cfi_escape 0x2e, 0x10
        .cfi_escape 0x2f, 0x0c, 0x03
        .cfi_escape 0x15, 0x0d, 0x7f
        .cfi_escape 0x12, 0x06, 0x7e
        .fill   5, 1, 0x90
        .cfi_escape 0x13, 0x7c
        .fill   5, 1, 0x90
        .cfi_offset xmm6, -64
        .cfi_endproc
# a CFA from memory, and registers through it
        .cfi_startproc
        .cfi_escape 0x0f, 0x03, 0x76, 0x58, 0x06
        .fill   3, 1, 0x90
        .cfi_escape 0x10, 0x06, 0x02, 0x76, 0x00
        .cfi_escape 0x10, 0x03, 0x04, 0x76, 0xf0, 0x7e, 0x06
        .fill   3, 1, 0x90
        .cfi_escape 0x16, 0x0c, 0x05, 0x38, 0x1c, 0x06, 0x23, 0x00
        .fill   3, 1, 0x90
        .cfi_endproc
# a PLT
        .balign 16
        .cfi_startproc
        .cfi_escape 0x0f, 0x0b, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
        .fill   32, 1, 0x90
        .cfi_endproc
# interrupted by a signal; nobody's callee; another personality
        .cfi_startproc
        .cfi_signal_frame
        .cfi_escape 0x0f, 0x04, 0x77, 0xa0, 0x01, 0x06
        .cfi_escape 0x10, 0x10, 0x03, 0x77, 0xa8, 0x01
        .fill   9, 1, 0x90
        .cfi_endproc
        .cfi_startproc
        .cfi_undefined rip
        .fill   5, 1, 0x90
        .cfi_endproc
        .cfi_startproc
        .ifndef DEBUG
        .cfi_personality 0x1b, table
        .cfi_lsda 0x1b, table
        .endif
        .fill   5, 1, 0x90
        .cfi_def_cfa_offset 32
        .fill   5, 1, 0x90
        .cfi_endproc
        .cfi_startproc simple
        .cfi_def_cfa rsp, 8
        .cfi_return_column r11
        .cfi_register r11, rdx
        .fill   5, 1, 0x90
        .cfi_endproc
        .section .rodata
table:  .fill   8, 1, 0
