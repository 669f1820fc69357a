/* SPDX-License-Identifier: MIT
 *
 * Text formats that no first line gives away: told by what most of the first lines look like.
 */
#ifndef FF_READ_SHAPE_H
#define FF_READ_SHAPE_H

#include "read/format.h"

/* The format of the text that begins with HEAD; `whole` says that nothing comes after it. A line
 * that the end of HEAD cuts is not looked at. FF_FORMAT_TEXT when nothing fits. */
enum ff_format ff_shape_format(struct ff_text head, bool whole);

#endif
