/* SPDX-License-Identifier: MIT
 *
 * Stacks to shapes, each from its caller's in one pass over the prefix tree. The hard thing: two
 * recorders must come to the same shape, so only what both see may enter it.
 */
#include "merge/shape.h"

static void enter_cluster(struct ff_shape *shape)
{
    if (shape->in_cluster)
        return;
    for (uint32_t i = 0; i < shape->entry_count && shape->clusters; i++)
        shape->skeleton = ff_hash_mix(shape->skeleton, shape->entry[i]);
    shape->skeleton = ff_hash_mix(shape->skeleton, 0);
    shape->clusters++;
    shape->entry_count = 0;
    shape->in_cluster = true;
}

static void enter_native(struct ff_shape *shape, uint32_t token)
{
    bool again = shape->entry_count && shape->entry[shape->entry_count - 1] == token;
    shape->in_cluster = false;
    if (shape->entry_count < FF_SHAPE_TOKENS && !again)
        shape->entry[shape->entry_count++] = token;
}

static void enter_eval(struct ff_shape *shape)
{
    enter_cluster(shape);
    shape->evals += shape->evals < UINT16_MAX;
}

static struct ff_shape shape_of(const struct ff_parts *parts, struct ff_shape shape,
                                enum ff_part caller, uint32_t frame)
{
    shape.content = ff_hash_mix(shape.content, parts->content[frame]);
    switch ((enum ff_part)parts->of[frame]) {
    case FF_PART_EVAL:
    case FF_PART_PYTHON:
        enter_eval(&shape);
        break;
    case FF_PART_OPCODE:
        if (caller != FF_PART_EVAL && caller != FF_PART_OPCODE)
            enter_eval(&shape);
        break;
    case FF_PART_TRAMPOLINE:
        enter_cluster(&shape);
        break;
    case FF_PART_NATIVE:
    case FF_PART_SYSTEM:
        enter_native(&shape, parts->token[frame]);
        break;
    case FF_PART_MARKER:
        shape.gap = true;
        break;
    case FF_PART_KERNEL:
    case FF_PART_INTERPRETER:
    case FF_PART_PLUMBING:
        break;
    }
    return shape;
}

enum ff_status ff_shapes_init(struct ff_shapes *shapes, struct ff_profile *profile,
                              const struct ff_parts *parts)
{
    uint32_t count = profile->stacks.count;
    *shapes = (struct ff_shapes){ff_alloc(count, sizeof *shapes->at), count};
    profile->out_of_memory |= !shapes->at;
    for (uint32_t i = 1; shapes->at && i < count; i++) {
        const struct ff_stack *row = &profile->stacks.at[i];
        uint32_t outer = profile->stacks.at[row->parent].frame;
        shapes->at[i] =
            shape_of(parts, shapes->at[row->parent], (enum ff_part)parts->of[outer], row->frame);
    }
    return ff_profile_status(profile);
}

void ff_shapes_release(struct ff_shapes *shapes)
{
    ff_free(shapes->at);
    *shapes = (struct ff_shapes){0};
}
