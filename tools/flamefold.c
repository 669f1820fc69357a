/* SPDX-License-Identifier: MIT
 *
 * The whole way in one process: recordings and whatever lies beside them in, a folder with profile,
 * folded stacks, flame graph and report out.
 */
#include "tool.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE 4096

static const struct tool_option options[] = {
    {'m', "main", "FILE", "show this input of several", tool_set_source},
    {'r', "rules", "FILE", "use these rules instead of the built-in ones", tool_set_rules},
    {'t', "title", "TEXT", "title of the picture", tool_set_title},
    {0, "subtitle", "TEXT", "a line under the title", tool_set_subtitle},
    {'i', "inline", NULL, "give functions that were inlined frames of their own", tool_set_inlined},
    {'l', "lines", NULL, "names of native frames with their line: work (main.c:12)",
     tool_set_lines},
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
    .name = "flamefold",
    .summary = "Reads recordings and what lies beside them; prints the report and, with -o, writes "
               "DIR/report.txt,\nDIR/flame.svg, DIR/folded.txt and DIR/profile.ff.",
    .arguments = "FILE|DIR... -o DIR",
    .options = options,
    .selects = true,
    .opens_images = true,
    .ends_pipe = true,
    .examples = "  # one recording\n"
                "  flamefold perf.data -o out\n"
                "  # everything in a folder: recordings, py-spy files, symbols; with a pack\n"
                "  flamefold captures/run1 -s symbols.tar -o out\n",
};

/* The inputs are gone through twice: code is needed before the first stack can be unwound. */
enum pass { PASS_SYMBOLS, PASS_PROFILES };

/* Adds a symbol source, or reads a recording; what is neither is named and left alone. */
static bool take_file(struct tool_run *run, const char *path, bool in_folder, enum pass pass)
{
    enum flamefold_role role;
    if (strcmp(path, "-") == 0)
        return pass == PASS_PROFILES && tool_read_file(run, path);
    const char *format = flamefold_recognise(run->flamefold, path, &role);
    if (!format)
        return pass == PASS_PROFILES && tool_step(run, FLAMEFOLD_FAILED) && false;
    if (pass == PASS_SYMBOLS && role == FLAMEFOLD_ROLE_SYMBOLS)
        return tool_step(run, flamefold_symbols(run->flamefold, path)) && false;
    if (pass == PASS_SYMBOLS || role == FLAMEFOLD_ROLE_SYMBOLS)
        return false;
    if (role == FLAMEFOLD_ROLE_SIDE)
        return tool_read_file(run, path) && false;
    if (role == FLAMEFOLD_ROLE_NONE && in_folder) {
        fprintf(stderr, "%s: not used: %s (%s)\n", tool.name, path, format);
        return false;
    }
    return tool_read_file(run, path);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The files of a folder, sorted, so that the answer does not depend on the file system. */
static char **list_folder(const char *folder, size_t *count)
{
    DIR *directory = opendir(folder);
    char **names = NULL;
    size_t capacity = 0;
    struct dirent *entry;
    *count = 0;
    while (directory && (entry = readdir(directory))) {
        if (entry->d_name[0] == '.')
            continue;
        if (*count == capacity) {
            char **grown = realloc(names, (capacity = capacity * 2 + 32) * sizeof *names);
            if (!grown)
                break;
            names = grown;
        }
        names[(*count)++] = strdup(entry->d_name);
    }
    if (directory)
        closedir(directory);
    else
        fprintf(stderr, "%s: %s: cannot open the folder: %s\n", tool.name, folder, strerror(errno));
    if (names)
        qsort(names, *count, sizeof *names, compare_names);
    return names;
}

static bool is_folder(const char *path)
{
    struct stat status;
    char part[PATH_SIZE]; /* a recording in several files is one input */
    snprintf(part, sizeof part, "%s/data.0", path);
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && stat(part, &status) != 0;
}

static bool take_folder(struct tool_run *run, const char *folder, enum pass pass)
{
    bool any = false;
    size_t count;
    char **names = list_folder(folder, &count);
    for (size_t i = 0; i < count; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, names[i] ? names[i] : "");
        if (!is_folder(path))
            any |= take_file(run, path, true, pass);
        free(names[i]);
    }
    free(names);
    return any;
}

static bool take_inputs(struct tool_run *run)
{
    bool any = false;
    for (enum pass pass = PASS_SYMBOLS; pass <= PASS_PROFILES; pass++) {
        for (int i = 0; i < run->file_count; i++)
            any |= is_folder(run->files[i]) ? take_folder(run, run->files[i], pass)
                                            : take_file(run, run->files[i], false, pass);
    }
    if (any && run->status == FLAMEFOLD_FAILED)
        run->status = FLAMEFOLD_LEFT_OUT;
    if (!any && run->status < FLAMEFOLD_FAILED) {
        fprintf(stderr, "%s: none of the inputs is a recording; 'ff-read --help' lists what is\n",
                tool.name);
        run->status = FLAMEFOLD_FAILED;
    }
    return any;
}

static enum flamefold_status save(struct flamefold *flamefold, const char *path,
                                  const struct flamefold_view *view)
{
    (void)view;
    return flamefold_save(flamefold, path);
}

/* The files of the folder that -o names. */
static const struct {
    const char *name;
    enum flamefold_status (*verb)(struct flamefold *flamefold, const char *path,
                                  const struct flamefold_view *view);
} parts[] = {{"profile.ff", save},
             {"folded.txt", flamefold_fold},
             {"flame.svg", flamefold_svg},
             {"report.txt", flamefold_report}};

#define PART_COUNT (sizeof parts / sizeof *parts)

static bool check_folder(struct tool_run *run)
{
    char path[PATH_SIZE];
    /* Of a folder only these files are written. */
    bool fine = is_folder(run->output) || tool_check_output(run, run->output);
    for (size_t i = 0; fine && i < PART_COUNT && strcmp(run->output, "-") != 0; i++) {
        snprintf(path, sizeof path, "%s/%s", run->output, parts[i].name);
        fine = tool_check_output(run, path);
    }
    return fine;
}

static void write_folder(struct tool_run *run)
{
    char path[PATH_SIZE];
    if (mkdir(run->output, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "%s: %s: cannot make the folder: %s\n", tool.name, run->output,
                strerror(errno));
        run->status = FLAMEFOLD_FAILED;
        return;
    }
    for (size_t i = 0; i < PART_COUNT; i++) {
        snprintf(path, sizeof path, "%s/%s", run->output, parts[i].name);
        tool_step(run, parts[i].verb(run->flamefold, path, &run->view));
    }
}

/* py-spy files that belong to no recording here leave the recording as it is. */
static bool step_merge(struct tool_run *run)
{
    enum flamefold_status status = flamefold_merge(run->flamefold);
    return tool_step(run, status == FLAMEFOLD_FAILED ? FLAMEFOLD_LEFT_OUT : status);
}

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (!run.file_count) {
        fprintf(stderr, "flamefold: no input; try 'flamefold --help'\n");
        run.status = FLAMEFOLD_USAGE;
        return tool_end(&run);
    }
    if (check_folder(&run) && take_inputs(&run) &&
        tool_step(&run, flamefold_symbolize(run.flamefold)) && step_merge(&run) &&
        tool_step(&run, flamefold_classify(run.flamefold, run.rules)) &&
        tool_step(&run, flamefold_filter(run.flamefold))) {
        tool_give_advice(&run);
        tool_note_source(&run);
        if (strcmp(run.output, "-") != 0)
            write_folder(&run);
        tool_step(&run, flamefold_report(run.flamefold, "-", &run.view));
    }
    return tool_end(&run);
}
