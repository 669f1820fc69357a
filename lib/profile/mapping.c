/* SPDX-License-Identifier: MIT
 *
 * Addresses to file offsets, after all inputs are read. The hard thing is to be sure of the process:
 * pids differ between containers, so the proof is that the address lies in a mapping of a file of
 * the recorded name, which with random addresses another process does not have there.
 */
#include "profile/mapping.h"

#include "profile/replace.h"

void ff_mapping_add(struct ff_profile *profile, struct ff_mapping mapping)
{
    if (mapping.start >= mapping.end)
        return;
    profile->mappings.at = ff_grow(profile->mappings.at, &profile->mappings.capacity,
                                   (uint64_t)profile->mappings.count + 1,
                                   sizeof *profile->mappings.at, &profile->out_of_memory);
    if (profile->mappings.count < profile->mappings.capacity)
        profile->mappings.at[profile->mappings.count++] = mapping;
}

/* The mappings of files with one name. */
struct candidates {
    const struct ff_mapping **at;
    uint32_t count;
};

static void find_candidates(const struct ff_profile *profile, uint32_t module,
                            struct candidates *candidates)
{
    struct ff_text name = ff_module_name(profile, module);
    candidates->count = 0;
    for (uint32_t i = 0; i < profile->mappings.count; i++) {
        const struct ff_mapping *mapping = &profile->mappings.at[i];
        if (ff_text_equal(ff_module_name(profile, mapping->module), name))
            candidates->at[candidates->count++] = mapping;
    }
}

static uint64_t file_offset(const struct ff_mapping *mapping, uint64_t address)
{
    return address - mapping->start + mapping->file_offset;
}

/* Two recordings of a process may differ in what they know of a file: its build-id, its inode. */
static bool is_same_file(const struct ff_module *a, const struct ff_module *b)
{
    return a->kind == b->kind && a->path == b->path &&
           (a->build_id == b->build_id || !a->build_id || !b->build_id);
}

static bool says_the_same(const struct ff_profile *profile, const struct ff_mapping *a,
                          const struct ff_mapping *b, uint64_t address)
{
    return is_same_file(&profile->modules.at[a->module], &profile->modules.at[b->module]) &&
           file_offset(a, address) == file_offset(b, address);
}

/* B, or A where that alone knows the build-id. */
static const struct ff_mapping *better(const struct ff_profile *profile, const struct ff_mapping *a,
                                       const struct ff_mapping *b, uint64_t address)
{
    bool keeps = a && says_the_same(profile, a, b, address) &&
                 profile->modules.at[a->module].build_id &&
                 !profile->modules.at[b->module].build_id;
    return keeps ? a : b;
}

/* The mapping that holds ADDRESS; NULL where there is none, or several that differ. A later one of a
 * process replaces what was there. */
static const struct ff_mapping *find_mapping(const struct ff_profile *profile,
                                             const struct candidates *candidates, uint64_t address,
                                             uint32_t pid)
{
    const struct ff_mapping *any = NULL, *own = NULL;
    bool differ = false;
    for (uint32_t i = 0; i < candidates->count; i++) {
        const struct ff_mapping *mapping = candidates->at[i];
        if (address < mapping->start || address >= mapping->end)
            continue;
        differ |= any && !says_the_same(profile, any, mapping, address);
        any = better(profile, any, mapping, address);
        if (pid && mapping->pid == pid)
            own = better(profile, own, mapping, address);
    }
    return own ? own : differ ? NULL : any;
}

/* The frame with a file offset; OUTSIDE (a replacement that stands for none) where no mapping of its
 * file's name holds the address. */
#define OUTSIDE UINT32_MAX
static uint32_t place_frame(struct ff_profile *profile, const struct candidates *candidates,
                            uint32_t frame)
{
    struct ff_frame row = profile->frames.at[frame];
    const struct ff_mapping *mapping =
        find_mapping(profile, candidates, row.place, profile->modules.at[row.module].pid);
    if (!mapping)
        return OUTSIDE;
    row.place = file_offset(mapping, row.place);
    row.module = mapping->module;
    row.named = FF_NAMED_NOT;
    return ff_frame_add(profile, row);
}

static bool place_module(struct ff_profile *profile, struct candidates *candidates, uint32_t module,
                         uint32_t frame_count, uint32_t *replacement)
{
    bool any = false;
    find_candidates(profile, module, candidates);
    for (uint32_t i = 1; candidates->count && i < frame_count; i++) {
        const struct ff_frame *frame = &profile->frames.at[i];
        if (frame->module == module && frame->kind == FF_FRAME_NATIVE)
            replacement[i] = place_frame(profile, candidates, i);
        any |= replacement[i] != i;
    }
    return any;
}

/* Counts for each source the addresses that lie outside; a source with most of its addresses there
 * is of another process or another run. Then those frames stay as they are. */
static void judge_sources(struct ff_profile *profile, uint32_t *replacement, uint32_t count)
{
    struct tally {
        uint64_t placed, outside;
    } *tallies = ff_alloc(profile->sources.count, sizeof *tallies);
    profile->out_of_memory |= !tallies;
    for (uint32_t i = 1; tallies && i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        struct tally *tally = &tallies[ff_sample_source(profile, sample)];
        for (uint32_t at = sample->stack; at; at = profile->stacks.at[at].parent) {
            uint32_t frame = profile->stacks.at[at].frame;
            tally->outside += frame < count && replacement[frame] == OUTSIDE;
            tally->placed +=
                frame < count && replacement[frame] != OUTSIDE && replacement[frame] != frame;
        }
    }
    for (uint32_t i = 1; tallies && i < profile->sources.count; i++) {
        if (tallies[i].outside > tallies[i].placed)
            ff_ledger_add(profile, i, FF_LEDGER_ADDRESSES_OUTSIDE, tallies[i].outside);
    }
    for (uint32_t i = 0; i < count; i++)
        replacement[i] = replacement[i] == OUTSIDE ? i : replacement[i];
    ff_free(tallies);
}

void ff_mapping_place_frames(struct ff_profile *profile)
{
    uint32_t modules = profile->modules.count, frames = profile->frames.count;
    struct candidates candidates = {0};
    uint32_t *replacement = NULL;
    bool any = false;
    for (uint32_t i = 1; i < modules && profile->mappings.count; i++) {
        if (profile->modules.at[i].kind != FF_MODULE_UNPLACED)
            continue;
        if (!replacement) {
            candidates.at = ff_alloc(profile->mappings.count, sizeof(void *));
            replacement = ff_frame_replacement(profile);
        }
        if (replacement && candidates.at)
            any |= place_module(profile, &candidates, i, frames, replacement);
    }
    if (profile->mappings.count)
        ff_ledger_clear(profile, FF_LEDGER_ADDRESSES_OUTSIDE);
    if (replacement)
        judge_sources(profile, replacement, frames);
    if (any)
        ff_ledger_add(profile, 0, FF_LEDGER_ADDRESSES_PLACED,
                      ff_frame_replace(profile, replacement, frames));
    ff_free(candidates.at);
    ff_free(replacement);
}
