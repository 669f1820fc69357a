/* SPDX-License-Identifier: MIT
 *
 * Lines to boxes: consecutive lines share the frames that they have in common from the root on. The hard
 * thing is that this is no call tree: where another line sorts between two of one function, the function
 * gets two boxes, and here it has to.
 */
#include "draw/perl_lines.h"

struct open_frame {
    size_t end; /* of the frame in its line */
    uint32_t box;
};

struct walk {
    struct ff_perl_boxes *boxes;
    struct open_frame *open; /* the frames of the last line */
    uint32_t count, capacity;
    struct ff_text last;
    double now, least;
};

static void close_frames(struct walk *walk, uint32_t kept)
{
    struct ff_perl_boxes *boxes = walk->boxes;
    while (walk->count > kept) {
        struct ff_perl_box *box = &boxes->at[walk->open[--walk->count].box];
        box->end = walk->now;
        /* The last one of all boxes can go at once, so that memory is that of what is drawn. */
        if (box->end - box->start < walk->least && box == &boxes->at[boxes->count - 1])
            boxes->count--;
    }
}

static void open_frame(struct walk *walk, struct ff_text name, size_t end,
                       const struct ff_perl_line *line, bool is_leaf)
{
    struct ff_perl_boxes *boxes = walk->boxes;
    boxes->at = ff_grow(boxes->at, &boxes->capacity, (uint64_t)boxes->count + 1, sizeof *boxes->at,
                        &boxes->failed);
    walk->open = ff_grow(walk->open, &walk->capacity, (uint64_t)walk->count + 1, sizeof *walk->open,
                         &boxes->failed);
    if (boxes->failed)
        return;
    boxes->at[boxes->count] = (struct ff_perl_box){.name = name,
                                                   .depth = walk->count,
                                                   .start = walk->now,
                                                   .delta = is_leaf ? line->delta : 0,
                                                   .differs = line->differs};
    walk->open[walk->count++] = (struct open_frame){end, boxes->count++};
}

/* How many of the open frames STACK begins with; the root is always one of them. */
static uint32_t same_frames(const struct walk *walk, struct ff_text stack)
{
    size_t same = ff_text_common(walk->last, stack);
    uint32_t kept = walk->count;
    while (kept > 1) {
        size_t end = walk->open[kept - 1].end;
        if (end < same || (end == same && (same == stack.size || stack.at[same] == ';')))
            break;
        kept--;
    }
    return kept;
}

static void take_line(struct walk *walk, const struct ff_perl_line *line)
{
    struct ff_text stack = line->stack;
    while (stack.size && stack.at[stack.size - 1] == ';')
        stack.size--;
    if (!walk->count)
        open_frame(walk, FF_TEXT(""), 0, line, !stack.size);
    uint32_t kept = stack.size ? same_frames(walk, stack) : 1;
    size_t at = kept > 1 ? walk->open[kept - 1].end + 1 : 0;
    close_frames(walk, kept);
    while (at < stack.size && !walk->boxes->failed) {
        struct ff_text rest = ff_text_from(stack, at);
        ptrdiff_t size = ff_text_find(rest, ';');
        size_t end = size < 0 ? stack.size : at + (size_t)size;
        open_frame(walk, ff_text_slice(stack, at, end), end, line, end == stack.size);
        at = end + 1;
    }
    walk->last = stack;
}

static void drop_narrow(struct ff_perl_boxes *boxes, double least)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < boxes->count; i++) {
        struct ff_perl_box box = boxes->at[i];
        if (box.end - box.start < least)
            continue;
        boxes->depth = box.depth > boxes->depth ? box.depth : boxes->depth;
        boxes->at[kept++] = box;
    }
    boxes->count = kept;
}

void ff_perl_boxes_make(struct ff_perl_boxes *boxes, const struct ff_perl_lines *lines,
                        double least)
{
    struct walk walk = {.boxes = boxes, .least = least};
    for (uint32_t i = 0; i < lines->count && !boxes->failed; i++) {
        take_line(&walk, &lines->at[i]);
        walk.now += lines->at[i].count;
    }
    if (!boxes->failed)
        close_frames(&walk, 0);
    drop_narrow(boxes, least);
    ff_free(walk.open);
}
