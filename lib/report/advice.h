/* SPDX-License-Identifier: MIT
 *
 * What to record next time, from unwind health. A stage of ff-doctor.
 */
#ifndef FF_REPORT_ADVICE_H
#define FF_REPORT_ADVICE_H

#include "report/health.h"

#define FF_ADVICE_LARGEST 65528u /* perf's largest dump, in bytes */
#define FF_ADVICE_RECORD                                                                           \
    200u /* of a sample beside its dump: chain, registers, head; a round figure */

/* Why to record again. */
enum ff_advice_kind {
    FF_ADVICE_NOTHING,   /* stacks are fine */
    FF_ADVICE_UNDECIDED, /* the numbers do not tell */
    FF_ADVICE_NO_DUMPS,  /* frame pointers are missing: record dumps */
    FF_ADVICE_DEEPER,    /* dumps were too short: record larger ones */
    FF_ADVICE_LIMIT,     /* dumps were too short and cannot be larger */
    FF_ADVICE_IMAGES     /* dumps were not unwound: nothing to record, give the libraries */
};

struct ff_advice {
    enum ff_advice_kind kind;
    uint32_t size_bytes; /* of a dump */
    uint64_t rate;       /* samples a second; 0: the event has none (each hit is a sample) */
    uint64_t all_rate;  /* samples a second of all threads, as recorded, rounded up; 0: not known */
    uint64_t cpu_bytes; /* a second, at most, on one CPU */
    uint32_t ring_mib;  /* a power of two that holds cpu_bytes of a second, 1 to 512 */
};

/* Decides, and sizes the next recording. The size for FF_ADVICE_DEEPER is the deepest missing word
 * plus the depth of the deepest complete stack (whose callers are taken for those of the cut ones),
 * in the next of 8, 16, 24, 32, 48, 64 KiB. */
struct ff_advice ff_advice_of(const struct ff_health *health);

/* Writes the advice: lines of at most 100 columns, two blanks ahead. */
void ff_advice_put(const struct ff_advice *advice, const struct ff_health *health,
                   struct ff_output *output);

#endif
