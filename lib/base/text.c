/* SPDX-License-Identifier: MIT
 *
 * Cutting, comparing, numbers and globs over (pointer, size) text. The hard thing: no byte is
 * special, so NUL and invalid UTF-8 pass through unharmed.
 */
#include "base/text.h"

bool ff_text_equal(struct ff_text a, struct ff_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

int ff_text_compare(struct ff_text a, struct ff_text b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.at, b.at, common) : 0;
    if (order)
        return order;
    return a.size < b.size ? -1 : a.size > b.size;
}

size_t ff_text_common(struct ff_text a, struct ff_text b)
{
    size_t at = 0, size = a.size < b.size ? a.size : b.size;
    for (; at + 8 <= size; at += 8) {
        uint64_t x, y;
        memcpy(&x, a.at + at, 8);
        memcpy(&y, b.at + at, 8);
        if (x != y)
            break;
    }
    while (at < size && a.at[at] == b.at[at])
        at++;
    return at;
}

bool ff_text_starts(struct ff_text text, struct ff_text prefix)
{
    return text.size >= prefix.size && memcmp(text.at, prefix.at, prefix.size) == 0;
}

bool ff_text_ends(struct ff_text text, struct ff_text suffix)
{
    return text.size >= suffix.size &&
           memcmp(text.at + text.size - suffix.size, suffix.at, suffix.size) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct ff_text ff_text_trim(struct ff_text text)
{
    while (text.size && is_blank(text.at[0])) {
        text.at++;
        text.size--;
    }
    while (text.size && is_blank(text.at[text.size - 1]))
        text.size--;
    return text;
}

ptrdiff_t ff_text_find(struct ff_text text, char byte)
{
    const char *found = text.size ? memchr(text.at, byte, text.size) : NULL;
    return found ? found - text.at : -1;
}

ptrdiff_t ff_text_find_last(struct ff_text text, char byte)
{
    for (size_t i = text.size; i-- > 0;) {
        if (text.at[i] == byte)
            return (ptrdiff_t)i;
    }
    return -1;
}

ptrdiff_t ff_text_find_text(struct ff_text text, struct ff_text part)
{
    for (size_t i = 0; i + part.size <= text.size; i++) {
        if (memcmp(text.at + i, part.at, part.size) == 0)
            return (ptrdiff_t)i;
    }
    return -1;
}

struct ff_text ff_text_slice(struct ff_text text, size_t start, size_t end)
{
    if (end > text.size)
        end = text.size;
    if (start > end)
        start = end;
    return (struct ff_text){text.at + start, end - start};
}

struct ff_text ff_text_from(struct ff_text text, size_t start)
{
    return ff_text_slice(text, start, text.size);
}

struct ff_text ff_text_cut(struct ff_text *rest, char separator)
{
    struct ff_text whole = *rest;
    ptrdiff_t at = ff_text_find(whole, separator);
    if (at < 0) {
        *rest = (struct ff_text){NULL, 0};
        return whole;
    }
    *rest = (struct ff_text){whole.at + at + 1, whole.size - (size_t)at - 1};
    return (struct ff_text){whole.at, (size_t)at};
}

bool ff_text_decimal(struct ff_text text, uint64_t *value)
{
    uint64_t sum = 0;
    if (!text.size)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        unsigned digit = (unsigned)(unsigned char)text.at[i] - '0';
        if (digit > 9 || sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool ff_text_hex(struct ff_text text, uint64_t *value)
{
    uint64_t sum = 0;
    if (!text.size)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        int digit = hex_digit(text.at[i]);
        if (digit < 0 || sum >> 60)
            return false;
        sum = sum << 4 | (unsigned)digit;
    }
    *value = sum;
    return true;
}

struct ff_text ff_text_base_name(struct ff_text path)
{
    if (ff_text_ends(path, FF_TEXT(" (deleted)")))
        path.size -= sizeof " (deleted)" - 1;
    ptrdiff_t slash = ff_text_find_last(path, '/');
    return slash < 0 || (size_t)slash + 1 == path.size ? path
                                                       : ff_text_from(path, (size_t)slash + 1);
}

bool ff_text_glob(struct ff_text text, struct ff_text pattern)
{
    size_t t = 0, p = 0, star = SIZE_MAX, resume = 0;
    while (t < text.size) {
        if (p < pattern.size && pattern.at[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size && pattern.at[p] == text.at[t]) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.at[p] == '*')
        p++;
    return p == pattern.size;
}

uint64_t ff_hash_bytes(const void *bytes, size_t size, uint64_t seed)
{
    const unsigned char *at = bytes;
    uint64_t hash = seed ^ size * UINT64_C(0x9e3779b97f4a7c15);
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = ff_hash_mix(hash, word);
    }
    uint64_t tail = 0;
    memcpy(&tail, at, size);
    return ff_hash_mix(hash, tail);
}
