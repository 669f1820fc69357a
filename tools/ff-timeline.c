/* SPDX-License-Identifier: MIT
 *
 * Threads over time, with the call tree below them.
 */
#include "tool.h"

static const struct tool_option options[] = {
    {'t', "title", "TEXT", "title of the picture", tool_set_title},
    {0, "subtitle", "TEXT", "a line under the title", tool_set_subtitle},
    {0, "width", "PIXELS", "width of the picture (1200)", tool_set_width},
    {0, "inverted", NULL, "callers on top (icicle)", tool_set_inverted},
    {0},
};

static const struct tool tool = {
    .name = "ff-timeline",
    .summary = "Draws when threads did what: one SVG, threads over time above a flame graph.",
    .arguments = "[FILE...]",
    .options = options,
    .shows_tree = true,
    .selects = true,
    .ends_pipe = true,
    .examples = "  ff-read perf.data | ff-symbolize | ff-classify | ff-timeline > time.svg\n",
};

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    run.view.timeline = true;
    if (tool_read(&run)) {
        tool_note_source(&run);
        tool_step(&run, flamefold_svg(run.flamefold, run.output, &run.view));
    }
    return tool_end(&run);
}
