/* SPDX-License-Identifier: MIT
 *
 * What two lines have in common. The hard thing is what may be believed of a frame without seeing what
 * stands behind it: only one whose ';' no blank follows, see frame_size in folded.c.
 */
#include "read/folded_last.h"

/* Keeps the bytes of LINE from the first different one on. */
static void keep(struct ff_folded_last *last, struct ff_text line, size_t from)
{
    last->text = ff_grow(last->text, &last->text_capacity, line.size, 1, &last->failed);
    last->size = 0;
    if (last->failed || line.size > UINT32_MAX)
        return;
    if (line.size > from)
        memcpy(last->text + from, line.at + from, line.size - from);
    last->size = (uint32_t)line.size;
}

size_t ff_folded_last_take(struct ff_folded_last *last, struct ff_text line, uint32_t *stack,
                           uint32_t *bare)
{
    size_t same = ff_text_common((struct ff_text){last->text, last->size}, line), taken = 0;
    *stack = *bare = 0;
    while (last->count && last->frames[last->count - 1].end >= same)
        last->count--;
    /* The blank that makes a ';' part of a name may be what differs. */
    if (last->count) {
        size_t end = last->frames[last->count - 1].end;
        if (end + 1 >= line.size || line.at[end + 1] == ' ')
            last->count--;
    }
    if (last->count) {
        const struct ff_folded_frame_end *frame = &last->frames[last->count - 1];
        taken = (size_t)frame->end + 1;
        *stack = frame->stack;
        *bare = frame->bare;
    }
    keep(last, line, same);
    return taken;
}

void ff_folded_last_note(struct ff_folded_last *last, size_t end, uint32_t stack, uint32_t bare)
{
    last->frames = ff_grow(last->frames, &last->capacity, (uint64_t)last->count + 1,
                           sizeof *last->frames, &last->failed);
    if (!last->failed && end < last->size)
        last->frames[last->count++] = (struct ff_folded_frame_end){(uint32_t)end, stack, bare};
}

void ff_folded_last_release(struct ff_folded_last *last)
{
    ff_free(last->text);
    ff_free(last->frames);
}
