/* SPDX-License-Identifier: MIT
 *
 * What every tool shares: one table of options that parses, prints --help and feeds the check of
 * the man pages; messages; the exit status.
 */
#ifndef FF_TOOLS_TOOL_H
#define FF_TOOLS_TOOL_H

#include "flamefold.h"

struct tool_run;

struct tool_option {
    char letter;          /* 0: long form only */
    const char *name;     /* without the dashes */
    const char *argument; /* NULL: none */
    const char *help;     /* one line */
    /* Takes the value (NULL without argument). */
    enum flamefold_status (*set)(struct tool_run *run, const char *value);
};

/* A tool: all constant. */
struct tool {
    const char *name;
    const char *summary;               /* one line: from what to what */
    const char *arguments;             /* "[FILE...]" */
    const struct tool_option *options; /* its own; ends with an empty one */
    bool shows_tree;                   /* has the options of what is shown as a call tree */
    bool selects;                      /* has the options that select samples */
    bool opens_images;                 /* has --symbols and its kin */
    bool filters_late; /* selects not when it has read, but by itself when it has classified */
    bool ends_pipe;    /* its output is no stream: it prints every loss that came down the pipe */
    const char *examples; /* lines of --help: a comment, a command */
};

/* One run of a tool. */
struct tool_run {
    const struct tool *tool;
    struct flamefold *flamefold;
    struct flamefold_view view;
    struct flamefold_perl perl; /* ff-svg --compat=perl */
    const char *picture_of;     /* ff-svg --compat */
    const char *perl_only;      /* an option that needs it, if one was given */
    const char *output;         /* -o; "-" if not given */
    const char *rules;          /* --rules */
    bool explain;               /* --explain */
    bool print;                 /* --print */
    bool formats;               /* --formats */
    bool list_rules;            /* --list-rules */
    const char *check_rules;    /* --check-rules */
    const char *method;         /* --method; NULL if not given */
    bool plumbing;              /* --plumbing */
    bool bounds;                /* --bounds */
    bool inlined;               /* --inline; --lines is in the view */
    bool strict;                /* --strict: left out counts as failed */
    bool in_pipe;               /* stdout is a pipe: another tool goes on with the stream */
    char **files;               /* what is not an option; at least "-" */
    int file_count;
    char **named; /* the files that options name; owned */
    int named_count;
    long started;    /* seconds; of the file that is read */
    const char *now; /* its name */
    bool told;       /* a line of progress stands on the terminal */
    int status;      /* the worst so far */
};

/* Parses the options. False: the run is over (--help, --version, a mistake): return tool_end. */
bool tool_begin(struct tool_run *run, const struct tool *tool, int argc, char **argv);

/* Takes the option words[0], with its value in it or in words[1]; LEFT words are left. The number of
 * words used, or -1 when the run is over. (options.c) */
int tool_take_option(struct tool_run *run, char **words, int left);

/* Prints "WHAT 'WORD'" with a hint to --help, makes the run one of wrong use, and returns -1. */
int tool_mistake(struct tool_run *run, const char *what, const char *word);

/* Takes a verb's answer: prints its message, keeps the worst status; false when it failed. */
bool tool_step(struct tool_run *run, enum flamefold_status status);

/* Notes PATH, which an option reads, as an input; false when memory is out. */
bool tool_note_input(struct tool_run *run, const char *path);

/* False, and a run of wrong use, when the output is one of the inputs, those of options included. To
 * be asked after all options: -o may stand anywhere. */
bool tool_check_output(struct tool_run *run, const char *output);

/* Reads one file, showing progress on a terminal; false when nothing came out of it. */
bool tool_read_file(struct tool_run *run, const char *path);

/* Reads all files (stdin if there are none) and applies the selection; false if nothing usable came
 * out of any of them. */
bool tool_read(struct tool_run *run);

/* Says which source and event were chosen where there was a choice. */
void tool_note_source(struct tool_run *run);

/* Prints the library's advice, if it has any. */
void tool_give_advice(struct tool_run *run);

/* Prints what was left out, frees, and gives main its exit status. */
int tool_end(struct tool_run *run);

/* Setters of flamegraph.pl's options (settings_perl.c). */
enum flamefold_status tool_set_picture_of(struct tool_run *run, const char *value);
enum flamefold_status tool_set_height(struct tool_run *run, const char *value);
enum flamefold_status tool_set_min_width(struct tool_run *run, const char *value);
enum flamefold_status tool_set_font_type(struct tool_run *run, const char *value);
enum flamefold_status tool_set_font_size(struct tool_run *run, const char *value);
enum flamefold_status tool_set_font_width(struct tool_run *run, const char *value);
enum flamefold_status tool_set_count_name(struct tool_run *run, const char *value);
enum flamefold_status tool_set_name_type(struct tool_run *run, const char *value);
enum flamefold_status tool_set_background(struct tool_run *run, const char *value);
enum flamefold_status tool_set_hash(struct tool_run *run, const char *value);
enum flamefold_status tool_set_reverse(struct tool_run *run, const char *value);
enum flamefold_status tool_set_negate(struct tool_run *run, const char *value);
enum flamefold_status tool_set_flame_chart(struct tool_run *run, const char *value);
enum flamefold_status tool_set_notes(struct tool_run *run, const char *value);
enum flamefold_status tool_set_total(struct tool_run *run, const char *value);
enum flamefold_status tool_set_factor(struct tool_run *run, const char *value);
enum flamefold_status tool_set_palette_map(struct tool_run *run, const char *value);

/* Setters for the tables of several tools (settings.c). */
enum flamefold_status tool_set_source(struct tool_run *run, const char *value);
enum flamefold_status tool_set_roots(struct tool_run *run, const char *value);
enum flamefold_status tool_set_weights(struct tool_run *run, const char *value);
enum flamefold_status tool_set_modules(struct tool_run *run, const char *value);
enum flamefold_status tool_set_kernel(struct tool_run *run, const char *value);
enum flamefold_status tool_set_title(struct tool_run *run, const char *value);
enum flamefold_status tool_set_subtitle(struct tool_run *run, const char *value);
enum flamefold_status tool_set_width(struct tool_run *run, const char *value);
enum flamefold_status tool_set_inverted(struct tool_run *run, const char *value);
enum flamefold_status tool_set_color(struct tool_run *run, const char *value);
enum flamefold_status tool_set_before(struct tool_run *run, const char *value);
enum flamefold_status tool_set_palette(struct tool_run *run, const char *value);
enum flamefold_status tool_set_colors(struct tool_run *run, const char *value);
enum flamefold_status tool_set_threads(struct tool_run *run, const char *value);
enum flamefold_status tool_set_no_stitch(struct tool_run *run, const char *value);
enum flamefold_status tool_set_times(struct tool_run *run, const char *value);
enum flamefold_status tool_set_frame_pointers(struct tool_run *run, const char *value);
enum flamefold_status tool_add_donors(struct tool_run *run, const char *value);
enum flamefold_status tool_set_inlined(struct tool_run *run, const char *value);
enum flamefold_status tool_set_lines(struct tool_run *run, const char *value);
enum flamefold_status tool_set_compat(struct tool_run *run, const char *value);
enum flamefold_status tool_set_json(struct tool_run *run, const char *value);
enum flamefold_status tool_set_markdown(struct tool_run *run, const char *value);
enum flamefold_status tool_set_rules(struct tool_run *run, const char *value);
enum flamefold_status tool_set_method(struct tool_run *run, const char *value);
enum flamefold_status tool_set_bounds(struct tool_run *run, const char *value);
enum flamefold_status tool_set_plumbing(struct tool_run *run, const char *value);
enum flamefold_status tool_set_print(struct tool_run *run, const char *value);
enum flamefold_status tool_set_formats(struct tool_run *run, const char *value);
enum flamefold_status tool_set_explain(struct tool_run *run, const char *value);

#endif
