/* SPDX-License-Identifier: MIT
 *
 * The inside of the public handle, for the files that implement flamefold.h.
 */
#ifndef FLAMEFOLD_HANDLE_H
#define FLAMEFOLD_HANDLE_H

#include "flamefold.h"

#include "base/input.h"
#include "base/output.h"
#include "classify/rules.h"
#include "fold/tree.h"
#include "image/images.h"
#include "merge/merge.h"
#include "profile/select.h"
#include "read/about.h"
#include "unwind/unwind.h"

/* What the user says of one input. */
struct flamefold_told {
    uint32_t path; /* text of the profile */
    uint32_t pid;  /* 0: not told */
    struct ff_about about;
    bool used; /* such an input was read */
};

struct flamefold {
    struct ff_profile *profile;
    struct ff_images *images;
    struct ff_unwinder *unwinder;
    unsigned threads;                /* 0: one for each processor */
    struct ff_perf_lender **lenders; /* of flamefold_donors */
    uint32_t lender_count, lender_capacity;
    struct flamefold_told *told; /* of flamefold_pid_of and flamefold_about */
    uint32_t told_count, told_capacity;
    uint32_t settled; /* sources when flamefold_settle last did its work */
    bool no_stitching, no_open_sample, lines, inlined;
    struct ff_merge_options merging;
    uint32_t split;         /* of flamefold_second: the first source behind it; 0: not called */
    struct ff_rules *rules; /* NULL until they are needed */
    struct ff_selection selection;
    struct ff_progress progress;
    char message[sizeof((struct ff_error *)0)->message];
    char line[400];
};

/* Keeps the message of a failed call, clears ERROR for the next one, grades the status. */
enum flamefold_status flamefold_answer(struct flamefold *flamefold, enum ff_status status,
                                       struct ff_error *error);

/* The same for a call whose message is in the profile. */
enum flamefold_status flamefold_answer_profile(struct flamefold *flamefold, enum ff_status status);

/* Done, but the note, if any, says what is missing. */
enum flamefold_status flamefold_answer_noted(struct flamefold *flamefold, enum ff_status status,
                                             struct ff_error *note);

/* What can only be said when all inputs are read: which process a side file is of, what a manifest tells
 * of another input, where bare addresses lie. Can be repeated. NOTE: what is left out. */
enum ff_status flamefold_settle(struct flamefold *flamefold, struct ff_error *note);

/* Text with two counts a line became two sources, "NAME:1" and "NAME:2": unless VIEW says otherwise, the
 * second is shown and compared with the first. */
void flamefold_compare_columns(const struct ff_profile *profile, struct flamefold_view *view);

/* Loads the rules of a file, or the built-in ones for NULL; they are kept for the report. */
enum ff_status flamefold_load_rules(struct flamefold *flamefold, const char *path,
                                    struct ff_error *error);

/* The view of a caller that gave none. */
extern const struct flamefold_view flamefold_default_view;

/* Opens PATH, lets WRITE fill it, closes it; the first failure of the three is the answer. */
enum flamefold_status flamefold_write_to(struct flamefold *flamefold, const char *path,
                                         enum ff_status (*write)(struct flamefold *flamefold,
                                                                 struct ff_output *output,
                                                                 const void *what),
                                         const void *what);

/* The call tree of a view, to be freed by the caller. Fills OPTIONS too: what it was made with. */
enum ff_status flamefold_make_tree(struct flamefold *flamefold, const struct flamefold_view *view,
                                   struct ff_fold_options *options, struct ff_tree **tree);

#endif
