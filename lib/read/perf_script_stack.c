/* SPDX-License-Identifier: MIT
 *
 * Lines to stacks. The hard thing is to look at little: a body that was seen costs one look-up, and
 * of a new one only the lines that are not also the last lines of the body before.
 */
#include "read/perf_script_stack.h"

void ff_script_stack_release(struct ff_script_stack *stack)
{
    ff_script_frames_release(&stack->frames);
    ff_script_bodies_release(&stack->bodies);
    ff_free(stack->lines);
    ff_free(stack->last_lines);
}

void ff_script_stack_begin(struct ff_script_stack *stack)
{
    stack->line_count = 0;
    stack->any_frame = stack->kernel = false;
}

static void append(struct ff_script_stack *stack, uint32_t line)
{
    stack->lines = ff_grow(stack->lines, &stack->line_capacity, (uint64_t)stack->line_count + 1,
                           sizeof *stack->lines, &stack->failed);
    if (stack->line_count < stack->line_capacity)
        stack->lines[stack->line_count++] = line;
}

bool ff_script_stack_line(struct ff_script_stack *stack, struct ff_text line)
{
    uint32_t id = ff_script_frames_find(&stack->frames, line);
    if (!id)
        return false;
    struct ff_script_row *row = &stack->frames.rows[id];
    if (row->kind == FF_SCRIPT_NEW)
        ff_script_frames_parse(&stack->frames, id);
    if (row->kind == FF_SCRIPT_OTHER || (row->kind == FF_SCRIPT_SRCLINE && !stack->any_frame))
        return false;
    /* The first frame is where the thread stood, and so is the first user frame below the kernel. */
    bool exact = !stack->any_frame || (stack->kernel && !row->kernel);
    append(stack, id | (exact ? 0 : FF_SCRIPT_CALLER));
    if (row->kind == FF_SCRIPT_FRAME) {
        stack->any_frame = true;
        stack->kernel = row->kernel;
    }
    return true;
}

struct ff_script_node ff_script_stack_end(struct ff_script_stack *stack)
{
    stack->last.size = 0; /* the frames that were built last are not of a body any more */
    return ff_script_frames_stack(&stack->frames, stack->lines, stack->line_count, 0);
}

/* How many bytes at their ends are equal. */
static size_t common_end(struct ff_text a, struct ff_text b)
{
    size_t most = a.size < b.size ? a.size : b.size, same = 0;
    while (same + 8 <= most && memcmp(a.at + a.size - same - 8, b.at + b.size - same - 8, 8) == 0)
        same += 8;
    while (same < most && a.at[a.size - same - 1] == b.at[b.size - same - 1])
        same++;
    return same;
}

/* How many of the last body's lines also end BODY, as far as they mean the same: whether the first of
 * them is a caller depends on the line before it. *start is where those begin. */
static uint32_t known_lines(const struct ff_script_stack *stack, struct ff_text body, size_t *start)
{
    size_t at = body.size - common_end(body, stack->last);
    uint32_t known = 0, skip = 2; /* the rest of a line, and the first whole one */
    *start = body.size;
    while (at < body.size) {
        ptrdiff_t end = ff_text_find(ff_text_from(body, at), '\n');
        if (end < 0)
            break;
        at += (size_t)end + 1;
        if (skip && --skip)
            continue;
        *start = known++ ? *start : at;
    }
    /* A place that belongs to the frame before it, and the frames of a JIT's line, stay with that. */
    while (known) {
        uint32_t id = stack->last_lines[stack->last_count - known] & ~FF_SCRIPT_CALLER;
        if (stack->frames.rows[id].kind != FF_SCRIPT_SRCLINE)
            break;
        *start += (size_t)ff_text_find(ff_text_from(body, *start), '\n') + 1;
        known--;
    }
    return known;
}

static bool take_lines(struct ff_script_stack *stack, struct ff_text lines)
{
    while (lines.at) {
        struct ff_text line = ff_text_cut(&lines, '\n');
        if (!ff_script_stack_line(stack, line))
            return false;
    }
    return true;
}

static void swap_lines(struct ff_script_stack *stack)
{
    uint32_t *lines = stack->lines, capacity = stack->line_capacity;
    stack->lines = stack->last_lines;
    stack->line_capacity = stack->last_capacity;
    stack->last_lines = lines;
    stack->last_capacity = capacity;
    stack->last_count = stack->line_count;
}

struct ff_script_body *ff_script_stack_body(struct ff_script_stack *stack, struct ff_text body)
{
    uint64_t hash;
    struct ff_script_body *found = ff_script_bodies_find(&stack->bodies, body, &hash);
    if (found)
        return found;
    size_t start = body.size;
    uint32_t known = stack->last.size ? known_lines(stack, body, &start) : 0;
    struct ff_text fresh = ff_text_slice(body, 0, known ? start - 1 : body.size);
    ff_script_stack_begin(stack);
    if (!take_lines(stack, fresh)) {
        ff_script_stack_begin(stack);
        return NULL;
    }
    for (uint32_t i = stack->last_count - known; known && i < stack->last_count; i++)
        append(stack, stack->last_lines[i]);
    struct ff_script_node node =
        ff_script_frames_stack(&stack->frames, stack->lines, stack->line_count, known);
    struct ff_script_body row = {.text = body,
                                 .stack = node.stack,
                                 .line_count = stack->line_count,
                                 .address_words = node.address_words};
    swap_lines(stack);
    found = ff_script_bodies_add(&stack->bodies, hash, row);
    stack->last = found ? found->text : (struct ff_text){NULL, 0};
    return found;
}
