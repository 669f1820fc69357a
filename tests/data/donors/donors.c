/* SPDX-License-Identifier: MIT
 *
 * A program without libc whose stack is 10 KB deep: _start, top, six levels, and two leaves that spin.
 *
 *     gcc -O1 -g0 -nostdlib -static -no-pie -fno-stack-protector -fcf-protection=none \
 *         -Wl,--build-id=sha1 tests/data/donors/donors.c -o donors
 *     ./donors &
 *     record="perf record -z -e cpu-clock:u -F 97 -p $! --call-graph"
 *     $record dwarf,1024 -o long.data -- sleep 0.5
 *     $record dwarf,16384 -o deep.data -- sleep 0.2
 *
 * and as the last, of another process of the same program, other.data.
 */
__asm__(".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        ".cfi_startproc\n"
        ".cfi_undefined rip\n"
        "    and $-16, %rsp\n"
        "    call top\n"
        "    hlt\n"
        ".cfi_endproc\n"
        ".size _start, . - _start\n");

#define LEVEL(name, next)                                                                          \
    __attribute__((noinline)) static int name(int n)                                               \
    {                                                                                              \
        volatile char room[1600];                                                                  \
        room[n & 1023] = (char)n;                                                                  \
        return next(n + 1) + room[n & 1023];                                                       \
    }

__attribute__((noinline)) static int left(int n)
{
    for (volatile int i = 0; i < 3000000; i++)
        n += i;
    return n;
}

__attribute__((noinline)) static int right(int n)
{
    for (volatile int i = 0; i < 3000000; i++)
        n -= i;
    return n;
}

__attribute__((noinline)) static int spin(int n)
{
    return left(n) + right(n);
}

LEVEL(level6, spin)
LEVEL(level5, level6)
LEVEL(level4, level5)
LEVEL(level3, level4)
LEVEL(level2, level3)
LEVEL(level1, level2)

__attribute__((used)) void top(void)
{
    for (volatile int n = 0;; n++)
        level1(n);
}
