/* SPDX-License-Identifier: MIT
 *
 * Every sample gets a bucket.
 */
#include "tool.h"

static enum flamefold_status set_list(struct tool_run *run, const char *value)
{
    (void)value;
    run->list_rules = true;
    return FLAMEFOLD_OK;
}

static enum flamefold_status set_check(struct tool_run *run, const char *value)
{
    run->check_rules = value;
    return tool_note_input(run, value) ? FLAMEFOLD_OK : FLAMEFOLD_FAILED;
}

static const struct tool_option options[] = {
    {'r', "rules", "FILE",
     "use these rules instead of the built-in ones; a line 'default' in FILE adds those",
     tool_set_rules},
    {'e', "explain", NULL, "print which rule decided, by which frames, instead of the stream",
     tool_set_explain},
    {0, "list-rules", NULL,
     "print the rules in the order in which they are tried, and nothing else", set_list},
    {0, "check-rules", "FILE", "print every mistake in the rule file FILE, and nothing else",
     set_check},
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
                "  # own rules: without mistakes? in which order?\n"
                "  ff-classify --check-rules my.rules && ff-classify -r my.rules --list-rules\n"
                "  # why is this a spin?\n"
                "  ff-read perf.data | ff-symbolize | ff-classify --explain | less\n",
};

/* What is about rules alone reads no input. */
static bool tell_rules(struct tool_run *run)
{
    struct flamefold *flamefold = run->flamefold;
    if (run->check_rules && tool_check_output(run, run->output))
        tool_step(run, flamefold_check_rules(flamefold, run->check_rules, run->output));
    else if (run->list_rules && tool_check_output(run, run->output))
        tool_step(run, flamefold_list_rules(flamefold, run->rules, run->output));
    return run->check_rules || run->list_rules;
}

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv) || tell_rules(&run))
        return tool_end(&run);
    if (tool_read(&run) && tool_step(&run, flamefold_classify(run.flamefold, run.rules)) &&
        tool_step(&run, flamefold_filter(run.flamefold)))
        tool_step(&run, run.explain ? flamefold_explain(run.flamefold, run.output)
                                    : flamefold_save(run.flamefold, run.output));
    return tool_end(&run);
}
