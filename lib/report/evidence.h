/* SPDX-License-Identifier: MIT
 *
 * A profile's numbers for the verdict: the measures of measure.h, where each comes from, and whether
 * the stacks are good enough for one.
 *
 * A sample counts for or against a cause only if its stack can tell: it reaches a root and is not
 * suspiciously shallow, or a named call in it decides alone ("waits for the GIL", "is in a launch").
 * The others are hidden: they may be anything, and widen every interval upwards.
 */
#ifndef FF_REPORT_EVIDENCE_H
#define FF_REPORT_EVIDENCE_H

#include "profile/profile.h"
#include "report/hypothesis.h"

/* From here on no share of stacks is unsure by more than 10 points: Wilson's interval is widest at
 * 1/2, where it reaches z / (2 sqrt(n + z^2)) <= 0.1 for n >= 92.2. */
#define FF_EVIDENCE_LEAST_N 93

/* Why there is no verdict. */
#define FF_GATE_TABLE(X)                                                                           \
    X(FF_GATE_OPEN, "none")                                                                        \
    X(FF_GATE_NO_STACKS, "no-native-stacks")                                                       \
    X(FF_GATE_NO_BUCKETS, "not-classified")                                                        \
    X(FF_GATE_SELECTED, "selected") /* by bucket or tag: shares of the rest say nothing */         \
    X(FF_GATE_UNHEALTHY,                                                                           \
      "short-stacks") /* more than half of the samples are hidden, or are shallow */               \
    X(FF_GATE_FEW, "few-samples")

enum ff_gate {
#define X(name, word) name,
    FF_GATE_TABLE(X)
#undef X
};

const char *ff_gate_word(enum ff_gate gate);

#define FF_GPUS 64

/* One GPU. Utilisation in 1/1000. */
struct ff_gpu {
    uint32_t subject; /* "gpu 0" */
    uint32_t usable;  /* values that count */
    uint32_t dropped; /* rows of 0 beside busy ones: the sampler's fault, or a GPU that pauses */
    uint32_t median, low, high;
};

/* Who is on the CPU: a role with its threads. */
#define FF_HOT_ROLES 8
#define FF_HOT_TIDS  20 /* more cannot have a twentieth each */

struct ff_hot_role {
    uint32_t role; /* text; 0: threads without a name */
    uint32_t threads;
    uint32_t least, most; /* of one thread's CPU, 1/1000; 0, 0 when not known */
};

struct ff_evidence {
    struct ff_profile *profile;
    uint32_t source, event; /* whose stacks count; 0: none has native stacks */
    bool dump;              /* they are of a moment's dump: the hot threads of it */
    enum ff_gate gate;
    uint32_t pid;             /* of the process with most samples, which is the one that counts */
    uint64_t others;          /* samples of other processes */
    uint64_t samples, hidden; /* of that event (of a dump: of its hot threads); whole ones */
    uint64_t shallow;         /* those with suspiciously few frames, hidden or not */
    uint64_t foreign;         /* hidden ones in buckets that the measures do not know */
    bool uses_gpu;            /* a GPU call is on a stack, or a GPU was measured */
    uint32_t gil_source;      /* py-spy --gil; 0: none */
    bool gil_length_missing;  /* it is there, but not how long it was recorded */
    struct ff_gpu gpus[FF_GPUS]; /* busiest first */
    uint32_t gpu_count;
    struct ff_hot_role roles[FF_HOT_ROLES]; /* hottest first */
    uint32_t role_count;
    uint32_t hot_tids[FF_HOT_TIDS]; /* threads with a twentieth of these samples and more */
    uint32_t hot_tid_count;
    struct ff_measure measures[FF_MEASURE_COUNT];
    struct ff_finding findings[FF_HYPOTHESIS_COUNT];
};

/* Gathers everything and tests the hypotheses. The stacks are those of EVENT of SOURCE if these are
 * native ones of running threads, else of the recording that has most of them; a dump is the last
 * resort. FF_NO_MEMORY: the evidence is not to be used. Nothing to release. */
enum ff_status ff_evidence_gather(struct ff_evidence *evidence, struct ff_profile *profile,
                                  uint32_t source, uint32_t event);

/* For evidence.c: the numbers of files other than the stacks (evidence_side.c). */
void ff_evidence_gpus(struct ff_evidence *evidence);
void ff_evidence_gil(struct ff_evidence *evidence);
void ff_evidence_queue(struct ff_evidence *evidence);
void ff_evidence_roles(struct ff_evidence *evidence);

/* The thread's CPU in 1/1000 as top or pidstat has it, found by tid: the mean of the first such file's rows,
 * without the first of top where more follow; false when they have none. */
bool ff_evidence_cpu_share(const struct ff_profile *profile, uint32_t tid, uint32_t *share);

#endif
