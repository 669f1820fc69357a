/* SPDX-License-Identifier: MIT
 *
 * Option tables to parsing and help: what stands in a table is parsed, shown and, by the document
 * check, described in the man page.
 */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096
#define PID_MAX   4194304ul /* the kernel's own limit */

static enum flamefold_status set_output(struct tool_run *run, const char *value)
{
    run->output = value;
    return FLAMEFOLD_OK;
}

static enum flamefold_status set_strict(struct tool_run *run, const char *value)
{
    (void)value;
    run->strict = true;
    flamefold_verified_only(run->flamefold, true);
    return FLAMEFOLD_OK;
}

static enum flamefold_status add_symbols(struct tool_run *run, const char *value)
{
    return tool_note_input(run, value) ? flamefold_symbols(run->flamefold, value)
                                       : FLAMEFOLD_FAILED;
}

static enum flamefold_status set_no_live(struct tool_run *run, const char *value)
{
    (void)value;
    flamefold_live_symbols(run->flamefold, false);
    return FLAMEFOLD_OK;
}

/* Copies what stands before EQUALS. */
static bool cut_path(char *path, size_t size, const char *value, const char *equals)
{
    size_t used = equals ? (size_t)(equals - value) : size;
    if (used >= size)
        return false;
    memcpy(path, value, used);
    path[used] = '\0';
    return true;
}

static enum flamefold_status add_pid_of(struct tool_run *run, const char *value)
{
    const char *equals = strrchr(value, '=');
    char path[PATH_SIZE], *end = NULL;
    unsigned long pid = equals ? strtoul(equals + 1, &end, 10) : 0;
    if (!equals || end == equals + 1 || *end || pid < 1 || pid > PID_MAX ||
        !cut_path(path, sizeof path, value, equals)) {
        fprintf(stderr, "%s: --pid-of: '%s' is not FILE=PID\n", run->tool->name, value);
        return FLAMEFOLD_USAGE;
    }
    if (!tool_note_input(run, path))
        return FLAMEFOLD_FAILED;
    return flamefold_pid_of(run->flamefold, path, (unsigned)pid);
}

/* "spy.raw=py-spy,rate=49": the path ends at the '=' before the first comma, so it may hold others. */
static enum flamefold_status add_about(struct tool_run *run, const char *value)
{
    const char *comma = strchr(value, ','), *equals = value;
    char path[PATH_SIZE];
    for (const char *at = value; *at && at != comma; at++)
        equals = *at == '=' ? at : equals;
    if (*equals != '=' || !cut_path(path, sizeof path, value, equals)) {
        fprintf(stderr, "%s: --as: '%s' is not FILE=py-spy,...\n", run->tool->name, value);
        return FLAMEFOLD_USAGE;
    }
    if (!tool_note_input(run, path))
        return FLAMEFOLD_FAILED;
    return flamefold_about(run->flamefold, path, equals + 1);
}

static const struct tool_option common_options[] = {
    {'o', "output", "FILE", "write to FILE (stdout when not given)", set_output},
    {0, "strict", NULL, "exit 2 instead of 1 when something was left out", set_strict},
    {'h', "help", NULL, "print this help", NULL},
    {'V', "version", NULL, "print the version", NULL},
    {0},
};

static const struct tool_option tree_options[] = {
    {'m', "main", "FILE", "show this input of several", tool_set_source},
    {'w', "weights", NULL, "the event's weights (ns, cycles) instead of sample counts",
     tool_set_weights},
    {'b', "by", "LIST",
     "put these above the outermost frame: comm, thread, role, bucket, tag, process, "
     "source, state, event, none",
     tool_set_roots},
    {'l', "lines", NULL, "names with their line: work (main.c:12), if ff-symbolize had --lines",
     tool_set_lines},
    {0, "modules", NULL, "names with their module: libc.so.6!sched_yield", tool_set_modules},
    {0},
};

static const struct tool_option selection_options[] = {
    {0, "time", "A,B", "from A to B, in seconds of the recording's clock or percent (10%,20%)",
     NULL},
    {0, "pid", "N,...", "samples of these processes", NULL},
    {0, "tid", "N,...", "samples of these threads", NULL},
    {0, "cpu", "N,...", "samples on these CPUs", NULL},
    {0, "comm", "GLOB", "samples of threads with this kernel name", NULL},
    {0, "thread", "GLOB", "samples of threads with this name (Python's, else the kernel's)", NULL},
    {0, "event", "NAME", "samples of this event", NULL},
    {0, "bucket", "GLOB", "samples in this bucket", NULL},
    {0, "tag", "GLOB", "samples with this tag: phase:backward, spin", NULL},
    {0},
};

static const struct tool_option input_options[] = {
    {0, "as", "FILE=WORDS",
     "what FILE does not say: py-spy,population=gil,rate=49,seconds=30,errors=0", add_about},
    {0, "pid-of", "FILE=PID", "the side file or perf map FILE belongs to process PID", add_pid_of},
    {0},
};

static const struct tool_option image_options[] = {
    {'s', "symbols", "PATH", "take names from PATH: folder, pack, kallsyms, perf map, ELF file",
     add_symbols},
    {0, "no-live", NULL, "do not ask this machine's own files, not even with the right build-id",
     set_no_live},
    {0},
};

/* All tables of a tool, in the order of --help. */
static int tables_of(const struct tool *tool, const struct tool_option *tables[6])
{
    int count = 0;
    if (tool->shows_tree)
        tables[count++] = tree_options;
    if (tool->options)
        tables[count++] = tool->options;
    tables[count++] = input_options;
    if (tool->opens_images)
        tables[count++] = image_options;
    if (tool->selects)
        tables[count++] = selection_options;
    tables[count++] = common_options;
    return count;
}

static void print_table(const struct tool_option *option)
{
    for (; option->name; option++) {
        char left[40];
        snprintf(left, sizeof left, "%c%c%c --%s%s%s", option->letter ? '-' : ' ',
                 option->letter ? option->letter : ' ', option->letter ? ',' : ' ', option->name,
                 option->argument ? " " : "", option->argument ? option->argument : "");
        printf("  %-24s  %s\n", left, option->help);
    }
}

static void print_help(const struct tool *tool)
{
    const struct tool_option *tables[6];
    int count = tables_of(tool, tables);
    printf("Usage: %s [OPTION...] %s\n%s\n\n", tool->name, tool->arguments, tool->summary);
    for (int i = 0; i < count; i++)
        print_table(tables[i]);
    printf("\nFILE \"-\" is stdin, and stdin is read when no FILE is given. Any input that ff-read "
           "knows,\nor the stream of another tool, will do.\n\nExamples:\n%s\n"
           "Exit status: 0 everything used, 1 something was left out (the last line on stderr\n"
           "says what), 2 failed or nothing usable, 64 wrong use.\n",
           tool->examples);
}

int tool_mistake(struct tool_run *run, const char *what, const char *word)
{
    fprintf(stderr, "%s: %s '%s'; try '%s --help'\n", run->tool->name, what, word, run->tool->name);
    run->status = FLAMEFOLD_USAGE;
    return -1;
}

static const struct tool_option *find_option(const struct tool *tool, const char *name, size_t size,
                                             char letter)
{
    const struct tool_option *tables[6];
    int count = tables_of(tool, tables);
    for (int i = 0; i < count; i++) {
        for (const struct tool_option *option = tables[i]; option->name; option++) {
            bool long_form =
                name && strlen(option->name) == size && memcmp(option->name, name, size) == 0;
            if (long_form || (letter && option->letter == letter))
                return option;
        }
    }
    return NULL;
}

static int apply_option(struct tool_run *run, const struct tool_option *option, const char *value)
{
    enum flamefold_status status;
    if (strcmp(option->name, "help") == 0) {
        print_help(run->tool);
        return -1;
    }
    if (strcmp(option->name, "version") == 0) {
        printf("%s (flamefold) %s\n", run->tool->name, flamefold_version());
        return -1;
    }
    status = option->set ? option->set(run, value)
                         : flamefold_select(run->flamefold, option->name, value);
    return tool_step(run, status) ? 0 : -1;
}

int tool_take_option(struct tool_run *run, char **words, int left)
{
    const char *word = words[0], *equals = strchr(word, '=');
    bool is_long = word[1] == '-';
    size_t size = equals && is_long ? (size_t)(equals - word) - 2 : is_long ? strlen(word + 2) : 0;
    const struct tool_option *option =
        find_option(run->tool, is_long ? word + 2 : NULL, size, is_long ? 0 : word[1]);
    if (!option)
        return tool_mistake(run, "unknown option", word);
    const char *attached = is_long ? (equals ? equals + 1 : NULL) : word[2] ? word + 2 : NULL;
    if (!option->argument && attached)
        return tool_mistake(run, "the option takes no value:", word);
    if (!option->argument || attached)
        return apply_option(run, option, attached) ? -1 : 1;
    if (left < 2)
        return tool_mistake(run, "the option needs a value:", word);
    return apply_option(run, option, words[1]) ? -1 : 2;
}
