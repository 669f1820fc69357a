/* SPDX-License-Identifier: MIT
 *
 * Choosing: which source and event a picture shows, and which samples the user asked for.
 */
#ifndef FF_PROFILE_SELECT_H
#define FF_PROFILE_SELECT_H

#include "profile/profile.h"

/* The source that a report shows when the user named none: the one with the most samples in
 * complete stacks, then the most samples; perf before others at a tie, then the first. 0 if there
 * are no sources. */
uint32_t ff_select_main_source(const struct ff_profile *profile);

/* The same of the sources FIRST to END - 1. */
uint32_t ff_select_main_source_of(const struct ff_profile *profile, uint32_t first, uint32_t end);

/* The event of SOURCE with the most samples, the first at a tie; 0 if it has none. */
uint32_t ff_select_main_event(const struct ff_profile *profile, uint32_t source);

/* The source whose name is NAME, or the event of SOURCE whose name is NAME or NAME with modifiers
 * ("cycles" finds "cycles:u"); 0 if there is none. */
uint32_t ff_select_source(const struct ff_profile *profile, struct ff_text name);
uint32_t ff_select_event(const struct ff_profile *profile, uint32_t source, struct ff_text name);

#define FF_SELECT_MAX 32

/* A window of time in the source's own clock, in ns or, if `percent`, in 1/1000 of a percent of the
 * recording. */
struct ff_window {
    bool given, percent;
    uint64_t start, end;
};

/* What the user wants. All zero selects everything. Alternatives of one kind add up ("or"), kinds
 * restrict each other ("and"). Texts are globs and are borrowed from the caller. */
struct ff_selection {
    uint32_t pids[FF_SELECT_MAX], tids[FF_SELECT_MAX], cpus[FF_SELECT_MAX];
    struct ff_text comms[FF_SELECT_MAX], threads[FF_SELECT_MAX], events[FF_SELECT_MAX],
        buckets[FF_SELECT_MAX], tags[FF_SELECT_MAX];
    uint32_t pid_count, tid_count, cpu_count;
    uint32_t comm_count, thread_count, event_count, bucket_count, tag_count;
    struct ff_window window; /* readers only: aggregated samples have no time and no cpu */
};

/* Adds one option, e.g. ("pid", "590,591"), ("time", "51.5,52") in seconds, ("time", "10%,20%").
 * FF_USAGE with a message when the value does not fit. */
enum ff_status ff_selection_add(struct ff_selection *selection, const char *option,
                                const char *value, struct ff_error *error);

/* Removes the samples that the selection leaves out (pids, tids, comms, threads, events, buckets, tags)
 * and counts them in the ledger. */
enum ff_status ff_select(struct ff_profile *profile, const struct ff_selection *selection);

#endif
