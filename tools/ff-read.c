/* SPDX-License-Identifier: MIT
 *
 * Any recording to the stream. All the work is ff_read's.
 */
#include "tool.h"

static const struct tool_option options[] = {
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

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (tool_read(&run)) {
        tool_give_advice(&run);
        tool_step(&run, flamefold_save(run.flamefold, run.output));
    }
    return tool_end(&run);
}
