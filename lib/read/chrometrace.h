/* SPDX-License-Identifier: MIT
 *
 * Chrome's trace events, as `py-spy record -f chrometrace` (0.4, src/chrometrace.rs) writes them: an
 * array of objects with `ph` "B" (a frame begins) and "E" (it ends), `tid`, `ts` in microseconds since
 * the recorder began.
 *
 * py-spy writes an event only where a thread's stack differs from the one before. So one sample is
 * counted for each change: it was seen then. Its weight is the time until the thread's next change.
 * What py-spy does not write, no reader can know:
 *   - samples that found the same stack again are not in the file
 *   - a thread that was idle, or did not hold the GIL, keeps its last stack open: weights hold that time
 *   - two calls of one function from one line look like one
 *   - a frame's end is told when it was noticed, up to one interval late
 */
#ifndef FF_READ_CHROMETRACE_H
#define FF_READ_CHROMETRACE_H

#include "base/input.h"
#include "profile/profile.h"

/* Adds the input to PROFILE as one source called NAME (a base name) with one event "changes" in "ns".
 * Samples have moments, in ns since the recorder began. Threads are known by py-spy's root frame
 * "thread (TID): NAME" (-t), else by their pthread id, which is not kept.
 *
 * FF_BAD_INPUT where the text is damaged or cut: the changes before are in the profile, the one that
 * was being read is counted in the ledger as lost. */
enum ff_status ff_chrometrace_read(struct ff_profile *profile, struct ff_input *input,
                                   const char *name);

#endif
