/* SPDX-License-Identifier: MIT
 *
 * The profile as a table.
 */
#include "tool.h"

static const struct tool_option options[] = {
    {'m', "main", "FILE", "report on this input of several", tool_set_source},
    {'j', "json", NULL, "JSON instead of text", tool_set_json},
    {'k', "markdown", NULL, "Markdown, to be pasted into an issue tracker", tool_set_markdown},
    {'r', "rules", "FILE", "rules whose bucket descriptions to print", tool_set_rules},
    {0},
};

static const struct tool tool = {
    .name = "ff-report",
    .summary =
        "Reports what eats the CPU: the answer with its evidence, threads, buckets, GIL, GPU.",
    .arguments = "[FILE...]",
    .options = options,
    .selects = true,
    .ends_pipe = true,
    .examples = "  ff-read perf.data spy.raw | ff-symbolize | ff-merge | ff-classify | ff-report\n",
};

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (tool_read(&run)) {
        tool_note_source(&run);
        run.view.rules = run.rules;
        tool_step(&run, flamefold_report(run.flamefold, run.output, &run.view));
    }
    return tool_end(&run);
}
