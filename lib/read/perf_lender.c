/* SPDX-License-Identifier: MIT
 *
 * A second recording to donors of the first. The hard thing is the proof that both are of one process:
 * stack addresses of another run mean nothing, and would fit now and then all the same.
 */
#include "read/perf_lender.h"
#include "read/format.h"
#include "read/perf.h"

/* Equal mappings that prove: one may be a program that is always loaded at one address. */
#define EQUAL_MIN 2u

struct ff_perf_lender *ff_perf_lender_new(const char *path, struct ff_images *images)
{
    struct ff_perf_lender *lender = ff_alloc(1, sizeof *lender);
    size_t size = strlen(path) + 1;
    if (!lender)
        return NULL;
    lender->images = images;
    lender->path = ff_alloc(size, 1);
    if (lender->path) {
        memcpy(lender->path, path, size);
        return lender;
    }
    ff_free(lender);
    return NULL;
}

void ff_perf_lender_free(struct ff_perf_lender *lender)
{
    if (!lender)
        return;
    ff_perf_tasks_release(&lender->tasks);
    ff_stitcher_release(&lender->stitcher);
    ff_profile_free(lender->profile);
    ff_free(lender->path);
    ff_free(lender);
}

static enum ff_status open_recording(const struct ff_perf_lender *lender, struct ff_input *input,
                                     struct ff_error *error)
{
    enum ff_format format = FF_FORMAT_BINARY;
    if (strcmp(lender->path, "-") == 0)
        return ff_error_set(error, FF_USAGE, "donors cannot come from stdin; name the file");
    enum ff_status status = ff_input_open(input, lender->path, error);
    if (status != FF_OK)
        return status;
    status = ff_format_recognise(input, &format, error);
    if (status == FF_OK && format != FF_FORMAT_PERF_DATA && format != FF_FORMAT_PERF_PIPE)
        status =
            ff_error_set(error, FF_USAGE,
                         "%s: found %s, expected a perf.data recording with stack dumps as donors",
                         lender->path, ff_format_name(format));
    if (status != FF_OK)
        ff_input_close(input);
    return status;
}

enum ff_status ff_perf_lender_check(const struct ff_perf_lender *lender, struct ff_error *error)
{
    struct ff_input input;
    enum ff_status status = open_recording(lender, &input, error);
    if (status == FF_OK)
        ff_input_close(&input);
    return status;
}

/* Reads the whole recording, of which tasks and offers stay. */
static enum ff_status read_recording(struct ff_perf_lender *lender, struct ff_error *error)
{
    struct ff_selection all = {0};
    struct ff_input input;
    enum ff_status status = open_recording(lender, &input, error);
    if (status != FF_OK)
        return status;
    lender->profile = ff_profile_new();
    struct ff_unwinder *unwinder =
        lender->profile ? ff_unwinder_new(lender->profile, lender->images) : NULL;
    if (unwinder)
        status = ff_perf_read(
            lender->profile, &input, ff_text(lender->path),
            &(struct ff_perf_options){.selection = &all, .unwinder = unwinder, .lender = lender});
    else
        status = FF_NO_MEMORY;
    ff_unwinder_free(unwinder);
    ff_input_close(&input);
    if (status != FF_OK && lender->profile)
        *error = lender->profile->error;
    if (status == FF_OK && lender->stitcher.offers.count <= 1)
        status = ff_error_set(error, FF_BAD_INPUT,
                              "%s: found no complete stack, expected some as donors; record with "
                              "larger dumps, and name what has the unwind tables with --symbols",
                              lender->path);
    return status;
}

static bool same_module(const struct ff_profile *a, uint32_t a_id, const struct ff_profile *b,
                        uint32_t b_id)
{
    const struct ff_module *left = &a->modules.at[a_id], *right = &b->modules.at[b_id];
    return left->kind == right->kind && left->pid == right->pid &&
           ff_text_equal(ff_profile_text(a, left->path), ff_profile_text(b, right->path)) &&
           (!left->build_id || !right->build_id ||
            ff_text_equal(ff_profile_text(a, left->build_id), ff_profile_text(b, right->build_id)));
}

static const struct ff_perf_process *find_process(const struct ff_perf_tasks *tasks, uint32_t pid)
{
    for (uint32_t i = 1; i < tasks->process_count; i++) {
        if (tasks->processes[i].pid == pid)
            return &tasks->processes[i];
    }
    return NULL;
}

/* Only the last life of a thread can be the one that both recorded. */
static bool lends(struct ff_perf_lender *lender, const struct ff_offer *offer)
{
    return ff_perf_tasks_life(&lender->tasks, offer->task.pid, offer->task.tid) == offer->task.life;
}

static bool has_offers(struct ff_perf_lender *lender, uint32_t pid)
{
    const struct ff_offers *offers = &lender->stitcher.offers;
    for (uint32_t i = 1; i < offers->count; i++) {
        if (offers->at[i].task.pid == pid && lends(lender, &offers->at[i]))
            return true;
    }
    return false;
}

/* How a mapping of the lender stands in the other's address space. */
enum match { ABSENT, EQUAL, ELSEWHERE };

struct places {
    const struct ff_profile *profile;
    const struct ff_space *space;
};

static enum match match_span(const struct ff_profile *profile, const struct ff_span *span,
                             struct places other, const struct ff_span **found)
{
    enum match match = ABSENT;
    for (uint32_t i = 0; i < other.space->count && match != EQUAL; i++) {
        const struct ff_span *at = &other.space->spans[i];
        if (at->data || at->file_offset != span->file_offset ||
            !same_module(profile, span->module, other.profile, at->module))
            continue;
        match = at->start == span->start ? EQUAL : ELSEWHERE;
        *found = at;
    }
    return match;
}

/* Compares the executable mappings of a pid in both recordings. */
static enum ff_status compare(const struct ff_perf_lender *lender, uint32_t pid,
                              const struct ff_space *lends, struct places other, const char *name,
                              struct ff_error *error)
{
    uint32_t equal = 0;
    for (uint32_t i = 0; i < lends->count; i++) {
        const struct ff_span *span = &lends->spans[i], *found = NULL;
        uint8_t kind = lender->profile->modules.at[span->module].kind;
        if (span->data || (kind != FF_MODULE_ELF && kind != FF_MODULE_VDSO))
            continue;
        enum match match = match_span(lender->profile, span, other, &found);
        if (match == ELSEWHERE)
            return ff_error_set(
                error, FF_USAGE,
                "%s: found another process %u than in %s: %.*s is mapped at 0x%llx, "
                "there at 0x%llx; donors must be recorded from the same process",
                lender->path, pid, name, (int)ff_module_name(lender->profile, span->module).size,
                ff_module_name(lender->profile, span->module).at, (unsigned long long)span->start,
                (unsigned long long)found->start);
        equal += match == EQUAL;
    }
    if (equal < EQUAL_MIN)
        return ff_error_set(
            error, FF_USAGE,
            "%s: process %u: found %u of its executable mappings also in %s, expected "
            "at least %u to prove that it is the same process",
            lender->path, pid, equal, name, EQUAL_MIN);
    return FF_OK;
}

/* Checks every process that could lend. */
static enum ff_status compare_all(struct ff_perf_lender *lender, const struct ff_perf_tasks *tasks,
                                  struct ff_error *error)
{
    const struct ff_source *lends = &lender->profile->sources.at[lender->tasks.source];
    const struct ff_source *borrows = &tasks->profile->sources.at[tasks->source];
    const char *name = ff_profile_text(tasks->profile, borrows->name).at;
    uint32_t common = 0;
    enum ff_status status = FF_OK;
    if (lends->start_ns == borrows->start_ns && lends->end_ns == borrows->end_ns && lends->start_ns)
        return ff_error_set(
            error, FF_USAGE,
            "%s: found the recording %s itself, expected another one of the process "
            "as donors",
            lender->path, name); /* each of its stacks would agree with itself */
    for (uint32_t i = 1; i < lender->tasks.process_count && status == FF_OK; i++) {
        const struct ff_perf_process *process = &lender->tasks.processes[i];
        const struct ff_perf_process *other = find_process(tasks, process->pid);
        if (!other || !has_offers(lender, process->pid))
            continue;
        common++;
        status = compare(lender, process->pid, &process->space,
                         (struct places){tasks->profile, &other->space}, name, error);
    }
    if (status == FF_OK && !common)
        status =
            ff_error_set(error, FF_USAGE,
                         "%s: found no process that is also in %s; donors must be recorded from "
                         "the same process",
                         lender->path, name);
    return status;
}

/* The module's row in another profile. */
static uint32_t module_in(struct ff_profile *to, const struct ff_profile *from, uint32_t id)
{
    for (uint32_t i = 1; i < to->modules.count; i++) {
        if (same_module(from, id, to, i))
            return i;
    }
    struct ff_module module = from->modules.at[id];
    module.path = ff_profile_intern(to, ff_profile_text(from, module.path));
    module.build_id = ff_profile_intern(to, ff_profile_text(from, module.build_id));
    return id ? ff_module_add(to, module) : 0;
}

/* Puts the other profile's modules into activations: MODULES has those looked up before, else 0. */
static void translate(const struct ff_profile *from, struct ff_profile *to, uint32_t *modules,
                      struct ff_activation *activations, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t module = activations[i].module;
        if (!modules[module])
            modules[module] = module_in(to, from, module);
        activations[i].module = modules[module];
    }
}

enum ff_status ff_perf_lender_lend(struct ff_perf_lender *lender, struct ff_perf_tasks *tasks,
                                   struct ff_stitcher *stitcher, uint64_t *count,
                                   struct ff_error *error)
{
    const struct ff_offers *offers = &lender->stitcher.offers;
    lender->used = true;
    enum ff_status status = lender->profile ? FF_OK : read_recording(lender, error);
    if (status == FF_OK)
        status = compare_all(lender, tasks, error);
    if (status != FF_OK)
        return status;
    uint32_t *modules = ff_alloc(lender->profile->modules.count, sizeof *modules);
    struct ff_activation *activations = ff_alloc(ff_offers_depth(offers), sizeof *activations);
    for (uint32_t i = 1; modules && activations && i < offers->count; i++) {
        const struct ff_offer *offer = &offers->at[i];
        struct ff_task task = offer->task;
        if (!find_process(tasks, task.pid) || !lends(lender, offer))
            continue;
        task.life = ff_perf_tasks_life(tasks, task.pid, task.tid);
        ff_offers_get(offers, offer, activations);
        translate(lender->profile, stitcher->profile, modules, activations, offer->depth);
        ff_offers_add(&stitcher->offers, task, true, offer->count, activations, offer->depth);
        *count += offer->count;
    }
    stitcher->failed |= !modules || !activations;
    ff_free(modules);
    ff_free(activations);
    return FF_OK;
}
