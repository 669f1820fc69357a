/* SPDX-License-Identifier: MIT
 *
 * The whole profile inside of a picture, for the viewer and for ff-read: the stream's lines, frames by
 * name, then lines of the viewer's own (docs/formats.md, "The packed profile"), column by column.
 */
#ifndef FF_DRAW_PACKED_H
#define FF_DRAW_PACKED_H

#include "base/output.h"
#include "draw/legend.h"
#include "fold/tree.h"

/* Writes the elements. TREE is the one that is drawn, made of PROFILE with OPTIONS: its event, roots and
 * colours are those with which the viewer begins. FF_NO_MEMORY has its message in tree->error. */
enum ff_status ff_packed_write(struct ff_tree *tree, struct ff_profile *profile,
                               const struct ff_fold_options *options,
                               const struct ff_legend *legend, struct ff_output *output);

#endif
