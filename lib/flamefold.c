/* SPDX-License-Identifier: MIT
 *
 * The public API: each verb checks its arguments and hands over to one stage. The hard thing is the
 * grade of an answer: whatever is damaged, what could be read counts, and is said to be partial.
 */
#include "flamefold_handle.h"

#include "classify/classify.h"
#include "fold/compat.h"
#include "image/pack.h"
#include "profile/mapping.h"
#include "read/format.h"
#include "read/perf_lender.h"
#include "read/read.h"
#include "symbolize/inline.h"
#include "symbolize/symbolize.h"

#include <stdio.h>

struct flamefold *flamefold_new(void)
{
    struct flamefold *flamefold = ff_alloc(1, sizeof *flamefold);
    if (!flamefold)
        return NULL;
    flamefold->profile = ff_profile_new();
    flamefold->images = ff_images_new();
    if (flamefold->profile && flamefold->images)
        flamefold->unwinder = ff_unwinder_new(flamefold->profile, flamefold->images);
    if (flamefold->unwinder)
        return flamefold;
    flamefold_free(flamefold);
    return NULL;
}

void flamefold_free(struct flamefold *flamefold)
{
    if (!flamefold)
        return;
    for (uint32_t i = 0; i < flamefold->lender_count; i++)
        ff_perf_lender_free(flamefold->lenders[i]);
    ff_free(flamefold->lenders);
    ff_free(flamefold->told);
    ff_unwinder_free(flamefold->unwinder);
    ff_profile_free(flamefold->profile);
    ff_images_free(flamefold->images);
    ff_rules_free(flamefold->rules);
    ff_free(flamefold);
}

bool flamefold_is_empty(const struct flamefold *flamefold)
{
    return flamefold->profile->samples.count <= 1;
}

const char *flamefold_version(void)
{
    return FF_VERSION;
}

const char *flamefold_message(const struct flamefold *flamefold)
{
    return flamefold->message;
}

enum flamefold_status flamefold_answer(struct flamefold *flamefold, enum ff_status status,
                                       struct ff_error *error)
{
    flamefold->message[0] = '\0';
    if (status != FF_OK && status != FF_END) {
        const char *text = error->status != FF_OK ? error->message : ff_status_text(status);
        snprintf(flamefold->message, sizeof flamefold->message, "%s", text);
    }
    *error = (struct ff_error){0};
    if (status == FF_OK || status == FF_END)
        return FLAMEFOLD_OK;
    return status == FF_USAGE ? FLAMEFOLD_USAGE : FLAMEFOLD_FAILED;
}

enum flamefold_status flamefold_answer_profile(struct flamefold *flamefold, enum ff_status status)
{
    return flamefold_answer(flamefold, status, &flamefold->profile->error);
}

enum flamefold_status flamefold_answer_noted(struct flamefold *flamefold, enum ff_status status,
                                             struct ff_error *note)
{
    enum flamefold_status grade = flamefold_answer_profile(flamefold, status);
    if (grade != FLAMEFOLD_OK || note->status == FF_OK)
        return grade;
    flamefold_answer(flamefold, note->status, note);
    return FLAMEFOLD_LEFT_OUT;
}

enum flamefold_status flamefold_select(struct flamefold *flamefold, const char *option,
                                       const char *value)
{
    struct ff_error error = {0};
    return flamefold_answer(flamefold,
                            ff_selection_add(&flamefold->selection, option, value, &error), &error);
}

/* The selection took everything: what there would have been, in a few words. */
static enum ff_status nothing_left(struct ff_profile *profile)
{
    char events[200] = "";
    size_t used = 0;
    for (uint32_t i = 1; i < profile->events.count && used < sizeof events; i++)
        used += (size_t)snprintf(events + used, sizeof events - used, "%s%s", i > 1 ? ", " : "",
                                 ff_profile_text(profile, profile->events.at[i].name).at);
    return ff_error_set(&profile->error, FF_BAD_INPUT,
                        "the selection leaves no sample; the events are: %s", events);
}

enum flamefold_status flamefold_filter(struct flamefold *flamefold)
{
    struct ff_profile *profile = flamefold->profile;
    uint32_t before = profile->samples.count;
    struct ff_error note = {0};
    enum ff_status status = flamefold_settle(flamefold, &note);
    if (status == FF_OK)
        status = ff_select(profile, &flamefold->selection);
    if (status == FF_OK && before > 1 && profile->samples.count == 1)
        status = nothing_left(profile);
    return flamefold_answer_noted(flamefold, status, &note);
}

void flamefold_on_progress(struct flamefold *flamefold,
                           void (*tell)(void *context, uint64_t offset, uint64_t size),
                           void *context)
{
    flamefold->progress = (struct ff_progress){tell, context};
}

void flamefold_live_symbols(struct flamefold *flamefold, bool allowed)
{
    flamefold->images->system = allowed;
}

void flamefold_verified_only(struct flamefold *flamefold, bool wanted)
{
    flamefold->images->verified_only = wanted;
}

void flamefold_stitching(struct flamefold *flamefold, bool allowed)
{
    flamefold->no_stitching = !allowed;
}

enum flamefold_status flamefold_compat(struct flamefold *flamefold, const char *words)
{
    struct ff_compat_options options = {0};
    struct ff_error *error = &flamefold->profile->error;
    enum ff_status status = ff_compat_parse(&options, ff_text(words), error);
    flamefold->no_open_sample = !options.inferno;
    return flamefold_answer_profile(flamefold, status);
}

void flamefold_times(struct flamefold *flamefold, bool exact)
{
    flamefold->profile->exact_times = exact;
}

void flamefold_threads(struct flamefold *flamefold, unsigned count)
{
    flamefold->threads = count;
}

void flamefold_frame_pointers(struct flamefold *flamefold, bool wanted)
{
    ff_unwinder_frame_pointers(flamefold->unwinder, wanted);
}

enum flamefold_status flamefold_donors(struct flamefold *flamefold, const char *path)
{
    struct ff_error error = {0};
    bool failed = false;
    flamefold->lenders =
        ff_grow(flamefold->lenders, &flamefold->lender_capacity,
                (uint64_t)flamefold->lender_count + 1, sizeof *flamefold->lenders, &failed);
    struct ff_perf_lender *lender = failed ? NULL : ff_perf_lender_new(path, flamefold->images);
    enum ff_status status = lender ? ff_perf_lender_check(lender, &error) : FF_NO_MEMORY;
    if (status == FF_OK)
        flamefold->lenders[flamefold->lender_count++] = lender;
    else
        ff_perf_lender_free(lender);
    return flamefold_answer(flamefold, status, &error);
}

void flamefold_inlines(struct flamefold *flamefold, bool lines, bool inlined)
{
    flamefold->lines = lines;
    flamefold->inlined = inlined;
}

enum flamefold_status flamefold_symbolize(struct flamefold *flamefold)
{
    struct ff_profile *profile = flamefold->profile;
    unsigned int want =
        (flamefold->lines ? FF_INLINE_LINES : 0u) | (flamefold->inlined ? FF_INLINE_FRAMES : 0u);
    struct ff_error note = {0};
    enum ff_status status = flamefold_settle(flamefold, &note);
    if (status == FF_OK)
        status = ff_symbolize(profile, flamefold->images);
    if (status == FF_OK && want)
        status = ff_inline(profile, flamefold->images, want);
    return flamefold_answer_noted(flamefold, status, &note);
}

enum flamefold_status flamefold_merging(struct flamefold *flamefold, const char *method,
                                        bool plumbing)
{
    struct ff_error error = {0};
    int word = ff_merge_method_parse(ff_text(method));
    if (word < 0)
        return flamefold_answer(flamefold,
                                ff_error_set(&error, FF_USAGE,
                                             "unknown method '%s'; known are " FF_MERGE_METHODS,
                                             method),
                                &error);
    flamefold->merging =
        (struct ff_merge_options){.method = (enum ff_merge_method)word, .plumbing = plumbing};
    return FLAMEFOLD_OK;
}

enum flamefold_status flamefold_merge(struct flamefold *flamefold)
{
    struct ff_error note = {0};
    bool joined = false;
    enum ff_status status = ff_merge(flamefold->profile, flamefold->merging, &joined, &note);
    enum flamefold_status grade = flamefold_answer_noted(flamefold, status, &note);
    return grade == FLAMEFOLD_LEFT_OUT && !joined ? FLAMEFOLD_FAILED : grade;
}

enum ff_status flamefold_load_rules(struct flamefold *flamefold, const char *path,
                                    struct ff_error *error)
{
    struct ff_input input = {.descriptor = -1};
    struct ff_text text = ff_rules_default();
    ff_rules_free(flamefold->rules);
    flamefold->rules = ff_rules_new();
    enum ff_status status = flamefold->rules ? FF_OK : FF_NO_MEMORY;
    if (path && status == FF_OK) {
        status = ff_input_open(&input, path, error);
        if (status == FF_OK)
            status = ff_input_load(&input, error);
        if (status == FF_OK)
            status = ff_input_peek(&input, (size_t)input.size, &text, error);
    }
    if (status == FF_OK) {
        status = ff_rules_parse(flamefold->rules, path ? path : "default.rules", text);
        *error = status == FF_OK ? *error : flamefold->rules->error;
        if (status == FF_OK && !flamefold->rules->rules.count)
            status = ff_error_set(error, FF_BAD_INPUT, "%s: found no rule, expected at least one",
                                  path ? path : "default.rules");
    }
    if (path)
        ff_input_close(&input);
    return status;
}

enum flamefold_status flamefold_classify(struct flamefold *flamefold, const char *rules)
{
    struct ff_error error = {0};
    enum ff_status status = flamefold_load_rules(flamefold, rules, &error);
    if (status != FF_OK)
        return flamefold_answer(flamefold, status, &error);
    return flamefold_answer_profile(flamefold, ff_classify(flamefold->profile, flamefold->rules));
}

enum flamefold_status flamefold_pack(struct flamefold *flamefold, const char *path)
{
    struct ff_error note = {0};
    enum ff_status status = ff_pack_write(flamefold->profile, flamefold->images, path, &note);
    return flamefold_answer_noted(flamefold, status, &note);
}

const char *flamefold_advice(struct flamefold *flamefold)
{
    const struct ff_profile *profile = flamefold->profile;
    uint64_t all = 0, lacking = ff_ledger_count(profile, 0, FF_LEDGER_LACK_IMAGE);
    for (uint32_t i = 1; i < profile->samples.count; i++)
        all += profile->samples.at[i].count / FF_COUNT_ONE;
    flamefold->line[0] = '\0';
    if (lacking * 10 > all)
        snprintf(
            flamefold->line, sizeof flamefold->line,
            "%llu of %llu stacks were cut short for lack of a module's file; name the recording "
            "machine's libraries or a pack with --symbols (this machine's own, unproven: "
            "--symbols /)",
            (unsigned long long)lacking, (unsigned long long)all);
    for (uint32_t i = 0; i < flamefold->lender_count && !flamefold->line[0]; i++) {
        if (!flamefold->lenders[i]->used)
            snprintf(flamefold->line, sizeof flamefold->line,
                     "%s: not used as donors: no recording with stack dumps was read and stitched",
                     flamefold->lenders[i]->path);
    }
    return flamefold->line;
}

/* "687 recorded user stacks not unwound (dwarf.data), 3 records too short for their layout" */
const char *flamefold_losses(struct flamefold *flamefold, bool new_only)
{
    const struct ff_profile *profile = flamefold->profile;
    size_t used = 0, size = sizeof flamefold->line;
    flamefold->line[0] = '\0';
    for (uint32_t i = 1; i < profile->ledger.count && used < size; i++) {
        const struct ff_ledger_entry *row = &profile->ledger.at[i];
        uint64_t count = row->count - (new_only ? row->inherited : 0);
        if (row->grade != FF_GRADE_LOSS || !count)
            continue;
        bool named = row->source && profile->sources.count > 2;
        struct ff_text source = ff_profile_text(profile, profile->sources.at[row->source].name);
        used += (size_t)snprintf(flamefold->line + used, size - used, "%s%llu %s%s%s%s",
                                 used ? ", " : "", (unsigned long long)count,
                                 ff_profile_text(profile, row->name).at, named ? " (" : "",
                                 named ? source.at : "", named ? ")" : "");
    }
    return flamefold->line;
}
