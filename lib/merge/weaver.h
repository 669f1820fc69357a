/* SPDX-License-Identifier: MIT
 *
 * Native stacks with ways (ways.h) put into the place of their evaluation loops.
 */
#ifndef FF_MERGE_WEAVER_H
#define FF_MERGE_WEAVER_H

#include "merge/ways.h"
#include "merge/weave.h"

/* What most rows begin with: the native frames outside of Python, and the way's first cluster. */
struct ff_weaver_start {
    uint32_t outer, way; /* the stack that called the first loop */
    uint8_t how;
    struct ff_weave weave;
    uint32_t at; /* where the way goes on */
};

struct ff_weaver {
    struct ff_profile *profile;
    const struct ff_parts *parts;
    const struct ff_ways *ways;
    bool plumbing;              /* show the interpreter's carrying functions */
    uint32_t *as[FF_HOW_COUNT]; /* by how and frame: the merged frame; 0 = not made yet */
    uint32_t frame_count;       /* frames that may stand in a way */
    uint32_t unmatched;         /* the frame "[python]" */
    uint32_t *path;             /* scratch: frames of one stack, root first */
    uint32_t path_capacity;
    struct ff_map start_map;
    struct ff_weaver_start *starts;
    uint32_t start_count, start_capacity;
    bool failed; /* memory is out: stacks are not whole */
};

/* PARTS and WAYS are borrowed. FF_NO_MEMORY with a message is possible; release it in both cases. */
enum ff_status ff_weaver_init(struct ff_weaver *weaver, struct ff_profile *profile,
                              const struct ff_parts *parts, const struct ff_ways *ways,
                              bool plumbing);

/* STACK with the frames of WAY, marked HOW, one cluster of the way for each cluster of loops. Way 0:
 * "[python]" for each. */
uint32_t ff_weaver_put(struct ff_weaver *weaver, uint32_t stack, uint32_t way, enum ff_how how);

void ff_weaver_release(struct ff_weaver *weaver);

#endif
