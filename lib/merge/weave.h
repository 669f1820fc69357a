/* SPDX-License-Identifier: MIT
 *
 * One merged stack as it grows from the root: Python frames in the place of the interpreter's.
 */
#ifndef FF_MERGE_WEAVE_H
#define FF_MERGE_WEAVE_H

#include "merge/part.h"

/* All zero is the empty stack. `whole` ends in the interpreter's carrying functions that came last,
 * `bare` leaves them out: which of the two goes on is known from the next frame. */
struct ff_weave {
    uint32_t whole, bare; /* stacks of the profile */
};

/* Puts a native frame on top. The C library keeps the interpreter function that called it, since
 * that call tells waiting for a lock from running. PLUMBING: nothing is hidden. */
static inline void ff_weave_native(struct ff_profile *profile, struct ff_weave *weave,
                                   uint32_t frame, enum ff_part part, bool plumbing)
{
    uint32_t caller = part == FF_PART_NATIVE ? weave->bare : weave->whole;
    weave->whole = ff_stack_push(profile, caller, frame);
    if (part != FF_PART_PLUMBING || plumbing)
        weave->bare = weave->whole;
}

/* Puts a Python frame on top. */
static inline void ff_weave_python(struct ff_profile *profile, struct ff_weave *weave,
                                   uint32_t frame)
{
    weave->whole = weave->bare = ff_stack_push(profile, weave->bare, frame);
}

/* The row of the Python frame that nobody could name: "[python]". */
static inline uint32_t ff_weave_unmatched(struct ff_profile *profile)
{
    return ff_frame_add(
        profile, (struct ff_frame){.kind = FF_FRAME_PYTHON,
                                   .how = FF_HOW_UNMATCHED,
                                   .symbol = ff_profile_intern(profile, FF_TEXT("[python]"))});
}

#endif
