/* SPDX-License-Identifier: MIT
 *
 * The verdict as text: what is supported, ruled out, undecided, by which number; what to measure next.
 */
#ifndef FF_REPORT_VERDICT_H
#define FF_REPORT_VERDICT_H

#include "base/output.h"
#include "report/evidence.h"

/* The answer in a few sentences, for the head of a report; two blanks ahead, lines of at most 100
 * columns, as below. */
void ff_verdict_headline(const struct ff_evidence *evidence, struct ff_output *output);

/* All hypotheses with the number that decides each, warnings, and the commands to run next. */
void ff_verdict_put(const struct ff_evidence *evidence, struct ff_output *output);

/* Writes to PROSE what MEASURE came out as: "39.7 % (36.2-43.4 %) of samples ...: 279 of 702". */
struct ff_prose;
void ff_verdict_number(const struct ff_evidence *evidence, enum ff_measure_id measure,
                       struct ff_prose *prose);

/* What a measure that is missing needs, in a few words: "native stacks". */
const char *ff_verdict_need(enum ff_measure_id measure);

/* The command, or the words, that get a measure that is missing; the pid in it is that of the
 * stacks, else of the only process, else "PID". BYTES has room for 200. */
const char *ff_verdict_command(const struct ff_evidence *evidence, enum ff_measure_id measure,
                               char *bytes);

/* Lists the commands that would move a candidate or, if ALL, anything that is undecided. */
void ff_verdict_commands(const struct ff_evidence *evidence, bool all, const char *heading,
                         struct ff_output *output);

#endif
