/* SPDX-License-Identifier: MIT
 *
 * How healthy the stacks are, and how to record better ones. Recordings are unwound and named here;
 * a stream is taken as it is, because what its tools found out about files stands in it.
 */
#include "tool.h"

#include <string.h>

static const struct tool_option options[] = {
    {'m', "main", "FILE", "only this input of several", tool_set_source},
    {0, "no-stitch", NULL, "leave truncated stacks so, even where others know how they go on",
     tool_set_no_stitch},
    {0, "threads", "N", "unwind stack dumps in N threads (one for each processor)",
     tool_set_threads},
    {0},
};

static const struct tool tool = {
    .name = "ff-doctor",
    .summary = "Examines stacks: how far they reach, what cut them, how to record better ones.",
    .arguments = "[FILE...]",
    .options = options,
    .selects = true,
    .opens_images = true,
    .ends_pipe = true,
    .examples = "  # the libraries of the machine that recorded are in a pack\n"
                "  ff-doctor -s symbols.tar perf.data\n"
                "  # in a pipe\n"
                "  ff-read perf.data | ff-symbolize | ff-doctor\n",
};

/* Whether a file comes without names. What stdin is cannot be asked without reading it. */
static bool is_unnamed(struct tool_run *run, const char *path)
{
    enum flamefold_role role;
    if (strcmp(path, "-") == 0)
        return false;
    const char *format = flamefold_recognise(run->flamefold, path, &role);
    return format && strcmp(format, "a flamefold stream") != 0;
}

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    bool unnamed = false;
    for (int i = 0; i < run.file_count; i++)
        unnamed |= is_unnamed(&run, run.files[i]);
    if (tool_read(&run) && (!unnamed || tool_step(&run, flamefold_symbolize(run.flamefold))))
        tool_step(&run, flamefold_doctor(run.flamefold, run.output, &run.view));
    return tool_end(&run);
}
