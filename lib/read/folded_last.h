/* SPDX-License-Identifier: MIT
 *
 * The last stack of folded text: lines are mostly sorted, so the next one begins with the same frames,
 * which then need not be looked up again.
 */
#ifndef FF_READ_FOLDED_LAST_H
#define FF_READ_FOLDED_LAST_H

#include "base/memory.h"
#include "base/text.h"

struct ff_folded_frame_end {
    uint32_t end;   /* where the ';' behind the frame stands */
    uint32_t stack; /* up to and with that frame */
    uint32_t bare;  /* frames so far that are bare addresses */
};

struct ff_folded_last {
    char *text;
    uint32_t size, text_capacity;
    struct ff_folded_frame_end *frames; /* those that only a ';' ends, whatever comes behind */
    uint32_t count, capacity;
    bool failed; /* memory is out */
};

/* How many bytes of LINE the last line's frames cover, their ';' included, and what they came to. */
size_t ff_folded_last_take(struct ff_folded_last *last, struct ff_text line, uint32_t *stack,
                           uint32_t *bare);

/* Notes a frame of the line that was taken last. */
void ff_folded_last_note(struct ff_folded_last *last, size_t end, uint32_t stack, uint32_t bare);

void ff_folded_last_release(struct ff_folded_last *last);

#endif
