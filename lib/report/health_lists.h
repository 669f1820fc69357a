/* SPDX-License-Identifier: MIT
 *
 * The lists inside of unwind health: threads, libraries, functions, modules. For health.c only.
 */
#ifndef FF_REPORT_HEALTH_LISTS_H
#define FF_REPORT_HEALTH_LISTS_H

#include "report/health.h"

/* What is asked of a stack, for each stack of the profile. */
struct ff_health_shape {
    uint32_t outermost;   /* frame; 0: the stack is empty */
    uint32_t user_root;   /* outermost frame that is no kernel's and no marker; 0: none */
    uint32_t user_frames; /* how many of these */
    bool no_module;       /* one of them has an address in no mapping */
    bool guessed;         /* a frame is guessed */
    bool used;            /* by a sample of the source */
};

/* Whether a sample belongs to the source and event that are looked at. */
bool ff_health_counts(const struct ff_health *health, const struct ff_sample *sample);

/* Fills all lists; false when memory is out. Changes `used`. */
bool ff_health_list(struct ff_health *health, struct ff_profile *profile,
                    struct ff_health_shape *shapes);

#endif
