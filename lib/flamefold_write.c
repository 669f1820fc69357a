/* SPDX-License-Identifier: MIT
 *
 * The verbs of the public API that write: each opens its output, lets one stage fill it, closes it.
 * The hard thing is that the close can be what fails: a full disk shows up there.
 */
#include "flamefold_handle.h"

#include "classify/classify.h"
#include "fold/compat.h"
#include "fold/folded.h"
#include "fold/tree.h"
#include "merge/bounds.h"
#include "profile/print.h"
#include "profile/stream.h"
#include "report/doctor.h"
#include "report/report.h"

#include <stdio.h>

enum flamefold_status flamefold_write_to(struct flamefold *flamefold, const char *path,
                                         enum ff_status (*write)(struct flamefold *flamefold,
                                                                 struct ff_output *output,
                                                                 const void *what),
                                         const void *what)
{
    struct ff_output output;
    struct ff_error *error = &flamefold->profile->error;
    enum ff_status status = ff_output_open(&output, path, error);
    if (status != FF_OK)
        return flamefold_answer_profile(flamefold, status);
    status = write(flamefold, &output, what);
    enum ff_status closed = ff_output_close(&output, error);
    return flamefold_answer_profile(flamefold, status != FF_OK ? status : closed);
}

static enum ff_status write_stream(struct flamefold *flamefold, struct ff_output *output,
                                   const void *what)
{
    (void)what;
    return ff_stream_write(flamefold->profile, output);
}

enum flamefold_status flamefold_save(struct flamefold *flamefold, const char *path)
{
    return flamefold_write_to(flamefold, path, write_stream, NULL);
}

static enum ff_status write_samples(struct flamefold *flamefold, struct ff_output *output,
                                    const void *what)
{
    (void)what;
    return ff_print(flamefold->profile, output);
}

enum flamefold_status flamefold_print(struct flamefold *flamefold, const char *path)
{
    return flamefold_write_to(flamefold, path, write_samples, NULL);
}

static enum ff_status write_bounds(struct flamefold *flamefold, struct ff_output *output,
                                   const void *what)
{
    (void)what;
    return ff_bounds_write(flamefold->profile, output, NULL);
}

enum flamefold_status flamefold_bounds(struct flamefold *flamefold, const char *path)
{
    return flamefold_write_to(flamefold, path, write_bounds, NULL);
}

static enum ff_status write_explanation(struct flamefold *flamefold, struct ff_output *output,
                                        const void *what)
{
    (void)what;
    return ff_classify_explain(flamefold->profile, flamefold->rules, output);
}

enum flamefold_status flamefold_explain(struct flamefold *flamefold, const char *path)
{
    struct ff_error error = {0};
    enum ff_status status =
        flamefold->rules ? FF_OK : flamefold_load_rules(flamefold, NULL, &error);
    if (status != FF_OK)
        return flamefold_answer(flamefold, status, &error);
    return flamefold_write_to(flamefold, path, write_explanation, NULL);
}

static enum ff_status write_rules(struct flamefold *flamefold, struct ff_output *output,
                                  const void *what)
{
    (void)what;
    ff_rules_list(flamefold->rules, output);
    return FF_OK;
}

enum flamefold_status flamefold_list_rules(struct flamefold *flamefold, const char *rules,
                                           const char *path)
{
    struct ff_error error = {0};
    enum ff_status status = flamefold_load_rules(flamefold, rules, &error);
    if (status != FF_OK)
        return flamefold_answer(flamefold, status, &error);
    return flamefold_write_to(flamefold, path, write_rules, NULL);
}

static enum ff_status write_mistakes(struct flamefold *flamefold, struct ff_output *output,
                                     const void *what)
{
    const char *path = what;
    struct ff_error *error = &flamefold->profile->error;
    struct ff_input input = {.descriptor = -1};
    struct ff_text text = {0};
    struct ff_rules *rules = ff_rules_new();
    enum ff_status status = rules ? ff_input_open(&input, path, error) : FF_NO_MEMORY;
    if (status == FF_OK)
        status = ff_input_load(&input, error);
    if (status == FF_OK)
        status = ff_input_peek(&input, (size_t)input.size, &text, error);
    if (status == FF_OK)
        status = ff_rules_check(rules, path, text, output);
    if (rules && rules->error.status != FF_OK)
        *error = rules->error;
    ff_input_close(&input);
    ff_rules_free(rules);
    return status;
}

enum flamefold_status flamefold_check_rules(struct flamefold *flamefold, const char *rules,
                                            const char *path)
{
    return flamefold_write_to(flamefold, path, write_mistakes, rules);
}

static enum ff_status not_found(struct flamefold *flamefold, const char *what, const char *name)
{
    return ff_error_set(&flamefold->profile->error, FF_USAGE, "there is no %s '%s' in the input",
                        what, name);
}

const struct flamefold_view flamefold_default_view;

/* The view's names to rows of the profile. */
static enum ff_status find_view(struct flamefold *flamefold, const struct flamefold_view *view,
                                uint32_t *source, uint32_t *event)
{
    const struct ff_profile *profile = flamefold->profile;
    *source = view->source ? ff_select_source(profile, ff_text(view->source))
                           : ff_select_main_source(profile);
    if (view->source && !*source)
        return not_found(flamefold, "source", view->source);
    *event = view->event ? ff_select_event(profile, *source, ff_text(view->event))
                         : ff_select_main_event(profile, *source);
    if (view->event && !*event)
        return not_found(flamefold, "event", view->event);
    return FF_OK;
}

const char *flamefold_source(const struct flamefold *flamefold)
{
    const struct ff_profile *profile = flamefold->profile;
    uint32_t source = ff_select_main_source(profile);
    if (profile->sources.count < 3)
        return NULL;
    return ff_profile_text(profile, profile->sources.at[source].name).at;
}

const char *flamefold_event(struct flamefold *flamefold, const struct flamefold_view *view)
{
    const struct ff_profile *profile = flamefold->profile;
    uint32_t source = view->source ? ff_select_source(profile, ff_text(view->source))
                                   : ff_select_main_source(profile);
    uint32_t event = ff_select_main_event(profile, source);
    uint64_t all = 0, shown = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        all += ff_sample_source(profile, sample) == source ? sample->count : 0;
        shown += sample->event == event ? sample->count : 0;
    }
    if (view->event || all == shown)
        return NULL;
    snprintf(flamefold->line, sizeof flamefold->line, "%s (%llu of %llu samples)",
             ff_profile_text(profile, profile->events.at[event].name).at,
             (unsigned long long)(shown / FF_COUNT_ONE), (unsigned long long)(all / FF_COUNT_ONE));
    return flamefold->line;
}

enum ff_status flamefold_make_tree(struct flamefold *flamefold, const struct flamefold_view *view,
                                   struct ff_fold_options *options, struct ff_tree **tree)
{
    *options = (struct ff_fold_options){
        .weights = view->weights,
        .lines = view->lines,
        .modules = view->modules,
        .kernel_marks = view->kernel_marks,
    };
    enum ff_status status = find_view(flamefold, view, &options->source, &options->event);
    if (status == FF_OK && view->roots)
        status = ff_fold_options_roots(options, ff_text(view->roots), &flamefold->profile->error);
    ff_stack_release_slots(flamefold->profile);
    return status == FF_OK ? ff_tree_build(tree, flamefold->profile, options) : status;
}

static enum ff_status write_compatible(struct flamefold *flamefold, struct ff_output *output,
                                       const struct flamefold_view *view)
{
    struct ff_compat_options options = {0};
    struct ff_profile *profile = flamefold->profile;
    uint32_t main_event;
    enum ff_status status = ff_compat_parse(&options, ff_text(view->compat), &profile->error);
    if (status == FF_OK)
        status = find_view(flamefold, view, &options.source, &main_event);
    if (view->event)
        options.event = main_event;
    return status == FF_OK ? ff_compat_write(profile, &options, output) : status;
}

static enum ff_status write_folded(struct flamefold *flamefold, struct ff_output *output,
                                   const void *what)
{
    const struct flamefold_view *view = what;
    struct ff_tree *tree = NULL;
    struct ff_fold_options options;
    if (view->compat)
        return write_compatible(flamefold, output, view);
    enum ff_status status = flamefold_make_tree(flamefold, what, &options, &tree);
    if (status == FF_OK) {
        status = ff_folded_write(tree, output);
        if (status != FF_OK)
            flamefold->profile->error = tree->error;
    }
    ff_tree_free(tree);
    return status;
}

enum flamefold_status flamefold_fold(struct flamefold *flamefold, const char *path,
                                     const struct flamefold_view *view)
{
    return flamefold_write_to(flamefold, path, write_folded, view ? view : &flamefold_default_view);
}

static enum ff_status write_report(struct flamefold *flamefold, struct ff_output *output,
                                   const void *what)
{
    const struct flamefold_view *view = what;
    struct ff_report_view rows = {.rules = flamefold->rules, .markdown = view->markdown};
    enum ff_status status = find_view(flamefold, view, &rows.source, &rows.event);
    if (status != FF_OK)
        return status;
    return view->json ? ff_report_json(flamefold->profile, &rows, output)
                      : ff_report_text(flamefold->profile, &rows, output);
}

enum flamefold_status flamefold_report(struct flamefold *flamefold, const char *path,
                                       const struct flamefold_view *view)
{
    struct ff_error error = {0};
    enum ff_status status = FF_OK;
    view = view ? view : &flamefold_default_view;
    if (view->rules || !flamefold->rules)
        status = flamefold_load_rules(flamefold, view->rules, &error);
    if (status != FF_OK)
        return flamefold_answer(flamefold, status, &error);
    return flamefold_write_to(flamefold, path, write_report, view);
}

static enum ff_status write_health(struct flamefold *flamefold, struct ff_output *output,
                                   const void *what)
{
    const struct flamefold_view *view = what;
    uint32_t source = 0, event = 0;
    enum ff_status status = FF_OK;
    if (view->source || view->event)
        status = find_view(flamefold, view, &source, &event);
    if (status != FF_OK)
        return status;
    return ff_doctor_text(flamefold->profile, source, view->event ? event : 0, output);
}

enum flamefold_status flamefold_doctor(struct flamefold *flamefold, const char *path,
                                       const struct flamefold_view *view)
{
    return flamefold_write_to(flamefold, path, write_health, view ? view : &flamefold_default_view);
}
