/* SPDX-License-Identifier: MIT
 *
 * Dumps of one stop: which backtrace (gdb, pstack, eu-stack) and which Python dump (py-spy dump) show
 * the same process at the same moment.
 */
#ifndef FF_MERGE_STOPS_H
#define FF_MERGE_STOPS_H

#include "merge/part.h"

struct ff_stops_options {
    bool one_to_one; /* each Python frame has a loop of its own (CPython up to 3.10) */
    bool plumbing;   /* show the interpreter's carrying functions */
};

struct ff_stops_counts {
    uint64_t paired;    /* threads whose two stacks went together, with those of the next two: */
    uint64_t in_flight; /* one loop or frame at the leaf had no other side */
    uint64_t no_root;   /* the native stack is cut */
    uint64_t apart;     /* not paired: both stacks, a marker between */
    bool joined;        /* there was a pair of dumps */
};

/* Gives the samples of backtraces their Python frames, and their threads Python's names. A pair is
 * proven by the pid, where both tell it, and by half of the Python dump's OS thread ids; a core
 * file's backtrace tells thread ids only. Refused, and the reason becomes the message of NOTE (NULL
 * is fine): dumps of other processes or runs, several that fit one another, a file that holds several
 * stops. FF_NO_MEMORY is possible. Running it again changes nothing. */
enum ff_status ff_merge_stops(struct ff_profile *profile, struct ff_stops_options options,
                              struct ff_stops_counts *counts, struct ff_error *note);

#endif
