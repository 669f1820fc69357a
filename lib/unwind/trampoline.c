/* SPDX-License-Identifier: MIT
 *
 * The way out of code that CPython generated. The hard thing is not to mistake other generated code
 * for it: only an entry of the perf map that names a Python function and has the known size counts.
 */
#include "unwind/trampoline.h"

#define SIZE_3_12 11u /* bytes of CPython 3.12's trampoline */
#define RETURN_AT 10u /* its last instruction */

enum { RSP = 7, RETURN_ADDRESS = 16 };

struct ff_step ff_trampoline_step(const struct ff_perf_map *map, uint64_t address,
                                  const struct ff_registers *callee, const struct ff_memory *memory,
                                  struct ff_registers *caller)
{
    struct ff_step step = {.status = FF_STEP_NO_RULE};
    const struct ff_perf_map_entry *entry = map ? ff_perf_map_find(map, address) : NULL;
    if (!entry || entry->size != SIZE_3_12 || !ff_text_starts(entry->name, FF_TEXT("py::")))
        return step;
    uint64_t offset = address - entry->start;
    bool outside = offset == 0 || offset == RETURN_AT;
    step.cfa = callee->value[RSP] + (outside ? 8 : 16);
    step.has_cfa = true;
    step.function = entry->start;
    *caller = *callee;
    if (!memory->read(memory->context, step.cfa - 8, 8, &caller->value[RETURN_ADDRESS])) {
        step.status = FF_STEP_NO_MEMORY;
        step.missing = step.cfa - 8;
        return step;
    }
    caller->value[RSP] = step.cfa;
    step.status = FF_STEP_OK;
    return step;
}
