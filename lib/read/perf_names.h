/* SPDX-License-Identifier: MIT
 *
 * What perf's events are called, and what a name says about the event.
 */
#ifndef FF_READ_PERF_NAMES_H
#define FF_READ_PERF_NAMES_H

#include "profile/kinds.h"

/* The name of a hardware (type 0) or software event (type 1); NULL if perf has none for it. */
const char *ff_perf_name_of(uint32_t type, uint64_t config);

/* A name without its modifiers: "cycles:ppp" is "cycles"; a tracepoint's second part stays. */
struct ff_text ff_perf_name_plain(struct ff_text name);

/* The unit of an event's periods: "ns" of clocks and of time off the CPU, "cycles", else "events". */
struct ff_text ff_perf_name_unit(struct ff_text name);

/* What its samples are: each hit of a tracepoint, time off the CPU, or moments on it. */
enum ff_population ff_perf_name_population(struct ff_text name);

#endif
