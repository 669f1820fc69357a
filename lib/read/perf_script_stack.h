/* SPDX-License-Identifier: MIT
 *
 * The lines below one head of perf script text to a stack: one by one, or all at once where they stand
 * together and end in a blank line.
 */
#ifndef FF_READ_PERF_SCRIPT_STACK_H
#define FF_READ_PERF_SCRIPT_STACK_H

#include "read/perf_script_bodies.h"
#include "read/perf_script_frames.h"

struct ff_script_stack {
    struct ff_script_frames frames;
    struct ff_script_bodies bodies;
    uint32_t *lines; /* of the sample at hand: rows of frames, with FF_SCRIPT_CALLER */
    uint32_t line_count, line_capacity;
    bool any_frame, kernel; /* a frame was there; the last one was of the kernel */
    uint32_t *last_lines;   /* the same of the last body */
    uint32_t last_count, last_capacity;
    struct ff_text last; /* its text; empty: not known */
    bool failed;
};

void ff_script_stack_release(struct ff_script_stack *stack);

/* A new sample begins. */
void ff_script_stack_begin(struct ff_script_stack *stack);

/* Adds a line; false if it is no frame, and nothing that belongs to one. */
bool ff_script_stack_line(struct ff_script_stack *stack, struct ff_text line);

/* The stack of the lines that were added, and how many of its frames were printed with an address. */
struct ff_script_node ff_script_stack_end(struct ff_script_stack *stack);

/* Takes all lines of a sample at once; BODY has no blank line, and no line end behind its last line.
 * NULL, and nothing changed, if a line is no frame: then they must be taken one by one. The answer
 * lives until the next call. */
struct ff_script_body *ff_script_stack_body(struct ff_script_stack *stack, struct ff_text body);

#endif
