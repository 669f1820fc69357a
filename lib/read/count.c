/* SPDX-License-Identifier: MIT
 *
 * Counts of folded lines. No hard thing: digits, perhaps a fraction, in the profile's unit.
 */
#include "read/count.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool ff_count_cut(struct ff_text *line, struct ff_text *word)
{
    size_t end = line->size;
    while (end && is_blank(line->at[end - 1]))
        end--;
    size_t start = end;
    while (start && !is_blank(line->at[start - 1]))
        start--;
    if (!start)
        return false;
    *word = ff_text_slice(*line, start, end);
    line->size = start - 1;
    return true;
}

/* ".25" in units of 1 / FF_COUNT_ONE; digits beyond the 13th cannot matter. */
static bool fraction_parse(struct ff_text digits, uint64_t *units)
{
    uint64_t value = 0, scale = 1;
    for (size_t i = 0; i < digits.size; i++) {
        unsigned digit = (unsigned)(unsigned char)digits.at[i] - '0';
        if (digit > 9)
            return false;
        if (scale < UINT64_C(10000000000000)) {
            value = value * 10 + digit;
            scale *= 10;
        }
    }
    /* scale <= 10^13 < 2^44: the product fits. */
    *units = (value * FF_COUNT_ONE + scale / 2) / scale;
    return true;
}

enum ff_count_kind ff_count_parse(struct ff_text text, uint64_t *units)
{
    uint64_t whole, part = 0;
    ptrdiff_t dot = ff_text_find(text, '.');
    if (dot >= 0) {
        if (!fraction_parse(ff_text_from(text, (size_t)dot + 1), &part))
            return FF_COUNT_NONE;
        text.size = (size_t)dot;
    }
    if (!ff_text_decimal(text, &whole))
        return FF_COUNT_NONE;
    if (whole >= UINT64_MAX / FF_COUNT_ONE) {
        *units = UINT64_MAX / FF_COUNT_ONE * FF_COUNT_ONE;
        return FF_COUNT_FULL;
    }
    *units = whole * FF_COUNT_ONE + part;
    return dot >= 0 ? FF_COUNT_FRACTION : FF_COUNT_WHOLE;
}
