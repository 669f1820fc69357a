/* SPDX-License-Identifier: MIT
 *
 * Bytes as text of RFC 4648, section 4, and back.
 */
#ifndef FF_BASE_BASE64_H
#define FF_BASE_BASE64_H

#include "base/output.h"

/* Writes SIZE bytes; padding ends the text where SIZE is no multiple of 3. */
void ff_base64_put(struct ff_output *output, const unsigned char *bytes, size_t size);

/* Decodes TEXT, whole groups of 4 characters, into BYTES, which has room for text.size / 4 * 3. The
 * number of bytes, or -1 if the text is no base64. */
ptrdiff_t ff_base64_take(struct ff_text text, unsigned char *bytes);

#endif
