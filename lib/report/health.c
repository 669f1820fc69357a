/* SPDX-License-Identifier: MIT
 *
 * From samples, depth rows and cut rows to the sums of unwind health. The hard thing is not to walk
 * a stack for each sample: what is asked of a stack is its parent's answer and one frame, so one
 * pass over the tree answers for all.
 */
#include "report/health.h"
#include "report/health_lists.h"
#include "report/interval.h"
#include "report/summary.h"

const uint32_t ff_health_sizes[FF_HEALTH_SIZES] = {8, 16, 24, 32, 48, 64};

static bool is_user(const struct ff_frame *frame)
{
    return frame->kind != FF_FRAME_KERNEL && frame->kind != FF_FRAME_MARKER;
}

/* Callers have smaller ids than what they call. */
static void shape_stacks(const struct ff_profile *profile, struct ff_health_shape *shapes)
{
    for (uint32_t id = 1; id < profile->stacks.count; id++) {
        const struct ff_stack *stack = &profile->stacks.at[id];
        const struct ff_frame *frame = &profile->frames.at[stack->frame];
        struct ff_health_shape shape = shapes[stack->parent];
        shape.used = false;
        if (!stack->parent)
            shape.outermost = stack->frame;
        if (is_user(frame)) {
            shape.user_frames++;
            if (!shape.user_root)
                shape.user_root = stack->frame;
            shape.no_module |= frame->kind == FF_FRAME_NATIVE && !frame->module && !frame->symbol;
        }
        shape.guessed |= frame->how == FF_HOW_GUESSED;
        shapes[id] = shape;
    }
}

/* Where threads and programs begin: glibc, musl, Go. */
static bool is_root_name(struct ff_text name)
{
    static const char *const names[] = {"_start",
                                        "__libc_start_main",
                                        "__libc_start_main_impl",
                                        "__libc_start_call_main",
                                        "start_thread",
                                        "thread_start",
                                        "clone",
                                        "__clone",
                                        "clone3",
                                        "__clone3",
                                        "__clone_internal",
                                        "_start_c",
                                        "libc_start_main_stage2",
                                        "start",
                                        "runtime.goexit",
                                        "runtime.goexit.abi0",
                                        "runtime.mstart",
                                        "runtime.mstart.abi0",
                                        "runtime.rt0_go",
                                        "runtime.rt0_go.abi0",
                                        "_dl_start_user"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (ff_text_equal(name, ff_text(names[i])))
            return true;
    }
    return false;
}

enum ff_health_root ff_health_root(const struct ff_profile *profile, uint32_t frame)
{
    const struct ff_frame *root = &profile->frames.at[frame];
    if (root->symbol)
        return is_root_name(ff_profile_text(profile, root->symbol)) ? FF_HEALTH_ROOT_NAMED
                                                                    : FF_HEALTH_ROOT_NOT;
    return root->module && profile->modules.at[root->module].kind == FF_MODULE_ELF
               ? FF_HEALTH_ROOT_PERHAPS
               : FF_HEALTH_ROOT_NOT;
}

static void count_chain(struct ff_health *health, const struct ff_health_shape *shape,
                        uint64_t count)
{
    if (!shape->user_root) {
        health->kernel_only += count;
        return;
    }
    health->chains += count;
    if (shape->no_module)
        health->no_module += count;
    if (shape->user_frames < FF_HEALTH_SHALLOW)
        health->shallow += count;
    enum ff_health_root root = ff_health_root(health->profile, shape->user_root);
    health->rooted += root == FF_HEALTH_ROOT_NAMED ? count : 0;
    health->maybe_rooted += root == FF_HEALTH_ROOT_PERHAPS ? count : 0;
}

/* Only perf's own chains are asked: other recorders have other reasons for a stack to be short. */
static bool has_chains(const struct ff_health *health)
{
    return health->profile->sources.at[health->source].tool == FF_TOOL_PERF;
}

static void judge_chains(struct ff_health *health)
{
    uint64_t *const counts[] = {&health->chains,    &health->rooted,  &health->maybe_rooted,
                                &health->no_module, &health->shallow, &health->kernel_only};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        *counts[i] = ff_summary_samples(*counts[i]);
    if (!health->chains)
        return;
    uint64_t most = health->rooted + health->maybe_rooted;
    health->verdict = FF_CHAINS_UNDECIDED;
    if (health->chains < FF_HEALTH_LEAST_N)
        return;
    if (ff_interval_wilson(most, health->chains).high < 500)
        health->verdict = FF_CHAINS_BROKEN;
    else if (ff_interval_wilson(health->rooted, health->chains).low > 900)
        health->verdict = FF_CHAINS_WHOLE;
}

bool ff_health_counts(const struct ff_health *health, const struct ff_sample *sample)
{
    return sample->count && ff_sample_source(health->profile, sample) == health->source &&
           (!health->event || sample->event == health->event);
}

static void count_samples(struct ff_health *health, struct ff_health_shape *shapes)
{
    const struct ff_profile *profile = health->profile;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (!ff_health_counts(health, sample))
            continue;
        struct ff_health_shape *shape = &shapes[sample->stack];
        shape->used = true;
        health->total += sample->count;
        health->states[sample->state] += sample->count;
        if (shape->guessed)
            health->guessed += sample->count;
        if (sample->state == FF_STATE_RECORDED && has_chains(health))
            count_chain(health, shape, sample->count);
    }
    judge_chains(health);
}

static void count_size(struct ff_health *health, const struct ff_depth *row)
{
    for (uint32_t i = 0; i < FF_HEALTH_SIZES; i++) {
        struct ff_health_size *size = &health->sizes[i];
        bool fits = row->size_kib <= ff_health_sizes[i];
        /* A stack that the largest dump cut would be cut by the largest dump again. */
        if (!row->complete && ff_health_sizes[i] == 64 && ff_health_at_limit(health))
            fits = false;
        if (!fits)
            size->too_short += row->count;
        else if (row->complete)
            size->held += row->count;
        else
            size->open += row->count;
    }
}

static void count_depths(struct ff_health *health)
{
    const struct ff_profile *profile = health->profile;
    for (uint32_t i = 1; i < profile->cuts.count; i++) {
        const struct ff_cut *cut = &profile->cuts.at[i];
        if (cut->source != health->source)
            continue;
        if (!health->most_missing || cut->least < health->least_missing)
            health->least_missing = cut->least;
        if (cut->most > health->most_missing)
            health->most_missing = cut->most;
    }
    for (uint32_t i = 1; i < profile->depths.count; i++) {
        const struct ff_depth *row = &profile->depths.at[i];
        if (row->source != health->source || !row->count)
            continue;
        uint32_t *deepest =
            row->complete ? &health->deepest_complete_kib : &health->deepest_cut_kib;
        *deepest = row->size_kib > *deepest ? row->size_kib : *deepest;
        *(row->complete ? &health->complete : &health->cut) += row->count;
        count_size(health, row);
    }
}

bool ff_health_has_names(const struct ff_health *health)
{
    for (uint32_t i = 0; i < health->module_count; i++) {
        if (health->modules[i].named)
            return true;
    }
    return false;
}

bool ff_health_at_limit(const struct ff_health *health)
{
    return health->least_missing >= FF_HEALTH_LIMIT_BYTES;
}

enum ff_status ff_health_init(struct ff_health *health, struct ff_profile *profile, uint32_t source,
                              uint32_t event)
{
    *health = (struct ff_health){.profile = profile, .source = source, .event = event};
    struct ff_health_shape *shapes = ff_alloc(profile->stacks.count, sizeof *shapes);
    if (shapes) {
        shape_stacks(profile, shapes);
        count_samples(health, shapes);
        count_depths(health);
    }
    if (!shapes || !ff_health_list(health, profile, shapes))
        profile->out_of_memory = true;
    ff_free(shapes);
    return ff_profile_status(profile);
}

void ff_health_release(struct ff_health *health)
{
    ff_free(health->threads);
    ff_free(health->libraries);
    ff_free(health->cuts);
    ff_free(health->modules);
    *health = (struct ff_health){0};
}

static void put_chains(const struct ff_health *health, struct ff_output *output)
{
    uint64_t reach = health->rooted + health->maybe_rooted;
    ff_output_format(output, "%llu recorded",
                     (unsigned long long)ff_summary_samples(health->states[FF_STATE_RECORDED]));
    if (health->verdict == FF_CHAINS_BROKEN)
        ff_output_format(output, ", at most %llu reach a root (no frame pointers)",
                         (unsigned long long)reach);
    else
        ff_output_string(output, health->verdict == FF_CHAINS_WHOLE ? ", they reach their roots"
                                                                    : ", how far is undecided");
}

void ff_health_line(const struct ff_health *health, struct ff_output *output)
{
    static const uint8_t order[] = {FF_STATE_STITCHED, FF_STATE_GUESSED,   FF_STATE_TRUNCATED,
                                    FF_STATE_NO_RULE,  FF_STATE_NO_MODULE, FF_STATE_NOT_UNWOUND,
                                    FF_STATE_NO_FRAMES};
    ff_output_string(output, "unwind health: ");
    if (health->states[FF_STATE_RECORDED])
        put_chains(health, output);
    else
        ff_output_format(output, "%llu of %llu complete",
                         (unsigned long long)ff_summary_samples(health->states[FF_STATE_COMPLETE]),
                         (unsigned long long)ff_summary_samples(health->total));
    for (size_t i = 0; i < sizeof order; i++) {
        if (health->states[order[i]])
            ff_output_format(output, ", %llu %s",
                             (unsigned long long)ff_summary_samples(health->states[order[i]]),
                             ff_state_word((enum ff_state)order[i]));
    }
    if (health->states[FF_STATE_STITCHED] &&
        !ff_ledger_count(health->profile, health->source, FF_LEDGER_STITCH_TESTED))
        ff_output_string(output, " (stitching is not tested: no stack to test it with)");
}
