/* SPDX-License-Identifier: MIT
 *
 * Threads and events of perf script text, as its heads name them.
 */
#ifndef FF_READ_PERF_SCRIPT_WHO_H
#define FF_READ_PERF_SCRIPT_WHO_H

#include "profile/profile.h"
#include "read/perf_script_line.h"

struct ff_script_who {
    struct ff_profile *profile;
    uint32_t source;
    struct ff_intern texts; /* comm and ids as printed -> threads */
    uint32_t *threads;      /* rows of the profile; 0: not made yet */
    uint32_t thread_capacity;
    struct ff_map tids;      /* (process, tid) -> rows */
    struct ff_intern events; /* names -> event_rows */
    uint32_t *event_rows;    /* of the profile; 0: not made yet */
    uint32_t event_capacity;
};

void ff_script_who_release(struct ff_script_who *who);

/* Rows of the profile, made at first sight. A thread under another name is a new row. */
uint32_t ff_script_who_thread(struct ff_script_who *who, const struct ff_script_head *head);
uint32_t ff_script_who_event(struct ff_script_who *who, const struct ff_script_head *head);

/* Whether an event of this name was there before. */
bool ff_script_who_knows(const struct ff_script_who *who, struct ff_text event);

#endif
