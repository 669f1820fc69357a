/* SPDX-License-Identifier: MIT
 *
 * The unwind tables of debug information, .debug_frame, which may be compressed.
 */
#ifndef FF_IMAGE_DEBUG_FRAME_H
#define FF_IMAGE_DEBUG_FRAME_H

#include "image/frame_entry.h"

/* What unpacking needs to keep. All zero: nothing yet. */
struct ff_debug_frame {
    struct ff_section section;
    bool ready;
    struct Elf *file; /* a file of one section, and its bytes */
    char *bytes;
};

void ff_debug_frame_release(struct ff_debug_frame *frame);

#endif
