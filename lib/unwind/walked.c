/* SPDX-License-Identifier: MIT
 *
 * Lines of a dump, asked for before they are needed. Nothing depends on it but time.
 */
#include "unwind/walked.h"

#define STACK_SHIFT 20 /* of places that are mostly of one stack: 1 MiB */

struct ff_walked_stack *ff_walked_fetch(struct ff_walked *walked, uint32_t owner, uint64_t sp,
                                        struct ff_text bytes)
{
    uint64_t hash = ff_hash_mix(owner, sp >> STACK_SHIFT) >> 32;
    struct ff_walked_stack *stack = &walked->stacks[hash % FF_WALKED_STACKS];
    uint32_t count = stack->count < FF_WALKED_LINES ? stack->count + 1 : FF_WALKED_LINES;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t offset = (stack->lines[i] << FF_LINE_SHIFT) - sp;
        if (offset < bytes.size)
            __builtin_prefetch(bytes.at + offset);
    }
    stack->count = 0;
    return stack;
}
