/* SPDX-License-Identifier: MIT
 *
 * Whole stacks against libdw's unwinder (elfutils libdwfl, dwfl_getthread_frames) over the same
 * registers and stack bytes. What must hold: equal, or ours ended for want of bytes and libdw went
 * on guessing through rbp. One other case occurs: a leaf in its epilogue has popped registers that
 * its rule still finds in memory, below SP and so outside the dump; libdw loses them and ends early.
 * Those samples are unwound again with these few words lent to libdw, and must then be equal.
 */
#include "recorded.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwfl.h>

#define FRAME_LIMIT 1024

struct loan {
    uint64_t address, value;
};

struct oracle {
    Dwfl *dwfl;
    const struct recorded *recorded;
    const struct ff_space *space; /* what the Dwfl was built from */
    uint32_t epoch, number;
    uint64_t pcs[FRAME_LIMIT]; /* a caller's less one */
    uint32_t count;
    struct recorded_frame ours[FRAME_LIMIT];
    struct loan loans[16]; /* words below SP that memory reads may see */
    uint32_t loan_count;
    unsigned int samples, equal, guessed_on, below_sp, different;
};

static int no_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                         const char *file, const char *link, GElf_Word crc, char **debug)
{
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc;
    *debug = NULL;
    return -1;
}

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
    (void)dwfl, (void)context;
    if (*thread)
        return 0;
    *thread = context;
    return 1;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context)
{
    const struct oracle *oracle = context;
    const struct ff_dump *dump = &oracle->recorded->dump;
    (void)dwfl;
    uint64_t offset = address - dump->sp;
    for (uint32_t i = 0; i < oracle->loan_count; i++) {
        *word = oracle->loans[i].value;
        if (oracle->loans[i].address == address)
            return true;
    }
    if (address < dump->sp || dump->bytes.size < 8 || offset > dump->bytes.size - 8)
        return false;
    memcpy(word, dump->bytes.at + offset, 8);
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
    const struct oracle *oracle = context;
    Dwarf_Word words[17];
    memcpy(words, oracle->recorded->dump.registers.value, sizeof words);
    return dwfl_thread_state_registers(thread, 0, 17, words);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
    .next_thread = next_thread,
    .memory_read = read_memory,
    .set_initial_registers = set_registers,
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = no_debug_file,
};

/* Reports a module once, at the address where its first segment stands. */
static void report_module(struct oracle *oracle, const struct ff_span *span)
{
    const struct ff_profile *profile = oracle->recorded->profile;
    const struct ff_module *module = &profile->modules.at[span->module];
    uint64_t offset;
    if (module->kind != FF_MODULE_ELF && module->kind != FF_MODULE_VDSO)
        return;
    struct ff_image image = ff_images_find_module(oracle->recorded->images, profile, module);
    if (!image.elf || !image.elf->segment_count ||
        !ff_elf_module_offset(image.elf, span->file_offset, &offset))
        return;
    uint64_t base = span->start - offset + (image.elf->segments[0].module_offset & ~(uint64_t)4095);
    if (dwfl_addrmodule(oracle->dwfl, span->start))
        return;
    CHECK(dwfl_report_elf(oracle->dwfl, image.elf->path, image.elf->path, -1, base, false));
}

static bool is_code(const struct oracle *oracle, const struct ff_span *span)
{
    const struct ff_profile *profile = oracle->recorded->profile;
    const struct ff_module *module = &profile->modules.at[span->module];
    return module->kind == FF_MODULE_ELF || module->kind == FF_MODULE_VDSO;
}

static void build(struct oracle *oracle)
{
    const struct ff_space *space = oracle->recorded->space;
    uint32_t last = 0;
    oracle->dwfl = dwfl_begin(&callbacks);
    dwfl_report_begin(oracle->dwfl);
    for (uint32_t i = 0; i < space->count; i++) {
        if (space->spans[i].module == last || !is_code(oracle, &space->spans[i]))
            continue;
        last = space->spans[i].module;
        report_module(oracle, &space->spans[i]);
    }
    dwfl_report_end(oracle->dwfl, NULL, NULL);
    CHECK(dwfl_attach_state(oracle->dwfl, NULL, 1, &thread_callbacks, oracle));
    oracle->space = space;
    oracle->epoch = space->epoch;
}

static int take_frame(Dwfl_Frame *state, void *context)
{
    struct oracle *oracle = context;
    Dwarf_Addr pc;
    bool exact;
    if (!dwfl_frame_pc(state, &pc, NULL) || oracle->count == FRAME_LIMIT)
        return DWARF_CB_ABORT;
    dwfl_addrmodule(oracle->dwfl, pc);
    if (!dwfl_frame_pc(state, &pc, &exact))
        return DWARF_CB_ABORT;
    oracle->pcs[oracle->count++] = exact ? pc : pc - 1;
    return DWARF_CB_OK;
}

static void show(const struct oracle *oracle, uint32_t our_count, uint32_t same)
{
    const struct recorded *recorded = oracle->recorded;
    fprintf(stderr, "  sample %u: %u frames are the same; libdw has %u, ours %u (%s)\n",
            oracle->number - 1, same, oracle->count, our_count,
            ff_state_word(recorded->unwound.state));
    for (uint32_t i = same ? same - 1 : 0; i < same + 2; i++) {
        if (i < our_count)
            fprintf(stderr, "    ours %llx %.*s\n", (unsigned long long)oracle->ours[i].place,
                    FF_TEXT_ARGS(oracle->ours[i].path));
        if (i < oracle->count)
            fprintf(stderr, "    libdw %llx\n", (unsigned long long)oracle->pcs[i]);
    }
}

/* How many frames agree, from the innermost. */
static uint32_t walk(struct oracle *oracle, uint32_t our_count)
{
    uint32_t same = 0;
    oracle->count = 0;
    dwfl_getthread_frames(oracle->dwfl, 1, take_frame, oracle);
    while (same < our_count && same < oracle->count &&
           oracle->ours[same].address == oracle->pcs[same])
        same++;
    return same;
}

/* Where libdw's own rule for the first frame finds a register: "CFA" or "CFA, plus_uconst N". */
static void lend_register(struct oracle *oracle, Dwarf_Frame *frame, int column, uint64_t cfa)
{
    const struct ff_dump *dump = &oracle->recorded->dump;
    Dwarf_Op memory[3], *ops;
    size_t count;
    if (dwarf_frame_register(frame, column, memory, &ops, &count) != 0 || !count || count > 2 ||
        ops[0].atom != DW_OP_call_frame_cfa || (count == 2 && ops[1].atom != DW_OP_plus_uconst))
        return;
    uint64_t address = cfa + (count == 2 ? ops[1].number : 0);
    if (address < dump->sp && dump->sp - address <= 128)
        oracle->loans[oracle->loan_count++] = (struct loan){address, dump->registers.value[column]};
}

static void lend(struct oracle *oracle)
{
    const struct ff_dump *dump = &oracle->recorded->dump;
    uint64_t pc = dump->registers.value[16];
    Dwarf_Addr bias;
    Dwfl_Module *module = dwfl_addrmodule(oracle->dwfl, pc);
    Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *ops;
    size_t count;
    if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame) != 0)
        return;
    if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1 && ops[0].atom == DW_OP_bregx &&
        ops[0].number < 16) {
        uint64_t cfa = dump->registers.value[ops[0].number] + ops[0].number2;
        for (int column = 0; column < 16; column++)
            lend_register(oracle, frame, column, cfa);
    }
    free(frame);
}

static void compare(struct oracle *oracle)
{
    const struct ff_unwound *unwound = &oracle->recorded->unwound;
    uint32_t count = recorded_frames(oracle->recorded, oracle->ours, FRAME_LIMIT);
    uint32_t same = walk(oracle, count);
    bool ended = unwound->state == FF_STATE_TRUNCATED || unwound->state == FF_STATE_NO_RULE;
    if (same == count && same == oracle->count) {
        oracle->equal++;
        return;
    }
    if (same == count && ended) {
        oracle->guessed_on++;
        return;
    }
    if (same == oracle->count) {
        lend(oracle);
        same = oracle->loan_count ? walk(oracle, count) : same;
        oracle->loan_count = 0;
        if (same == count && same == oracle->count) {
            oracle->below_sp++;
            return;
        }
    }
    if (oracle->different++ < 8)
        show(oracle, count, same);
}

static void each(struct recorded *recorded, void *context)
{
    struct oracle *oracle = context;
    oracle->recorded = recorded;
    oracle->number++;
    if (!recorded->has_dump)
        return;
    if (oracle->space != recorded->space || oracle->epoch != recorded->space->epoch) {
        dwfl_end(oracle->dwfl);
        build(oracle);
    }
    oracle->samples++;
    compare(oracle);
}

static void compare_recording(const char *name, unsigned int samples, unsigned int below_sp)
{
    static struct oracle oracle;
    char below[128];
    static const char *const symbols[] = {LIBRARIES, NULL};
    struct recorded recorded = {.each = each, .context = &oracle};
    oracle = (struct oracle){0};
    snprintf(below, sizeof below, "captures/%s/dwarf.data", name);
    recorded_read(&recorded, below, symbols);
    dwfl_end(oracle.dwfl);
    printf("%s: %u samples: %u equal, %u equal once words below SP are lent, %u that libdw guessed "
           "on, %u different\n",
           name, oracle.samples, oracle.equal, oracle.below_sp, oracle.guessed_on,
           oracle.different);
    CHECK_NUMBER(oracle.samples, samples);
    CHECK_NUMBER(oracle.different, 0);
    CHECK_NUMBER(oracle.below_sp, below_sp);
    CHECK_NUMBER(oracle.equal + oracle.below_sp + oracle.guessed_on, samples);
    recorded_release(&recorded);
}

int main(void)
{
    if (!recorded_available()) {
        SKIP("the captures and their unpacked libraries are not here");
        return check_result();
    }
    compare_recording("gil-convoy", 702, 0);
    compare_recording("launch-queue", 318, 0);
    compare_recording("gil-convoy-64k", 2383, 4);
    compare_recording("launch-queue-64k", 2023, 6);
    compare_recording("dispatch", 797, 4);
    compare_recording("sync", 797, 4);
    return check_result();
}
