/* SPDX-License-Identifier: MIT
 *
 * Recorded addresses to stacks of the profile: context markers, mappings, one node per frame.
 */
#ifndef FF_READ_PERF_STACK_H
#define FF_READ_PERF_STACK_H

#include "profile/profile.h"
#include "profile/space.h"

struct ff_perf_sample;

/* A call chain that was seen before: of the same thread, in the same state of its address spaces. */
struct ff_perf_chain {
    const uint64_t *words; /* in the arena */
    uint64_t count;
    uint32_t thread, epoch, kernel_epoch;
    uint16_t cpu_mode;
    uint32_t stack;
    uint32_t sample; /* for the caller: the row that took the last such sample; 0: none */
};

/* A frame that was found before. */
struct ff_perf_cached {
    uint64_t address;
    uint64_t site;
    uint64_t state; /* whose address, at which moment of the space's life: mixed into one word */
    uint32_t frame;
};

#define FF_PERF_CACHE_SIZE 16384u

struct ff_perf_stacks {
    struct ff_profile *profile;
    struct ff_space kernel;       /* the running kernel and its modules */
    uint64_t kernel_anchor;       /* address of its first symbol; 0: not recorded */
    struct ff_perf_chain *chains; /* index 0 unused */
    uint32_t chain_count, chain_capacity;
    struct ff_map chain_map;
    struct ff_arena arena;
    struct ff_perf_cached *cache; /* FF_PERF_CACHE_SIZE, by address */
    uint64_t *words;              /* scratch: the chain at hand, aligned */
    uint32_t word_capacity;
    bool failed;
};

void ff_perf_stacks_init(struct ff_perf_stacks *stacks, struct ff_profile *profile);
void ff_perf_stacks_release(struct ff_perf_stacks *stacks);

/* The chain of a sample of THREAD, whose addresses are in SPACE: what was recorded, or the sampled
 * instruction alone where the record holds no other address (events without -g); where the user
 * side was unwound, that behind the recorded kernel side. Never NULL; its stack is 0 when the sample
 * has no address at all. Lives until the next call. */
struct ff_perf_chain *ff_perf_stacks_add(struct ff_perf_stacks *stacks,
                                         const struct ff_space *space, uint32_t thread,
                                         uint16_t cpu_mode, const struct ff_perf_sample *sample);

#endif
