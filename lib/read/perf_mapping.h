/* SPDX-License-Identifier: MIT
 *
 * What a recorded mapping is: its kind of module, and where it goes.
 */
#ifndef FF_READ_PERF_MAPPING_H
#define FF_READ_PERF_MAPPING_H

#include "read/perf_record.h"
#include "read/perf_stack.h"
#include "read/perf_tasks.h"

/* Enters an MMAP or MMAP2 record into the kernel's or a process's address space. KERNEL is the
 * record's own word on whose mapping it is (cpu mode). */
void ff_perf_mapping_add(const struct ff_perf_file *file, struct ff_perf_tasks *tasks,
                         struct ff_perf_stacks *stacks, const struct ff_perf_mapping *mapping,
                         bool kernel);

/* Enters or removes the code of a KSYMBOL record; its module is "[NAME]". */
void ff_perf_mapping_symbol(const struct ff_perf_file *file, struct ff_perf_stacks *stacks,
                            const struct ff_perf_mapping *mapping, bool gone);

#endif
