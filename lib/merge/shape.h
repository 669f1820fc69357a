/* SPDX-License-Identifier: MIT
 *
 * The shape of a mixed stack, as far as it can be compared between a recorder that sees native
 * frames only and one that sees both. A stack is a row of native parts with clusters between them: a
 * cluster is a run of evaluation loops (perf) or of Python frames (py-spy) with nothing but the
 * interpreter's own functions between. One evaluation may run several Python frames (3.11 and
 * later), so clusters compare and their lengths do not.
 */
#ifndef FF_MERGE_SHAPE_H
#define FF_MERGE_SHAPE_H

#include "merge/part.h"

#define FF_SHAPE_TOKENS 3

/* Of one stack node, reading from the root to it. */
struct ff_shape {
    uint64_t content;                /* hash of all frames, the same in any order of input */
    uint64_t skeleton;               /* hash of the native parts between clusters */
    uint32_t entry[FF_SHAPE_TOKENS]; /* the first native frames after the last cluster, as tokens;
                                        frames of one library without names count once */
    uint16_t clusters;
    uint16_t evals; /* evaluation loops of all clusters, 65535 at most */
    uint8_t entry_count;
    bool in_cluster; /* nothing native stands behind the last cluster */
    bool gap;        /* frames are missing somewhere: a marker stands in the stack */
};

struct ff_shapes {
    struct ff_shape *at; /* by stack */
    uint32_t count;
};

/* For the stacks that the profile has now; FF_NO_MEMORY with a message is possible. Release it in
 * both cases. */
enum ff_status ff_shapes_init(struct ff_shapes *shapes, struct ff_profile *profile,
                              const struct ff_parts *parts);
void ff_shapes_release(struct ff_shapes *shapes);

#endif
