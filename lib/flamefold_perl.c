/* SPDX-License-Identifier: MIT
 *
 * The verb that draws folded text as flamegraph.pl does: texts of options to values, files to views. The
 * hard thing is that the lines must stay as they are, so nothing here goes through the profile.
 */
#include "flamefold_handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "draw/perl.h"
#include "read/format.h"

#define MAP_NAME "palette.map"

struct drawing {
    struct ff_input *inputs;
    struct ff_text *texts;
    uint32_t count, opened;
    struct ff_input map_input;
    struct ff_perl_map map;
    struct ff_perl_options options;
    struct ff_perl_result result;
    struct ff_error error;
};

static struct ff_text text_of(const char *string)
{
    return string ? ff_text(string) : FF_TEXT("");
}

/* A number above 0, "%" behind it where PERCENT is asked for; an absent one stays 0. */
static enum ff_status parse_number(struct drawing *drawing, const char *option, const char *text,
                                   double *value, bool *percent)
{
    char *end;
    if (!text)
        return FF_OK;
    *value = strtod(text, &end);
    if (percent && *end == '%') {
        *percent = true;
        end++;
    }
    if (end != text && !*end && *value >= 0 && *value < 1e300)
        return FF_OK;
    return ff_error_set(&drawing->error, FF_USAGE, "--%s: '%s' is no number", option, text);
}

static enum ff_status parse_options(struct drawing *drawing, const struct flamefold_perl *wanted)
{
    struct ff_perl_options *options = &drawing->options;
    int palette = wanted->palette ? ff_classic_parse(ff_text(wanted->palette)) : 0;
    double height = 0;
    *options = (struct ff_perl_options){
        .title = text_of(wanted->title),
        .subtitle = text_of(wanted->subtitle),
        .font_type = text_of(wanted->font_type),
        .count_name = text_of(wanted->count_name),
        .name_type = text_of(wanted->name_type),
        .notes = text_of(wanted->notes),
        .background = text_of(wanted->background),
        .width = wanted->width,
        .palette = palette < 0 ? FF_CLASSIC_HOT : (enum ff_classic)palette,
        .min_given = wanted->min_width != NULL,
        .hashed = wanted->hashed,
        .reversed = wanted->reversed,
        .inverted = wanted->inverted,
        .flame_chart = wanted->flame_chart,
        .negated = wanted->negated,
    };
    if (palette < 0)
        return ff_error_set(&drawing->error, FF_USAGE,
                            "--colors: '%s' is no palette of flamegraph.pl; its own are hot, mem, "
                            "io, wakeup, chain, java, js, perl and the plain colours",
                            wanted->palette);
    const struct {
        const char *name, *text;
        double *value;
        bool *percent;
    } numbers[] = {
        {"fontsize", wanted->font_size, &options->font_size, NULL},
        {"fontwidth", wanted->font_width, &options->font_width, NULL},
        {"minwidth", wanted->min_width, &options->min_width, &options->min_percent},
        {"total", wanted->total, &options->total, NULL},
        {"factor", wanted->factor, &options->factor, NULL},
        {"height", wanted->height, &height, NULL},
    };
    enum ff_status status = FF_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == FF_OK; i++)
        status = parse_number(drawing, numbers[i].name, numbers[i].text, numbers[i].value,
                              numbers[i].percent);
    options->height = height < 10000 ? (uint32_t)height : 10000;
    return status;
}

/* Folded text of any kind; a stream or recording has to be folded first. */
static enum ff_status check_format(struct drawing *drawing, struct ff_input *input)
{
    enum ff_format format = FF_FORMAT_TEXT;
    enum ff_status status = ff_format_recognise(input, &format, &drawing->error);
    bool lines = format == FF_FORMAT_FOLDED || format == FF_FORMAT_FOLDED_DIFF ||
                 format == FF_FORMAT_PY_SPY_RAW || format == FF_FORMAT_TEXT ||
                 format == FF_FORMAT_EMPTY;
    if (status != FF_OK || lines)
        return status;
    return ff_error_set(&drawing->error, FF_UNSUPPORTED,
                        "%s: found %s, expected folded text; fold it first: ff-fold FILE | ff-svg "
                        "--compat=perl",
                        input->name, ff_format_name(format));
}

static enum ff_status load(struct drawing *drawing, const char *const *paths, unsigned count)
{
    enum ff_status status = FF_OK;
    drawing->count = count;
    drawing->inputs = ff_alloc(count, sizeof *drawing->inputs);
    drawing->texts = ff_alloc(count, sizeof *drawing->texts);
    if (!drawing->inputs || !drawing->texts)
        return ff_error_set(&drawing->error, FF_NO_MEMORY, "out of memory while drawing");
    for (; drawing->opened < count && status == FF_OK; drawing->opened++) {
        struct ff_input *input = &drawing->inputs[drawing->opened];
        status = ff_input_open(input, paths[drawing->opened], &drawing->error);
        if (status != FF_OK)
            return status;
        ff_input_map(input);
        status = check_format(drawing, input);
        if (status == FF_OK)
            status = ff_input_load(input, &drawing->error);
        if (status == FF_OK)
            status = ff_input_peek(input, (size_t)input->size, &drawing->texts[drawing->opened],
                                   &drawing->error);
    }
    return status;
}

/* The map of earlier pictures in this folder, if there is one. */
static enum ff_status load_map(struct drawing *drawing)
{
    struct ff_text text;
    if (access(MAP_NAME, F_OK) != 0)
        return FF_OK;
    enum ff_status status = ff_input_open(&drawing->map_input, MAP_NAME, &drawing->error);
    if (status != FF_OK)
        return status;
    status = ff_input_load(&drawing->map_input, &drawing->error);
    if (status == FF_OK)
        status = ff_input_peek(&drawing->map_input, (size_t)drawing->map_input.size, &text,
                               &drawing->error);
    if (status == FF_OK)
        ff_perl_map_read(&drawing->map, text);
    ff_input_close(&drawing->map_input);
    return status;
}

static enum ff_status save_map(struct drawing *drawing)
{
    struct ff_output output;
    enum ff_status status = ff_output_open(&output, MAP_NAME, &drawing->error);
    if (status != FF_OK)
        return status;
    ff_perl_map_write(&drawing->map, &output);
    return ff_output_close(&output, &drawing->error);
}

static enum ff_status draw(struct drawing *drawing, const char *path, bool mapped)
{
    struct ff_output output;
    enum ff_status status = mapped ? load_map(drawing) : FF_OK;
    if (status == FF_OK)
        status = ff_output_open(&output, path, &drawing->error);
    if (status != FF_OK)
        return status;
    status =
        ff_perl_write(drawing->texts, drawing->count, &drawing->options,
                      mapped ? &drawing->map : NULL, &output, &drawing->result, &drawing->error);
    enum ff_status closed = ff_output_close(&output, &drawing->error);
    if (status == FF_OK && closed == FF_OK && mapped)
        return save_map(drawing);
    return status != FF_OK ? status : closed;
}

enum flamefold_status flamefold_perl(struct flamefold *flamefold, const char *const *paths,
                                     unsigned count, const char *path,
                                     const struct flamefold_perl *options)
{
    struct drawing drawing = {.map_input = {.descriptor = -1}};
    enum ff_status status = parse_options(&drawing, options);
    if (status == FF_OK)
        status = load(&drawing, paths, count);
    if (status == FF_OK)
        status = draw(&drawing, path, options->palette_map);
    for (uint32_t i = 0; i < drawing.opened; i++)
        ff_input_close(&drawing.inputs[i]);
    ff_free(drawing.inputs);
    ff_free(drawing.texts);
    ff_perl_map_release(&drawing.map);
    enum flamefold_status grade = flamefold_answer(flamefold, status, &drawing.error);
    if (grade != FLAMEFOLD_OK || !drawing.result.ignored)
        return grade;
    snprintf(flamefold->message, sizeof flamefold->message,
             "%llu of %llu lines are left out: expected 'frame;frame COUNT'",
             (unsigned long long)drawing.result.ignored, (unsigned long long)drawing.result.lines);
    return FLAMEFOLD_LEFT_OUT;
}
