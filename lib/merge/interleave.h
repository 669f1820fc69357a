/* SPDX-License-Identifier: MIT
 *
 * One thread at one stop of its process, seen twice: native frames by a debugger, Python frames by a
 * dump that says where an evaluation loop was entered (struct ff_frame.entry). The number of loops
 * and the number of entries are the same, so the two stacks go together exactly.
 */
#ifndef FF_MERGE_INTERLEAVE_H
#define FF_MERGE_INTERLEAVE_H

#include "merge/part.h"

enum ff_interleaved {
    FF_INTERLEAVED_NOT,       /* neither loops nor Python frames */
    FF_INTERLEAVED,           /* each entry has its loop */
    FF_INTERLEAVED_IN_FLIGHT, /* but for one at the leaf, which is about to begin or end: a loop
                                 without a frame is "[python]", a frame without a loop is the leaf */
    FF_INTERLEAVED_NO_ROOT, /* the native stack is cut: aligned at the leaf, the Python frames before
                                 that stand below the marker "[truncated native]" */
    FF_INTERLEAVED_APART    /* they do not agree: Python frames, the marker "[native, unpaired]",
                                 native frames as they were */
};

struct ff_interleave_frame {
    uint32_t frame;
    bool opens; /* a loop begins, or a group of Python frames that one loop runs */
};

struct ff_interleave_path {
    struct ff_interleave_frame *at; /* root first */
    uint32_t count, capacity;
    uint32_t opened;
};

struct ff_interleave {
    struct ff_profile *profile;
    const struct ff_parts *parts; /* of the profile's frames, borrowed */
    bool one_to_one;              /* each Python frame has a loop of its own (CPython up to 3.10) */
    bool plumbing;                /* show the interpreter's carrying functions */
    struct ff_interleave_path native, python; /* scratch; the caller frees both `at` */
    bool failed;                              /* memory is out: stacks are not whole */
};

/* Puts the frames of the stack PYTHON into the stack NATIVE, marked as paired; *merged is the new
 * stack. WHOLE: the native stack is known to reach its root; else its outermost name decides. */
enum ff_interleaved ff_interleave_stacks(struct ff_interleave *interleave, uint32_t native,
                                         uint32_t python, bool whole, uint32_t *merged);

#endif
