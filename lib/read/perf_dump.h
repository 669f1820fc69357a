/* SPDX-License-Identifier: MIT
 *
 * The registers and stack bytes of a sample in the unwinder's terms.
 */
#ifndef FF_READ_PERF_DUMP_H
#define FF_READ_PERF_DUMP_H

#include "read/perf_record.h"
#include "unwind/unwind.h"

/* False when the sample has no user registers of a 64-bit task with a stack pointer and a pc, or its
 * machine is one that the unwinder does not know. The dump borrows the sample's bytes. */
bool ff_perf_dump(const struct ff_perf_file *file, const struct ff_perf_sample *sample,
                  struct ff_dump *dump);

#endif
