/* SPDX-License-Identifier: MIT
 *
 * Breaks sentences into lines. The hard thing is UTF-8: columns are characters, not bytes.
 */
#include "report/prose.h"

#include <stdarg.h>
#include <stdio.h>

void ff_prose_begin(struct ff_prose *prose, struct ff_output *output, unsigned indent,
                    unsigned hang)
{
    prose->output = output;
    prose->indent = indent;
    prose->hang = hang;
    prose->used = 0;
    prose->text[0] = 0;
}

static void add(struct ff_prose *prose, const char *format, va_list values)
{
    size_t room = sizeof prose->text - prose->used;
    int size = vsnprintf(prose->text + prose->used, room, format, values);
    if (size >= 0 && (size_t)size < room) {
        prose->used += (unsigned)size;
        return;
    }
    prose->used = sizeof prose->text - 1;
    memcpy(prose->text + prose->used - 3, "...", 3);
}

void ff_prose_add(struct ff_prose *prose, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    add(prose, format, values);
    va_end(values);
}

void ff_prose_name(struct ff_prose *prose, struct ff_text name)
{
    for (size_t i = 0; i < name.size && prose->used + 1 < sizeof prose->text; i++) {
        unsigned char byte = (unsigned char)name.at[i];
        prose->text[prose->used++] = byte < ' ' || byte == 0x7f ? '?' : (char)byte;
    }
    prose->text[prose->used] = 0;
}

static size_t columns(struct ff_text word)
{
    size_t count = 0;
    for (size_t i = 0; i < word.size; i++)
        count += ((unsigned char)word.at[i] & 0xc0) != 0x80;
    return count;
}

static void put_blanks(struct ff_output *output, unsigned count)
{
    while (count--)
        ff_output_byte(output, ' ');
}

void ff_prose_end(struct ff_prose *prose)
{
    struct ff_text rest = {prose->text, prose->used};
    size_t column = prose->indent;
    bool begun = false;
    put_blanks(prose->output, prose->indent);
    while (rest.at) {
        struct ff_text word = ff_text_cut(&rest, ' ');
        /* A number keeps its percent sign. */
        if (rest.size && rest.at[0] == '%')
            word.size += 1 + ff_text_cut(&rest, ' ').size;
        if (begun && column + 1 + columns(word) > FF_PROSE_WIDTH) {
            ff_output_byte(prose->output, '\n');
            put_blanks(prose->output, prose->hang);
            column = prose->hang;
        } else if (begun) {
            ff_output_byte(prose->output, ' ');
            column++;
        }
        ff_output_text(prose->output, word);
        column += columns(word);
        begun = true;
    }
    ff_output_byte(prose->output, '\n');
}

void ff_prose_put(struct ff_output *output, unsigned indent, const char *format, ...)
{
    struct ff_prose prose;
    va_list values;
    ff_prose_begin(&prose, output, indent, indent);
    va_start(values, format);
    add(&prose, format, values);
    va_end(values);
    ff_prose_end(&prose);
}

const char *ff_prose_percent(char *bytes, uint32_t permille)
{
    snprintf(bytes, 12, "%u.%u", permille / 10 % 100000, permille % 10);
    return bytes;
}
