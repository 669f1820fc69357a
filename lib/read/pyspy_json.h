/* SPDX-License-Identifier: MIT
 *
 * What `py-spy dump --json` prints (0.3-0.4, src/dump.rs): an array of threads, each with its frames,
 * leaf first. Keys that are missing or not known do no harm.
 */
#ifndef FF_READ_PYSPY_JSON_H
#define FF_READ_PYSPY_JSON_H

#include "base/input.h"
#include "profile/profile.h"

/* Adds the input to PROFILE as one source called NAME (a base name) of population "dump", as the
 * text form is read. It tells more than the text: a frame's `entry`, and which frames are native.
 *
 * FF_BAD_INPUT where the text is damaged or cut: threads that are whole are in the profile. */
enum ff_status ff_pyspy_json_read(struct ff_profile *profile, struct ff_input *input,
                                  const char *name);

#endif
