/* SPDX-License-Identifier: MIT
 *
 * The text that `python -m profiling.sampling dump PID` prints (Python 3.15, Lib/profiling/sampling/
 * dump.py): a head for each thread, its frames outermost first, each with a line of source below it.
 */
#ifndef FF_READ_TACHYON_DUMP_H
#define FF_READ_TACHYON_DUMP_H

#include "base/input.h"
#include "profile/profile.h"

/* Adds the input to PROFILE as one source called NAME (a base name) of population "dump". The words of
 * a head become facts: has GIL, waiting for GIL, on CPU, idle, has exception. A task of asyncio is
 * a thread called "task NAME". Lines that fit nowhere make the answer FF_BAD_INPUT, as in a py-spy
 * dump. */
enum ff_status ff_tachyon_dump_read(struct ff_profile *profile, struct ff_input *input,
                                    const char *name);

#endif
