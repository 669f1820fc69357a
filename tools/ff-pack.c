/* SPDX-License-Identifier: MIT
 *
 * What a recording needs of its machine's symbols, small enough to travel.
 */
#include <stdio.h>
#include <string.h>

#include "tool.h"

static const struct tool tool = {
    .name = "ff-pack",
    .summary = "Writes a symbol pack: exactly the functions that the recordings touch.",
    .arguments = "INPUT... -o PACK",
    .opens_images = true,
    .ends_pipe = true,
    .examples = "  # on the machine that recorded: a pack to carry away (a folder, or a .tar)\n"
                "  ff-pack perf.data -o symbols.tar\n"
                "  # from elsewhere, out of a folder of libraries\n"
                "  ff-pack -s sysroot/ -s kallsyms perf.data -o symbols.tar\n",
};

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (strcmp(run.output, "-") == 0) {
        fprintf(stderr, "ff-pack: a pack is not written to stdout; name it with -o PACK\n");
        run.status = FLAMEFOLD_USAGE;
    } else if (tool_read(&run)) {
        tool_step(&run, flamefold_pack(run.flamefold, run.output));
    }
    return tool_end(&run);
}
