/* SPDX-License-Identifier: MIT
 *
 * The rows behind struct ff_sites, for the two files that implement it.
 */
#ifndef FF_MERGE_SITES_TABLE_H
#define FF_MERGE_SITES_TABLE_H

#include "merge/bits.h"
#include "merge/sites.h"

/* Sites of one code object lie closer together than this: measured on CPython 3.12, where gaps of 0x100
 * to 0x400 part functions in 99.98 to 100 % of the weight. */
#define FF_SITE_GAP 0x400u

/* All native stacks of one role with the same row of groups: these went through the same functions. Its
 * parts are those with the same innermost site: these stand at the same line, too. */
struct ff_site_unit {
    uint64_t role;
    uint32_t row, length; /* in ff_sites.rows: groups, root first, 0 for a loop without site; of
                                    a part: its whole, and the number of the site's value */
    uint64_t count;       /* samples */
    uint32_t guesses, way_count; /* in ff_sites.guesses, by odds' way */
    uint32_t first_seen;         /* of a part: chain of what was seen at its entries */
    uint32_t whole;              /* of a part; 0: it is one */
    uint32_t first_part, next;   /* of a whole; of a part: the next one of the same whole */
};

/* How often an entry was seen in a unit, and what it says of the unit's ways: one row for each way that
 * it knows. */
struct ff_site_seen {
    uint32_t way;   /* an odd's */
    uint64_t share; /* of FF_ODDS_ONE: given the entry */
    uint64_t broad; /* the same given the role alone */
    uint64_t count; /* samples */
    uint32_t next;
};

/* A way of a unit. Bits: logarithm of a likelihood, in units of 1 / FF_BITS_ONE. */
struct ff_site_guess {
    uint32_t way;   /* an odd's */
    int64_t seen;   /* by the entries */
    uint64_t share; /* of FF_ODDS_ONE: how likely it is by all that is known */
};

/* How much of the weight of a group's sites is of a function. */
struct ff_site_theta {
    uint32_t group, function;
    uint64_t weight; /* samples times FF_ODDS_ONE / 2^10, as the last round found it */
    uint64_t next;   /* the same of this round, so far */
};

/* Finds a unit by role and row; 0: none. */
uint32_t ff_sites_unit(const struct ff_sites *sites, uint64_t role, const uint32_t *row,
                       uint32_t length);

/* Puts the groups of a stack's loops, root first, into ROW (room for MOST), and returns how many; 0 if
 * no loop has a site. *site is the number of the innermost site's value. */
uint32_t ff_sites_row(const struct ff_sites *sites, uint32_t stack, uint32_t *row, uint32_t most,
                      uint32_t *site);

/* The functions of an odds' way, root first, without the marks between clusters; returns how many. */
uint32_t ff_sites_functions(const struct ff_sites *sites, uint32_t way, uint32_t *functions,
                            uint32_t most);

/* The innermost function of an odds' way. */
uint32_t ff_sites_innermost(const struct ff_sites *sites, uint32_t way);

#define FF_SITE_DEPTH 256u /* loops of a stack; deeper ones are left alone */

#endif
