/* SPDX-License-Identifier: MIT
 *
 * Two profiles: what differs beyond noise?
 */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>

/* The only tool with these; a tool runs once. */
static struct flamefold_diff wanted;

static enum flamefold_status set_per_second(struct tool_run *run, const char *value)
{
    (void)run, (void)value;
    wanted.per_second = true;
    return FLAMEFOLD_OK;
}

static enum flamefold_status set_folded(struct tool_run *run, const char *value)
{
    (void)run, (void)value;
    wanted.folded = true;
    return FLAMEFOLD_OK;
}

static enum flamefold_status set_svg(struct tool_run *run, const char *value)
{
    (void)run, (void)value;
    wanted.svg = true;
    return FLAMEFOLD_OK;
}

static enum flamefold_status set_stacks(struct tool_run *run, const char *value)
{
    char *end;
    unsigned long count = strtoul(value, &end, 10);
    if (*end || count < 1 || count > 1000000) {
        fprintf(stderr, "%s: --stacks: '%s' is no number from 1 to 1000000\n", run->tool->name,
                value);
        return FLAMEFOLD_USAGE;
    }
    wanted.stacks = (unsigned)count;
    return FLAMEFOLD_OK;
}

static const struct tool_option options[] = {
    {'p', "per-second", NULL, "compare samples per second instead of shares", set_per_second},
    {'n', "stacks", "N", "show N stacks instead of 20", set_stacks},
    {'f', "folded", NULL, "folded text with two counts, as difffolded.pl writes it", set_folded},
    {'g', "svg", NULL, "a picture: red grew, blue shrank, and what vanished", set_svg},
    {'m', "main", "FILE", "compare this input of several", tool_set_source},
    {'t', "title", "TEXT", "title of the picture", tool_set_title},
    {0},
};

static const struct tool tool = {
    .name = "ff-diff",
    .summary = "Compares two profiles by bucket, role of the threads and stack, and says what is "
               "noise.",
    .arguments = "A B",
    .options = options,
    .selects = true,
    .ends_pipe = true,
    .examples = "  ff-diff before/profile.ff after/profile.ff\n"
                "  ff-diff --svg before/profile.ff after/profile.ff -o diff.svg\n",
};

static bool read_both(struct tool_run *run)
{
    if (run->file_count != 2) {
        tool_mistake(run, "two profiles are needed, found", run->file_count == 1 ? "one" : "more");
        return false;
    }
    if (!tool_check_output(run, run->output) || !tool_read_file(run, run->files[0]))
        return false;
    flamefold_second(run->flamefold);
    return tool_read_file(run, run->files[1]) && tool_step(run, flamefold_filter(run->flamefold));
}

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (read_both(&run)) {
        wanted.title = run.view.title;
        wanted.source = run.view.source;
        tool_step(&run, flamefold_diff(run.flamefold, run.output, &wanted));
    }
    return tool_end(&run);
}
