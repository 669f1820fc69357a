/* SPDX-License-Identifier: MIT
 *
 * Who had an activation: the callers that one activation of a function had in other stacks. Only those
 * activations are kept that somebody needs.
 */
#ifndef FF_UNWIND_DONORS_H
#define FF_UNWIND_DONORS_H

#include "unwind/unwind.h"

/* Which address identifies an activation, the best first. The last two are for activations whose CFA
 * cannot be read. */
enum ff_donor_kind { FF_DONOR_CFA, FF_DONOR_SP, FF_DONOR_FRAME, FF_DONOR_KINDS };

struct ff_donor_key {
    struct ff_task task;
    uint32_t module;
    uint8_t kind; /* enum ff_donor_kind */
    uint64_t function, address;
};

/* One activation and one chain of callers that it had. */
struct ff_donor {
    struct ff_donor_key key;
    uint32_t callers; /* stack of the profile, of function frames */
    uint32_t count;   /* samples that had it */
    uint8_t hops;     /* 0: from complete stacks */
    bool gap;         /* something is missing inside of the callers */
    bool lent;        /* by another recording */
    uint64_t reach;   /* how far above the stack pointer the activation was, at most: bytes */
    bool tested;      /* for the stitcher's self-test */
};

struct ff_donors {
    struct ff_profile *profile;
    struct ff_donor_key *needed; /* index 0 unused */
    uint32_t needed_count, needed_capacity;
    struct ff_map needed_map;
    bool needed_kinds[FF_DONOR_KINDS];
    struct ff_donor *at; /* index 0 unused */
    uint32_t count, capacity;
    struct ff_map map; /* by key; one activation may have several callers */
    bool failed;
};

/* A stack that gives: its activations, innermost first, and the callers of the outermost one. */
struct ff_giver {
    struct ff_task task;
    uint32_t count; /* samples */
    uint32_t callers;
    uint8_t hops;
    bool gap; /* inside of these callers */
    bool lent;
    uint64_t reach_max; /* 0: as far as it goes; else that of the donors it was stitched from */
    const struct ff_activation *activations;
    uint32_t activation_count;
};

/* What the donors of a key say together. Those with a gap are asked only where there is no other. */
struct ff_donor_verdict {
    uint32_t callers; /* what all of them have in common, counted from the root */
    uint32_t count;   /* samples that serve; 0: no donor */
    bool agree;       /* all have the same callers */
    bool gap;         /* and these have a gap */
    bool lent;        /* all are of other recordings */
    uint64_t reach;   /* of the donor that reached furthest */
};

void ff_donors_init(struct ff_donors *donors, struct ff_profile *profile);
void ff_donors_release(struct ff_donors *donors);

/* False when the activation has no address of that kind. */
bool ff_donor_key_make(struct ff_donor_key *key, struct ff_task task,
                       const struct ff_activation *activation, enum ff_donor_kind kind);

/* Says that donors with this key will be asked for: before the stacks that have it give. */
void ff_donors_need(struct ff_donors *donors, const struct ff_donor_key *key);

/* Makes the needed activations of a stack donors. */
void ff_donors_give(struct ff_donors *donors, const struct ff_giver *giver);

/* Asks all donors of a key that are at most HOPS away, but for one sample of donor EXCEPT (0: none). */
struct ff_donor_verdict ff_donors_ask(const struct ff_donors *donors,
                                      const struct ff_donor_key *key, uint8_t hops,
                                      uint32_t except);

/* The donors of a key: their number, the next one's; 0 at the end. */
uint32_t ff_donors_first(const struct ff_donors *donors, const struct ff_donor_key *key,
                         struct ff_probe *probe);
uint32_t ff_donors_next(const struct ff_donors *donors, const struct ff_donor_key *key,
                        struct ff_probe *probe);

#endif
