/* SPDX-License-Identifier: MIT
 *
 * The inside of the public handle, for the files that implement flamefold.h.
 */
#ifndef FLAMEFOLD_HANDLE_H
#define FLAMEFOLD_HANDLE_H

#include "flamefold.h"

#include "base/input.h"
#include "classify/rules.h"
#include "image/images.h"
#include "merge/merge.h"
#include "profile/select.h"
#include "unwind/unwind.h"

struct flamefold {
    struct ff_profile *profile;
    struct ff_images *images;
    struct ff_unwinder *unwinder;
    struct ff_perf_lender **lenders; /* of flamefold_donors */
    uint32_t lender_count, lender_capacity;
    bool no_stitching, no_open_sample, lines, inlined;
    struct ff_merge_options merging;
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

/* Loads the rules of a file, or the built-in ones for NULL; they are kept for the report. */
enum ff_status flamefold_load_rules(struct flamefold *flamefold, const char *path,
                                    struct ff_error *error);

#endif
