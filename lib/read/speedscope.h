/* SPDX-License-Identifier: MIT
 *
 * speedscope's JSON with sampled profiles, as `py-spy record -f speedscope` writes it
 * (src/speedscope.rs): a profile for each thread, `samples` as lists of frame numbers, root first,
 * `weights` beside them, the frames in `shared`.
 */
#ifndef FF_READ_SPEEDSCOPE_H
#define FF_READ_SPEEDSCOPE_H

#include "base/input.h"
#include "profile/profile.h"

/* Adds the input to PROFILE as one source called NAME (a base name), with one event "samples"; weights
 * of time become ns, others stay as they are (unit "bytes" or "samples"). Equal weights of time are
 * the interval: they give the source its rate. Threads are named by py-spy's profile names
 * `Thread TID "NAME"` and `Process PID Thread TID "NAME"`.
 *
 * FF_BAD_INPUT where the text is damaged or cut, or samples cite frames that are not there: what could
 * be read is in the profile. Profiles of begin and end events are counted in the ledger and left
 * out. */
enum ff_status ff_speedscope_read(struct ff_profile *profile, struct ff_input *input,
                                  const char *name);

#endif
