/* SPDX-License-Identifier: MIT
 *
 * The stage that asks debug information: source lines, and functions that the compiler put into
 * their callers.
 */
#ifndef FF_SYMBOLIZE_INLINE_H
#define FF_SYMBOLIZE_INLINE_H

#include "image/images.h"
#include "profile/profile.h"

enum ff_inline_want {
    FF_INLINE_LINES = 1,  /* native frames get file and line */
    FF_INLINE_FRAMES = 2, /* a native frame gets inlined functions above it */
};

/* For every native frame in a file whose debug information is found (its own, or the separate debug
 * file's). WANT: enum ff_inline_want, or-ed.
 *   lines    file as the line table has it, with the line: of the place, or, where frames for
 *            inlined functions stand above, of the call of the next one
 *   frames   in all stacks a frame of kind FF_FRAME_INLINED, with module and place of the native
 *            one, for each function that was inlined at the place, outermost first; sample rows get
 *            the new stacks. Frames that already have them keep them, so it may run again
 * Stitched frames stay as they are: of them only the function is known. The ledger gets the number of
 * frames without debug information. */
enum ff_status ff_inline(struct ff_profile *profile, struct ff_images *images, unsigned int want);

#endif
