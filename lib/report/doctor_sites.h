/* SPDX-License-Identifier: MIT
 *
 * The part of unwind health that tells whether call sites of Python were found.
 */
#ifndef FF_REPORT_DOCTOR_SITES_H
#define FF_REPORT_DOCTOR_SITES_H

#include "report/health.h"

/* Nothing where no evaluation loop of CPython was seen calling in a stack dump. */
void ff_doctor_sites(const struct ff_health *health, struct ff_output *output);

#endif
