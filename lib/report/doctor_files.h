/* SPDX-License-Identifier: MIT
 *
 * The part of ff-doctor's text on what was lost and on the files that names come from.
 */
#ifndef FF_REPORT_DOCTOR_FILES_H
#define FF_REPORT_DOCTOR_FILES_H

#include "report/health.h"

/* Writes the sections "Lost" and "Code and names", each only if there is something to say. */
void ff_doctor_files(const struct ff_health *health, struct ff_output *output);

#endif
