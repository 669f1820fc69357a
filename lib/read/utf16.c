/* SPDX-License-Identifier: MIT
 *
 * UTF-16 to UTF-8 in memory, so that no reader knows of it. Each unit takes at most three bytes, a pair
 * four: the room is known before.
 */
#include "read/utf16.h"

#include "base/memory.h"

#include <unistd.h>

bool ff_utf16_is(struct ff_text head)
{
    /* FF FE 00 00 would be UTF-32. */
    return ff_text_starts(head, FF_TEXT("\xfe\xff")) ||
           (ff_text_starts(head, FF_TEXT("\xff\xfe")) &&
            !ff_text_starts(head, (struct ff_text){"\xff\xfe\0\0", 4}));
}

static uint32_t unit_at(struct ff_text text, size_t i, bool big_endian)
{
    unsigned first = (unsigned char)text.at[i], second = (unsigned char)text.at[i + 1];
    return big_endian ? first << 8 | second : second << 8 | first;
}

/* The character at *i, which moves on behind it. */
static uint32_t next_character(struct ff_text text, size_t *i, bool big_endian)
{
    if (text.size - *i < 2) {
        *i = text.size;
        return 0xfffd;
    }
    uint32_t unit = unit_at(text, *i, big_endian);
    *i += 2;
    if (unit < 0xd800 || unit > 0xdfff)
        return unit;
    uint32_t low = text.size - *i >= 2 ? unit_at(text, *i, big_endian) : 0;
    if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return 0xfffd;
    *i += 2;
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

static size_t put_character(char *to, uint32_t character)
{
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = size; i-- > 1; character >>= 6)
        to[i] = (char)(0x80 | (character & 0x3f));
    to[0] = (char)(marks[size == 1 ? 0 : size] | character);
    return size;
}

/* The input's content is BUFFER from now on. */
static void replace(struct ff_input *input, char *buffer, size_t size)
{
    struct ff_input renewed = {
        .name = input->name,
        .size = size,
        .progress = input->progress,
        .descriptor = -1,
        .seekable = true,
        .ended = true,
        .buffer = buffer,
        .filled = size,
        .capacity = size,
    };
    ff_input_close(input);
    *input = renewed;
}

enum ff_status ff_utf16_convert(struct ff_input *input, struct ff_error *error)
{
    struct ff_text text = {0};
    size_t want = 2;
    /* A file's size is known, a pipe's not: the end is where less comes than was asked for. */
    do {
        want *= 4;
        enum ff_status status = ff_input_peek(input, want, &text, error);
        if (status != FF_OK)
            return status;
    } while (text.size == want);
    bool big_endian = text.at[0] == '\xfe';
    size_t used = 0;
    char *buffer = ff_alloc(text.size / 2 + 1, 3);
    if (!buffer)
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", input->name);
    for (size_t i = 2; i < text.size;)
        used += put_character(buffer + used, next_character(text, &i, big_endian));
    replace(input, buffer, used);
    return FF_OK;
}
