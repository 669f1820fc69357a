/* SPDX-License-Identifier: MIT
 *
 * A profile's samples of one event as a weighted call tree. Same parent and same name is one node,
 * however the stacks were ordered, and the nodes stand in the order in which a flame graph and
 * folded text show them: a walk over the tree is a loop over an array.
 *
 * Names are as folded text can hold them: ';' becomes ':', a control character becomes '?', an
 * empty name becomes "[unknown]". Blanks stay. Bytes that are no UTF-8 stay.
 */
#ifndef FF_FOLD_TREE_H
#define FF_FOLD_TREE_H

#include "profile/profile.h"

/* What may stand above the outermost frame, in any order. */
#define FF_ROOT_TABLE(X)                                                                           \
    X(FF_ROOT_NONE, "none")       /* adds nothing: alone, it says "no prefix at all" */            \
    X(FF_ROOT_COMM, "comm")       /* "pt_autograd_0" */                                            \
    X(FF_ROOT_SOURCE, "source")   /* "launch.perf.data" */                                         \
    X(FF_ROOT_PROCESS, "process") /* "pid 612" */                                                  \
    X(FF_ROOT_THREAD, "thread")   /* Python name, else comm, and tid: "target-0 (630)" */          \
    X(FF_ROOT_ROLE, "role")       /* "target-*" */                                                 \
    X(FF_ROOT_BUCKET, "bucket")   /* "cuda_launch"; "[no bucket]" */                               \
    X(FF_ROOT_TAG, "tag")         /* "phase:backward spin"; of "tag:phase" that one; "[no tag]" */ \
    X(FF_ROOT_STATE, "state")     /* "complete" */                                                 \
    X(FF_ROOT_EVENT, "event")     /* "cpu-clock" */

enum ff_root {
#define X(name, word) name,
    FF_ROOT_TABLE(X)
#undef X
        FF_ROOT_COUNT
};

#define FF_ROOT_LIMIT 8

/* All zero is the default. */
struct ff_fold_options {
    uint32_t source;                    /* 0: the main one, see profile/select.h */
    uint32_t event;                     /* 0: the main one of the source */
    bool weights;                       /* amounts are the event's weights, not sample counts */
    bool lines;                         /* names get their line: "work (main.c:12)" */
    bool modules;                       /* names get their module: "libc.so.6!sched_yield" */
    bool kernel_marks;                  /* names of kernel frames end in "_[k]" */
    uint8_t root_count;                 /* 0: comm alone */
    uint8_t roots[FF_ROOT_LIMIT];       /* enum ff_root, outermost first */
    struct ff_text keys[FF_ROOT_LIMIT]; /* of FF_ROOT_TAG: which tag, "phase"; empty: all.
                                           Borrowed */
};

/* Fills roots from a list such as "process,tag:phase", which is borrowed. FF_USAGE names the word that is none. */
enum ff_status ff_fold_options_roots(struct ff_fold_options *options, struct ff_text list,
                                     struct ff_error *error);

enum ff_node_kind {
    FF_NODE_ALL,    /* node 0, of which everything is a part */
    FF_NODE_ROOT,   /* a prefix: thread, comm, ... */
    FF_NODE_MARKER, /* "[not unwound]": why the stack does not reach further */
    FF_NODE_FRAME
};

/* A part of an amount that belongs to one bucket. */
struct ff_share {
    uint32_t bucket; /* index into tree->buckets */
    uint64_t amount;
};

struct ff_node {
    uint32_t name;   /* in tree->names */
    uint32_t parent; /* index; node 0 is its own */
    uint32_t end;    /* one past the last node below: the children of n are n + 1, nodes[n + 1].end,
                        ... while < end, in byte order of their names */
    uint32_t depth;  /* 0 for node 0 */
    uint8_t kind;    /* enum ff_node_kind */
    uint8_t how;     /* of FF_NODE_FRAME: enum ff_how, recorded if any of its frames was */
    uint8_t frame_kind, module_kind; /* of FF_NODE_FRAME; where frames of several kinds have one
                                        name, the smallest constant */
    uint16_t share_count;
    uint32_t share_first; /* tree->shares[share_first ...], ascending by bucket, sum = total */
    uint64_t self, total; /* without and with the nodes below */
};

/* One class of the samples; sorted by name, the samples without a bucket come last with name 0.
 * Classes beyond FF_BUCKET_LIMIT - 1 are one: "[other buckets]". */
#define FF_BUCKET_LIMIT 250

struct ff_tree_bucket {
    uint32_t name; /* in tree->names */
    uint64_t amount;
};

/* One thread that has samples here. */
struct ff_tree_thread {
    uint32_t name;   /* in tree->names: "target-0 (630)", as FF_ROOT_THREAD has it */
    uint64_t amount; /* of the event, in the unit of the nodes */
    uint32_t share_first,
        share_count; /* tree->thread_shares[share_first ...], ascending by bucket */
};

struct ff_tree {
    struct ff_error error; /* of the calls that are given this tree */
    struct ff_intern names;
    struct ff_node *nodes;
    uint32_t node_count; /* at least 1 */
    struct ff_share *shares;
    struct ff_tree_bucket *buckets;
    uint32_t bucket_count;
    uint64_t one; /* an amount of 1 sample or 1 unit: FF_COUNT_ONE, or 1 for weights */

    /* What was folded; ids of the profile, texts in tree->names. */
    uint32_t source, event; /* 0 when the profile has no samples */
    uint32_t source_name, event_name;
    uint32_t unit;           /* of the amounts: "samples", "ns", ... */
    uint64_t sample_count;   /* in units of 1 / FF_COUNT_ONE, for weights too */
    uint64_t unwound_count;  /* the same, of those whose state is recorded or complete */
    uint64_t stitched_count; /* the same, of those whose state is stitched */
    uint32_t thread_count;   /* threads that have samples here */

    struct ff_tree_thread *threads; /* thread_count, largest amount first, then by name */
    struct ff_share *thread_shares;
    uint64_t weight; /* of all samples, in weight_unit; UINT64_MAX where 64 bits do not hold it */
    uint32_t weight_unit; /* "ns"; in tree->names */
    uint64_t duration_ns; /* how long the source was sampled; 0 when not known */
    uint64_t lost_count;  /* samples of the source that the kernel says it lost */
    uint64_t left_count;  /* samples of the source that selection or damage left out */
    uint32_t tool;        /* enum ff_tool of the source */
};

/* Makes the tree; the caller frees it. A profile without samples gives a tree of node 0 alone. The
 * profile is changed only by the names that it interns; the tree does not refer to it. Failure
 * leaves *tree NULL and the message in profile->error: FF_USAGE when the event is not of the source
 * or the weights add up to 2^64 or more, FF_NO_MEMORY. Time and memory are linear in the distinct
 * (prefix, stack) pairs; nothing depends on how deep a stack is. */
enum ff_status ff_tree_build(struct ff_tree **tree, struct ff_profile *profile,
                             const struct ff_fold_options *options);
void ff_tree_free(struct ff_tree *tree); /* NULL is fine */

static inline struct ff_text ff_node_name(const struct ff_tree *tree, uint32_t node)
{
    return ff_intern_text(&tree->names, tree->nodes[node].name);
}

#endif
