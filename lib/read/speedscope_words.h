/* SPDX-License-Identifier: MIT
 *
 * The words of speedscope files.
 */
#ifndef FF_READ_SPEEDSCOPE_WORDS_H
#define FF_READ_SPEEDSCOPE_WORDS_H

#include <stdint.h>

#include "base/text.h"

/* py-spy's name of a profile, `Process 12 Thread 27303 "target-0"`. The ids are 0 where they are not
 * told; any other text is all name. */
void ff_speedscope_name(struct ff_text text, uint32_t *pid, uint32_t *tid, struct ff_text *name);

/* What a unit of the file becomes: "ns" for all of time, with *digits the power of ten between;
 * "samples" for what is no unit. */
const char *ff_speedscope_unit(struct ff_text word, unsigned *digits);

#endif
