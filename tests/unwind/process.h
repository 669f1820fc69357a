/* SPDX-License-Identifier: MIT
 *
 * A process whose stacks are unwound: its address space from /proc/PID/maps, and code from the files
 * that are named there.
 */
#ifndef FF_TESTS_PROCESS_H
#define FF_TESTS_PROCESS_H

#include "unwind/unwind.h"

#define CHAIN_MAX 512

/* A link of a true call chain. */
struct link {
    char kind; /* as in driver.c */
    uint64_t pc;
    uint64_t slot;    /* step.c: the address where it stands */
    uint64_t context; /* step.c, of an interrupted place: the address where the kernel keeps it */
};

struct process {
    struct ff_profile *profile;
    struct ff_images *images;
    struct ff_unwinder *unwinder;
    struct ff_space space;
    struct ff_unwound unwound;
};

bool process_init(struct process *process);
void process_release(struct process *process);

/* Takes a line of a maps file. */
void process_map(struct process *process, struct ff_text line);

/* Runs PROGRAM instruction by instruction and unwinds it at each (step.c). The exit status. */
int step(const char *name, const char *program);

#endif
