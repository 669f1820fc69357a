/* SPDX-License-Identifier: MIT
 *
 * The lines below the heads of perf script text, each parsed once: line to frames of the profile.
 */
#ifndef FF_READ_PERF_SCRIPT_FRAMES_H
#define FF_READ_PERF_SCRIPT_FRAMES_H

#include "profile/profile.h"
#include "read/perf_script_line.h"

enum ff_script_kind {
    FF_SCRIPT_NEW, /* not looked at yet */
    FF_SCRIPT_FRAME,
    FF_SCRIPT_INLINED, /* perf's own: place and module are those of the next frame */
    FF_SCRIPT_SRCLINE, /* belongs to the frame before */
    FF_SCRIPT_OTHER,   /* none of them */
};

/* A distinct line. Frames are made when first needed. */
struct ff_script_row {
    uint8_t kind; /* enum ff_script_kind */
    bool kernel, address_word;
    uint32_t first[2],
        count; /* frames[first ... + count), outermost first; [1]: as a caller; first 0: not yet */
    uint32_t from, to; /* inlined and srcline: the frame that was given last, and its answer */
};

/* How far a stack is built when the last so many lines are in it. */
struct ff_script_node {
    uint32_t stack, native, address_words;
};

struct ff_script_frames {
    struct ff_profile *profile;
    struct ff_intern texts; /* distinct lines */
    struct ff_script_row *rows;
    uint32_t row_capacity;
    uint32_t *frames; /* index 0 unused */
    uint32_t frame_count, frame_capacity;
    struct ff_script_node *nodes; /* of the last stack, by lines from its end */
    uint32_t node_capacity;
    bool addresses; /* the file prints addresses where perf 6.1 prints file offsets */
    bool failed;
};

/* A line of a sample: its row, and whether a frame there is a caller. */
#define FF_SCRIPT_CALLER (UINT32_C(1) << 31)

void ff_script_frames_release(struct ff_script_frames *frames);

/* The id of a line; 0 when memory is out. Its row's kind may be FF_SCRIPT_NEW. */
uint32_t ff_script_frames_find(struct ff_script_frames *frames, struct ff_text line);

/* Looks at the line of a new row. */
void ff_script_frames_parse(struct ff_script_frames *frames, uint32_t row);

/* The stack of a sample's lines, leaf first as they stand. The last KNOWN of them are those of the call
 * before, which saves looking them up: threads stay in their outer functions. */
struct ff_script_node ff_script_frames_stack(struct ff_script_frames *frames, const uint32_t *lines,
                                             uint32_t count, uint32_t known);

/* Whether an address of user code cannot be an offset in a file: then perf printed addresses. No ELF
 * file has 4 GiB, and where code is loaded at random it lies above that. */
static inline bool ff_script_is_address(uint64_t value)
{
    return value >> 32 && value < UINT64_C(0xffff800000000000);
}

#endif
