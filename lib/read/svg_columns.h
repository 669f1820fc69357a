/* SPDX-License-Identifier: MIT
 *
 * Columns back to lines; the format is described in draw/columns.h.
 */
#ifndef FF_READ_SVG_COLUMNS_H
#define FF_READ_SVG_COLUMNS_H

#include "base/output.h"

/* Appends to LINES (a memory output) the lines of BYTES, without those whose kind begins with "view".
 * FF_BAD_INPUT, with NAME in its message, where the bytes are damaged or would make far more text than a
 * profile can. */
enum ff_status ff_svg_columns_lines(struct ff_text bytes, const char *name, struct ff_output *lines,
                                    struct ff_error *error);

#endif
