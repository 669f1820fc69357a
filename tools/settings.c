/* SPDX-License-Identifier: MIT
 *
 * Setters of the options that several tools have.
 */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>

#define THREADS_MAX 1024

#define SET_TEXT(name, field)                                                                      \
    enum flamefold_status tool_set_##name(struct tool_run *run, const char *value)                 \
    {                                                                                              \
        run->field = value;                                                                        \
        return FLAMEFOLD_OK;                                                                       \
    }

#define SET_FLAG(name, field)                                                                      \
    enum flamefold_status tool_set_##name(struct tool_run *run, const char *value)                 \
    {                                                                                              \
        (void)value;                                                                               \
        run->field = true;                                                                         \
        return FLAMEFOLD_OK;                                                                       \
    }

SET_TEXT(source, view.source)
SET_TEXT(roots, view.roots)
SET_TEXT(title, view.title)
SET_TEXT(subtitle, view.subtitle)
SET_TEXT(color, view.color)
SET_TEXT(before, view.before)
SET_TEXT(palette, view.palette)
SET_TEXT(colors, view.colors)
SET_FLAG(weights, view.weights)
SET_FLAG(modules, view.modules)
SET_FLAG(kernel, view.kernel_marks)
SET_FLAG(inverted, view.inverted)
SET_FLAG(json, view.json)
SET_FLAG(markdown, view.markdown)
SET_FLAG(explain, explain)
SET_FLAG(print, print)
SET_FLAG(formats, formats)
SET_TEXT(method, method)
SET_FLAG(plumbing, plumbing)
SET_FLAG(bounds, bounds)

enum flamefold_status tool_set_no_stitch(struct tool_run *run, const char *value)
{
    (void)value;
    flamefold_stitching(run->flamefold, false);
    return FLAMEFOLD_OK;
}

enum flamefold_status tool_set_threads(struct tool_run *run, const char *value)
{
    char *end;
    unsigned long count = strtoul(value, &end, 10);
    if (end == value || *end || count < 1 || count > THREADS_MAX || value[0] == '-') {
        fprintf(stderr, "%s: --threads: '%s' is no number from 1 to %d\n", run->tool->name, value,
                THREADS_MAX);
        return FLAMEFOLD_USAGE;
    }
    flamefold_threads(run->flamefold, (unsigned)count);
    return FLAMEFOLD_OK;
}

enum flamefold_status tool_set_times(struct tool_run *run, const char *value)
{
    (void)value;
    flamefold_times(run->flamefold, true);
    return FLAMEFOLD_OK;
}

enum flamefold_status tool_set_frame_pointers(struct tool_run *run, const char *value)
{
    (void)value;
    flamefold_frame_pointers(run->flamefold, true);
    return FLAMEFOLD_OK;
}

enum flamefold_status tool_add_donors(struct tool_run *run, const char *value)
{
    return tool_note_input(run, value) ? flamefold_donors(run->flamefold, value) : FLAMEFOLD_FAILED;
}

enum flamefold_status tool_set_rules(struct tool_run *run, const char *value)
{
    run->rules = value;
    return tool_note_input(run, value) ? FLAMEFOLD_OK : FLAMEFOLD_FAILED;
}

enum flamefold_status tool_set_inlined(struct tool_run *run, const char *value)
{
    (void)value;
    run->inlined = true;
    flamefold_inlines(run->flamefold, run->view.lines, run->inlined);
    return FLAMEFOLD_OK;
}

enum flamefold_status tool_set_lines(struct tool_run *run, const char *value)
{
    (void)value;
    run->view.lines = true;
    flamefold_inlines(run->flamefold, run->view.lines, run->inlined);
    return FLAMEFOLD_OK;
}

enum flamefold_status tool_set_compat(struct tool_run *run, const char *value)
{
    run->view.compat = value;
    return flamefold_compat(run->flamefold, value);
}

enum flamefold_status tool_set_width(struct tool_run *run, const char *value)
{
    char *end;
    unsigned long width = strtoul(value, &end, 10);
    if (*end || width < 300 || width > 10000) {
        fprintf(stderr, "%s: --width: '%s' is no width; expected 300 to 10000 pixels\n",
                run->tool->name, value);
        return FLAMEFOLD_USAGE;
    }
    run->view.width = (unsigned)width;
    return FLAMEFOLD_OK;
}
