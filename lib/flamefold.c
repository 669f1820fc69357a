/* SPDX-License-Identifier: MIT
 *
 * The public API: each verb checks its arguments and hands over to one stage. The hard thing is the
 * grade of an answer: whatever is damaged, what could be read counts, and is said to be partial.
 */
#include "flamefold.h"

#include "classify/classify.h"
#include "draw/svg.h"
#include "fold/folded.h"
#include "fold/tree.h"
#include "image/images.h"
#include "image/pack.h"
#include "merge/merge.h"
#include "profile/select.h"
#include "profile/stream.h"
#include "read/format.h"
#include "read/read.h"
#include "report/report.h"
#include "symbolize/symbolize.h"

#include <stdio.h>
#include <stdlib.h>

struct flamefold {
    struct ff_profile *profile;
    struct ff_images *images;
    struct ff_rules *rules; /* NULL until they are needed */
    struct ff_selection selection;
    char message[sizeof((struct ff_error *)0)->message];
    char losses[400];
};

struct flamefold *flamefold_new(void)
{
    struct flamefold *flamefold = ff_alloc(1, sizeof *flamefold);
    if (!flamefold)
        return NULL;
    flamefold->profile = ff_profile_new();
    flamefold->images = ff_images_new();
    if (flamefold->profile && flamefold->images)
        return flamefold;
    flamefold_free(flamefold);
    return NULL;
}

void flamefold_free(struct flamefold *flamefold)
{
    if (!flamefold)
        return;
    ff_profile_free(flamefold->profile);
    ff_images_free(flamefold->images);
    ff_rules_free(flamefold->rules);
    ff_free(flamefold);
}

const char *flamefold_version(void)
{
    return FF_VERSION;
}

const char *flamefold_message(const struct flamefold *flamefold)
{
    return flamefold->message;
}

/* Keeps the message of a failed call and clears ERROR for the next one. */
static enum flamefold_status answer(struct flamefold *flamefold, enum ff_status status,
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

static enum flamefold_status answer_profile(struct flamefold *flamefold, enum ff_status status)
{
    return answer(flamefold, status, &flamefold->profile->error);
}

enum flamefold_status flamefold_select(struct flamefold *flamefold, const char *option,
                                       const char *value)
{
    struct ff_error error = {0};
    return answer(flamefold, ff_selection_add(&flamefold->selection, option, value, &error),
                  &error);
}

enum flamefold_status flamefold_filter(struct flamefold *flamefold)
{
    return answer_profile(flamefold, ff_select(flamefold->profile, &flamefold->selection));
}

enum flamefold_status flamefold_read(struct flamefold *flamefold, const char *path)
{
    uint32_t sources = flamefold->profile->sources.count;
    enum ff_status status = ff_read(flamefold->profile, path, &flamefold->selection);
    enum flamefold_status grade = answer_profile(flamefold, status);
    bool partial = status == FF_BAD_INPUT && flamefold->profile->sources.count > sources &&
                   flamefold->profile->samples.count > 1;
    return partial ? FLAMEFOLD_LEFT_OUT : grade;
}

static enum flamefold_role role_of(enum ff_format format, const char *path)
{
    static const enum ff_format symbols[] = {FF_FORMAT_ELF, FF_FORMAT_PERF_MAP, FF_FORMAT_KALLSYMS};
    if (ff_format_is_read(format))
        return FLAMEFOLD_ROLE_PROFILE;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        if (format == symbols[i])
            return FLAMEFOLD_ROLE_SYMBOLS;
    }
    struct ff_pack *pack = NULL;
    struct ff_error ignored = {0};
    if (format == FF_FORMAT_TAR && ff_pack_open(&pack, path, &ignored) == FF_OK) {
        ff_pack_close(pack);
        return FLAMEFOLD_ROLE_SYMBOLS;
    }
    return FLAMEFOLD_ROLE_NONE;
}

const char *flamefold_recognise(struct flamefold *flamefold, const char *path,
                                enum flamefold_role *role)
{
    struct ff_input input;
    struct ff_error error = {0};
    enum ff_format format = FF_FORMAT_BINARY;
    enum ff_status status = ff_input_open(&input, path, &error);
    if (status == FF_OK) {
        status = ff_format_recognise(&input, &format, &error);
        ff_input_close(&input);
    }
    *role = FLAMEFOLD_ROLE_NONE;
    if (answer(flamefold, status, &error) != FLAMEFOLD_OK)
        return NULL;
    *role = role_of(format, path);
    return ff_format_name(format);
}

enum flamefold_status flamefold_symbols(struct flamefold *flamefold, const char *path)
{
    return answer(flamefold, ff_images_add(flamefold->images, path), &flamefold->images->error);
}

void flamefold_live_symbols(struct flamefold *flamefold, bool allowed)
{
    flamefold->images->system = allowed;
}

enum flamefold_status flamefold_pid_of(struct flamefold *flamefold, const char *path, unsigned pid)
{
    return answer(flamefold, ff_images_set_pid(flamefold->images, path, pid),
                  &flamefold->images->error);
}

enum flamefold_status flamefold_symbolize(struct flamefold *flamefold)
{
    return answer_profile(flamefold, ff_symbolize(flamefold->profile, flamefold->images));
}

enum flamefold_status flamefold_merge(struct flamefold *flamefold)
{
    struct ff_error note = {0};
    enum flamefold_status status =
        answer_profile(flamefold, ff_merge_names(flamefold->profile, &note));
    if (status != FLAMEFOLD_OK || note.status == FF_OK)
        return status;
    answer(flamefold, note.status, &note);
    return FLAMEFOLD_LEFT_OUT;
}

/* The rules of a file, or the built-in ones; kept for the report. */
static enum ff_status load_rules(struct flamefold *flamefold, const char *path,
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
    }
    if (path)
        ff_input_close(&input);
    return status;
}

enum flamefold_status flamefold_classify(struct flamefold *flamefold, const char *rules)
{
    struct ff_error error = {0};
    enum ff_status status = load_rules(flamefold, rules, &error);
    if (status != FF_OK)
        return answer(flamefold, status, &error);
    return answer_profile(flamefold, ff_classify(flamefold->profile, flamefold->rules));
}

/* Opens PATH, lets WRITE fill it, closes it; the first failure of the three is the answer. */
static enum flamefold_status write_to(struct flamefold *flamefold, const char *path,
                                      enum ff_status (*write)(struct flamefold *flamefold,
                                                              struct ff_output *output,
                                                              const void *what),
                                      const void *what)
{
    struct ff_output output;
    struct ff_error *error = &flamefold->profile->error;
    enum ff_status status = ff_output_open(&output, path, error);
    if (status != FF_OK)
        return answer_profile(flamefold, status);
    status = write(flamefold, &output, what);
    enum ff_status closed = ff_output_close(&output, error);
    return answer_profile(flamefold, status != FF_OK ? status : closed);
}

static enum ff_status write_stream(struct flamefold *flamefold, struct ff_output *output,
                                   const void *what)
{
    (void)what;
    return ff_stream_write(flamefold->profile, output);
}

enum flamefold_status flamefold_save(struct flamefold *flamefold, const char *path)
{
    return write_to(flamefold, path, write_stream, NULL);
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
    enum ff_status status = flamefold->rules ? FF_OK : load_rules(flamefold, NULL, &error);
    if (status != FF_OK)
        return answer(flamefold, status, &error);
    return write_to(flamefold, path, write_explanation, NULL);
}

static enum ff_status not_found(struct flamefold *flamefold, const char *what, const char *name)
{
    return ff_error_set(&flamefold->profile->error, FF_USAGE, "there is no %s '%s' in the input",
                        what, name);
}

static const struct flamefold_view default_view;

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

static enum ff_status make_tree(struct flamefold *flamefold, const struct flamefold_view *view,
                                struct ff_tree **tree)
{
    struct ff_fold_options options = {
        .weights = view->weights,
        .modules = view->modules,
        .kernel_marks = view->kernel_marks,
    };
    enum ff_status status = find_view(flamefold, view, &options.source, &options.event);
    if (status == FF_OK && view->roots)
        status = ff_fold_options_roots(&options, ff_text(view->roots), &flamefold->profile->error);
    return status == FF_OK ? ff_tree_build(tree, flamefold->profile, &options) : status;
}

static enum ff_status write_folded(struct flamefold *flamefold, struct ff_output *output,
                                   const void *what)
{
    struct ff_tree *tree = NULL;
    enum ff_status status = make_tree(flamefold, what, &tree);
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
    return write_to(flamefold, path, write_folded, view ? view : &default_view);
}

static enum ff_status svg_options(struct flamefold *flamefold, const struct flamefold_view *view,
                                  struct ff_svg_options *options)
{
    static const char *const modes[] = {"bucket", "kind", "name"};
    *options = (struct ff_svg_options){.width = view->width, .inverted = view->inverted};
    if (view->title)
        options->title = ff_text(view->title);
    if (view->subtitle)
        options->subtitle = ff_text(view->subtitle);
    for (uint8_t i = 0; view->color && i < 3; i++) {
        options->color = i;
        if (strcmp(view->color, modes[i]) == 0)
            return FF_OK;
    }
    return view->color ? ff_error_set(&flamefold->profile->error, FF_USAGE,
                                      "there is no colour mode '%s'; expected bucket, kind or name",
                                      view->color)
                       : FF_OK;
}

static enum ff_status write_svg(struct flamefold *flamefold, struct ff_output *output,
                                const void *what)
{
    struct ff_tree *tree = NULL;
    struct ff_svg_options options;
    enum ff_status status = svg_options(flamefold, what, &options);
    if (status == FF_OK)
        status = make_tree(flamefold, what, &tree);
    if (status == FF_OK) {
        status = ff_svg_write(tree, output, &options);
        if (status != FF_OK)
            flamefold->profile->error = tree->error;
    }
    ff_tree_free(tree);
    return status;
}

enum flamefold_status flamefold_svg(struct flamefold *flamefold, const char *path,
                                    const struct flamefold_view *view)
{
    return write_to(flamefold, path, write_svg, view ? view : &default_view);
}

static enum ff_status write_report(struct flamefold *flamefold, struct ff_output *output,
                                   const void *what)
{
    const struct flamefold_view *view = what;
    struct ff_report_view rows = {.rules = flamefold->rules};
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
    view = view ? view : &default_view;
    if (view->rules || !flamefold->rules)
        status = load_rules(flamefold, view->rules, &error);
    if (status != FF_OK)
        return answer(flamefold, status, &error);
    return write_to(flamefold, path, write_report, view);
}

enum flamefold_status flamefold_pack(struct flamefold *flamefold, const char *path)
{
    return answer_profile(flamefold, ff_pack_write(flamefold->profile, flamefold->images, path));
}

/* "687 recorded user stacks not unwound (dwarf.data), 3 records too short for their layout" */
const char *flamefold_losses(struct flamefold *flamefold, bool new_only)
{
    const struct ff_profile *profile = flamefold->profile;
    size_t used = 0, size = sizeof flamefold->losses;
    flamefold->losses[0] = '\0';
    for (uint32_t i = 1; i < profile->ledger.count && used < size; i++) {
        const struct ff_ledger_entry *row = &profile->ledger.at[i];
        uint64_t count = row->count - (new_only ? row->inherited : 0);
        if (row->grade != FF_GRADE_LOSS || !count)
            continue;
        bool named = row->source && profile->sources.count > 2;
        struct ff_text source = ff_profile_text(profile, profile->sources.at[row->source].name);
        used += (size_t)snprintf(flamefold->losses + used, size - used, "%s%llu %s%s%s%s",
                                 used ? ", " : "", (unsigned long long)count,
                                 ff_profile_text(profile, row->name).at, named ? " (" : "",
                                 named ? source.at : "", named ? ")" : "");
    }
    return flamefold->losses;
}
