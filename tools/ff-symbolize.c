/* SPDX-License-Identifier: MIT
 *
 * Addresses in the stream get names.
 */
#include "tool.h"

static const struct tool_option options[] = {
    {'i', "inline", NULL, "give functions that were inlined frames of their own", tool_set_inlined},
    {'l', "lines", NULL, "find the source line of each native frame", tool_set_lines},
    {0},
};

static const struct tool tool = {
    .name = "ff-symbolize",
    .summary = "Names the frames of a stream: symbols, else module+0xfunction-start.",
    .arguments = "[FILE...]",
    .options = options,
    .selects = true,
    .opens_images = true,
    .examples = "  # on the machine that recorded\n"
                "  ff-read perf.data | ff-symbolize | ff-fold\n"
                "  # elsewhere: with a pack that ff-pack made there, and its kernel symbols\n"
                "  ff-read perf.data | ff-symbolize -s symbols.tar -s kallsyms\n",
};

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (tool_read(&run) && tool_step(&run, flamefold_symbolize(run.flamefold)))
        tool_step(&run, flamefold_save(run.flamefold, run.output));
    return tool_end(&run);
}
