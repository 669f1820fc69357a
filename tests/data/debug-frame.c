/* Source of debug-frame: a program whose unwind rules are in .debug_frame only. See README.md. */
#define APART __attribute__((noinline, noclone))

static volatile unsigned long sink;

APART static void spin(int count)
{
    for (volatile int i = 0; i < count; i++)
        sink += (unsigned long)i;
}

APART static int middle(int key)
{
    volatile char room[100];
    room[key % 9] = 1;
    spin(200000);
    return room[key % 7];
}

APART static int outer(int key)
{
    return middle(key) + 1;
}

void _start(void)
{
    __asm__ volatile(".cfi_undefined rip");
    for (int i = 0; i < 1000; i++)
        outer(i);
    __asm__ volatile("syscall" : : "a"(231), "D"(0));
    __builtin_unreachable();
}
