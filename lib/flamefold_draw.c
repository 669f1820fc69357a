/* SPDX-License-Identifier: MIT
 *
 * The picture of the public API: a view to the options of lib/draw, with its colours and, for a
 * difference, the tree of before.
 */
#include "flamefold_handle.h"

#include "draw/svg.h"
#include "fold/tree.h"
#include "profile/moment.h"

static enum ff_status color_mode(struct ff_error *error, const struct flamefold_view *view,
                                 struct ff_svg_options *options)
{
    static const char *const modes[] = {"bucket", "kind", "name"};
    if (view->palette) {
        int palette = ff_classic_parse(ff_text(view->palette));
        options->color = FF_COLOR_CLASSIC;
        options->palette = (uint8_t)palette;
        return palette >= 0 ? FF_OK
                            : ff_error_set(error, FF_USAGE,
                                           "there is no palette '%s'; expected hot, mem, io, "
                                           "wakeup, chain, java, js, perl or a plain colour",
                                           view->palette);
    }
    for (uint8_t i = 0; view->color && i < 3; i++) {
        options->color = i;
        if (strcmp(view->color, modes[i]) == 0)
            return FF_OK;
    }
    return view->color ? ff_error_set(error, FF_USAGE,
                                      "there is no colour mode '%s'; expected bucket, kind or name",
                                      view->color)
                       : FF_OK;
}

/* What a picture needs besides the tree. */
struct drawing {
    struct ff_svg_options options;
    struct ff_colors colors;
    struct ff_input input; /* of the colours, whose rules are views of it */
    struct ff_tree *before;
};

static enum ff_status load_colors(struct drawing *drawing, const char *path, struct ff_error *error)
{
    struct ff_text text;
    enum ff_status status = ff_input_open(&drawing->input, path, error);
    if (status == FF_OK)
        status = ff_input_load(&drawing->input, error);
    if (status == FF_OK)
        status = ff_input_peek(&drawing->input, (size_t)drawing->input.size, &text, error);
    if (status == FF_OK)
        status = ff_colors_parse(&drawing->colors, path, text, error);
    drawing->options.colors = &drawing->colors;
    return status;
}

static enum ff_status prepare_drawing(struct flamefold *flamefold,
                                      const struct flamefold_view *view, struct drawing *drawing)
{
    struct ff_error *error = &flamefold->profile->error;
    *drawing = (struct drawing){
        .options = {.width = view->width, .inverted = view->inverted, .timeline = view->timeline},
        .input = {.descriptor = -1},
    };
    if (view->title)
        drawing->options.title = ff_text(view->title);
    if (view->subtitle)
        drawing->options.subtitle = ff_text(view->subtitle);
    enum ff_status status = color_mode(error, view, &drawing->options);
    return status == FF_OK && view->colors ? load_colors(drawing, view->colors, error) : status;
}

/* A timeline without times would be an empty picture. */
static enum ff_status check_times(struct ff_profile *profile, const struct ff_tree *tree)
{
    ff_moments_settle(profile);
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        if (profile->samples.at[i].event == tree->event && profile->samples.at[i].moments)
            return FF_OK;
    }
    return ff_error_set(
        &profile->error, FF_UNSUPPORTED,
        "%.*s: its samples have no times: folded text and py-spy's raw format hold none; give "
        "perf.data or a stream made of it",
        FF_TEXT_ARGS(ff_intern_text(&tree->names, tree->source_name)));
}

static enum ff_status make_before(struct flamefold *flamefold, const struct flamefold_view *shown,
                                  struct drawing *drawing)
{
    struct ff_fold_options fold;
    struct flamefold_view view = *shown;
    view.source = shown->before;
    return view.source ? flamefold_make_tree(flamefold, &view, &fold, &drawing->before) : FF_OK;
}

static enum ff_status write_svg(struct flamefold *flamefold, struct ff_output *output,
                                const void *what)
{
    struct ff_tree *tree = NULL;
    struct drawing drawing;
    struct ff_fold_options fold;
    /* The palettes of flamegraph.pl go by the mark of kernel frames. */
    struct flamefold_view view = *(const struct flamefold_view *)what;
    view.kernel_marks |= view.palette != NULL;
    flamefold_compare_columns(flamefold->profile, &view);
    enum ff_status status = prepare_drawing(flamefold, &view, &drawing);
    if (status == FF_OK)
        status = flamefold_make_tree(flamefold, &view, &fold, &tree);
    if (status == FF_OK && view.timeline)
        status = check_times(flamefold->profile, tree);
    if (status == FF_OK)
        status = make_before(flamefold, &view, &drawing);
    if (status == FF_OK) {
        drawing.options.profile = flamefold->profile;
        drawing.options.fold = &fold;
        drawing.options.before = drawing.before;
        status = ff_svg_write(tree, output, &drawing.options);
        if (status != FF_OK)
            flamefold->profile->error = tree->error;
    }
    ff_tree_free(tree);
    ff_tree_free(drawing.before);
    ff_colors_release(&drawing.colors);
    ff_input_close(&drawing.input);
    return status;
}

enum flamefold_status flamefold_svg(struct flamefold *flamefold, const char *path,
                                    const struct flamefold_view *view)
{
    return flamefold_write_to(flamefold, path, write_svg, view ? view : &flamefold_default_view);
}
