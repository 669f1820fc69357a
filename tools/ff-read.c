/* SPDX-License-Identifier: MIT
 *
 * Any recording to the stream. All the work is ff_read's.
 */
#include "tool.h"

#include <stdio.h>

static const struct tool_option options[] = {
    {'p', "print", NULL, "print the samples as text to look at, in the form of 'perf script'",
     tool_set_print},
    {0, "formats", NULL, "list the formats that are known, and what is done with each",
     tool_set_formats},
    {0, "no-stitch", NULL, "leave truncated stacks so, even where others know how they go on",
     tool_set_no_stitch},
    {0, "donors", "FILE",
     "complete truncated stacks also from FILE, a recording of the same process", tool_add_donors},
    {0, "threads", "N", "unwind stack dumps in N threads (one for each processor)",
     tool_set_threads},
    {0, "frame-pointers", NULL, "where an unwind rule is missing, guess by frame pointers",
     tool_set_frame_pointers},
    {0, "times", NULL, "keep the exact time of each sample, not only windows of time",
     tool_set_times},
    {0},
};

static const struct tool tool = {
    .name = "ff-read",
    .summary = "Reads recordings and writes their samples as a stream for the other ff- tools.",
    .arguments = "[FILE...]",
    .options = options,
    .selects = true,
    .opens_images = true,
    .examples = "  # what is in this recording?\n"
                "  ff-read perf.data | head\n"
                "  # straight from the recorder\n"
                "  perf record -g -o - -- ./program | ff-read | ff-symbolize | ff-fold\n"
                "  # the second half of the recording, one thread\n"
                "  ff-read --time 50%,100% --tid 630 perf.data\n",
};

static void print_formats(void)
{
    const char *use, *name;
    for (unsigned i = 0; (name = flamefold_format(i, &use)); i++) {
        if (!*use)
            printf("%-50s read\n", name);
    }
    printf("\n");
    for (unsigned i = 0; (name = flamefold_format(i, &use)); i++) {
        if (*use)
            printf("%-50s %s\n", name, use);
    }
    printf("\nEach may be packed by gzip, zstd or xz.\n");
}

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (run.formats) {
        print_formats();
    } else if (tool_read(&run)) {
        tool_give_advice(&run);
        tool_step(&run, run.print ? flamefold_print(run.flamefold, run.output)
                                  : flamefold_save(run.flamefold, run.output));
    }
    return tool_end(&run);
}
