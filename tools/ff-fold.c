/* SPDX-License-Identifier: MIT
 *
 * The call tree as folded text.
 */
#include "tool.h"

static const struct tool_option options[] = {
    {'k', "kernel", NULL, "names of kernel frames end in _[k]", tool_set_kernel},
    {0, "compat", "WORDS",
     "lines as stackcollapse-perf.pl (perl) or inferno write them, e.g. perl,tid,all",
     tool_set_compat},
    {0},
};

static const struct tool tool = {
    .name = "ff-fold",
    .summary =
        "Folds a profile: one line for each distinct stack, root first, with its sample count.",
    .arguments = "[FILE...]",
    .options = options,
    .shows_tree = true,
    .selects = true,
    .ends_pipe = true,
    .examples =
        "  ff-read perf.data | ff-symbolize | ff-fold > folded.txt\n"
        "  # hottest stacks of each thread\n"
        "  ff-fold --by thread,bucket profile.ff | awk '{print $NF, $0}' | sort -rn | less\n",
};

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (tool_read(&run)) {
        tool_note_source(&run);
        tool_step(&run, flamefold_fold(run.flamefold, run.output, &run.view));
    }
    return tool_end(&run);
}
