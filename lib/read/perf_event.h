/* SPDX-License-Identifier: MIT
 *
 * What an event of a recording is in the profile.
 */
#ifndef FF_READ_PERF_EVENT_H
#define FF_READ_PERF_EVENT_H

#include "read/perf_apply.h"

/* The row of an attribute's event, made at its first sample, with the rate and the population of the
 * source. Time off the CPU is an event of the source for that. */
uint32_t ff_perf_event_row(struct ff_perf_apply *apply, struct ff_perf_attr *attr);

#endif
