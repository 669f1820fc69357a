/* SPDX-License-Identifier: MIT
 *
 * Call chains to stack nodes. The hard thing is doing it once: a recording has far fewer distinct
 * chains than samples, so a chain is looked up as a whole before any of its addresses is.
 */
#include "read/perf_stack.h"
#include "read/perf_record.h"
#include "unwind/unwind.h"

#define CONTEXT_FIRST         ((uint64_t)-4095) /* every value from here on is a marker */
#define CONTEXT_KERNEL        ((uint64_t)-128)
#define CONTEXT_USER          ((uint64_t)-512)
#define CONTEXT_GUEST_KERNEL  ((uint64_t)-2176)
#define CONTEXT_GUEST_USER    ((uint64_t)-2560)
#define CONTEXT_USER_DEFERRED ((uint64_t)-640) /* a cookie follows, which is no address */

enum { CPU_MODE_KERNEL = 1, CPU_MODE_USER = 2, CPU_MODE_GUEST_KERNEL = 4 };

void ff_perf_stacks_init(struct ff_perf_stacks *stacks, struct ff_profile *profile)
{
    *stacks = (struct ff_perf_stacks){.profile = profile, .chain_count = 1};
    stacks->chains =
        ff_grow(NULL, &stacks->chain_capacity, 1, sizeof *stacks->chains, &stacks->failed);
    stacks->cache = ff_alloc(FF_PERF_CACHE_SIZE, sizeof *stacks->cache);
    stacks->failed |= !stacks->cache;
    stacks->words =
        ff_grow(NULL, &stacks->word_capacity, 1, sizeof *stacks->words, &stacks->failed);
}

void ff_perf_stacks_release(struct ff_perf_stacks *stacks)
{
    ff_space_release(&stacks->kernel);
    ff_free(stacks->chains);
    ff_map_release(&stacks->chain_map);
    ff_arena_release(&stacks->arena);
    ff_free(stacks->cache);
    ff_free(stacks->words);
}

/* Whose addresses come next in a chain. */
struct context {
    bool kernel, guest, first, guessed;
    uint64_t site; /* of the next address; 0: none */
};

static struct context context_of_mode(uint16_t cpu_mode)
{
    return (struct context){.kernel =
                                cpu_mode == CPU_MODE_KERNEL || cpu_mode == CPU_MODE_GUEST_KERNEL,
                            .guest = cpu_mode >= CPU_MODE_GUEST_KERNEL,
                            .first = true};
}

/* After a marker; one that is not known changes nothing but that an exact address follows. */
static struct context context_after(struct context context, uint64_t marker)
{
    bool guest = marker == CONTEXT_GUEST_KERNEL || marker == CONTEXT_GUEST_USER;
    if (marker == FF_UNWOUND_GUESSED) {
        context.guessed = true;
        return context;
    }
    context.first = true;
    if (marker == CONTEXT_KERNEL || marker == CONTEXT_USER || guest) {
        context.kernel = marker == CONTEXT_KERNEL || marker == CONTEXT_GUEST_KERNEL;
        context.guest = guest;
    }
    return context;
}

/* The frame at an address: where it stands, or, of a caller, the return address, which may already
 * belong to the next function. A guest's address lies in no mapping that we know. */
static uint32_t find_frame(struct ff_perf_stacks *stacks, const struct ff_space *space,
                           struct context context, uint64_t address)
{
    struct ff_frame frame = {
        .kind = context.kernel ? FF_FRAME_KERNEL : FF_FRAME_NATIVE,
        .how = context.guessed ? FF_HOW_GUESSED : FF_HOW_RECORDED,
        .place = context.first ? address : address - 1,
        .site = context.site,
    };
    const struct ff_space *where = context.kernel ? &stacks->kernel : space;
    const struct ff_span *span = context.guest ? NULL : ff_space_find(where, frame.place);
    if (span) {
        frame.module = span->module;
        uint8_t kind = stacks->profile->modules.at[span->module].kind;
        if (kind == FF_MODULE_ELF || kind == FF_MODULE_VDSO)
            frame.place = frame.place - span->start + span->file_offset;
    }
    return ff_frame_add(stacks->profile, frame);
}

/* The frame at an address, from the cache if the same address was asked for in the same address space
 * at the same moment of its life. */
static uint32_t frame_of(struct ff_perf_stacks *stacks, const struct ff_space *space,
                         struct context context, uint64_t address)
{
    const struct ff_space *where = context.kernel ? &stacks->kernel : space;
    uint64_t state = (uint64_t)where->owner << 36 | (uint64_t)where->epoch << 4 |
                     (uint64_t)context.guessed << 3 | (uint64_t)context.kernel << 2 |
                     (uint64_t)context.guest << 1 | context.first;
    struct ff_perf_cached *cached =
        &stacks->cache[(address ^ address >> 12 ^ state ^ context.site) % FF_PERF_CACHE_SIZE];
    if (cached->frame && cached->address == address && cached->state == state &&
        cached->site == context.site)
        return cached->frame;
    *cached = (struct ff_perf_cached){address, context.site, state,
                                      find_frame(stacks, space, context, address)};
    return cached->frame;
}

/* The chain stands leaf first; contexts follow each other from the kernel outwards. The tree wants
 * the root first, so the frames are found in place and pushed from the end. */
static uint32_t build(struct ff_perf_stacks *stacks, const struct ff_space *space,
                      uint16_t cpu_mode, uint64_t count)
{
    uint64_t *words = stacks->words;
    struct context context = context_of_mode(cpu_mode);
    uint64_t used = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (words[i] == FF_UNWOUND_SITE && i + 1 < count) {
            context.site = words[++i];
            continue;
        }
        if (words[i] >= CONTEXT_FIRST) {
            context = context_after(context, words[i]);
            i += words[i] == CONTEXT_USER_DEFERRED;
            continue;
        }
        words[used++] = frame_of(stacks, space, context, words[i]);
        context.first = false;
        context.site = 0;
    }
    uint32_t stack = 0;
    while (used > 0)
        stack = ff_stack_push(stacks->profile, stack, (uint32_t)words[--used]);
    return stack;
}

static bool has_address(const uint64_t *words, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (words[i] < CONTEXT_FIRST)
            return true;
    }
    return false;
}

/* Puts the unwound user side behind the kernel side of the recorded chain, which is in scratch. */
static uint64_t join_unwound(struct ff_perf_stacks *stacks, const struct ff_perf_sample *sample)
{
    uint64_t kernel = 0;
    while (kernel < sample->chain_count && stacks->words[kernel] != CONTEXT_USER)
        kernel++;
    if (!has_address(stacks->words, kernel))
        kernel = 0;
    stacks->words[kernel] = CONTEXT_USER;
    memcpy(stacks->words + kernel + 1, sample->unwound,
           sample->unwound_count * sizeof *stacks->words);
    return kernel + 1 + sample->unwound_count;
}

/* Puts the user side behind the promise of it, which is skipped with its cookie. */
static uint64_t join_deferred(struct ff_perf_stacks *stacks, const struct ff_perf_sample *sample)
{
    uint64_t used = sample->chain_count;
    stacks->words[used++] = CONTEXT_USER;
    memcpy(stacks->words + used, sample->deferred, sample->deferred_count * sizeof *stacks->words);
    return used + sample->deferred_count;
}

/* Puts the user side that the branches are behind the kernel side: where the newest call went, and where
 * each call stands, all of them exact. A chain without a user side has none here either: the branches
 * are older. Source: linux tools/perf/util/machine.c, resolve_lbr_callchain_sample. */
static uint64_t join_branches(struct ff_perf_stacks *stacks, const struct ff_perf_sample *sample)
{
    uint64_t used = 0;
    while (used < sample->chain_count && stacks->words[used] != CONTEXT_USER)
        used++;
    if (used == sample->chain_count)
        return used;
    stacks->words[used++] = CONTEXT_USER;
    memcpy(&stacks->words[used++], sample->branches + 8, 8);
    for (uint64_t i = 0; i < sample->branch_count; i++) {
        stacks->words[used++] = CONTEXT_USER;
        memcpy(&stacks->words[used++], sample->branches + i * FF_PERF_BRANCH_BYTES, 8);
    }
    return used;
}

/* Copies the chain, which is not aligned, to scratch; the sampled address where there is none. */
static uint64_t take_words(struct ff_perf_stacks *stacks, const struct ff_perf_sample *sample)
{
    uint64_t want = sample->chain_count + sample->unwound_count + 2 * sample->branch_count +
                    sample->deferred_count + 2;
    stacks->words = ff_grow(stacks->words, &stacks->word_capacity, want, sizeof *stacks->words,
                            &stacks->failed);
    if (stacks->word_capacity < want)
        return 0;
    if (sample->chain_count)
        memcpy(stacks->words, sample->chain, sample->chain_count * sizeof *stacks->words);
    if (sample->unwound_count)
        return join_unwound(stacks, sample);
    if (sample->deferred_count)
        return join_deferred(stacks, sample);
    if (sample->branch_count)
        return join_branches(stacks, sample);
    if (has_address(stacks->words, sample->chain_count))
        return sample->chain_count;
    if (sample->ip)
        stacks->words[0] = sample->ip;
    return sample->ip != 0;
}

static bool same_chain(const struct ff_perf_chain *a, const struct ff_perf_chain *b)
{
    return a->count == b->count && a->thread == b->thread && a->epoch == b->epoch &&
           a->kernel_epoch == b->kernel_epoch && a->cpu_mode == b->cpu_mode &&
           memcmp(a->words, b->words, a->count * sizeof *a->words) == 0;
}

/* A new entry with a copy of the words; entry 0 when memory is out. */
static struct ff_perf_chain *remember(struct ff_perf_stacks *stacks, uint64_t hash,
                                      struct ff_perf_chain chain)
{
    uint64_t *copy = ff_arena_take(&stacks->arena, chain.count * sizeof *copy);
    stacks->chains =
        ff_grow(stacks->chains, &stacks->chain_capacity, (uint64_t)stacks->chain_count + 1,
                sizeof *stacks->chains, &stacks->failed);
    if (!copy || stacks->chain_count == stacks->chain_capacity)
        return stacks->chains;
    if (chain.count)
        memcpy(copy, chain.words, chain.count * sizeof *copy);
    chain.words = copy;
    struct ff_perf_chain *entry = &stacks->chains[stacks->chain_count];
    *entry = chain;
    ff_map_add(&stacks->chain_map, hash, stacks->chain_count++);
    return entry;
}

struct ff_perf_chain *ff_perf_stacks_add(struct ff_perf_stacks *stacks,
                                         const struct ff_space *space, uint32_t thread,
                                         uint16_t cpu_mode, const struct ff_perf_sample *sample)
{
    /* First: it may move the words, and initialisers are evaluated in any order. */
    uint64_t count = take_words(stacks, sample);
    struct ff_perf_chain chain = {
        .count = count,
        .words = stacks->words,
        .thread = thread,
        .epoch = space->epoch,
        .kernel_epoch = stacks->kernel.epoch,
        .cpu_mode = cpu_mode,
    };
    struct ff_probe probe;
    uint64_t hash = ff_hash_bytes(chain.words, chain.count * sizeof *chain.words,
                                  (uint64_t)thread << 32 | space->epoch);
    for (uint32_t i = ff_map_first(&stacks->chain_map, hash, &probe); i;
         i = ff_map_next(&stacks->chain_map, &probe)) {
        if (same_chain(&stacks->chains[i], &chain))
            return &stacks->chains[i];
    }
    struct ff_perf_chain *entry = remember(stacks, hash, chain);
    entry->stack = build(stacks, space, cpu_mode, chain.count);
    return entry;
}
