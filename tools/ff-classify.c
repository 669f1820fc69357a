/* SPDX-License-Identifier: MIT
 *
 * Every sample gets a bucket.
 */
#include "tool.h"

static const struct tool_option options[] = {
    {'r', "rules", "FILE", "use these rules instead of the built-in ones", tool_set_rules},
    {'e', "explain", NULL, "print which rule decided, by which frames, instead of the stream",
     tool_set_explain},
    {0},
};

static const struct tool tool = {
    .name = "ff-classify",
    .summary = "Puts every sample of a symbolized stream into a bucket: launch, spin, GIL wait ...",
    .arguments = "[FILE...]",
    .options = options,
    .selects = true,
    .filters_late = true,
    .examples = "  ff-read perf.data | ff-symbolize | ff-classify | ff-report\n"
                "  # why is this a spin?\n"
                "  ff-read perf.data | ff-symbolize | ff-classify --explain | less\n",
};

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (tool_read(&run) && tool_step(&run, flamefold_classify(run.flamefold, run.rules)) &&
        tool_step(&run, flamefold_filter(run.flamefold)))
        tool_step(&run, run.explain ? flamefold_explain(run.flamefold, run.output)
                                    : flamefold_save(run.flamefold, run.output));
    return tool_end(&run);
}
