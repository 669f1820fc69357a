# Source of image.so, the ELF file of the tests of lib/image. Made with
#   gcc -nostdlib -shared -o image.so image.s -Wl,-z,noseparate-code -Wl,-z,max-page-size=256 \
#       -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -Wl,-z,lazy -Wl,-Ttext=0x3000
# (binutils 2.40). `readelf -sW` and `objdump -d` tell what the tests expect.
        .text
        .macro  function name, size
        .globl  \name
        .type   \name, @function
\name:
        .fill   \size, 1, 0x90
        .endm

# 0x00: aliases at one address
        .globl  __plain
        .type   __plain, @function
        .weak   plain
        .type   plain, @function
        .type   local_plain, @function
        .cfi_startproc
__plain:
plain:
local_plain:
        .fill   16, 1, 0x90
        .cfi_endproc
        .size   __plain, 16
        .size   plain, 16
        .size   local_plain, 16
# 0x10: a gap that nothing covers
        .fill   16, 1, 0xcc
# 0x20: a symbol in a symbol
        function outer, 8
        function inner, 8
        .fill   16, 1, 0x90
        .size   outer, 32
        .size   inner, 8
# 0x40: no size, but an FDE that starts here
        .cfi_startproc
        function sizeless, 16
        .cfi_endproc
# 0x50: no size, and the FDE starts elsewhere
        .cfi_startproc
        .fill   4, 1, 0x90
        function midway, 12
        .cfi_endproc
# 0x60: an FDE only
        .cfi_startproc
        .fill   16, 1, 0x90
        .cfi_endproc
# 0x70: neither
        function nothing, 16
# 0x80: calls through the PLT, an indirect function
        function calls, 0
        call    external_a@PLT
        call    external_b@PLT
        call    chosen@PLT
        ret
        .size   calls, . - calls
        .globl  chosen
        .type   chosen, @gnu_indirect_function
        .balign 16
chosen:
        xor     %eax, %eax
        ret
        .size   chosen, . - chosen
        .globl  _ZN3foo3barEi
        .type   _ZN3foo3barEi, @function
        .balign 16
_ZN3foo3barEi:
        ret
        .size   _ZN3foo3barEi, 1
        .section .note.GNU-stack, "", @progbits
