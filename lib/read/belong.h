/* SPDX-License-Identifier: MIT
 *
 * Side files find their process, once all inputs are read.
 */
#ifndef FF_READ_BELONG_H
#define FF_READ_BELONG_H

#include "profile/profile.h"

/* Gives the threads of side files whose process is not told the pid of the recorded process that they
 * are of: the only one with any of their thread ids (of maps: with the files that were mapped), else
 * the one whose pid stands in the file's name. top's threads may be of several processes; those that
 * nobody recorded stay without. A file that fits no process is refused: its facts are taken out,
 * counted as a loss, and NOTE says which and what to do. Where no input tells any pid, all stays as
 * it is. Doing it again changes only what new inputs decide. */
enum ff_status ff_belong(struct ff_profile *profile, struct ff_error *note);

#endif
