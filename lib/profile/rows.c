/* SPDX-License-Identifier: MIT
 *
 * Rows to lines. Only the escapes are not plain: they keep a name from becoming a field or a line.
 */
#include "profile/rows.h"

static const char *escape_of(char c)
{
    switch (c) {
    case '\t':
        return "\\t";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\\':
        return "\\\\";
    default:
        return NULL;
    }
}

void ff_rows_escape(struct ff_rows *rows, struct ff_text text)
{
    size_t plain = 0;
    while (plain < text.size && !escape_of(text.at[plain]))
        plain++;
    if (plain == text.size) {
        rows->text(rows, text);
        return;
    }
    struct ff_output *scratch = &rows->scratch;
    scratch->used = 0;
    for (size_t i = 0; i < text.size; i++) {
        const char *escaped = escape_of(text.at[i]);
        if (escaped)
            ff_output_string(scratch, escaped);
        else
            ff_output_byte(scratch, text.at[i]);
    }
    rows->text(rows, (struct ff_text){scratch->buffer, scratch->used});
}

static struct ff_output *output_of(struct ff_rows *rows)
{
    return ((struct ff_rows_lines *)rows)->output;
}

static void begin(struct ff_rows *rows, const char *kind)
{
    ff_output_string(output_of(rows), kind);
}

static void put_number(struct ff_rows *rows, uint64_t value)
{
    ff_output_byte(output_of(rows), '\t');
    ff_output_decimal(output_of(rows), value);
}

static void put_hex(struct ff_rows *rows, uint64_t value)
{
    ff_output_byte(output_of(rows), '\t');
    ff_output_hex(output_of(rows), value);
}

static void put_text(struct ff_rows *rows, struct ff_text text)
{
    ff_output_byte(output_of(rows), '\t');
    ff_output_text(output_of(rows), text);
}

static void end(struct ff_rows *rows)
{
    ff_output_byte(output_of(rows), '\n');
}

static void put_line(struct ff_rows *rows, struct ff_text line)
{
    ff_output_text(output_of(rows), line);
    ff_output_byte(output_of(rows), '\n');
}

void ff_rows_lines_init(struct ff_rows_lines *lines, struct ff_output *output)
{
    *lines = (struct ff_rows_lines){
        .rows = {begin, put_number, put_hex, put_text, end, put_line, {0}}, .output = output};
    ff_output_memory(&lines->rows.scratch);
}

bool ff_rows_lines_release(struct ff_rows_lines *lines)
{
    struct ff_error error = {0};
    return ff_output_close(&lines->rows.scratch, &error) == FF_OK;
}
