/* SPDX-License-Identifier: MIT
 *
 * The shadow stack, the trap handler that prints a dump, and main.
 */
#define _GNU_SOURCE
#include "shadow.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define DEPTH_MAX 512
#define DUMP_MAX  ((size_t)256 << 10)

static struct {
    enum shadow_kind kind;
    uintptr_t pc;
} shadow[DEPTH_MAX];
static size_t depth;
const char *volatile shadow_place;

void shadow_push(enum shadow_kind kind, uintptr_t pc)
{
    if (depth == DEPTH_MAX)
        abort();
    shadow[depth].kind = kind;
    shadow[depth++].pc = pc;
}

void shadow_pop(void)
{
    depth--;
}

int shadow_enter_tail(uintptr_t pc)
{
    if (depth && shadow[depth - 1].kind == SHADOW_RETURN && shadow[depth - 1].pc == pc)
        return 0;
    shadow_push(SHADOW_RETURN, pc);
    return 1;
}

void shadow_leave_tail(int pushed)
{
    depth -= (size_t)pushed;
}

size_t shadow_depth(void)
{
    return depth;
}

void shadow_restore(size_t to)
{
    depth = to;
}

static void print_register(unsigned number, unsigned long long value)
{
    printf("register %u %llx\n", number, value);
}

#if defined(__x86_64__)
static uintptr_t print_registers(const mcontext_t *machine)
{
    static const int numbers[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                  REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (unsigned i = 0; i < 17; i++)
        print_register(i, (unsigned long long)machine->gregs[numbers[i]]);
    return (uintptr_t)machine->gregs[REG_RSP];
}

static void step_over(mcontext_t *machine, unsigned bytes)
{
    machine->gregs[REG_RIP] += bytes;
}
#else
static uintptr_t print_registers(const mcontext_t *machine)
{
    for (unsigned i = 0; i < 31; i++)
        print_register(i, machine->regs[i]);
    print_register(31, machine->sp);
    print_register(32, machine->pc);
    return machine->sp;
}

static void step_over(mcontext_t *machine, unsigned bytes)
{
    machine->pc += bytes;
}
#endif

static void print_stack(uintptr_t sp)
{
    char line[4096];
    unsigned long start, end, found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start <= sp && sp < end)
            found = end;
    }
    if (maps)
        fclose(maps);
    size_t size = found - sp < DUMP_MAX ? found - sp : DUMP_MAX;
    printf("stack %lx ", (unsigned long)sp);
    for (size_t i = 0; i < size; i++)
        printf("%02x", ((const unsigned char *)sp)[i]);
    printf("\n");
}

static void record(int number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    (void)number, (void)info;
    printf("point %s\n", shadow_place);
    print_stack(print_registers(&interrupted->uc_mcontext));
    for (size_t i = depth; i-- > 0;)
        printf("%c %lx\n", (char)shadow[i].kind, (unsigned long)shadow[i].pc);
    printf("end\n");
    step_over(&interrupted->uc_mcontext, TRAP_BYTES);
}

static void print_maps(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        printf("map %s", line);
    if (maps)
        fclose(maps);
}

int main(void)
{
    struct sigaction action = {0};
    action.sa_sigaction = record;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, NULL);
#if defined(__x86_64__)
    printf("machine 62\n");
#else
    printf("machine 183\n");
#endif
    print_maps();
    ENTER();
    POINT("main");
    run_calls();
    run_frames();
    run_jumps();
    run_signals();
    run_library();
    if (!getenv("SHADOW_STEP")) { /* step.c follows one thread, and what calls and returns */
        run_threads();
        run_hand();
    }
    LEAVE();
    return 0;
}
