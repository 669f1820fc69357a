/* SPDX-License-Identifier: MIT
 *
 * Python's knowledge into native stacks.
 */
#include "tool.h"

static const struct tool_option options[] = {
    {'M', "method", "NAME",
     "auto (each whose inputs are there), names (of threads only), exact (trampolines), paired "
     "(dumps of one stop), conditional (py-spy -n -t)",
     tool_set_method},
    {0, "plumbing", NULL, "show the interpreter's functions that only carry calls",
     tool_set_plumbing},
    {0, "bounds", NULL,
     "instead of merging, print how often a Python function and a bucket go together, at least and "
     "at "
     "most",
     tool_set_bounds},
    {0},
};

static const struct tool tool = {
    .name = "ff-merge",
    .summary = "Puts Python frames into native stacks, and Python's names on threads.",
    .arguments = "[FILE...]",
    .options = options,
    .selects = true,
    .examples =
        "  # py-spy record -f raw -n -t beside perf record: shares, with intervals in ff-report\n"
        "  ff-read perf.data spy-native.raw | ff-symbolize | ff-merge | ff-fold --by thread\n"
        "  # python -X perf: the recording and /tmp/perf-PID.map are enough\n"
        "  ff-read perf.data -s perf-590.map | ff-symbolize -s perf-590.map | ff-merge | ff-fold\n"
        "  # py-spy without -n: bounds, not samples\n"
        "  ff-read perf.data spy.raw | ff-symbolize | ff-classify | ff-merge --bounds\n",
};

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (!tool_read(&run))
        return tool_end(&run);
    if (run.bounds)
        tool_step(&run, flamefold_bounds(run.flamefold, run.output));
    else if (tool_step(&run, flamefold_merging(run.flamefold, run.method ? run.method : "auto",
                                               run.plumbing)) &&
             tool_step(&run, flamefold_merge(run.flamefold)))
        tool_step(&run, flamefold_save(run.flamefold, run.output));
    return tool_end(&run);
}
