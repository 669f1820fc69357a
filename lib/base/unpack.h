/* SPDX-License-Identifier: MIT
 *
 * gzip, zstd and xz streams, unpacked as they are read.
 */
#ifndef FF_BASE_UNPACK_H
#define FF_BASE_UNPACK_H

#include "base/status.h"
#include "base/text.h"

/* Enough bytes of a file to tell whether it is packed. */
#define FF_UNPACK_HEAD 6

/* What is unpacked may be FREE bytes and then RATIO times what was read of the packed file: a file
 * made to fill memory or to never end is refused there. */
#define FF_UNPACK_FREE  ((uint64_t)1 << 28)
#define FF_UNPACK_RATIO 4096

struct ff_unpack;

/* The unpacker for a file that begins with HEAD; NULL where it is none of the three, or (*failed) memory
 * is out. READ is asked for packed bytes: it returns how many it stored, 0 at the end, below 0 for
 * an error with errno. */
struct ff_unpack *ff_unpack_new(struct ff_text head,
                                long (*read)(void *context, void *to, size_t size), bool *failed);
void ff_unpack_free(struct ff_unpack *unpack); /* NULL is fine */

/* Gives bytes that READ had delivered already, before the first call of ff_unpack_read. False when
 * memory is out. */
bool ff_unpack_give(struct ff_unpack *unpack, struct ff_text packed);

/* Stores up to SIZE unpacked bytes; READ gets CONTEXT. 0 at the end, and where it cannot go on: ask ff_unpack_error. Below
 * 0: READ failed. */
long ff_unpack_read(struct ff_unpack *unpack, void *context, void *to, size_t size);

/* Why it cannot go on ("the gzip data end early"), or NULL; and where in the packed bytes. */
const char *ff_unpack_error(const struct ff_unpack *unpack);
uint64_t ff_unpack_offset(const struct ff_unpack *unpack);

/* Unpacks PACKED at once into *bytes (freed by the caller with ff_free), MOST bytes or a little more. NULL, or why it cannot go on:
 * what came before is there. *bytes is NULL where PACKED is none of the three. */
const char *ff_unpack_whole(struct ff_text packed, size_t most, char **bytes, size_t *size);

#endif
