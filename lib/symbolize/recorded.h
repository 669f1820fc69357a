/* SPDX-License-Identifier: MIT
 *
 * Names that a recorder gave to native functions, in the one spelling of all tools.
 */
#ifndef FF_SYMBOLIZE_RECORDED_H
#define FF_SYMBOLIZE_RECORDED_H

#include "profile/profile.h"

/* Canonicalises (image/name.h) the names of native frames that their source named: py-spy's
 * `__sched_yield` becomes the `sched_yield` of a symbol table. Doing it again changes nothing. */
void ff_recorded_names(struct ff_profile *profile);

#endif
