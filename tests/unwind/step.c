/* SPDX-License-Identifier: MIT
 *
 * Runs a program of this folder one instruction at a time and unwinds it at each of them: prologues,
 * epilogues, PLT slots, the dynamic linker, libc, signal frames. The truth is kept by following what
 * the instructions do, not by any table: a call puts its return address on the stack, and that is
 * gone as soon as the stack pointer is above it. x86-64 with ptrace only.
 *
 * One thing differs rightly: libc's longjmp says in its table that it was called by the place that it
 * is about to jump to. That this place is then reached is checked.
 */
#define _GNU_SOURCE
#include "process.h"

#include <stdio.h>

#if defined(__x86_64__) && defined(__linux__)

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define DUMP_MAX  ((size_t)64 << 10)
#define STEPS_MAX 2000000u

struct stepper {
    const char *name;
    struct process process;
    pid_t pid;
    struct user_regs_struct registers;
    struct link chain[CHAIN_MAX]; /* outermost first */
    uint32_t depth, bottom;       /* bottom: how deep main is */
    uint64_t stack_end;           /* of the main thread's stack */
    unsigned char bytes[DUMP_MAX];
    struct ff_dump dump;
    uint64_t announced; /* where a longjmp will go; 0: none is under way */
    unsigned int steps, differences, jumping;
};

static size_t read_memory(const struct stepper *stepper, uint64_t address, void *bytes, size_t size)
{
    struct iovec here = {bytes, size}, there = {(void *)(uintptr_t)address, size};
    ssize_t got = process_vm_readv(stepper->pid, &here, 1, &there, 1, 0);
    return got > 0 ? (size_t)got : 0;
}

static void read_maps(struct stepper *stepper)
{
    char path[64], line[4096];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)stepper->pid);
    FILE *maps = fopen(path, "r");
    ff_space_clear(&stepper->process.space);
    while (maps && fgets(line, sizeof line, maps)) {
        process_map(&stepper->process, ff_text(line));
        if (strstr(line, "[stack]"))
            sscanf(line, "%*x-%lx", &stepper->stack_end);
    }
    if (maps)
        fclose(maps);
}

static void fill_dump(struct stepper *stepper)
{
    const struct user_regs_struct *r = &stepper->registers;
    const uint64_t values[] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi,
                               r->rbp, r->rsp, r->r8,  r->r9,  r->r10, r->r11,
                               r->r12, r->r13, r->r14, r->r15, r->rip};
    const struct ff_span *span = ff_space_find(&stepper->process.space, r->rsp);
    uint64_t end = span ? span->end : r->rsp;
    if (r->rsp < stepper->stack_end && stepper->stack_end - r->rsp < ((uint64_t)8 << 20))
        end = stepper->stack_end;
    size_t size = end - r->rsp < DUMP_MAX ? (size_t)(end - r->rsp) : DUMP_MAX;
    memcpy(stepper->dump.registers.value, values, sizeof values);
    stepper->dump.registers.known = ((uint64_t)1 << 17) - 1;
    stepper->dump.machine = 62;
    stepper->dump.sp = r->rsp;
    stepper->dump.bytes = (struct ff_text){(const char *)stepper->bytes,
                                           read_memory(stepper, r->rsp, stepper->bytes, size)};
}

static void show(struct stepper *stepper)
{
    const struct ff_unwound *unwound = &stepper->process.unwound;
    uint64_t pc = stepper->registers.rip;
    const struct ff_span *span = ff_space_find(&stepper->process.space, pc);
    struct ff_text path = {0};
    if (span)
        path = ff_profile_text(stepper->process.profile,
                               stepper->process.profile->modules.at[span->module].path);
    fprintf(stderr, "%s: step %u: at file offset %llx of %.*s: ours (%s)", stepper->name,
            stepper->steps, (unsigned long long)(span ? pc - span->start + span->file_offset : pc),
            FF_TEXT_ARGS(path), ff_state_word(unwound->state));
    for (uint32_t i = 0; i < unwound->count; i++)
        fprintf(stderr, " %llx", (unsigned long long)unwound->words[i]);
    fprintf(stderr, "\n  true:");
    for (uint32_t i = stepper->depth; i-- > 0;)
        fprintf(stderr, " %c:%llx", stepper->chain[i].kind,
                (unsigned long long)stepper->chain[i].pc);
    fprintf(stderr, "\n");
}

/* The chain from LINK on, outwards, and nothing more. */
static bool ends_like(const struct stepper *stepper, uint32_t word, uint32_t link)
{
    const struct ff_unwound *unwound = &stepper->process.unwound;
    while (link > 0 && word < unwound->count &&
           stepper->chain[link - 1].pc == unwound->words[word]) {
        link--;
        word++;
    }
    return link == 0 && word == unwound->count;
}

static bool is_jumping(struct stepper *stepper)
{
    const struct ff_unwound *unwound = &stepper->process.unwound;
    if (unwound->count < 3 || unwound->state != FF_STATE_COMPLETE ||
        unwound->count - 2 > stepper->depth || !ends_like(stepper, 2, unwound->count - 2) ||
        (stepper->announced && stepper->announced != unwound->words[1]))
        return false;
    stepper->announced = unwound->words[1];
    stepper->jumping++;
    return true;
}

/* Equal and complete; or a beginning of it, if the rest lies on another stack. */
static bool is_true(const struct stepper *stepper)
{
    const struct ff_unwound *unwound = &stepper->process.unwound;
    uint32_t word = 1, link = stepper->depth;
    while (link > 0 && word < unwound->count) {
        const struct link *expected = &stepper->chain[link - 1];
        if (expected->kind == 'x' && unwound->words[word++] != FF_UNWOUND_EXACT)
            return false;
        if (word >= unwound->count || unwound->words[word++] != expected->pc)
            return false;
        link--;
    }
    bool elsewhere = stepper->registers.rsp >= stepper->stack_end ||
                     stepper->stack_end - stepper->registers.rsp >= (uint64_t)8 << 20;
    if (elsewhere)
        return word == unwound->count && unwound->state != FF_STATE_COMPLETE;
    return word == unwound->count && link == 0 && unwound->state == FF_STATE_COMPLETE;
}

static void unwind(struct stepper *stepper)
{
    fill_dump(stepper);
    ff_unwind(stepper->process.unwinder, &stepper->process.space, &stepper->dump,
              &stepper->process.unwound);
}

static void compare(struct stepper *stepper)
{
    unwind(stepper);
    bool good = is_true(stepper);
    if (!good && is_jumping(stepper))
        return;
    if (stepper->announced) /* the jump was made */
        good = good && stepper->registers.rip == stepper->announced;
    stepper->announced = 0;
    if (!good && stepper->differences++ < 8)
        show(stepper);
}

static void push(struct stepper *stepper, char kind, uint64_t pc, uint64_t slot)
{
    if (stepper->depth < CHAIN_MAX)
        stepper->chain[stepper->depth++] = (struct link){.kind = kind, .pc = pc, .slot = slot};
}

/* Whether an instruction is a near call: E8, or FF /2 behind prefixes. */
static bool is_call(const unsigned char *code)
{
    while (*code == 0x3e || *code == 0xf2 || *code == 0x66 || (*code & 0xf0) == 0x40)
        code++;
    return code[0] == 0xe8 || (code[0] == 0xff && (code[1] >> 3 & 7) == 2);
}

/* A handler may change where the interrupted code goes on. */
static void refresh(struct stepper *stepper)
{
    for (uint32_t i = 0; i < stepper->depth; i++) {
        if (stepper->chain[i].kind == 'x')
            read_memory(stepper, stepper->chain[i].context, &stepper->chain[i].pc, 8);
    }
}

/* What the last instruction, at BEFORE with CODE, did to the chain. */
static void follow(struct stepper *stepper, const struct user_regs_struct *before,
                   const unsigned char *code)
{
    const struct user_regs_struct *now = &stepper->registers;
    uint64_t word = 0;
    while (stepper->depth && stepper->chain[stepper->depth - 1].slot < now->rsp)
        stepper->depth--;
    if (now->rsp == before->rsp - 8 && is_call(code) &&
        read_memory(stepper, now->rsp, &word, 8) == 8 && word - before->rip <= 15)
        push(stepper, 'c', word, now->rsp);
}

/* A signal's handler begins: above it stands what it returns to, then the interrupted place. */
static void follow_signal(struct stepper *stepper, uint64_t interrupted)
{
    uint64_t word = 0, sp = stepper->registers.rsp;
    read_memory(stepper, sp, &word, 8);
    push(stepper, 'x', interrupted, sp + 8);
    stepper->chain[stepper->depth - 1].context =
        stepper->registers.rdx + offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP]);
    push(stepper, 'c', word, sp);
}

static bool advance(struct stepper *stepper, enum __ptrace_request how, int signal, int *stopped_by)
{
    int status;
    if (ptrace(how, stepper->pid, NULL, (void *)(intptr_t)signal) != 0 ||
        waitpid(stepper->pid, &status, 0) != stepper->pid || !WIFSTOPPED(status))
        return false;
    *stopped_by = WSTOPSIG(status);
    return ptrace(PTRACE_GETREGS, stepper->pid, NULL, &stepper->registers) == 0;
}

/* The program runs free to its first trap, in main. Its outer chain is taken from ours: driver.c has
 * compared it with what the program itself kept. */
static bool begin(struct stepper *stepper)
{
    int by;
    if (!advance(stepper, PTRACE_CONT, 0, &by) || by != SIGTRAP)
        return false;
    read_maps(stepper);
    unwind(stepper);
    const struct ff_unwound *unwound = &stepper->process.unwound;
    for (uint32_t i = unwound->count; i-- > 1;)
        push(stepper, 'c', unwound->words[i], stepper->stack_end - i * 8);
    stepper->bottom = stepper->depth;
    return unwound->state == FF_STATE_COMPLETE && stepper->bottom;
}

/* The slots of the outer chain: wherever the return address of main stands above. */
static void set_bottom(struct stepper *stepper)
{
    for (uint32_t i = 0; i < stepper->bottom; i++)
        stepper->chain[i].slot = UINT64_MAX;
    for (size_t at = 0; at + 8 <= stepper->dump.bytes.size; at += 8) {
        uint64_t word;
        memcpy(&word, stepper->dump.bytes.at + at, 8);
        if (word == stepper->chain[stepper->bottom - 1].pc) {
            stepper->chain[stepper->bottom - 1].slot = stepper->dump.sp + at;
            return;
        }
    }
}

/* Steps until main returns. */
static void walk(struct stepper *stepper)
{
    int signal = 0;
    while (stepper->depth >= stepper->bottom && stepper->steps < STEPS_MAX) {
        struct user_regs_struct before = stepper->registers;
        unsigned char code[16] = {0};
        int by;
        read_memory(stepper, before.rip, code, sizeof code);
        if (!advance(stepper, PTRACE_SINGLESTEP, signal, &by))
            return;
        if (signal)
            follow_signal(stepper, before.rip);
        else
            follow(stepper, &before, code);
        signal = by == SIGTRAP ? 0 : by;
        if (!ff_space_find(&stepper->process.space, stepper->registers.rsp))
            read_maps(stepper); /* another signal stack */
        if (signal || stepper->depth < stepper->bottom)
            continue;
        stepper->steps++;
        refresh(stepper);
        compare(stepper);
    }
}

static void run(const char *program)
{
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    setenv("SHADOW_STEP", "1", 1);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
        execl(program, program, (char *)NULL);
    _exit(127);
}

int step(const char *name, const char *program)
{
    static struct stepper stepper;
    int status;
    stepper.name = name;
    stepper.pid = fork();
    if (stepper.pid == 0)
        run(program);
    if (!process_init(&stepper.process) || stepper.pid < 0 ||
        waitpid(stepper.pid, &status, 0) != stepper.pid || !WIFSTOPPED(status)) {
        fprintf(stderr, "%s: skipped: no ptrace here\n", name);
        printf("0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    ptrace(PTRACE_SETOPTIONS, stepper.pid, NULL, (void *)(intptr_t)PTRACE_O_EXITKILL);
    bool begun = begin(&stepper);
    if (begun) {
        set_bottom(&stepper);
        walk(&stepper);
    }
    bool good = begun && stepper.steps > 1000 && !stepper.differences;
    fprintf(stderr, "%s: %u instructions (%u in longjmp), %u differ\n", name, stepper.steps,
            stepper.jumping, stepper.differences);
    printf("%d passed, %d failed, 0 skipped\n", good, !good);
    ptrace(PTRACE_KILL, stepper.pid, NULL, NULL);
    process_release(&stepper.process);
    return !good;
}

#else

int step(const char *name, const char *program)
{
    (void)program;
    fprintf(stderr, "%s: skipped: stepping is for x86-64 Linux\n", name);
    printf("0 passed, 0 failed, 1 skipped\n");
    return 0;
}

#endif
