/* SPDX-License-Identifier: MIT
 *
 * Unwind health as text: what ff-doctor prints.
 */
#ifndef FF_REPORT_DOCTOR_H
#define FF_REPORT_DOCTOR_H

#include "base/output.h"
#include "profile/profile.h"

/* Writes the health of SOURCE, or of all sources one after the other for 0, and advice, in lines of
 * at most 100 columns. EVENT restricts the counts of stacks; 0: all events of the source. */
enum ff_status ff_doctor_text(struct ff_profile *profile, uint32_t source, uint32_t event,
                              struct ff_output *output);

#endif
