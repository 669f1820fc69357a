/* SPDX-License-Identifier: MIT
 *
 * Texts that a Windows shell wrote: UTF-16 in either byte order, told by its mark.
 */
#ifndef FF_READ_UTF16_H
#define FF_READ_UTF16_H

#include "base/input.h"

/* Whether HEAD begins with the byte order mark of UTF-16. */
bool ff_utf16_is(struct ff_text head);

/* Turns the whole input, of which nothing was consumed yet, into UTF-8 without a mark: it is held in
 * memory from then on, and offsets are those of the new text. Halves of a pair and an odd last byte
 * become U+FFFD. */
enum ff_status ff_utf16_convert(struct ff_input *input, struct ff_error *error);

#endif
