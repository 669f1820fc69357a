/* SPDX-License-Identifier: MIT
 *
 * Python's names for call sites. A recording tells the calls of the evaluation loop apart
 * (ff_frame.site) without naming them; py-spy names ways without knowing sites. A *unit* is all native
 * stacks of one role with the same row of sites; they went the same way, so what their entry frames
 * say of it adds up. Sites that lie close together in memory are of one function.
 */
#ifndef FF_MERGE_SITES_H
#define FF_MERGE_SITES_H

#include "merge/odds.h"
#include "merge/shape.h"
#include "merge/ways.h"

struct ff_sites {
    const struct ff_profile *profile;
    const struct ff_parts *parts;
    const struct ff_ways *ways;
    const uint32_t *by_rank; /* borrowed: the way of an odd */
    uint64_t *values;        /* distinct sites, ascending */
    uint32_t *groups;        /* of a value: its function's number, from 1 on */
    uint32_t value_count;
    struct ff_map unit_map, theta_map;
    struct ff_site_unit *units; /* row 0 is none */
    uint32_t unit_count, unit_capacity;
    uint32_t *rows; /* group rows of units, one behind the other */
    uint32_t row_count, row_capacity;
    struct ff_site_seen *seen; /* kinds of entry in units */
    uint32_t seen_count, seen_capacity;
    struct ff_site_guess *guesses; /* ways of units */
    uint32_t guess_count, guess_capacity;
    struct ff_site_theta *thetas; /* weights of (group, function) */
    uint32_t theta_count, theta_capacity;
    uint64_t *group_totals;    /* by group: the sum of its weights */
    uint32_t *functions;       /* by frame: the first frame of the same function */
    uint64_t skipped, stepped; /* functions of ways without and with a loop, weighted */
    bool failed;
};

/* For the stacks of the profile. BY_RANK maps odds' ways to WAYS; all is borrowed. false: there are no
 * sites, or memory is out (failed). Release it in both cases. */
bool ff_sites_init(struct ff_sites *sites, const struct ff_profile *profile,
                   const struct ff_parts *parts, const struct ff_ways *ways,
                   const uint32_t *by_rank);

/* A native stack of ROLE (a key of the reference): ODDS is what its entry says, COUNT whole samples. Nothing happens where the stack has no site. */
void ff_sites_observe(struct ff_sites *sites, uint64_t role, uint32_t stack,
                      const struct ff_odds *odds, const struct ff_reference *reference,
                      uint64_t count);

/* Finds the likeliest way of each unit, after all were observed. */
void ff_sites_solve(struct ff_sites *sites);

/* Replaces *odds by the unit's ways. Returns the share (of FF_ODDS_ONE) of the ways that end in the
 * likeliest innermost function; 0: the stack is of no unit, or nothing is known; *odds is as before. */
uint64_t ff_sites_apply(const struct ff_sites *sites, uint64_t role, uint32_t stack,
                        struct ff_odds *odds);

void ff_sites_release(struct ff_sites *sites);

#endif
