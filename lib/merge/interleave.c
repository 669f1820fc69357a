/* SPDX-License-Identifier: MIT
 *
 * Two stacks to one. The hard thing is a number of loops that differs from that of entries: one at the
 * leaf may be in flight, a native stack may lack its root, and anything else is told and not guessed.
 */
#include "merge/interleave.h"
#include "merge/weave.h"

/* How the groups of Python frames meet the loops. */
struct plan {
    enum ff_interleaved result;
    uint32_t below; /* groups whose loops are not in the native stack: those of the root */
};

static void put(struct ff_interleave *interleave, struct ff_interleave_path *path, uint32_t frame)
{
    path->at = ff_grow(path->at, &path->capacity, (uint64_t)path->count + 1, sizeof *path->at,
                       &interleave->failed);
    if (path->count < path->capacity)
        path->at[path->count++] = (struct ff_interleave_frame){.frame = frame};
}

static void read_path(struct ff_interleave *interleave, struct ff_interleave_path *path,
                      uint32_t stack)
{
    const struct ff_profile *profile = interleave->profile;
    path->count = path->opened = 0;
    for (; stack; stack = profile->stacks.at[stack].parent)
        put(interleave, path, profile->stacks.at[stack].frame);
    for (uint32_t i = 0; i < path->count / 2; i++) {
        struct ff_interleave_frame frame = path->at[i];
        path->at[i] = path->at[path->count - 1 - i];
        path->at[path->count - 1 - i] = frame;
    }
}

static struct ff_text symbol_of(const struct ff_profile *profile, uint32_t frame)
{
    return ff_profile_text(profile, profile->frames.at[frame].symbol);
}

/* Opcode functions are parts of the loop that called them, and PyEval_EvalFrameEx only calls it;
 * functions that were inlined between do not count. */
static void find_loops(struct ff_interleave *interleave)
{
    const struct ff_profile *profile = interleave->profile;
    struct ff_interleave_path *path = &interleave->native;
    bool after_loop = false, after_caller = false;
    for (uint32_t i = 0; i < path->count; i++) {
        uint32_t frame = path->at[i].frame;
        uint8_t part = interleave->parts->of[frame];
        bool loop = part == FF_PART_EVAL || part == FF_PART_OPCODE;
        if (!loop && profile->frames.at[frame].kind == FF_FRAME_INLINED)
            continue;
        path->at[i].opens = loop && !after_caller && !(part == FF_PART_OPCODE && after_loop);
        path->opened += path->at[i].opens;
        after_loop = loop;
        after_caller =
            loop && ff_text_equal(symbol_of(profile, frame), FF_TEXT("PyEval_EvalFrameEx"));
    }
}

/* Returns whether the source told which frames are entries, or they need not be told. */
static bool find_groups(struct ff_interleave *interleave)
{
    struct ff_interleave_path *path = &interleave->python;
    bool told = true;
    for (uint32_t i = 0; i < path->count; i++) {
        uint8_t entry = interleave->profile->frames.at[path->at[i].frame].entry;
        told &= entry != FF_ENTRY_UNKNOWN;
        path->at[i].opens =
            i == 0 || interleave->one_to_one || entry == FF_ENTRY_ENTRY || entry == FF_ENTRY_SHIM;
        path->opened += path->at[i].opens;
    }
    return told || interleave->one_to_one;
}

/* Where threads and processes begin; gdb stops at main. */
static bool is_root(struct ff_text name)
{
    static const char *const roots[] = {"_start",  "__libc_start*", "start_thread",
                                        "main",    "clone",         "clone3",
                                        "__clone", "__clone3",      "__GI_*clone*"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        if (ff_text_glob(name, ff_text(roots[i])))
            return true;
    }
    return false;
}

/* Whether the interpreter itself is at work at the leaf, be it through the C library: only there may a
 * Python frame be that has no loop yet. */
static bool ends_in_interpreter(const struct ff_interleave *interleave)
{
    const struct ff_interleave_path *path = &interleave->native;
    for (uint32_t i = path->count; i-- > 0;) {
        uint8_t part = interleave->parts->of[path->at[i].frame];
        if (part != FF_PART_SYSTEM && part != FF_PART_KERNEL)
            return part == FF_PART_INTERPRETER || part == FF_PART_PLUMBING;
    }
    return false;
}

/* Frames are missing in between; or greenlets share the C stack, and the Python frames below a switch
 * are of another one than the native frames there. */
static bool is_mixed(const struct ff_interleave *interleave)
{
    const struct ff_profile *profile = interleave->profile;
    for (uint32_t i = 0; i < interleave->native.count; i++) {
        uint32_t frame = interleave->native.at[i].frame;
        struct ff_text module = ff_module_name(profile, profile->frames.at[frame].module);
        if (interleave->parts->of[frame] == FF_PART_MARKER ||
            ff_text_glob(module, FF_TEXT("_greenlet*.so")) ||
            ff_text_glob(module, FF_TEXT("greenlet*.so")))
            return true;
    }
    return false;
}

static struct plan make_plan(const struct ff_interleave *interleave, bool told, bool rooted)
{
    uint32_t loops = interleave->native.opened, groups = interleave->python.opened;
    if (!loops && !groups)
        return (struct plan){FF_INTERLEAVED_NOT, 0};
    if (is_mixed(interleave))
        return (struct plan){FF_INTERLEAVED_APART, 0};
    if (loops == groups)
        return (struct plan){FF_INTERLEAVED, 0};
    if (!rooted && loops < groups && (told || !loops))
        return (struct plan){FF_INTERLEAVED_NO_ROOT, groups - loops};
    if (told && (loops == groups + 1 || (groups == loops + 1 && ends_in_interpreter(interleave))))
        return (struct plan){FF_INTERLEAVED_IN_FLIGHT, 0};
    return (struct plan){FF_INTERLEAVED_APART, 0};
}

static void put_marker(struct ff_profile *profile, struct ff_weave *weave, const char *text)
{
    uint32_t marker = ff_frame_add(
        profile, (struct ff_frame){.kind = FF_FRAME_MARKER,
                                   .symbol = ff_profile_intern(profile, ff_text(text))});
    ff_weave_native(profile, weave, marker, FF_PART_MARKER, true);
}

/* Puts the next group; *at goes on behind it. */
static void put_group(struct ff_interleave *interleave, struct ff_weave *weave, uint32_t *at)
{
    const struct ff_interleave_path *path = &interleave->python;
    do {
        struct ff_frame row = interleave->profile->frames.at[path->at[*at].frame];
        row.how = FF_HOW_PAIRED;
        row.entry = FF_ENTRY_UNKNOWN; /* the frame below tells it now */
        ff_weave_python(interleave->profile, weave, ff_frame_add(interleave->profile, row));
        (*at)++;
    } while (*at < path->count && !path->at[*at].opens);
}

static uint32_t weave_together(struct ff_interleave *interleave, uint32_t below)
{
    struct ff_profile *profile = interleave->profile;
    const struct ff_interleave_path *native = &interleave->native;
    struct ff_weave weave = {0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < below; i++)
        put_group(interleave, &weave, &at);
    if (below)
        put_marker(profile, &weave, "[truncated native]");
    for (uint32_t i = 0; i < native->count; i++) {
        enum ff_part part = (enum ff_part)interleave->parts->of[native->at[i].frame];
        if (native->at[i].opens && at < interleave->python.count)
            put_group(interleave, &weave, &at);
        else if (native->at[i].opens)
            ff_weave_python(profile, &weave, ff_weave_unmatched(profile));
        else if (part != FF_PART_EVAL && part != FF_PART_OPCODE)
            ff_weave_native(profile, &weave, native->at[i].frame, part, interleave->plumbing);
    }
    if (at < interleave->python.count)
        put_group(interleave, &weave, &at);
    return weave.whole;
}

static uint32_t put_apart(struct ff_interleave *interleave)
{
    struct ff_profile *profile = interleave->profile;
    struct ff_weave weave = {0};
    for (uint32_t i = 0; i < interleave->python.count; i++)
        ff_weave_python(profile, &weave, interleave->python.at[i].frame);
    put_marker(profile, &weave, "[native, unpaired]");
    for (uint32_t i = 0; i < interleave->native.count; i++)
        weave.whole = ff_stack_push(profile, weave.whole, interleave->native.at[i].frame);
    return weave.whole;
}

enum ff_interleaved ff_interleave_stacks(struct ff_interleave *interleave, uint32_t native,
                                         uint32_t python, bool whole, uint32_t *merged)
{
    read_path(interleave, &interleave->native, native);
    read_path(interleave, &interleave->python, python);
    find_loops(interleave);
    bool told = find_groups(interleave);
    bool rooted =
        whole || (interleave->native.count &&
                  is_root(symbol_of(interleave->profile, interleave->native.at[0].frame)));
    struct plan plan = make_plan(interleave, told, rooted);
    *merged = native;
    if (plan.result == FF_INTERLEAVED_APART)
        *merged = put_apart(interleave);
    else if (plan.result != FF_INTERLEAVED_NOT)
        *merged = weave_together(interleave, plan.below);
    return plan.result;
}
