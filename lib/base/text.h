/* SPDX-License-Identifier: MIT
 *
 * Text as (pointer, size), not terminated, never owned. Cutting returns views into the same bytes.
 */
#ifndef FF_BASE_TEXT_H
#define FF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ff_text {
    const char *at;
    size_t size;
};

#define FF_TEXT(literal) ((struct ff_text){(literal), sizeof(literal) - 1})

/* For printf: "%.*s", FF_TEXT_ARGS(text). */
#define FF_TEXT_ARGS(text) (int)((text).size < 400 ? (text).size : 400), (text).at

static inline struct ff_text ff_text(const char *string)
{
    return (struct ff_text){string, strlen(string)};
}

bool ff_text_equal(struct ff_text a, struct ff_text b);
int ff_text_compare(struct ff_text a, struct ff_text b);   /* by bytes; a prefix comes first */
size_t ff_text_common(struct ff_text a, struct ff_text b); /* bytes of the longest common prefix */
bool ff_text_starts(struct ff_text text, struct ff_text prefix);
bool ff_text_ends(struct ff_text text, struct ff_text suffix);
struct ff_text ff_text_trim(struct ff_text text); /* blanks, tabs, CR, LF at both ends */

/* Position of a byte or of a text; -1 when absent. */
ptrdiff_t ff_text_find(struct ff_text text, char byte);
ptrdiff_t ff_text_find_last(struct ff_text text, char byte);
ptrdiff_t ff_text_find_text(struct ff_text text, struct ff_text part);

struct ff_text ff_text_from(struct ff_text text, size_t start);              /* text[start:] */
struct ff_text ff_text_slice(struct ff_text text, size_t start, size_t end); /* text[start:end] */

/* Cuts the part before the first SEPARATOR off *rest and returns it; *rest goes on behind the
 * separator. Without one, the whole is returned and *rest becomes empty (rest->at == NULL). */
struct ff_text ff_text_cut(struct ff_text *rest, char separator);

/* The whole text as a number; false (and *value untouched) if it is empty, has another character,
 * or does not fit. Hexadecimal comes without 0x. */
bool ff_text_decimal(struct ff_text text, uint64_t *value);
bool ff_text_hex(struct ff_text text, uint64_t *value);

/* The last path component, without perf's " (deleted)". "/" alone stays. */
struct ff_text ff_text_base_name(struct ff_text path);

/* '*' matches any run of bytes, every other byte itself. Linear in practice: one back-track point. */
bool ff_text_glob(struct ff_text text, struct ff_text pattern);

/* FNV-1a style 64-bit hash, 8 bytes a step; stable only within one process run. */
uint64_t ff_hash_bytes(const void *bytes, size_t size, uint64_t seed);

static inline uint64_t ff_hash_mix(uint64_t seed, uint64_t value)
{
    uint64_t h = (seed ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ (h >> 29);
}

#endif
