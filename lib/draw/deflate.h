/* SPDX-License-Identifier: MIT
 *
 * Bytes into elements of an SVG: zlib's format (RFC 1950), then base64. What is written is bounded in
 * memory, however much comes.
 */
#ifndef FF_DRAW_DEFLATE_H
#define FF_DRAW_DEFLATE_H

#include "base/output.h"

struct ff_deflate;

/* A browser's parser refuses text longer than 10 MB, so the text is cut into several elements
 * `<metadata class="packed">`, each of whole lines. NULL when memory is out. */
struct ff_deflate *ff_deflate_new(struct ff_output *output);

void ff_deflate_bytes(struct ff_deflate *sink, const void *bytes, size_t size);

/* The number in groups of 7 bits, lowest first; the eighth says that more follow. */
void ff_deflate_number(struct ff_deflate *sink, uint64_t value);

/* Writes the rest and frees; false when memory ran out on the way. NULL is fine, and false. */
bool ff_deflate_close(struct ff_deflate *sink);

#endif
