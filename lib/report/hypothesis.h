/* SPDX-License-Identifier: MIT
 *
 * What may eat the CPU, as data: each hypothesis names the measures that decide it and the
 * thresholds for both sides. A pure function holds measures against them.
 *
 * A threshold is compared with an end of the interval, never with the value: a condition is true
 * when the whole interval lies on its side, false when the whole interval lies on the other. So
 * scarce data decide nothing. docs/verdicts.md says why each number.
 */
#ifndef FF_REPORT_HYPOTHESIS_H
#define FF_REPORT_HYPOTHESIS_H

#include "report/measure.h"

#define FF_CONDITIONS 6

enum ff_side { FF_ABOVE, FF_BELOW };

/* FF_ABOVE: true when low >= yes, false when high < no. FF_BELOW: true when high <= yes, false when
 * low > no. Anything else is open. */
struct ff_condition {
    uint8_t measure; /* enum ff_measure_id */
    uint8_t side;    /* enum ff_side */
    bool optional;   /* where it is not measured it is left out */
    uint32_t yes, no;
};

enum ff_hypothesis_id {
    FF_QUEUE_FULL,
    FF_GIL_CONVOY,
    FF_LAUNCH_COST,
    FF_DRIVER_LOCK,
    FF_LOCK_HOLDER,
    FF_DISPATCH,
    FF_PYTHON,
    FF_SYNC,
    FF_ALLOCATOR,
    FF_STARVED,
    FF_LIBRARY_LOCK,
    FF_START_UP,
    FF_CPU_WORK,
    FF_HYPOTHESIS_COUNT
};

struct ff_hypothesis {
    const char *word;                              /* in JSON */
    const char *title;                             /* a few words, for lists: "full launch queue" */
    const char *meaning;                           /* a sentence, for the one that holds */
    const char *advice;                            /* what to try, one line */
    struct ff_condition conditions[FF_CONDITIONS]; /* all must be true; the first is its mark */
    uint8_t count;
};

/* By enum ff_hypothesis_id, in the order in which they are named. */
extern const struct ff_hypothesis ff_hypotheses[FF_HYPOTHESIS_COUNT];

#define FF_ANSWER_TABLE(X)                                                                         \
    X(FF_ANSWER_YES, "yes")                                                                        \
    X(FF_ANSWER_NO, "no")                                                                          \
    X(FF_ANSWER_OPEN, "open") /* measured, and the interval does not tell */                       \
    X(FF_ANSWER_MISSING, "missing")                                                                \
    X(FF_ANSWER_LEFT_OUT, "left-out") /* optional and not measured */

#define FF_OUTCOME_TABLE(X)                                                                        \
    X(FF_UNDECIDED, "undecided")                                                                   \
    X(FF_SUPPORTED, "supported")                                                                   \
    X(FF_RULED_OUT, "ruled-out")

#define X(name, word) name,
enum ff_answer { FF_ANSWER_TABLE(X) FF_ANSWER_COUNT };
enum ff_outcome { FF_OUTCOME_TABLE(X) FF_OUTCOME_COUNT };
#undef X

const char *ff_answer_word(enum ff_answer answer);
const char *ff_outcome_word(enum ff_outcome outcome);

struct ff_finding {
    uint8_t outcome;                /* enum ff_outcome */
    uint8_t answers[FF_CONDITIONS]; /* enum ff_answer, by condition */
    uint8_t decisive;               /* the condition that explains it */
    bool candidate;                 /* undecided, and the value of its mark is on its side */
};

enum ff_answer ff_condition_answer(const struct ff_condition *condition,
                                   const struct ff_measure *measure);

/* Supported: every condition is true. Ruled out: one is false. Else undecided. */
struct ff_finding ff_hypothesis_test(const struct ff_hypothesis *hypothesis,
                                     const struct ff_measure measures[FF_MEASURE_COUNT]);

#endif
