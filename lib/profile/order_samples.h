/* SPDX-License-Identifier: MIT
 *
 * The part of profile/order.h that orders sample rows: by event, thread, stack, state, bucket, tags, as
 * those are ordered themselves.
 */
#ifndef FF_PROFILE_ORDER_SAMPLES_H
#define FF_PROFILE_ORDER_SAMPLES_H

#include "profile/order.h"

/* Numbers the samples; events, threads and stacks have their numbers already. False when memory is out. */
bool ff_order_samples(struct ff_order *order);

#endif
