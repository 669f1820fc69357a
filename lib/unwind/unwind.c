/* SPDX-License-Identifier: MIT
 *
 * One frame after the other: which module, which rule, which words. The hard thing is to end
 * rightly: at the root, where the dump ends, where no rule is, or where the bytes contradict
 * themselves, and to say which of these it was.
 */
#include "unwind/unwinder.h"
#include "unwind/guess.h"

#include <elf.h>

/* Frames without stack of their own do not exist in numbers: signals nest a few deep at most. */
#define SIGNAL_FRAMES_MAX 64u
/* No stack is larger: a word that is said to lie farther above SP is none of its. */
#define STACK_MAX ((uint64_t)1 << 26)

/* One walk. */
struct walk {
    struct ff_unwinder *unwinder;
    const struct ff_space *space;
    const struct ff_dump *dump;
    struct ff_unwound *unwound;
    struct ff_memory memory;
    const struct ff_registers *registers; /* the dump's, or one of these two in turn */
    struct ff_registers callers[2];
    unsigned turn;
    unsigned pc_register, sp_register, frame_register;
    bool exact; /* the pc is where the frame stands, not behind a call */
    bool innermost;
    uint32_t signal_frames;
    struct ff_walked_stack *walked;
    const struct ff_span *span; /* of the last frame */
};

void ff_unwound_release(struct ff_unwound *unwound)
{
    ff_free(unwound->words);
    ff_free(unwound->activations);
    *unwound = (struct ff_unwound){0};
}

static bool read_dump(void *context, uint64_t address, unsigned size, uint64_t *value)
{
    const struct walk *walk = context;
    const struct ff_dump *dump = walk->dump;
    uint64_t offset = address - dump->sp;
    if (address < dump->sp || offset > dump->bytes.size || size > dump->bytes.size - offset)
        return false;
    ff_walked_note(walk->walked, address);
    *value = 0;
    if (size == sizeof *value) /* nearly always: no call */
        memcpy(value, dump->bytes.at + offset, sizeof *value);
    else
        memcpy(value, dump->bytes.at + offset, size);
    if (offset + size > walk->unwound->read_above)
        walk->unwound->read_above = offset + size;
    return true;
}

static void add_word(struct walk *walk, uint64_t word)
{
    struct ff_unwound *unwound = walk->unwound;
    unwound->words = ff_grow(unwound->words, &unwound->capacity, (uint64_t)unwound->count + 1,
                             sizeof *unwound->words, &unwound->failed);
    if (unwound->count < unwound->capacity)
        unwound->words[unwound->count++] = word;
}

static struct ff_activation *add_activation(struct walk *walk)
{
    struct ff_unwound *unwound = walk->unwound;
    unwound->activations = ff_grow(unwound->activations, &unwound->activation_capacity,
                                   (uint64_t)unwound->activation_count + 1,
                                   sizeof *unwound->activations, &unwound->failed);
    if (unwound->activation_count == unwound->activation_capacity)
        return NULL;
    struct ff_activation *activation = &unwound->activations[unwound->activation_count++];
    *activation = (struct ff_activation){.sp = walk->registers->value[walk->sp_register]};
    uint64_t frame = walk->registers->value[walk->frame_register];
    /* Many functions keep something else in the register. */
    activation->has_frame =
        walk->registers->known >> walk->frame_register & 1 && frame - activation->sp < STACK_MAX;
    activation->frame = activation->has_frame ? frame : 0;
    return activation;
}

/* Where the frame at PLACE of SPAN is, as far as the step out of it knows. */
static void note_activation(struct walk *walk, const struct ff_span *span, uint64_t place,
                            const struct ff_step *step)
{
    struct ff_activation *activation = add_activation(walk);
    const struct ff_unwind_module *module = ff_unwinder_module(walk->unwinder, span->module);
    if (!activation || !module)
        return;
    activation->module = span->module;
    activation->function = module->elf ? place - span->start + span->file_offset : place;
    activation->has_cfa = step->has_cfa;
    activation->cfa = step->cfa;
    if (step->function && module->elf)
        ff_elf_file_offset(module->elf, step->function, &activation->function);
    else if (step->function)
        activation->function = step->function;
}

/* The reason of a step that failed, as the stack's state. A word is missing because the dump ends
 * before it; one that lies anywhere else was named by registers that lie. */
static enum ff_state end_state(struct walk *walk, const struct ff_step *step)
{
    struct ff_unwound *unwound = walk->unwound;
    if (step->status == FF_STEP_END)
        return FF_STATE_COMPLETE;
    if (step->status == FF_STEP_NO_RULE)
        return FF_STATE_NO_RULE;
    unwound->lack = FF_LACK_SENSE;
    unwound->reason = ff_cfi_reason_text(step->reason);
    if (step->status == FF_STEP_BAD_RULE && step->reason != FF_CFI_STANDS_STILL)
        unwound->lack = FF_LACK_RULE;
    if (step->status != FF_STEP_NO_MEMORY || step->missing < walk->dump->sp ||
        step->missing - walk->dump->sp > STACK_MAX)
        return FF_STATE_NO_RULE;
    unwound->missing = step->missing;
    unwound->missing_above = step->missing - walk->dump->sp;
    return FF_STATE_TRUNCATED;
}

/* A word of a frame, without a note that unwinding needed it. */
static bool peek(const struct ff_dump *dump, uint64_t address, uint64_t *word)
{
    uint64_t offset = address - dump->sp;
    if (offset > dump->bytes.size || dump->bytes.size - offset < sizeof *word)
        return false;
    memcpy(word, dump->bytes.at + offset, sizeof *word);
    return true;
}

/* What an evaluation loop keeps while it calls. */
static void observe(const struct walk *walk, uint64_t place, uint64_t cfa)
{
    struct ff_site_finder *finder = walk->unwinder->finder;
    struct ff_site_observation *row = finder ? ff_site_finder_next(finder) : NULL;
    if (!row)
        return;
    uint64_t sp = walk->registers->value[walk->sp_register];
    *row = (struct ff_site_observation){.pc = place, .sp = sp};
    for (uint32_t i = 0; i < FF_SITE_FRAME && sp + (i + 1) * 8 < cfa; i++)
        if (!peek(walk->dump, sp + i * 8, &row->words[i]))
            break;
    for (uint32_t i = 1; i < FF_CFI_REGISTERS; i++)
        if (walk->registers->known >> i & 1)
            row->words[FF_SITE_FRAME + i] = walk->registers->value[i];
}

/* The word that tells the calls of a loop apart; 0: not known. */
static uint64_t site_of(const struct walk *walk)
{
    const struct ff_site_slot *slot = &walk->unwinder->slot;
    const struct ff_registers *registers = walk->registers;
    uint64_t sp = registers->value[walk->sp_register], word = 0;
    if (slot->in_register)
        word = registers->known >> slot->in_register & 1 ? registers->value[slot->in_register] : 0;
    else if (!slot->offset || !peek(walk->dump, sp + slot->offset, &word))
        return 0;
    return ff_site_is_possible(word, sp) ? word : 0;
}

/* An evaluation loop calls: its site goes before its pc, which was added last. */
static void note_site(struct walk *walk)
{
    struct ff_unwound *unwound = walk->unwound;
    uint64_t word = site_of(walk);
    if (!word || !unwound->count)
        return;
    uint64_t pc = unwound->words[unwound->count - 1];
    add_word(walk, word);
    add_word(walk, pc);
    if (!unwound->failed)
        unwound->words[unwound->count - 3] = FF_UNWOUND_SITE;
}

static bool is_calling_eval(const struct walk *walk, const struct ff_unwind_module *module,
                            uint64_t module_offset)
{
    return module->eval_end && !walk->exact && module_offset >= module->eval_start &&
           module_offset < module->eval_end;
}

/* One step by the rules of an ELF module, if there is an image. */
static struct ff_step step_by_rules(struct walk *walk, const struct ff_unwind_module *module,
                                    const struct ff_span *span, uint64_t place,
                                    struct ff_registers *caller)
{
    struct ff_step none = {.status = FF_STEP_NO_RULE};
    uint64_t module_offset;
    if (!module->cfi ||
        !ff_elf_module_offset(module->elf, place - span->start + span->file_offset, &module_offset))
        return none;
    struct ff_step step = ff_cfi_step(module->cfi, module_offset, walk->registers, walk->innermost,
                                      &walk->memory, caller);
    if (is_calling_eval(walk, module, module_offset) && step.has_cfa) {
        observe(walk, module_offset, step.cfa);
        note_site(walk);
    }
    return step;
}

static struct ff_step step_once(struct walk *walk, const struct ff_span *span, uint64_t place,
                                struct ff_registers *caller)
{
    struct ff_step none = {.status = FF_STEP_NO_RULE};
    struct ff_unwind_module *module = ff_unwinder_module(walk->unwinder, span->module);
    uint8_t kind = walk->unwinder->profile->modules.at[span->module].kind;
    bool file = kind == FF_MODULE_ELF || kind == FF_MODULE_VDSO;
    walk->unwound->lack = file && module && !module->elf ? FF_LACK_IMAGE : FF_LACK_ENTRY;
    if (module && file)
        return step_by_rules(walk, module, span, place, caller);
    if (module && kind == FF_MODULE_PERF_MAP)
        return ff_generated_step(&module->generated, walk->dump->machine, place, walk->registers,
                                 walk->innermost, &walk->memory, caller);
    return none;
}

/* What guessing wants to know of the code before an address. */
static struct ff_guess_code look(void *context, uint64_t address)
{
    struct walk *walk = context;
    struct ff_guess_code code = {.before = {"", 0}};
    const struct ff_span *span = ff_space_find(walk->space, address - 1);
    code.executable = span && !span->data && span->module;
    bool file =
        code.executable && walk->unwinder->profile->modules.at[span->module].kind == FF_MODULE_ELF;
    struct ff_unwind_module *module =
        file ? ff_unwinder_module(walk->unwinder, span->module) : NULL;
    uint64_t offset, last = file ? address - 1 - span->start + span->file_offset : 0;
    if (!module || !module->cfi || !ff_elf_module_offset(module->elf, last, &offset))
        return code;
    code.covered = ff_cfi_covers(module->cfi, offset);
    uint64_t end = offset + 1 - module->text.module_offset;
    if (offset >= module->text.module_offset && end <= module->text.bytes.size)
        code.before = ff_text_slice(module->text.bytes, 0, (size_t)end);
    return code;
}

/* The caller of a frame that has no rule, if there is a way to guess it. */
static bool guess_caller(struct walk *walk, const struct ff_span *span, struct ff_registers *caller)
{
    const struct ff_unwind_module *module = ff_unwinder_module(walk->unwinder, span->module);
    uint8_t kind = walk->unwinder->profile->modules.at[span->module].kind;
    bool vdso = kind == FF_MODULE_VDSO && module && !module->cfi && walk->innermost;
    struct ff_guesser guesser = {walk->dump->machine, &walk->memory, look, walk};
    if (!(vdso && ff_guess_vdso_caller(&guesser, walk->registers, caller)) &&
        !(walk->unwinder->frame_pointers &&
          ff_guess_frame_caller(&guesser, walk->registers, caller)))
        return false;
    if (!walk->unwound->guessed)
        add_word(walk, FF_UNWOUND_GUESSED);
    walk->unwound->guessed = true;
    return true;
}

/* Where a place is mapped: mostly where its callee is. */
static const struct ff_span *span_of(struct walk *walk, uint64_t place)
{
    if (!walk->span || place < walk->span->start || place >= walk->span->end)
        walk->span = ff_space_find(walk->space, place);
    return walk->span;
}

/* Goes to the caller; false when the stack ends here, with its state. */
static bool advance(struct walk *walk)
{
    struct ff_registers *caller = &walk->callers[walk->turn];
    uint64_t pc = walk->registers->value[walk->pc_register];
    uint64_t place = walk->exact ? pc : pc - 1;
    const struct ff_span *span = span_of(walk, place);
    if (!span || span->data) {
        add_activation(walk);
        walk->unwound->state = FF_STATE_NO_MODULE;
        return false;
    }
    struct ff_step step = step_once(walk, span, place, caller);
    note_activation(walk, span, place, &step);
    if (step.status == FF_STEP_NO_RULE && guess_caller(walk, span, caller))
        step.status = FF_STEP_OK;
    if (step.status != FF_STEP_OK) {
        walk->unwound->state = end_state(walk, &step);
        return false;
    }
    uint64_t caller_pc = caller->value[walk->pc_register];
    bool rises = caller->value[walk->sp_register] > walk->registers->value[walk->sp_register];
    if (step.signal_frame)
        walk->signal_frames++;
    if ((!rises && !walk->innermost && !step.signal_frame) ||
        walk->signal_frames > SIGNAL_FRAMES_MAX) {
        walk->unwound->lack = FF_LACK_SENSE;
        walk->unwound->state = FF_STATE_NO_RULE;
        return false;
    }
    if (!caller_pc) { /* the first frame of a thread was called by nobody */
        walk->unwound->state = FF_STATE_COMPLETE;
        return false;
    }
    walk->registers = caller;
    walk->turn = !walk->turn;
    walk->exact = step.signal_frame;
    walk->innermost = false;
    return true;
}

void ff_unwind(struct ff_unwinder *unwinder, const struct ff_space *space,
               const struct ff_dump *dump, struct ff_unwound *unwound)
{
    bool arm = dump->machine == EM_AARCH64;
    struct walk walk = {
        .unwinder = unwinder,
        .space = space,
        .dump = dump,
        .unwound = unwound,
        .registers = &dump->registers,
        .pc_register = arm ? 32 : 16,
        .sp_register = arm ? 31 : 7,
        .frame_register = arm ? 29 : 6,
        .exact = true,
        .innermost = true,
        .walked = ff_walked_fetch(&unwinder->walked, space->owner, dump->sp, dump->bytes),
    };
    walk.memory = (struct ff_memory){read_dump, &walk};
    unwound->count = unwound->activation_count = 0;
    unwound->missing = unwound->missing_above = unwound->read_above = 0;
    unwound->guessed = false;
    unwound->lack = FF_LACK_ENTRY;
    do {
        if (walk.exact && unwound->count)
            add_word(&walk, FF_UNWOUND_EXACT);
        add_word(&walk, walk.registers->value[walk.pc_register]);
    } while (advance(&walk) && !unwound->failed);
    if (unwound->guessed && unwound->state == FF_STATE_COMPLETE)
        unwound->state = FF_STATE_GUESSED;
}
