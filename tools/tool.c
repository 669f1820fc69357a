/* SPDX-License-Identifier: MIT
 *
 * One run of a tool, from its arguments to its exit status. The hard thing is the last line on
 * stderr: it must say what is missing from the result once, wherever in a pipe the tool stands.
 */
#include "tool.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool stdout_is_pipe(void)
{
    struct stat status;
    return fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode);
}

bool tool_begin(struct tool_run *run, const struct tool *tool, int argc, char **argv)
{
    *run = (struct tool_run){.tool = tool, .output = "-", .files = argv + 1};
    run->in_pipe = stdout_is_pipe();
    run->flamefold = flamefold_new();
    if (!run->flamefold) {
        fprintf(stderr, "%s: out of memory\n", tool->name);
        run->status = FLAMEFOLD_FAILED;
        return false;
    }
    flamefold_live_symbols(run->flamefold, tool->opens_images);
    bool only_files = false;
    for (int i = 1; i < argc;) {
        if (only_files || argv[i][0] != '-' || !argv[i][1]) {
            run->files[run->file_count++] = argv[i++];
        } else if (strcmp(argv[i], "--") == 0) {
            only_files = true;
            i++;
        } else {
            int used = tool_take_option(run, argv + i, argc - i);
            if (used < 0)
                return false;
            i += used;
        }
    }
    return true;
}

static void worsen(struct tool_run *run, int status)
{
    if (status > run->status)
        run->status = status;
}

bool tool_step(struct tool_run *run, enum flamefold_status status)
{
    const char *message = flamefold_message(run->flamefold);
    if (status != FLAMEFOLD_OK && *message)
        fprintf(stderr, "%s: %s\n", run->tool->name, message);
    worsen(run, (int)status);
    return status == FLAMEFOLD_OK || status == FLAMEFOLD_LEFT_OUT;
}

/* One line on a terminal, after a second, that the next one overwrites. */
static void tell_progress(void *context, uint64_t offset, uint64_t size)
{
    struct tool_run *run = context;
    if (time(NULL) < run->started + 2)
        return;
    run->told = true;
    if (size != UINT64_MAX && size)
        fprintf(stderr, "\r%s: %s: %u %% \033[K", run->tool->name, run->now,
                (unsigned)((double)offset / (double)size * 100));
    else
        fprintf(stderr, "\r%s: %s: %llu MB \033[K", run->tool->name, run->now,
                (unsigned long long)offset / 1000000);
}

bool tool_read_file(struct tool_run *run, const char *path)
{
    run->started = (long)time(NULL);
    run->now = path;
    if (isatty(STDERR_FILENO))
        flamefold_on_progress(run->flamefold, tell_progress, run);
    enum flamefold_status status = flamefold_read(run->flamefold, path);
    if (run->told)
        fprintf(stderr, "\r\033[K");
    run->told = false;
    return tool_step(run, status);
}

static bool read_one(struct tool_run *run, const char *path)
{
    if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO)) {
        tool_mistake(run, "stdin is a terminal: name a FILE, or pipe into", run->tool->name);
        return false;
    }
    return tool_read_file(run, path);
}

static bool is_same(const struct stat *in, const struct stat *out)
{
    return in->st_dev == out->st_dev && in->st_ino == out->st_ino && !S_ISCHR(out->st_mode);
}

/* Whether a file of FOLDER is the one that is to be written. */
static bool holds_output(const char *folder, const struct stat *out)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    struct stat in;
    bool found = false;
    while (directory && !found && (entry = readdir(directory)))
        found = fstatat(dirfd(directory), entry->d_name, &in, 0) == 0 && S_ISREG(in.st_mode) &&
                is_same(&in, out);
    if (directory)
        closedir(directory);
    return found;
}

/* Whether FILE is, or as a folder holds, what is to be written: that would destroy it, and a pipe
 * cannot be written over while it is read. */
static bool is_output(const char *output, const char *file)
{
    struct stat in, out;
    int found = strcmp(file, "-") == 0 ? fstat(STDIN_FILENO, &in) : stat(file, &in);
    if (found != 0 || stat(output, &out) != 0)
        return false;
    return is_same(&in, &out) || (S_ISDIR(in.st_mode) && holds_output(file, &out));
}

static bool check_file(struct tool_run *run, const char *output, const char *file)
{
    if (is_output(output, file)) {
        tool_mistake(run, "the output would replace the input",
                     strcmp(file, "-") == 0 ? "stdin" : file);
        return false;
    }
    return true;
}

bool tool_check_output(struct tool_run *run, const char *output)
{
    bool fine = true;
    if (strcmp(output, "-") == 0)
        return true;
    for (int i = 0; fine && i < run->file_count; i++)
        fine = check_file(run, output, run->files[i]);
    for (int i = 0; fine && i < run->named_count; i++)
        fine = check_file(run, output, run->named[i]);
    return fine && (run->file_count || check_file(run, output, "-"));
}

bool tool_note_input(struct tool_run *run, const char *path)
{
    char **grown = realloc(run->named, ((size_t)run->named_count + 1) * sizeof *grown);
    if (grown)
        run->named = grown;
    char *copy = grown ? strdup(path) : NULL;
    if (copy)
        run->named[run->named_count++] = copy;
    else
        fprintf(stderr, "%s: out of memory\n", run->tool->name);
    return copy;
}

void tool_give_advice(struct tool_run *run)
{
    const char *advice = flamefold_advice(run->flamefold);
    if (*advice)
        fprintf(stderr, "%s: %s\n", run->tool->name, advice);
}

bool tool_read(struct tool_run *run)
{
    bool any = false;
    if (!tool_check_output(run, run->output))
        return false;
    if (!run->file_count)
        any = read_one(run, "-");
    for (int i = 0; i < run->file_count; i++)
        any |= read_one(run, run->files[i]);
    /* One file of several that failed is a loss; the others still count. */
    if (any && run->status == FLAMEFOLD_FAILED)
        run->status = FLAMEFOLD_LEFT_OUT;
    return any && (run->tool->filters_late || tool_step(run, flamefold_filter(run->flamefold)));
}

void tool_note_source(struct tool_run *run)
{
    const char *source = flamefold_source(run->flamefold);
    if (source && !run->view.source)
        fprintf(stderr, "%s: showing %s; --main FILE shows another input\n", run->tool->name,
                source);
    const char *event = flamefold_event(run->flamefold, &run->view);
    if (event)
        fprintf(stderr, "%s: showing event %s; --event NAME shows another\n", run->tool->name,
                event);
}

static void print_losses(struct tool_run *run)
{
    const struct tool *tool = run->tool;
    const char *losses = flamefold_losses(run->flamefold, !tool->ends_pipe);
    if (!*losses)
        return;
    worsen(run, flamefold_is_empty(run->flamefold) ? FLAMEFOLD_FAILED : FLAMEFOLD_LEFT_OUT);
    bool passed_on = !tool->ends_pipe && strcmp(run->output, "-") == 0 && run->in_pipe;
    if (!passed_on)
        fprintf(stderr, "%s: left out: %s\n", tool->name, losses);
}

int tool_end(struct tool_run *run)
{
    if (run->flamefold && run->status < FLAMEFOLD_FAILED)
        print_losses(run);
    flamefold_free(run->flamefold);
    for (int i = 0; i < run->named_count; i++)
        free(run->named[i]);
    free(run->named);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "%s: stdout: cannot write: %s\n", run->tool->name, strerror(errno));
        worsen(run, FLAMEFOLD_FAILED);
    }
    if (run->strict && run->status == FLAMEFOLD_LEFT_OUT)
        return FLAMEFOLD_FAILED;
    return run->status;
}
