/* SPDX-License-Identifier: MIT
 *
 * py-spy's knowledge into perf's threads.
 */
#include "tool.h"

static const struct tool tool = {
    .name = "ff-merge",
    .summary = "Joins py-spy files to a recording: threads get their Python names and roles.",
    .arguments = "[FILE...]",
    .selects = true,
    .examples = "  # py-spy raw must have been recorded with -t; dumps always fit\n"
                "  ff-read perf.data spy.raw | ff-symbolize | ff-merge | ff-fold --by thread\n",
};

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (tool_read(&run) && tool_step(&run, flamefold_merge(run.flamefold)))
        tool_step(&run, flamefold_save(run.flamefold, run.output));
    return tool_end(&run);
}
