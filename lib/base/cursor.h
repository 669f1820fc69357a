/* SPDX-License-Identifier: MIT
 *
 * A bounds-checked reader of binary data in either byte order. Failure is sticky: reading past the
 * end yields zeros, and `short_at` tells where it happened; ask once per record.
 */
#ifndef FF_BASE_CURSOR_H
#define FF_BASE_CURSOR_H

#include "base/text.h"

struct ff_cursor {
    const unsigned char *at, *end;
    bool swapped; /* the data's byte order is not this machine's */
    bool failed;  /* something was read that is not there */
};

static inline struct ff_cursor ff_cursor(const void *bytes, size_t size, bool swapped)
{
    return (struct ff_cursor){bytes, (const unsigned char *)bytes + size, swapped, false};
}

static inline size_t ff_cursor_left(const struct ff_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

/* SIZE bytes, or NULL and a failed cursor that is at its end. */
static inline const void *ff_cursor_bytes(struct ff_cursor *cursor, uint64_t size)
{
    const void *bytes = cursor->at;
    if (size > ff_cursor_left(cursor)) {
        cursor->failed = true;
        cursor->at = cursor->end;
        return NULL;
    }
    cursor->at += size;
    return bytes;
}

static inline uint64_t ff_cursor_u64(struct ff_cursor *cursor)
{
    uint64_t value = 0;
    const void *bytes = ff_cursor_bytes(cursor, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return cursor->swapped ? __builtin_bswap64(value) : value;
}

static inline uint32_t ff_cursor_u32(struct ff_cursor *cursor)
{
    uint32_t value = 0;
    const void *bytes = ff_cursor_bytes(cursor, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return cursor->swapped ? __builtin_bswap32(value) : value;
}

static inline uint16_t ff_cursor_u16(struct ff_cursor *cursor)
{
    uint16_t value = 0;
    const void *bytes = ff_cursor_bytes(cursor, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return cursor->swapped ? __builtin_bswap16(value) : value;
}

static inline uint8_t ff_cursor_u8(struct ff_cursor *cursor)
{
    const uint8_t *bytes = ff_cursor_bytes(cursor, 1);
    return bytes ? *bytes : 0;
}

/* The bytes up to a NUL (which is consumed too); without one, everything that is left. */
static inline struct ff_text ff_cursor_string(struct ff_cursor *cursor)
{
    size_t left = ff_cursor_left(cursor);
    struct ff_text text = {(const char *)cursor->at, left};
    const unsigned char *nul = left ? memchr(cursor->at, 0, left) : NULL;
    if (nul)
        text.size = (size_t)(nul - cursor->at);
    cursor->at = nul ? nul + 1 : cursor->end;
    return text;
}

#endif
