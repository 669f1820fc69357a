/* SPDX-License-Identifier: MIT
 *
 * Folded text: one line "outermost;...;innermost COUNT" for each stack that ends somewhere. The
 * format is that of Brendan Gregg's FlameGraph tools; what happens to ';' and control characters in
 * a name is said in tree.h.
 */
#ifndef FF_FOLD_FOLDED_H
#define FF_FOLD_FOLDED_H

#include "base/output.h"
#include "fold/tree.h"

/* Lines in the order of the tree: each path is sorted frame by frame, so "b;c" follows "b" even
 * where "b.cold" exists. COUNT is a whole number of tree->unit. Fractions are rounded by largest
 * remainder, ties to the earlier line; the counts add up to the rounded total and a line that would
 * say 0 is not written. Fails only with FF_NO_MEMORY (message in tree->error); failed writes stay
 * in OUTPUT. */
enum ff_status ff_folded_write(struct ff_tree *tree, struct ff_output *output);

#endif
