/* SPDX-License-Identifier: MIT
 *
 * A numbering of a profile's rows by their content: equal profiles are numbered equally.
 */
#ifndef FF_PROFILE_ORDER_H
#define FF_PROFILE_ORDER_H

#include "profile/profile.h"

/* For one table: number[id] is the row's place in the order, from 1 (0: left out), old[number] the
 * way back, for numbers 1 .. count. */
struct ff_numbering {
    uint32_t *number, *old;
    uint32_t count;
};

/* Frames, stacks and modules that no sample uses are left out; sources keep their ids. */
struct ff_order {
    struct ff_profile *profile;
    bool by_name;
    struct ff_numbering events, modules, processes, threads, frames, stacks, samples, depths, cuts,
        ledger;
};

/* BY_NAME: frames that differ in their place alone have one number, and so have the stacks and samples
 * that then are equal; `old` is one of them. FF_NO_MEMORY leaves an order that still must be released.
 * The profile must not change as long as the order is used. */
enum ff_status ff_order_init(struct ff_order *order, struct ff_profile *profile, bool by_name);
void ff_order_release(struct ff_order *order);

#endif
