/* SPDX-License-Identifier: MIT
 *
 * How long a source recorded, and how often.
 */
#ifndef FF_REPORT_SPAN_H
#define FF_REPORT_SPAN_H

#include "base/output.h"
#include "profile/profile.h"

/* " in 6.1 s at 199 Hz", and the end of the line; what is not known is left out. */
void ff_span_put(struct ff_output *output, const struct ff_source *source);

#endif
