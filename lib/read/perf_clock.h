/* SPDX-License-Identifier: MIT
 *
 * Which clock the times of a recording are of, so that they can be joined with those of other tools.
 */
#ifndef FF_READ_PERF_CLOCK_H
#define FF_READ_PERF_CLOCK_H

#include "read/perf_file.h"

/* Adds what the file says of its clock as facts of SOURCE: the clock's name, one moment by it and by
 * the wall clock, its resolution. Nothing where the recorder was not told which clock to use. */
void ff_perf_clock_facts(struct ff_profile *profile, uint32_t source,
                         const struct ff_perf_file *file);

#endif
