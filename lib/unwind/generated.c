/* SPDX-License-Identifier: MIT
 *
 * Addresses of generated code to rules. The hard thing is that each function of a JIT has a table of
 * its own, thousands in all: one is prepared only when a stack goes through its function.
 */
#include "unwind/generated.h"
#include "unwind/trampoline.h"

void ff_generated_init(struct ff_generated *generated, struct ff_images *images, uint32_t pid,
                       bool alone)
{
    struct ff_jit_dump *dump;
    struct ff_perf_map *map;
    ff_images_jit_dump(images, pid, &dump);
    ff_images_perf_map(images, pid, alone, &map);
    *generated = (struct ff_generated){.dump = dump, .map = map};
    if (dump)
        generated->rules = ff_alloc(dump->count, sizeof *generated->rules);
}

void ff_generated_release(struct ff_generated *generated)
{
    for (uint32_t i = 0; generated->rules && i < generated->dump->count; i++)
        ff_cfi_free(generated->rules[i]);
    ff_free(generated->rules);
    *generated = (struct ff_generated){0};
}

static struct ff_cfi *rules_of(struct ff_generated *generated, uint16_t machine,
                               const struct ff_jit_dump_entry *entry)
{
    if (!generated->rules || !entry->frame.size)
        return NULL;
    struct ff_cfi **rules = &generated->rules[entry - generated->dump->entries];
    if (!*rules)
        *rules = ff_cfi_new_bytes(machine, ff_jit_dump_frame(entry));
    return *rules;
}

struct ff_step ff_generated_step(struct ff_generated *generated, uint16_t machine, uint64_t address,
                                 const struct ff_registers *callee, bool innermost,
                                 const struct ff_memory *memory, struct ff_registers *caller)
{
    const struct ff_jit_dump_entry *entry =
        generated->dump ? ff_jit_dump_find(generated->dump, address, 0) : NULL;
    struct ff_cfi *rules = entry ? rules_of(generated, machine, entry) : NULL;
    struct ff_step step = {.status = FF_STEP_NO_RULE};
    if (rules)
        step = ff_cfi_step(rules, address, callee, innermost, memory, caller);
    if (step.status != FF_STEP_NO_RULE)
        return step;
    if (entry) {
        struct ff_generated_code code = {entry->start, entry->size, entry->name};
        return ff_trampoline_step(&code, machine, address, callee, memory, caller);
    }
    const struct ff_perf_map_entry *line =
        generated->map ? ff_perf_map_find(generated->map, address) : NULL;
    struct ff_generated_code code = {0};
    if (line)
        code = (struct ff_generated_code){line->start, line->size, line->name};
    return ff_trampoline_step(line ? &code : NULL, machine, address, callee, memory, caller);
}
