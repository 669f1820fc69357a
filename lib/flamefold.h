/* SPDX-License-Identifier: MIT
 *
 * libflamefold: recorded profiles in, answers out. One handle, one verb per stage:
 *
 *     struct flamefold *f = flamefold_new();
 *     flamefold_read(f, "perf.data");        // recordings and side files, any number
 *     flamefold_symbols(f, "symbols.tar");   // where names come from
 *     flamefold_symbolize(f);                // addresses -> names
 *     flamefold_merge(f);                    // Python's knowledge into native threads
 *     flamefold_classify(f, NULL);           // samples -> buckets
 *     flamefold_report(f, "-", NULL);        // and fold, svg, save
 *     flamefold_free(f);
 *
 * Any stage may be left out. The library never prints, exits or reads the environment. A handle is
 * used by one thread at a time; different handles are independent.
 */
#ifndef FLAMEFOLD_H
#define FLAMEFOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a verb answers; the same numbers are the exit statuses of the tools. Everything but
 * FLAMEFOLD_OK has set the message. */
enum flamefold_status {
    FLAMEFOLD_OK = 0,       /* done, everything used */
    FLAMEFOLD_LEFT_OUT = 1, /* done, but something that was there is not in the result */
    FLAMEFOLD_FAILED = 2,   /* not done, or nothing usable */
    FLAMEFOLD_USAGE = 64    /* the caller's mistake: an option or a value that makes no sense */
};

struct flamefold;

struct flamefold *flamefold_new(void);            /* NULL when memory is out */
void flamefold_free(struct flamefold *flamefold); /* NULL is fine */

/* Why the last verb did not answer FLAMEFOLD_OK; "" if it did. Lives until the next verb. */
const char *flamefold_message(const struct flamefold *flamefold);

/* Whether the profile holds no sample at all: then what was left out was everything. */
bool flamefold_is_empty(const struct flamefold *flamefold);

/* One line of advice on what would make the result better (images that are missing, say), or "". Lives
 * until the next call. */
const char *flamefold_advice(struct flamefold *flamefold);

/* One line on what was in the inputs and is not in the result, or "" if nothing is missing. NEW_ONLY
 * leaves out what a stream that was read had already counted. Lives until the next call. */
const char *flamefold_losses(struct flamefold *flamefold, bool new_only);

/* The version of the library, "0.1.0". */
const char *flamefold_version(void);

/* Restricts the samples. OPTION is one of pid, tid, cpu (numbers, commas between), comm, thread,
 * event, bucket, tag (globs), time ("START,END" in seconds or percent). Given again it adds an
 * alternative; different options restrict each other. VALUE is borrowed. `time` and `cpu` work while
 * recordings are read, so they come before; all others when flamefold_filter is called. */
enum flamefold_status flamefold_select(struct flamefold *flamefold, const char *option,
                                       const char *value);
/* FLAMEFOLD_FAILED when the selection leaves nothing of what there was; the message says what there is. */
enum flamefold_status flamefold_filter(struct flamefold *flamefold);

/* Adds a recording, a py-spy file, folded text or a stream; "-" is stdin. FLAMEFOLD_LEFT_OUT: it
 * was damaged, and what could be read is there. Memory: in proportion to what is distinct in the
 * input, see docs/architecture.md. */
enum flamefold_status flamefold_read(struct flamefold *flamefold, const char *path);

/* While a file is read, TELL is called after each piece (about a megabyte) with the bytes that were
 * read and the file's size, UINT64_MAX for a pipe. NULL: nobody wants to know. */
void flamefold_on_progress(struct flamefold *flamefold,
                           void (*tell)(void *context, uint64_t offset, uint64_t size),
                           void *context);

/* What a file is: "perf.data", "py-spy raw", "kallsyms" ...; NULL with a message if it cannot be
 * opened. *role tells what the library does with it. */
enum flamefold_role {
    FLAMEFOLD_ROLE_PROFILE, /* for flamefold_read */
    FLAMEFOLD_ROLE_SIDE,    /* for flamefold_read too: no samples, but facts about them */
    FLAMEFOLD_ROLE_SYMBOLS, /* for flamefold_symbols */
    FLAMEFOLD_ROLE_NONE     /* for neither, yet */
};
const char *flamefold_recognise(struct flamefold *flamefold, const char *path,
                                enum flamefold_role *role);

/* The formats that flamefold_recognise tells apart, by INDEX from 0; NULL behind the last. *use: "" if
 * it is read, else what to do with such a file. */
const char *flamefold_format(unsigned index, const char **use);

/* Adds a place to look for names, asked in order: a folder (a root file system, a build-id tree, or
 * just files), a pack, a kallsyms file, a perf map, a jit dump, one ELF file. */
enum flamefold_status flamefold_symbols(struct flamefold *flamefold, const char *path);

/* Whether this machine's own files may be asked last, by recorded path and only with the right
 * build-id or, where none was recorded, the recorded inode. Off in a new handle. */
void flamefold_live_symbols(struct flamefold *flamefold, bool allowed);

/* Whether files that no build-id proves to be the recorded ones are refused. Off in a new handle: such a
 * module is used and counted as not verified. */
void flamefold_verified_only(struct flamefold *flamefold, bool wanted);

/* Whether truncated stacks may be completed from other stacks of the same thread. On in a new handle;
 * what was completed is marked so, see docs/unwinding.md. */
void flamefold_stitching(struct flamefold *flamefold, bool allowed);

/* Says before reading that the view's `compat` will be WORDS: what their tool leaves out of perf script
 * text is left out, and stands in the ledger. FLAMEFOLD_USAGE if they make no sense. */
enum flamefold_status flamefold_compat(struct flamefold *flamefold, const char *words);

/* Whether stacks go on by frame pointers where an unwind rule is missing. Off in a new handle; what
 * was found so is marked as guessed, see docs/unwinding.md. */
void flamefold_frame_pointers(struct flamefold *flamefold, bool wanted);

/* Whether the exact time of each sample is kept from what is read from now on. Off in a new handle:
 * then at most 64 windows of time for each input. */
void flamefold_times(struct flamefold *flamefold, bool exact);

/* Adds a recording of the same process whose complete stacks may complete the truncated ones of others;
 * its samples are not added. Any number, before flamefold_read, which reads it when a recording with
 * stack dumps comes, and answers FLAMEFOLD_USAGE if it is of another process: equal are the pid and all
 * executable mappings that both have. */
enum flamefold_status flamefold_donors(struct flamefold *flamefold, const char *path);

/* Unwinds stack dumps in at most COUNT threads; 0, as at first: one for each processor. The result is the
 * same with any number. Before flamefold_read. */
void flamefold_threads(struct flamefold *flamefold, unsigned count);

/* Says which process a perf map, jit dump or side file belongs to, where its content does not. Before
 * the file is read, or after a perf map was added. Of a file that is never read flamefold_filter
 * answers FLAMEFOLD_USAGE. */
enum flamefold_status flamefold_pid_of(struct flamefold *flamefold, const char *path, unsigned pid);

/* Says what an input does not: "py-spy,population=gil,rate=49,seconds=30,errors=0"; the tool comes
 * first, the rest may be left out. It counts more than a manifest, a log or the file's name. Before the
 * file is read. */
enum flamefold_status flamefold_about(struct flamefold *flamefold, const char *path,
                                      const char *words);

/* Whether flamefold_symbolize also asks debug information: for source lines, for frames of functions
 * that were inlined. Neither in a new handle: it costs time, in proportion to the debug information
 * of the compilation units that hold a frame. */
void flamefold_inlines(struct flamefold *flamefold, bool lines, bool inlined);

/* By which method flamefold_merge works: "auto" (each whose inputs are there, as in a new handle),
 * "names" (of threads only), "exact", "paired", "conditional"; see docs/merging.md. PLUMBING: the interpreter's
 * functions that only carry calls are shown, too. FLAMEFOLD_USAGE for another word. */
enum flamefold_status flamefold_merging(struct flamefold *flamefold, const char *method,
                                        bool plumbing);

/* The stages. Each can be repeated; none needs another. */
enum flamefold_status flamefold_symbolize(struct flamefold *flamefold);
/* FLAMEFOLD_FAILED with the reason: there are py-spy files and recordings, and none goes with another. */
enum flamefold_status flamefold_merge(struct flamefold *flamefold);
/* RULES: a rule file that replaces the built-in rules; NULL: the built-in ones. */
enum flamefold_status flamefold_classify(struct flamefold *flamefold, const char *rules);

/* The rules in the order in which they are tried, one a line: where it stands, and the rule. RULES as for
 * flamefold_classify. PATH "-" is stdout, as below. */
enum flamefold_status flamefold_list_rules(struct flamefold *flamefold, const char *rules,
                                           const char *path);
/* Every mistake in the rule file RULES, one a line, and what else looks wrong, marked "note:". Writes
 * nothing for a good file; FLAMEFOLD_FAILED if there is a mistake. */
enum flamefold_status flamefold_check_rules(struct flamefold *flamefold, const char *rules,
                                            const char *path);

/* For perf and py-spy files without native frames: how often, at least and at most, a Python function is
 * on the stack while its thread is in a bucket; nothing is merged. After flamefold_classify. */
enum flamefold_status flamefold_bounds(struct flamefold *flamefold, const char *path);

/* Which rule decided, by which frames. After flamefold_classify. */
enum flamefold_status flamefold_explain(struct flamefold *flamefold, const char *path);

/* What a picture or table shows. All zero is the default. */
struct flamefold_view {
    const char *source; /* name of the input file; NULL: the one with most complete stacks, then
                            most samples; that choice is flamefold_source */
    const char *event;  /* NULL: the one with most samples */
    const char *roots;  /* "thread,bucket": what stands above the outermost frame; NULL: "comm" */
    bool weights;       /* the event's weights (ns, cycles) instead of sample counts */
    bool lines;         /* "work (main.c:12)" instead of "work", where lines were asked for */
    bool modules;       /* "libc.so.6!sched_yield" instead of "sched_yield" */
    bool kernel_marks;  /* kernel frames end in "_[k]" */
    const char *compat; /* fold: as another tool, "perl,tid" (see ff-fold(1)); NULL: as we do */
    const char *title, *subtitle; /* SVG */
    unsigned width;               /* SVG: pixels; 0: 1200 */
    bool inverted;                /* SVG: callers on top */
    const char *color;            /* SVG: "bucket", "kind" or "name"; NULL: "bucket" */
    const char *before;           /* SVG: name of the input with which it is compared; NULL: text
                                      with two counts a line is compared with itself */
    const char *palette;          /* SVG: instead, a palette of flamegraph.pl: "hot", "java", ... */
    const char *colors;           /* SVG: a file with colours of the user's own, see ff-svg(1) */
    bool timeline;                /* SVG: threads over time above the boxes */
    bool json;                    /* report: JSON instead of text */
    bool markdown;                /* report: Markdown, for issue trackers */
    const char *rules; /* report: a rule file that describes the buckets; NULL: the rules that
                            flamefold_classify had, else the built-in ones */
};

/* The name of the input that flamefold_fold and the others show without `source`; NULL if there is
 * only one, or none. */
const char *flamefold_source(const struct flamefold *flamefold);

/* The same for the event that is shown without `event`, of the source that VIEW names, with its share
 * of the samples. Lives until the next call that returns a line. */
const char *flamefold_event(struct flamefold *flamefold, const struct flamefold_view *view);

enum flamefold_status flamefold_fold(struct flamefold *flamefold, const char *path,
                                     const struct flamefold_view *view);
enum flamefold_status flamefold_svg(struct flamefold *flamefold, const char *path,
                                    const struct flamefold_view *view);
enum flamefold_status flamefold_report(struct flamefold *flamefold, const char *path,
                                       const struct flamefold_view *view);

/* What flamegraph.pl's options of these names say; NULL and false are its defaults. Numbers are texts, as
 * there: min_width "0.1" pixels or "0.5%" of the total. */
struct flamefold_perl {
    const char *title, *subtitle, *font_type, *font_size, *font_width, *count_name, *name_type;
    const char *notes, *background, *palette, *height, *min_width, *total, *factor;
    unsigned width;
    bool hashed, reversed, inverted, flame_chart, negated;
    bool
        palette_map; /* colours stay over runs: palette.map in the working folder is read and written */
};

/* Draws COUNT files of folded text (also with two counts a line: a difference) as flamegraph.pl does:
 * the same boxes with the same title, place, size and colour. The profile is not touched.
 * FLAMEFOLD_LEFT_OUT when lines were no stacks. */
enum flamefold_status flamefold_perl(struct flamefold *flamefold, const char *const *paths,
                                     unsigned count, const char *path,
                                     const struct flamefold_perl *options);

/* Unwind health as text: how far stacks reach, what cut them, how to record again. Of all inputs
 * without `source`; of all events without `event`; nothing else of the view is used. */
enum flamefold_status flamefold_doctor(struct flamefold *flamefold, const char *path,
                                       const struct flamefold_view *view);

/* The samples as text in the form of `perf script`, to look at and to grep. */
enum flamefold_status flamefold_print(struct flamefold *flamefold, const char *path);

/* What is read from here on is the second profile, for flamefold_diff. */
void flamefold_second(struct flamefold *flamefold);

/* The first profile against the second, of each its main input and event. All zero is the
 * default: a text by share of the samples. */
struct flamefold_diff {
    bool per_second; /* compare samples per second; FLAMEFOLD_USAGE where a duration is not known */
    bool folded;     /* folded text with two counts instead of the text */
    bool svg;        /* a picture instead: red grew, blue shrank or vanished */
    unsigned stacks; /* stacks that the text shows; 0: 20 */
    const char *title;  /* of the picture; NULL: "A to B" */
    const char *source; /* the input to compare, by name; NULL: the main one of each profile */
};
enum flamefold_status flamefold_diff(struct flamefold *flamefold, const char *path,
                                     const struct flamefold_diff *options);

/* The profile as the stream that every tool reads: docs/formats.md. */
enum flamefold_status flamefold_save(struct flamefold *flamefold, const char *path);

/* A symbol pack for the frames of the profile: a folder, or a tar if PATH ends in ".tar".
 * FLAMEFOLD_LEFT_OUT: it was written, but some unwind entries lack their rules. */
enum flamefold_status flamefold_pack(struct flamefold *flamefold, const char *path);

#endif
