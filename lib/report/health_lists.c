/* SPDX-License-Identifier: MIT
 *
 * Threads, libraries, functions and modules of unwind health. The hard thing is that what a reader
 * takes for one library may be several modules: lists are by printed name, and sorted by what is
 * printed.
 */
#include "report/health_lists.h"
#include "report/summary.h"

#include <stdlib.h>

static int compare_counts(uint64_t a, uint64_t b)
{
    return a < b ? 1 : a > b ? -1 : 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct ff_health_row *x = a, *y = b;
    int order = compare_counts(x->count, y->count);
    order = order ? order : ff_text_compare(x->name, y->name);
    order = order ? order : compare_counts(y->pid, x->pid);
    return order ? order : compare_counts(y->tid, x->tid);
}

static bool list_threads(struct ff_health *health)
{
    const struct ff_profile *profile = health->profile;
    struct ff_health_row *rows = ff_alloc(profile->threads.count, sizeof *rows);
    uint32_t count = 0;
    health->threads = rows;
    for (uint32_t i = 1; rows && i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (!ff_health_counts(health, sample))
            continue;
        rows[sample->thread].count += sample->count;
        rows[sample->thread].states[sample->state] += sample->count;
    }
    for (uint32_t id = 0; rows && id < profile->threads.count; id++) {
        const struct ff_thread *thread = &profile->threads.at[id];
        if (!rows[id].count)
            continue;
        rows[count] = rows[id];
        rows[count].name = ff_profile_text(profile, ff_thread_label(profile, id));
        rows[count].pid = profile->processes.at[thread->process].pid;
        rows[count++].tid = thread->tid;
    }
    if (count)
        qsort(rows, count, sizeof *rows, compare_rows);
    health->thread_count = count;
    return rows;
}

static bool ends_early(enum ff_state state)
{
    return state == FF_STATE_TRUNCATED || state == FF_STATE_NO_RULE || state == FF_STATE_NO_MODULE;
}

/* The interned base name of each module; "[no module]" for none. NULL when memory is out. */
static uint32_t *name_modules(struct ff_profile *profile)
{
    uint32_t *names = ff_alloc(profile->modules.count, sizeof *names);
    for (uint32_t id = 0; names && id < profile->modules.count; id++)
        names[id] =
            ff_profile_intern(profile, id ? ff_module_name(profile, id) : FF_TEXT("[no module]"));
    return names;
}

/* Cut rows know all truncated stacks, samples only those that were not stitched. */
static void sum_libraries(const struct ff_health *health, const struct ff_health_shape *shapes,
                          const uint32_t *names, struct ff_health_row *rows)
{
    const struct ff_profile *profile = health->profile;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        enum ff_state state = (enum ff_state)sample->state;
        if (!ff_health_counts(health, sample) || !ends_early(state) ||
            (state == FF_STATE_TRUNCATED && health->most_missing))
            continue;
        const struct ff_frame *frame = &profile->frames.at[shapes[sample->stack].outermost];
        rows[names[frame->module]].states[state] += sample->count;
    }
    for (uint32_t i = 1; i < profile->cuts.count; i++) {
        const struct ff_cut *cut = &profile->cuts.at[i];
        uint32_t module = profile->frames.at[cut->frame].module;
        if (cut->source == health->source)
            rows[names[module]].states[FF_STATE_TRUNCATED] += cut->count * FF_COUNT_ONE;
    }
}

static bool list_libraries(struct ff_health *health, struct ff_profile *profile,
                           const struct ff_health_shape *shapes, const uint32_t *names)
{
    uint32_t texts = profile->texts.count ? profile->texts.count : 1, count = 0;
    struct ff_health_row *rows = ff_alloc(texts, sizeof *rows);
    if (!rows)
        return false;
    sum_libraries(health, shapes, names, rows);
    for (uint32_t id = 0; id < texts; id++) {
        for (unsigned state = 0; state < FF_STATE_COUNT; state++)
            rows[id].count += rows[id].states[state];
        if (!rows[id].count)
            continue;
        rows[count] = rows[id];
        rows[count++].name = ff_profile_text(profile, id);
    }
    if (count)
        qsort(rows, count, sizeof *rows, compare_rows);
    health->libraries = rows;
    health->library_count = count;
    return true;
}

static int compare_functions(const void *a, const void *b)
{
    const struct ff_health_cut *x = a, *y = b;
    int order = ff_text_compare(x->function, y->function);
    return order ? order : ff_text_compare(x->module, y->module);
}

static int compare_cuts(const void *a, const void *b)
{
    const struct ff_health_cut *x = a, *y = b;
    int order = compare_counts(x->count, y->count);
    return order ? order : compare_functions(a, b);
}

/* Rows that are printed alike become one; ROWS are sorted by what is printed. */
static uint32_t join_cuts(struct ff_health_cut *rows, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct ff_health_cut *last = kept ? &rows[kept - 1] : NULL;
        if (!last || compare_functions(last, &rows[i])) {
            rows[kept++] = rows[i];
            continue;
        }
        last->count += rows[i].count;
        last->least = rows[i].least < last->least ? rows[i].least : last->least;
        last->most = rows[i].most > last->most ? rows[i].most : last->most;
    }
    return kept;
}

static bool list_cuts(struct ff_health *health, struct ff_profile *profile, const uint32_t *names)
{
    struct ff_health_cut *rows = ff_alloc(profile->cuts.count, sizeof *rows);
    uint32_t count = 0;
    health->cuts = rows;
    for (uint32_t i = 1; rows && i < profile->cuts.count; i++) {
        const struct ff_cut *cut = &profile->cuts.at[i];
        if (cut->source != health->source || !cut->count)
            continue;
        uint32_t module = profile->frames.at[cut->frame].module;
        rows[count++] = (struct ff_health_cut){
            .module = ff_profile_text(profile, names[module]),
            .function = ff_profile_text(profile, ff_frame_name(profile, cut->frame)),
            .count = cut->count,
            .least = cut->least,
            .most = cut->most};
    }
    if (count) {
        qsort(rows, count, sizeof *rows, compare_functions);
        count = join_cuts(rows, count);
        qsort(rows, count, sizeof *rows, compare_cuts);
    }
    health->cut_count = count;
    return rows;
}

/* What a sample uses, its callers use. */
static void mark_callers(const struct ff_profile *profile, struct ff_health_shape *shapes)
{
    for (uint32_t id = profile->stacks.count; id-- > 1;) {
        if (shapes[id].used)
            shapes[profile->stacks.at[id].parent].used = true;
    }
}

static void count_frame(const struct ff_frame *frame, struct ff_health_module *modules)
{
    struct ff_health_module *module = &modules[frame->module];
    module->frames++;
    module->named += frame->named == FF_NAMED_SYMBOL || frame->named == FF_NAMED_FUNCTION ||
                     frame->named == FF_NAMED_RECORDED;
}

static int compare_modules(const void *a, const void *b)
{
    const struct ff_health_module *x = a, *y = b;
    int order = ff_text_compare(x->name, y->name);
    order = order ? order : compare_counts(x->frames, y->frames);
    return order ? order : compare_counts(y->id, x->id);
}

static bool list_modules(struct ff_health *health, struct ff_health_shape *shapes,
                         const uint32_t *names)
{
    const struct ff_profile *profile = health->profile;
    struct ff_health_module *rows = ff_alloc(profile->modules.count, sizeof *rows);
    bool *seen = ff_alloc(profile->frames.count, sizeof *seen);
    uint32_t count = 0;
    health->modules = rows;
    mark_callers(profile, shapes);
    for (uint32_t id = 1; rows && seen && id < profile->stacks.count; id++) {
        uint32_t frame = profile->stacks.at[id].frame;
        if (!shapes[id].used || seen[frame])
            continue;
        seen[frame] = true;
        count_frame(&profile->frames.at[frame], rows);
    }
    for (uint32_t id = 1; rows && id < profile->modules.count; id++) {
        if (rows[id].frames) {
            rows[count] = rows[id];
            rows[count].name = ff_profile_text(profile, names[id]);
            rows[count++].id = id;
        }
    }
    if (count)
        qsort(rows, count, sizeof *rows, compare_modules);
    health->module_count = count;
    bool good = rows && seen;
    ff_free(seen);
    return good;
}

bool ff_health_list(struct ff_health *health, struct ff_profile *profile,
                    struct ff_health_shape *shapes)
{
    uint32_t *names = name_modules(profile);
    bool good = names && list_threads(health) && list_libraries(health, profile, shapes, names) &&
                list_cuts(health, profile, names) && list_modules(health, shapes, names);
    ff_free(names);
    return good;
}
