/* SPDX-License-Identifier: MIT
 *
 * The verb that compares. The hard thing is the picture: its widths are those of the second profile, so
 * what vanished is drawn below a root of its own.
 */
#include "flamefold_handle.h"

#include "diff/diff.h"
#include "draw/perl.h"

#include <stdio.h>

void flamefold_second(struct flamefold *flamefold)
{
    flamefold->split = flamefold->profile->sources.count;
}

static enum ff_status draw(const struct ff_diff *diff, const char *title, struct ff_output *output,
                           struct ff_error *error)
{
    struct ff_output folded;
    struct ff_perl_result result;
    struct ff_error ignored = {0};
    struct ff_perl_options options = {.count_name = FF_TEXT("samples"),
                                      .name_type = FF_TEXT("Function:")};
    char name[300];
    snprintf(name, sizeof name, "%.*s to %.*s", FF_TEXT_ARGS(diff->side[0].name),
             FF_TEXT_ARGS(diff->side[1].name));
    options.title = ff_text(title ? title : name);
    options.subtitle = FF_TEXT("red grew, blue shrank; [only in A] vanished");
    options.factor = 1;
    ff_output_memory(&folded);
    ff_diff_folded(diff, true, &folded);
    struct ff_text text = {folded.buffer, folded.used};
    enum ff_status status = ff_perl_write(&text, 1, &options, NULL, output, &result, error);
    ff_output_close(&folded, &ignored);
    return status;
}

static enum ff_status write_diff(struct flamefold *flamefold, const struct ff_diff *diff,
                                 const char *path, const struct flamefold_diff *options)
{
    struct ff_error *error = &flamefold->profile->error;
    struct ff_output output;
    enum ff_status status = ff_output_open(&output, path, error);
    if (status != FF_OK)
        return status;
    if (options->svg)
        status = draw(diff, options->title, &output, error);
    else if (options->folded)
        ff_diff_folded(diff, false, &output);
    else
        ff_diff_text(diff, &output);
    enum ff_status closed = ff_output_close(&output, error);
    return status != FF_OK ? status : closed;
}

enum flamefold_status flamefold_diff(struct flamefold *flamefold, const char *path,
                                     const struct flamefold_diff *options)
{
    static const struct flamefold_diff none;
    options = options ? options : &none;
    struct ff_diff_options wanted = {
        .by_time = options->per_second, .stack_limit = options->stacks, .source = options->source};
    struct ff_diff diff;
    uint32_t split = flamefold->split ? flamefold->split : flamefold->profile->sources.count;
    enum ff_status status = ff_diff_init(&diff, flamefold->profile, split, &wanted);
    if (status == FF_OK)
        status = write_diff(flamefold, &diff, path, options);
    ff_diff_release(&diff);
    return flamefold_answer_profile(flamefold, status);
}
