/* SPDX-License-Identifier: MIT
 *
 * Text in a column.
 */
#ifndef FF_REPORT_CELL_H
#define FF_REPORT_CELL_H

#include "base/output.h"

/* The text, cut to WIDTH characters (not bytes), control bytes as '?'; PAD: filled with blanks. */
void ff_cell_put(struct ff_output *output, struct ff_text text, size_t width, bool pad);

#endif
