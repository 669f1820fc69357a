/* SPDX-License-Identifier: MIT
 *
 * Debug information into the profile: lines into frames, inlined functions into stacks. The hard
 * thing is the prefix tree: one node becomes several, so every stack below it is another one. A
 * node has smaller ids above it, so one pass in the order of ids finds each parent's new id ready.
 */
#include "symbolize/inline.h"
#include "base/memory.h"
#include "image/dwarf.h"
#include "image/name.h"
#include "image/places.h"

struct inliner {
    struct ff_profile *profile;
    struct ff_images *images;
    unsigned int want;
    struct ff_name name;
    struct ff_intern raw; /* names as the files have them; each is demangled once */
    uint32_t *printed;    /* by raw name: text of the profile */
    uint32_t printed_capacity;
    uint32_t *chains; /* frame ids of inlined functions, each chain behind its length */
    uint32_t chain_count, chain_capacity;
    uint32_t *chain_of;   /* by frame: its chain in CHAINS; 0: none */
    uint32_t frame_count; /* of chain_of */
    uint32_t uncovered, damaged;
};

static uint32_t printed_name(struct inliner *inliner, const char *name)
{
    if (!name)
        return 0;
    uint32_t raw = ff_intern(&inliner->raw, ff_text(name));
    inliner->printed = ff_grow(inliner->printed, &inliner->printed_capacity, (uint64_t)raw + 1,
                               sizeof *inliner->printed, &inliner->profile->out_of_memory);
    if (raw >= inliner->printed_capacity)
        return 0;
    if (!inliner->printed[raw])
        inliner->printed[raw] =
            ff_profile_intern(inliner->profile, ff_name_symbol(&inliner->name, ff_text(name)));
    return inliner->printed[raw];
}

static void set_line(const struct inliner *inliner, struct ff_frame *frame,
                     const struct ff_dwarf_level *level)
{
    if (!(inliner->want & FF_INLINE_LINES) || !level->file)
        return;
    frame->file = ff_profile_intern(inliner->profile, ff_text(level->file));
    frame->line = level->line;
}

static void push_chain(struct inliner *inliner, uint32_t word)
{
    inliner->chains =
        ff_grow(inliner->chains, &inliner->chain_capacity, (uint64_t)inliner->chain_count + 1,
                sizeof *inliner->chains, &inliner->profile->out_of_memory);
    if (inliner->chain_count < inliner->chain_capacity)
        inliner->chains[inliner->chain_count++] = word;
}

static void add_chain(struct inliner *inliner, uint32_t id, const struct ff_dwarf_level *levels,
                      uint32_t count)
{
    inliner->chain_of[id] = inliner->chain_count;
    push_chain(inliner, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ff_frame *native = &inliner->profile->frames.at[id];
        struct ff_frame frame = {
            .kind = FF_FRAME_INLINED,
            .how = native->how,
            .named = levels[i].name ? FF_NAMED_SYMBOL : FF_NAMED_MODULE,
            .module = native->module,
            .place = native->place,
            .symbol = printed_name(inliner, levels[i].name),
        };
        set_line(inliner, &frame, &levels[i]);
        push_chain(inliner, ff_frame_add(inliner->profile, frame));
    }
}

static void apply(struct inliner *inliner, const struct ff_place *places, uint32_t count,
                  const uint32_t *numbers, const struct ff_dwarf_answer *answer)
{
    bool frames = inliner->want & FF_INLINE_FRAMES;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t known = answer->counts[numbers[i]];
        const struct ff_dwarf_level *levels = answer->levels + answer->first[numbers[i]];
        if (!known) {
            inliner->uncovered++;
            continue;
        }
        const struct ff_dwarf_level *own = frames ? levels : levels + known - 1;
        set_line(inliner, &inliner->profile->frames.at[places[i].frame], own);
        if (frames && known > 1)
            add_chain(inliner, places[i].frame, levels + 1, known - 1);
    }
}

static void ask(struct inliner *inliner, struct ff_dwarf *dwarf, const struct ff_place *places,
                uint32_t count)
{
    struct ff_dwarf_answer answer = {0};
    uint64_t *offsets = ff_alloc(count, sizeof *offsets);
    uint32_t *numbers = ff_alloc(count, sizeof *numbers);
    bool ready = offsets && numbers;
    uint32_t distinct = ready ? ff_places_distinct(places, count, offsets, numbers) : 0;
    if (ready && ff_dwarf_find(dwarf, offsets, distinct, &answer))
        apply(inliner, places, count, numbers, &answer);
    else
        inliner->profile->out_of_memory = true;
    inliner->damaged += answer.damaged;
    ff_dwarf_answer_release(&answer);
    ff_free(offsets);
    ff_free(numbers);
}

/* Drops places that stand for a function, not for an instruction. */
static uint32_t without_stitched(const struct ff_profile *profile, struct ff_place *places,
                                 uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (profile->frames.at[places[i].frame].how != FF_HOW_STITCHED)
            places[kept++] = places[i];
    }
    return kept;
}

static void ask_module(struct inliner *inliner, const struct ff_places *all, uint32_t module)
{
    const struct ff_profile *profile = inliner->profile;
    const struct ff_module *row = &profile->modules.at[module];
    uint32_t count;
    struct ff_place *places = ff_places_of(all, module, &count);
    if (row->kind != FF_MODULE_ELF && row->kind != FF_MODULE_VDSO)
        return;
    count = without_stitched(profile, places, count);
    if (!count)
        return;
    struct ff_image image = ff_images_find_module(inliner->images, profile, row);
    struct ff_dwarf *dwarf = image.debug ? ff_dwarf_open(image.debug) : NULL;
    if (!dwarf && image.elf)
        dwarf = ff_dwarf_open(image.elf);
    uint32_t kept = dwarf ? ff_places_to_module_offsets(places, count, image.elf) : 0;
    inliner->uncovered += count - kept;
    if (kept)
        ask(inliner, dwarf, places, kept);
    ff_dwarf_close(dwarf);
}

/* Where a stack of before goes on: BARE without the inlined functions of its last frame, FULL with
 * them. Inlined frames that are there already stand on the bare one. */
struct renumbering {
    uint32_t *bare, *full;
};

static void renumber(const struct inliner *inliner, const struct renumbering *to, uint32_t id)
{
    struct ff_profile *profile = inliner->profile;
    struct ff_stack stack = profile->stacks.at[id];
    bool inlined = profile->frames.at[stack.frame].kind == FF_FRAME_INLINED;
    uint32_t parent = inlined ? to->bare[stack.parent] : to->full[stack.parent];
    uint32_t chain = stack.frame < inliner->frame_count ? inliner->chain_of[stack.frame] : 0;
    uint32_t node = ff_stack_push(profile, parent, stack.frame);
    to->bare[id] = node;
    for (uint32_t i = 1; chain && i <= inliner->chains[chain]; i++)
        node = ff_stack_push(profile, node, inliner->chains[chain + i]);
    to->full[id] = node;
}

static void rewrite_stacks(const struct inliner *inliner)
{
    struct ff_profile *profile = inliner->profile;
    uint32_t count = profile->stacks.count;
    struct renumbering to = {ff_alloc(count, sizeof *to.bare), ff_alloc(count, sizeof *to.full)};
    if (to.bare && to.full) {
        for (uint32_t id = 1; id < count; id++)
            renumber(inliner, &to, id);
        for (uint32_t i = 1; i < profile->samples.count; i++)
            profile->samples.at[i].stack = to.full[profile->samples.at[i].stack];
        ff_sample_rebuild(profile);
    } else {
        profile->out_of_memory = true;
    }
    ff_free(to.bare);
    ff_free(to.full);
}

static void account(const struct inliner *inliner)
{
    struct ff_profile *profile = inliner->profile;
    ff_ledger_clear(profile, FF_LEDGER_NO_DEBUG_INFO);
    ff_ledger_clear(profile, FF_LEDGER_DEBUG_INFO_BAD);
    ff_ledger_add(profile, 0, FF_LEDGER_NO_DEBUG_INFO, inliner->uncovered);
    ff_ledger_add(profile, 0, FF_LEDGER_DEBUG_INFO_BAD, inliner->damaged);
}

enum ff_status ff_inline(struct ff_profile *profile, struct ff_images *images, unsigned int want)
{
    struct inliner inliner = {.profile = profile, .images = images, .want = want};
    struct ff_places places = {0};
    inliner.frame_count = profile->frames.count;
    inliner.chain_of = ff_alloc(inliner.frame_count, sizeof *inliner.chain_of);
    push_chain(&inliner, 0);
    if (inliner.chain_of && ff_places_init(&places, profile, false)) {
        for (uint32_t i = 1; i < profile->modules.count; i++)
            ask_module(&inliner, &places, i);
        /* A lost link of a chain would leave a length behind that is not true. */
        if (inliner.chain_count > 1 && ff_profile_status(profile) == FF_OK)
            rewrite_stacks(&inliner);
        account(&inliner);
    } else {
        profile->out_of_memory = true;
    }
    profile->out_of_memory |= inliner.name.failed || inliner.raw.failed || images->failed;
    ff_places_release(&places);
    ff_name_release(&inliner.name);
    ff_intern_release(&inliner.raw);
    ff_free(inliner.printed);
    ff_free(inliner.chains);
    ff_free(inliner.chain_of);
    return ff_profile_status(profile);
}
