/* SPDX-License-Identifier: MIT
 *
 * Python's knowledge into native stacks: the methods for the pairs of inputs that a profile holds,
 * surest first. What each may claim, how sure it is and how that was measured: docs/merging.md.
 */
#ifndef FF_MERGE_MERGE_H
#define FF_MERGE_MERGE_H

#include "profile/profile.h"

enum ff_merge_method {
    FF_MERGE_AUTO,       /* each method where its inputs are there */
    FF_MERGE_NAMES,      /* names of threads only */
    FF_MERGE_EXACT,      /* and trampolines */
    FF_MERGE_PAIRED,     /* and Python and native dumps of one stop */
    FF_MERGE_CONDITIONAL /* and what py-spy saw with native frames */
};

struct ff_merge_options {
    enum ff_merge_method method;
    bool plumbing; /* show the interpreter's functions that only carry calls */
};

/* The words of --method, in the order of enum ff_merge_method. */
#define FF_MERGE_METHODS "auto, names, exact, paired, conditional"

/* The method of a word, or -1. */
int ff_merge_method_parse(struct ff_text word);

/* Merges in place, and counts in the ledger. A py-spy file that belongs to no recording is refused:
 * the reason becomes the message of NOTE (NULL is fine), which is not a failure. *JOINED (NULL is
 * fine) tells whether any went with a recording. Returns ff_profile_status. Running it again changes
 * nothing. */
enum ff_status ff_merge(struct ff_profile *profile, struct ff_merge_options options, bool *joined,
                        struct ff_error *note);

#endif
