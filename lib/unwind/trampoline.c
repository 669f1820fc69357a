/* SPDX-License-Identifier: MIT
 *
 * The rules of each kind of trampoline. What is hard about them is only to know them: nobody writes
 * them down but the source.
 */
#include "unwind/trampoline.h"

#include <elf.h>

#define FRAME_SIZE 16u /* in the body, with the return address; the frame pointer at its bottom */

static const struct shape {
    uint16_t machine;
    uint8_t size;
    uint8_t body, exit; /* offsets: of the first instruction that has the frame, of the return */
    uint8_t frame;      /* register that is saved in the frame; the stack pointer: none */
} shapes[] = {
    {EM_X86_64, 11, 4, 10, FF_CFI_X86_64_RSP},
    {EM_X86_64, 15, 8, 14, FF_CFI_X86_64_RSP},
    {EM_X86_64, 8, 1, 7, FF_CFI_X86_64_RBP},
    {EM_X86_64, 12, 5, 11, FF_CFI_X86_64_RBP},
    {EM_AARCH64, 20, 4, 16, 29},
};

static const struct shape *shape_of(const struct ff_generated_code *code, uint16_t machine)
{
    if (!code || !ff_text_starts(code->name, FF_TEXT("py::")))
        return NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes[i].machine == machine && shapes[i].size == code->size)
            return &shapes[i];
    }
    return NULL;
}

/* Takes a word of the frame, or makes the step one that lacks it. */
static void load(struct ff_step *step, const struct ff_memory *memory, uint64_t address,
                 uint64_t *value)
{
    if (step->status != FF_STEP_OK || memory->read(memory->context, address, 8, value))
        return;
    step->status = FF_STEP_NO_MEMORY;
    step->missing = address;
}

struct ff_step ff_trampoline_step(const struct ff_generated_code *code, uint16_t machine,
                                  uint64_t address, const struct ff_registers *callee,
                                  const struct ff_memory *memory, struct ff_registers *caller)
{
    struct ff_step step = {.status = FF_STEP_NO_RULE};
    const struct shape *shape = shape_of(code, machine);
    if (!shape || address < code->start || address - code->start >= code->size)
        return step;
    bool arm = machine == EM_AARCH64;
    unsigned int sp = arm ? FF_CFI_AARCH64_SP : FF_CFI_X86_64_RSP;
    unsigned int pc = arm ? FF_CFI_AARCH64_PC : FF_CFI_X86_64_RIP;
    uint64_t offset = address - code->start;
    bool in_body = offset >= shape->body && offset < shape->exit;
    struct ff_registers result = *callee;
    step = (struct ff_step){.status = FF_STEP_OK, .has_cfa = true, .function = code->start};
    step.cfa = callee->value[sp] + (in_body ? FRAME_SIZE : arm ? 0u : 8u);
    if (arm && !in_body)
        result.value[pc] = callee->value[FF_CFI_AARCH64_LR];
    else
        load(&step, memory, step.cfa - 8, &result.value[pc]);
    if (in_body && shape->frame != sp) {
        load(&step, memory, step.cfa - FRAME_SIZE, &result.value[shape->frame]);
        result.known |= UINT64_C(1) << shape->frame;
    }
    if (step.status != FF_STEP_OK)
        return step;
    result.value[sp] = step.cfa;
    result.known |= UINT64_C(1) << pc | UINT64_C(1) << sp;
    *caller = result;
    return step;
}
