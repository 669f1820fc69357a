/* SPDX-License-Identifier: MIT
 *
 * What a recorder of both worlds saw together: how often each way (ways.h) stood under each key. A
 * key is a hash of what a native stack shows, see conditional.c; one stack is counted under keys of
 * several levels, from the most specific to the broadest.
 */
#ifndef FF_MERGE_REFERENCE_H
#define FF_MERGE_REFERENCE_H

#include "profile/profile.h"

struct ff_reference_entry {
    uint64_t key;
    uint32_t way;
    uint64_t count; /* whole samples */
};

/* The entries of one key, and the sum of their counts. */
struct ff_reference_key {
    uint64_t key, total;
    uint32_t first, count;
};

/* All zero is empty. */
struct ff_reference {
    struct ff_reference_entry *at;
    uint32_t count, capacity;
    struct ff_reference_key *keys; /* ascending */
    uint32_t key_count, key_capacity;
    bool failed; /* memory is out: entries are missing */
};

void ff_reference_add(struct ff_reference *reference, uint64_t key, uint32_t way, uint64_t count);

/* Sorts and joins equal entries, by RANK of their way within a key; once, before ff_reference_find. */
void ff_reference_settle(struct ff_reference *reference, const uint32_t *rank);

/* The entries of a key, in the order of their ways; NULL: it was never seen. */
const struct ff_reference_key *ff_reference_find(const struct ff_reference *reference,
                                                 uint64_t key);

/* How often a way was seen under a key. */
uint64_t ff_reference_count(const struct ff_reference *reference,
                            const struct ff_reference_key *key, uint32_t way);

void ff_reference_release(struct ff_reference *reference);

#endif
