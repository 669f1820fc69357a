/* SPDX-License-Identifier: MIT
 *
 * The printed names of tree nodes.
 */
#ifndef FF_FOLD_LABEL_H
#define FF_FOLD_LABEL_H

#include "base/output.h"
#include "fold/tree.h"

struct ff_labels {
    struct ff_tree *tree; /* its names take the labels */
    struct ff_profile *profile;
    const struct ff_fold_options *options;
    uint32_t *by_frame;       /* frames.count ids, 0 while not asked for */
    struct ff_output scratch; /* a memory output */
};

bool ff_labels_init(struct ff_labels *labels, struct ff_tree *tree, struct ff_profile *profile,
                    const struct ff_fold_options *options);
void ff_labels_release(struct ff_labels *labels);

/* Ids in tree->names; never 0 while memory lasts. */
uint32_t ff_label_frame(struct ff_labels *labels, uint32_t frame);
uint32_t ff_label_root(struct ff_labels *labels, enum ff_root root, const struct ff_sample *sample);
/* All tags of a sample, or the one with KEY. */
uint32_t ff_label_tag(struct ff_labels *labels, struct ff_text key, const struct ff_sample *sample);
uint32_t ff_label_text(struct ff_labels *labels, struct ff_text text);

/* The marker frame of a state: "[not unwound]"; 0 for states that need none. */
uint32_t ff_label_state(struct ff_labels *labels, enum ff_state state);

#endif
