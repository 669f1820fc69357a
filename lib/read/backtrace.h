/* SPDX-License-Identifier: MIT
 *
 * Backtraces of all threads as debuggers print them: gdb's `thread apply all bt` (also with `full`,
 * and inside a session's other output), pstack and gstack (which are gdb), eu-stack with its options
 * -m, -s and -b.
 */
#ifndef FF_READ_BACKTRACE_H
#define FF_READ_BACKTRACE_H

#include "base/input.h"
#include "profile/profile.h"

/* Adds the input to PROFILE as one source called NAME (a base name) of population "dump". A frame that
 * its tool named is native, named by its source; `??` and bare addresses of a known library are frames
 * of an unplaced module, as py-spy's are; those of no library stay without a name.
 *
 * Lines that begin like a frame and are none are counted in the ledger and make the answer
 * FF_BAD_INPUT; whatever else a session printed is counted as unused. */
enum ff_status ff_backtrace_read(struct ff_profile *profile, struct ff_input *input,
                                 const char *name);

#endif
