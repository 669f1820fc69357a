/* SPDX-License-Identifier: MIT
 *
 * Trampoline frames to Python frames, each stack from its caller's in one pass over the prefix tree.
 * The hard thing: what is hidden depends on the frame that comes next towards the leaf (weave.h).
 */
#include "merge/exact.h"
#include "merge/weave.h"

struct exact {
    struct ff_profile *profile;
    struct ff_parts parts;
    struct ff_weave *weaves; /* by stack */
    bool *wanted;            /* by stack: a sample's stack, or a part of one */
    uint32_t *python;        /* by frame: of a trampoline its Python frame; 0 = not made yet */
    uint8_t *has;            /* by stack: HAS_ bits of it and its callers */
    bool *process;           /* by process: it has trampolines */
    uint32_t stacks;         /* when the pass began */
    uint32_t unmatched;      /* the frame "[python]" */
    bool plumbing;
};

enum { HAS_TRAMPOLINE = 1, HAS_UNMATCHED = 2, ROOT_IS_TRAMPOLINE = 4 };

/* Where Python's own and installed libraries are, a path is cut behind it, as py-spy does. */
static struct ff_text short_file(struct ff_text file)
{
    static const char *const below[] = {"/site-packages/", "/dist-packages/"};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        ptrdiff_t at = ff_text_find_text(file, ff_text(below[i]));
        if (at >= 0)
            return ff_text_from(file, (size_t)at + strlen(below[i]));
    }
    ptrdiff_t at = ff_text_find_text(file, FF_TEXT("/lib/python"));
    if (at < 0)
        return file;
    struct ff_text rest = ff_text_from(file, (size_t)at + sizeof "/lib/python" - 1);
    ptrdiff_t slash = ff_text_find(rest, '/');
    return slash < 0 ? file : ff_text_from(rest, (size_t)slash + 1);
}

/* "py::qualname:file"; a qualified name has no colon. */
static uint32_t python_frame(struct exact *exact, uint32_t frame)
{
    if (exact->python[frame])
        return exact->python[frame];
    struct ff_profile *profile = exact->profile;
    const struct ff_frame *row = &profile->frames.at[frame];
    struct ff_text file = ff_text_from(ff_profile_text(profile, row->symbol), sizeof "py::" - 1);
    struct ff_text name = ff_text_cut(&file, ':');
    uint8_t how = row->how == FF_HOW_RECORDED ? FF_HOW_EXACT : row->how;
    uint32_t id = ff_frame_add(
        profile, (struct ff_frame){.kind = FF_FRAME_PYTHON,
                                   .how = how,
                                   .symbol = ff_profile_intern(profile, name),
                                   .file = ff_profile_intern(profile, short_file(file))});
    return exact->python[frame] = id;
}

static enum ff_part part_of_stack(const struct exact *exact, uint32_t stack)
{
    return (enum ff_part)exact->parts.of[exact->profile->stacks.at[stack].frame];
}

/* A loop that a trampoline called, or the opcode function of such a loop, has its frame already. */
static bool is_named_before(enum ff_part part, enum ff_part caller)
{
    return caller == FF_PART_TRAMPOLINE ||
           (part == FF_PART_OPCODE && (caller == FF_PART_EVAL || caller == FF_PART_OPCODE));
}

static void weave_stack(struct exact *exact, uint32_t stack)
{
    const struct ff_stack row = exact->profile->stacks.at[stack];
    enum ff_part part = part_of_stack(exact, stack), caller = part_of_stack(exact, row.parent);
    struct ff_weave weave = exact->weaves[row.parent];
    if (part == FF_PART_TRAMPOLINE)
        ff_weave_python(exact->profile, &weave, python_frame(exact, row.frame));
    else if (part != FF_PART_EVAL && part != FF_PART_OPCODE)
        ff_weave_native(exact->profile, &weave, row.frame, part, exact->plumbing);
    else if (!is_named_before(part, caller))
        ff_weave_python(exact->profile, &weave, exact->unmatched);
    exact->weaves[stack] = weave;
}

static void look_at_stacks(struct exact *exact)
{
    for (uint32_t i = 1; i < exact->stacks; i++) {
        uint32_t parent = exact->profile->stacks.at[i].parent;
        enum ff_part part = part_of_stack(exact, i);
        exact->has[i] = exact->has[parent];
        if (part == FF_PART_TRAMPOLINE)
            exact->has[i] |= parent ? HAS_TRAMPOLINE : HAS_TRAMPOLINE | ROOT_IS_TRAMPOLINE;
        else if ((part == FF_PART_EVAL || part == FF_PART_OPCODE) &&
                 !is_named_before(part, part_of_stack(exact, parent)))
            exact->has[i] |= HAS_UNMATCHED;
    }
}

static bool *process_of(const struct exact *exact, const struct ff_sample *sample)
{
    return &exact->process[exact->profile->threads.at[sample->thread].process];
}

static bool is_ours(const struct exact *exact, const struct ff_sample *sample)
{
    uint32_t source = ff_sample_source(exact->profile, sample);
    return exact->profile->sources.at[source].tool == FF_TOOL_PERF;
}

/* Which processes have trampolines, and which stacks their samples use. */
static bool find_wanted(struct exact *exact)
{
    const struct ff_profile *profile = exact->profile;
    bool any = false;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (is_ours(exact, sample) && exact->has[sample->stack] & HAS_TRAMPOLINE)
            any = *process_of(exact, sample) = true;
    }
    for (uint32_t i = 1; any && i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (is_ours(exact, sample) && *process_of(exact, sample))
            exact->wanted[sample->stack] = true;
    }
    for (uint32_t i = exact->stacks; any && i-- > 1;) {
        if (exact->wanted[i])
            exact->wanted[profile->stacks.at[i].parent] = true;
    }
    return any;
}

static void count_sample(const struct exact *exact, const struct ff_sample *sample,
                         struct ff_exact_counts *counts)
{
    uint8_t has = exact->has[sample->stack];
    uint64_t count = sample->count / FF_COUNT_ONE;
    if (has & HAS_UNMATCHED)
        counts->unmatched += count;
    else if (has & HAS_TRAMPOLINE)
        counts->exact += count;
    if (has & ROOT_IS_TRAMPOLINE)
        counts->cut_inside += count;
}

static void rewrite(struct exact *exact, struct ff_exact_counts *counts)
{
    struct ff_profile *profile = exact->profile;
    look_at_stacks(exact);
    if (!find_wanted(exact))
        return;
    exact->unmatched = ff_weave_unmatched(profile);
    for (uint32_t i = 1; i < exact->stacks; i++) {
        if (exact->wanted[i])
            weave_stack(exact, i);
    }
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        struct ff_sample *sample = &profile->samples.at[i];
        if (!is_ours(exact, sample) || !*process_of(exact, sample))
            continue;
        count_sample(exact, sample, counts);
        sample->stack = exact->weaves[sample->stack].whole;
    }
    ff_sample_rebuild(profile);
}

enum ff_status ff_merge_exact(struct ff_profile *profile, bool plumbing,
                              struct ff_exact_counts *counts)
{
    struct ff_exact_counts ignored = {0};
    struct exact exact = {.profile = profile,
                          .plumbing = plumbing,
                          .stacks = profile->stacks.count,
                          .weaves = ff_alloc(profile->stacks.count, sizeof *exact.weaves),
                          .wanted = ff_alloc(profile->stacks.count, sizeof *exact.wanted),
                          .has = ff_alloc(profile->stacks.count, sizeof *exact.has),
                          .python = ff_alloc(profile->frames.count, sizeof *exact.python),
                          .process = ff_alloc(profile->processes.count, sizeof *exact.process)};
    bool memory = exact.weaves && exact.wanted && exact.has && exact.python && exact.process;
    profile->out_of_memory |= !memory;
    if (ff_parts_init(&exact.parts, profile) == FF_OK)
        rewrite(&exact, counts ? counts : &ignored);
    ff_parts_release(&exact.parts);
    ff_free(exact.weaves);
    ff_free(exact.wanted);
    ff_free(exact.has);
    ff_free(exact.python);
    ff_free(exact.process);
    return ff_profile_status(profile);
}
