/* SPDX-License-Identifier: MIT
 *
 * What sorts of frames do to the words of a program, without the words that they leave alone.
 */
#ifndef FF_CLASSIFY_STEPS_H
#define FF_CLASSIFY_STEPS_H

#include "classify/program.h"

/* What a sort does to one word. */
struct ff_step {
    uint32_t word;
    uint64_t clear, set;
};

/* steps[first .. middle) work on any state, steps[middle .. end) only set bits that follow others: in
 * a word at rest they do nothing. Both by ascending words. */
struct ff_step_list {
    uint32_t first, middle, end;
};

struct ff_steps {
    const struct ff_program *program;
    FF_RULES_TABLE(ff_step) steps;
    FF_RULES_TABLE(ff_step_list) lists; /* row 0 is empty */
    struct ff_map map;
    struct ff_program_mask
        *scratch; /* one for each word, all zero between calls of ff_steps_take */
    bool failed;
};

/* False when memory is out; the table still must be released. PROGRAM is borrowed. */
bool ff_steps_init(struct ff_steps *table, const struct ff_program *program);
void ff_steps_release(struct ff_steps *table);

/* Makes a list of what is in `scratch` and zeroes it; equal lists are one. Its id; `failed` is set when
 * memory is out. */
uint32_t ff_steps_take(struct ff_steps *table);

#endif
