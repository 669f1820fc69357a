/* SPDX-License-Identifier: MIT
 *
 * Reads what a program of this folder printed of itself, unwinds each dump, and compares the result
 * with the call chain that the program kept. Lines, numbers in hexadecimal but for a register's:
 *
 *     machine N             e_machine, decimal
 *     map LINE              of /proc/self/maps
 *     point NAME            begins a dump
 *     register N VALUE      by DWARF number
 *     stack ADDRESS BYTES   from the stack pointer on
 *     c PC | x PC | g 0 | l N   the chain, innermost first: return address; interrupted place; frames
 *                           of a library; a stack that is not in the dump (1: the thread's root)
 *     end
 *
 * usage: driver NAME <OUTPUT
 *        driver --step NAME PROGRAM    see step.c
 * Prints differences and "N passed, N failed, N skipped".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "process.h"

struct driver {
    const char *name;
    struct process process;
    struct ff_dump dump;
    char point[128];
    unsigned char *bytes;
    struct link chain[CHAIN_MAX];
    uint32_t chain_count;
    unsigned int passed, failed;
};

static uint64_t take_hex(struct ff_text *line)
{
    uint64_t value = 0;
    if (!ff_text_hex(ff_text_cut(line, ' '), &value))
        exit(2);
    return value;
}

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void take_stack(struct driver *driver, struct ff_text line)
{
    driver->dump.sp = take_hex(&line);
    free(driver->bytes);
    driver->bytes = malloc(line.size / 2 + 1);
    if (!driver->bytes)
        exit(2);
    for (size_t i = 0; i < line.size / 2; i++)
        driver->bytes[i] = (unsigned char)(digit(line.at[2 * i]) << 4 | digit(line.at[2 * i + 1]));
    driver->dump.bytes = (struct ff_text){(const char *)driver->bytes, line.size / 2};
}

static void take_register(struct driver *driver, struct ff_text line)
{
    uint64_t number = 0;
    if (!ff_text_decimal(ff_text_cut(&line, ' '), &number) || number >= FF_CFI_REGISTERS)
        exit(2);
    driver->dump.registers.value[number] = take_hex(&line);
    driver->dump.registers.known |= (uint64_t)1 << number;
}

/* What ours must be behind the walk to `link`: its words from WORD on. A gap takes as many words as
 * the rest needs to fit; a lost stack ends the comparison. */
static bool fits(const struct driver *driver, uint32_t link, uint32_t word)
{
    const struct ff_unwound *unwound = &driver->process.unwound;
    for (; link < driver->chain_count; link++) {
        const struct link *expected = &driver->chain[link];
        if (expected->kind == 'g') {
            for (uint32_t skip = word; skip < unwound->count; skip++) {
                if (fits(driver, link + 1, skip))
                    return true;
            }
            return false;
        }
        if (expected->kind == 'l' && expected->pc == 0)
            return word == unwound->count && unwound->state != FF_STATE_COMPLETE;
        if (expected->kind == 'l')
            return unwound->state == FF_STATE_COMPLETE;
        if (expected->kind == 'x' &&
            (word >= unwound->count || unwound->words[word++] != FF_UNWOUND_EXACT))
            return false;
        if (word >= unwound->count || unwound->words[word++] != expected->pc)
            return false;
    }
    return unwound->state == FF_STATE_COMPLETE; /* main was called by libc, that by _start */
}

static void show(const struct driver *driver)
{
    const struct ff_unwound *unwound = &driver->process.unwound;
    fprintf(stderr, "%s: %s: ours (%s, missing %llx, %llx above)", driver->name, driver->point,
            ff_state_word(unwound->state), (unsigned long long)unwound->missing,
            (unsigned long long)unwound->missing_above);
    for (uint32_t i = 0; i < unwound->count; i++)
        fprintf(stderr, " %llx", (unsigned long long)unwound->words[i]);
    fprintf(stderr, "\n  the program's:");
    for (uint32_t i = 0; i < driver->chain_count; i++)
        fprintf(stderr, " %c:%llx", driver->chain[i].kind, (unsigned long long)driver->chain[i].pc);
    fprintf(stderr, "\n");
}

static void compare(struct driver *driver)
{
    bool arm = driver->dump.machine == 183;
    struct ff_unwound *unwound = &driver->process.unwound;
    ff_unwind(driver->process.unwinder, &driver->process.space, &driver->dump, unwound);
    bool same = unwound->count > 0 &&
                unwound->words[0] == driver->dump.registers.value[arm ? 32 : 16] &&
                fits(driver, 0, 1);
    if (same) {
        driver->passed++;
    } else {
        driver->failed++;
        show(driver);
    }
}

static void take_line(struct driver *driver, struct ff_text line)
{
    uint64_t number = 0;
    struct ff_text word = ff_text_cut(&line, ' ');
    if (ff_text_equal(word, FF_TEXT("machine")) && ff_text_decimal(line, &number)) {
        driver->dump.machine = (uint16_t)number;
    } else if (ff_text_equal(word, FF_TEXT("map"))) {
        process_map(&driver->process, line);
    } else if (ff_text_equal(word, FF_TEXT("point"))) {
        snprintf(driver->point, sizeof driver->point, "%.*s", FF_TEXT_ARGS(line));
        driver->chain_count = 0;
        driver->dump.registers = (struct ff_registers){0};
    } else if (ff_text_equal(word, FF_TEXT("register"))) {
        take_register(driver, line);
    } else if (ff_text_equal(word, FF_TEXT("stack"))) {
        take_stack(driver, line);
    } else if (ff_text_equal(word, FF_TEXT("end"))) {
        compare(driver);
    } else if (word.size == 1 && driver->chain_count < CHAIN_MAX) {
        driver->chain[driver->chain_count++] =
            (struct link){.kind = *word.at, .pc = take_hex(&line)};
    }
}

int main(int argc, char **argv)
{
    static struct driver driver;
    struct ff_input input;
    struct ff_error error = {0};
    struct ff_text line;
    if (argc == 4 && strcmp(argv[1], "--step") == 0)
        return step(argv[2], argv[3]);
    driver.name = argc > 1 ? argv[1] : "";
    if (!process_init(&driver.process) || ff_input_open(&input, "-", &error) != FF_OK)
        return 2;
    while (ff_input_line(&input, &line, &error) == FF_OK)
        take_line(&driver, line);
    ff_input_close(&input);
    printf("%u passed, %u failed, 0 skipped\n", driver.passed, driver.failed);
    free(driver.bytes);
    process_release(&driver.process);
    return driver.failed != 0;
}
