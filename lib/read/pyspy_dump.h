/* SPDX-License-Identifier: MIT
 *
 * The text that `py-spy dump` prints (0.3-0.4, src/dump.rs): per process a head, then each thread
 * with its frames, leaf first. Colours, --locals, --subprocesses, core dumps and several dumps one
 * after the other are understood.
 */
#ifndef FF_READ_PYSPY_DUMP_H
#define FF_READ_PYSPY_DUMP_H

#include "base/input.h"
#include "profile/profile.h"

/* Adds the input to PROFILE as one source called NAME (a base name) of population "dump", with one
 * event "dump" (unit "threads") and one sample for each thread of each dump.
 *
 * Lines that fit nowhere are counted in the ledger and left out; then the answer is FF_BAD_INPUT,
 * its message in profile->error names the first of them, and the rest is in the profile. */
enum ff_status ff_pyspy_dump_read(struct ff_profile *profile, struct ff_input *input,
                                  const char *name);

#endif
