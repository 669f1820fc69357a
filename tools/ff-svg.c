/* SPDX-License-Identifier: MIT
 *
 * The call tree as a picture.
 */
#include "tool.h"

static const struct tool_option options[] = {
    {'t', "title", "TEXT", "title of the picture", tool_set_title},
    {0, "subtitle", "TEXT", "a line under the title", tool_set_subtitle},
    {0, "width", "PIXELS", "width of the picture (1200)", tool_set_width},
    {0, "inverted", NULL, "callers on top (icicle)", tool_set_inverted},
    {0, "color", "MODE", "colour boxes by bucket, kind or name (bucket)", tool_set_color},
    {0},
};

static const struct tool tool = {
    .name = "ff-svg",
    .summary = "Draws a profile as a flame graph: one SVG file that needs nothing else.",
    .arguments = "[FILE...]",
    .options = options,
    .shows_tree = true,
    .selects = true,
    .ends_pipe = true,
    .examples = "  ff-read perf.data | ff-symbolize | ff-classify | ff-svg > flame.svg\n"
                "  # from folded text of any maker\n"
                "  ff-svg --title \"before\" folded.txt -o before.svg\n",
};

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (tool_read(&run)) {
        tool_note_source(&run);
        tool_step(&run, flamefold_svg(run.flamefold, run.output, &run.view));
    }
    return tool_end(&run);
}
