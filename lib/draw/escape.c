/* SPDX-License-Identifier: MIT
 *
 * Bytes to characters to markup. The hard thing: names come from the profiled program and may be
 * made to break out of the picture, so nothing passes that is not decoded first.
 */
#include "draw/escape.h"

#define REPLACEMENT 0xfffd

/* The bytes of a sequence by its first one; 0 where none begins. */
static unsigned sequence_size(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if (first >= 0xe0 && first <= 0xef)
        return 3;
    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

static uint32_t decode(struct ff_text *rest)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)rest->at;
    unsigned size = sequence_size(at[0]);
    uint32_t character = size > 1 ? at[0] & (0x7fu >> size) : at[0];
    bool valid = size && size <= rest->size;
    for (unsigned i = 1; valid && i < size; i++) {
        valid = (at[i] & 0xc0) == 0x80;
        character = character << 6 | (at[i] & 0x3fu);
    }
    valid = valid && character >= smallest[size] && character <= 0x10ffff &&
            (character < 0xd800 || character > 0xdfff);
    *rest = ff_text_from(*rest, valid ? size : 1);
    return valid ? character : REPLACEMENT;
}

/* Characters that show nothing themselves but reorder the text around them. */
static bool reorders(uint32_t character)
{
    return (character >= 0x202a && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

uint32_t ff_escape_take(struct ff_text *rest)
{
    uint32_t character = decode(rest);
    if (character == '\t' || character == '\n' || character == '\r')
        return ' ';
    bool control = character < 0x20 || (character >= 0x7f && character < 0xa0);
    if (control || character == 0xfffe || character == 0xffff || reorders(character))
        return REPLACEMENT;
    return character;
}

static void put_utf8(struct ff_output *output, uint32_t character)
{
    if (character < 0x80) {
        ff_output_byte(output, (char)character);
        return;
    }
    unsigned size = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    unsigned shift = 6 * (size - 1);
    ff_output_byte(output, (char)((0xf00u >> size & 0xffu) | character >> shift));
    while (shift) {
        shift -= 6;
        ff_output_byte(output, (char)(0x80u | (character >> shift & 0x3fu)));
    }
}

void ff_escape_put(struct ff_output *output, uint32_t character)
{
    switch (character) {
    case '&':
        ff_output_string(output, "&amp;");
        break;
    case '<':
        ff_output_string(output, "&lt;");
        break;
    case '>':
        ff_output_string(output, "&gt;");
        break;
    case '"':
        ff_output_string(output, "&quot;");
        break;
    case '\'':
        ff_output_string(output, "&#39;");
        break;
    default:
        put_utf8(output, character);
        break;
    }
}

/* How many bytes mean themselves wherever they stand: nearly all of nearly every name. */
static size_t plain_size(struct ff_text text)
{
    size_t size = 0;
    while (size < text.size) {
        unsigned char byte = (unsigned char)text.at[size];
        if (byte < 0x20 || byte > 0x7e || byte == '&' || byte == '<' || byte == '>' ||
            byte == '"' || byte == '\'')
            break;
        size++;
    }
    return size;
}

void ff_escape_text(struct ff_output *output, struct ff_text text)
{
    while (text.size) {
        size_t plain = plain_size(text);
        ff_output_text(output, ff_text_slice(text, 0, plain));
        text = ff_text_from(text, plain);
        if (text.size)
            ff_escape_put(output, ff_escape_take(&text));
    }
}

void ff_escape_comment(struct ff_output *output, struct ff_text text)
{
    uint32_t last = ' ';
    while (text.size) {
        uint32_t character = ff_escape_take(&text);
        if (character == '-' && last == '-')
            ff_output_byte(output, ' ');
        put_utf8(output, character);
        last = character;
    }
}

void ff_escape_script(struct ff_output *output, struct ff_text script)
{
    static const struct ff_text end = {"]]>", 3};
    ff_output_string(output, "<![CDATA[");
    for (ptrdiff_t at; (at = ff_text_find_text(script, end)) >= 0;) {
        ff_output_text(output, ff_text_slice(script, 0, (size_t)at + 2));
        ff_output_string(output, "]]><![CDATA[");
        script = ff_text_from(script, (size_t)at + 2);
    }
    ff_output_text(output, script);
    ff_output_string(output, "]]>");
}

uint32_t ff_escape_columns(uint32_t character)
{
    static const uint32_t wide[][2] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff}, {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                       {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (character >= wide[i][0] && character <= wide[i][1])
            return 2;
    }
    return 1;
}
