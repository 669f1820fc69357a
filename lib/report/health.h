/* SPDX-License-Identifier: MIT
 *
 * Unwind health: how far the stacks of one source reach, where and why they end, what would have
 * held them. Only sums of what the profile says; nothing is judged but the frame pointers, and
 * those only when the interval allows it.
 */
#ifndef FF_REPORT_HEALTH_H
#define FF_REPORT_HEALTH_H

#include "base/output.h"
#include "profile/profile.h"

#define FF_HEALTH_SIZES 6

/* Dump sizes that are compared, in KiB. perf's largest is 65528 bytes, a word less than 64 KiB. */
extern const uint32_t ff_health_sizes[FF_HEALTH_SIZES];

/* From here on a dump is as large as a record can be, whatever was asked for: its size field has 16
 * bits, and chain and registers take up to 1.4 kB of them (Linux, perf_sample_ustack_size). */
#define FF_HEALTH_LIMIT_BYTES 64000u

/* A thread, or a library in which stacks end. Counts are in units of 1 / FF_COUNT_ONE. */
struct ff_health_row {
    struct ff_text name; /* of the thread or library; lives as long as the profile */
    uint32_t pid, tid;   /* threads only */
    uint64_t count;
    uint64_t states[FF_STATE_COUNT]; /* libraries: of stacks that end too early, before stitching
                                        where the profile tells (FF_STATE_TRUNCATED) */
};

/* A function whose caller stood behind the end of the dump. COUNT is in samples. */
struct ff_health_cut {
    struct ff_text module, function;
    uint64_t count;
    uint64_t least, most; /* bytes above SP of the first missing word */
};

/* What a dump of one size would have done; samples. */
struct ff_health_size {
    uint64_t held;      /* complete stacks that fit */
    uint64_t open;      /* cut stacks whose first missing word would be there; the next may not */
    uint64_t too_short; /* surely not held */
};

/* Whether recorded call chains show that code was built without frame pointers. */
enum ff_health_chains {
    FF_CHAINS_NONE,      /* there are none */
    FF_CHAINS_UNDECIDED, /* the numbers do not tell */
    FF_CHAINS_BROKEN,    /* surely fewer than half reach a root */
    FF_CHAINS_WHOLE      /* surely more than nine of ten reach a root */
};

/* A module as far as the frames of the source show it. */
struct ff_health_module {
    struct ff_text name;
    uint32_t id;
    uint32_t frames, named; /* distinct frames, and those with a symbol or function */
};

struct ff_health {
    const struct ff_profile *profile;
    uint32_t source, event;
    uint64_t total, states[FF_STATE_COUNT];
    uint64_t guessed; /* stacks with a guessed frame, of any state */

    struct ff_health_row *threads;    /* hottest first; ties by name, pid, tid */
    struct ff_health_row *libraries;  /* most ends first; ties by name */
    struct ff_health_cut *cuts;       /* most samples first; ties by function, module */
    struct ff_health_module *modules; /* those of used frames, by name */
    uint32_t thread_count, library_count, cut_count, module_count;

    /* From the depth rows; samples, of all events of the source, before stitching. */
    uint64_t complete, cut;
    uint32_t deepest_complete_kib, deepest_cut_kib;
    uint64_t least_missing, most_missing; /* bytes above SP of the first missing word */
    struct ff_health_size sizes[FF_HEALTH_SIZES];

    /* Of recorded chains with a user frame; samples. */
    uint64_t chains;       /* how many */
    uint64_t rooted;       /* end in a function that starts threads or programs */
    uint64_t maybe_rooted; /* end in code of a file that has no symbol: it may be such a function */
    uint64_t no_module;    /* have an address in no mapping */
    uint64_t shallow;      /* have fewer than FF_HEALTH_SHALLOW user frames */
    uint64_t kernel_only;  /* recorded, without a user frame: not in `chains` */
    enum ff_health_chains verdict;
};

#define FF_HEALTH_SHALLOW 6
#define FF_HEALTH_LEAST_N 30 /* chains below which nothing is said about frame pointers */

/* Of one source, and one of its events or, for 0, all: a stack is a stack, weights are not used.
 * FF_NO_MEMORY leaves numbers that still must be released. */
enum ff_status ff_health_init(struct ff_health *health, struct ff_profile *profile, uint32_t source,
                              uint32_t event);
void ff_health_release(struct ff_health *health);

/* Whether the dumps were as large as dumps can be: a larger one is not to be had. */
bool ff_health_at_limit(const struct ff_health *health);

/* Whether a native frame of the source has a name or a function. */
bool ff_health_has_names(const struct ff_health *health);

/* Whether threads or programs begin in FRAME: by its name; perhaps, in code of a file that has no symbol
 * for it. */
enum ff_health_root { FF_HEALTH_ROOT_NOT, FF_HEALTH_ROOT_PERHAPS, FF_HEALTH_ROOT_NAMED };
enum ff_health_root ff_health_root(const struct ff_profile *profile, uint32_t frame);

/* The health in a line, without line end: "unwind health: 159 of 318 complete, 36 stitched ...". */
void ff_health_line(const struct ff_health *health, struct ff_output *output);

#endif
