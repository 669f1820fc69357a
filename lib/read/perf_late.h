/* SPDX-License-Identifier: MIT
 *
 * What becomes of a sample after its own record: the user side that was deferred, the end of a wait.
 */
#ifndef FF_READ_PERF_LATE_H
#define FF_READ_PERF_LATE_H

#include "read/perf_apply.h"

/* A CALLCHAIN_DEFERRED record: what the samples of a thread that wait for it lack. */
void ff_perf_late_chain(struct ff_perf_apply *apply, struct ff_text record);

/* At the end: whatever waited in vain goes in as it is, and is noted. */
void ff_perf_late_flush(struct ff_perf_apply *apply);

/* Accounts for time off the CPU, and frees both. */
void ff_perf_late_finish(struct ff_perf_apply *apply);

#endif
