/* SPDX-License-Identifier: MIT
 *
 * How likely each way is, given what was seen under a row of keys from specific to broad.
 */
#ifndef FF_MERGE_ODDS_H
#define FF_MERGE_ODDS_H

#include "merge/reference.h"

#define FF_ODDS_ONE ((uint64_t)1 << 30)

struct ff_odd {
    uint32_t way;
    uint64_t share; /* of FF_ODDS_ONE; the sum of all is at most that */
};

struct ff_odds {
    struct ff_odd *at; /* in the order of ways */
    uint32_t count, capacity;
    uint32_t level; /* the first level that was seen at all; the number of levels: none was */
    uint64_t seen;  /* reference samples behind it, on the broadest level that was used */
    uint64_t key;   /* of that level */
    bool failed;
};

/* Sets *odds for KEYS[0 .. levels). From the most specific key that was seen, broader ones are
 * asked until one was seen FF_ODDS_ENOUGH times; then, from the broadest back,
 *     share = (count + share of the broader level) / (seen + 1)
 * which is Dirichlet smoothing with one sample's worth of the broader level. Integers only. What was
 * counted under a key must have been counted under each broader one, too. The arrays of *odds are
 * used again from call to call. */
#define FF_ODDS_ENOUGH 16
void ff_odds_find(struct ff_odds *odds, const struct ff_reference *reference, const uint64_t *keys,
                  uint32_t levels);

/* Parts TOTAL by the shares: parts[i] for odds->at[i], each within one of its fair part, and the sum
 * is TOTAL exactly: what rounding leaves goes on to the next way. */
void ff_odds_part(const struct ff_odds *odds, uint64_t total, uint64_t *parts);

/* Keeps MANY of the ways at most, each for an equal share, where there are more: the ways at equal
 * distances along the row of shares, from a point that SEED sets. Over many seeds each
 * way is kept in proportion to its share, so that a large number of native stacks need not be parted
 * over a large number of ways each. Not to be parted by ff_odds_part twice. */
void ff_odds_thin(struct ff_odds *odds, uint32_t many, uint64_t seed);

void ff_odds_release(struct ff_odds *odds);

#endif
