/* SPDX-License-Identifier: MIT
 *
 * Tables to lines. The hard thing: a few bytes can ask for a million copies of a long text, so what
 * comes out is bounded by what is there.
 */
#include "read/svg_columns.h"

#include "base/cursor.h"
#include "base/memory.h"

enum {
    COLUMNS = 16,
    DECIMAL = 0,
    HEXADECIMAL = 1,
    TEXT = 2,
    DIFFERENCES = 4,
    OPTIONAL = 8,
    TYPE = 3
};

/* Text grows from numbers of one to three bytes each; a name is repeated for each of its lines. */
#define GROWTH 64
#define SLACK  ((uint64_t)1 << 26)

struct columns {
    struct ff_cursor at;
    struct ff_output *lines;
    struct ff_text *texts;
    uint32_t text_count, text_capacity;
    struct ff_arena arena;
    uint64_t limit;    /* of lines->used */
    const char *wrong; /* what was found, once something was */
    bool out_of_memory;
};

static uint64_t take_number(struct columns *columns)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = ff_cursor_u8(&columns->at);
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    columns->at.failed = true;
    return 0;
}

static bool is_well(struct columns *columns)
{
    if (columns->at.failed && !columns->wrong)
        columns->wrong = "its end within a table";
    return !columns->wrong && !columns->out_of_memory;
}

/* Texts share their beginnings, which costs the memory that the file saved: bounded like the lines. */
static void take_text(struct columns *columns, uint64_t *room)
{
    struct ff_text before = columns->texts[columns->text_count - 1];
    uint64_t shared = take_number(columns), more = take_number(columns);
    const void *rest = ff_cursor_bytes(&columns->at, more);
    if (!rest || shared > before.size || shared + more > *room) {
        columns->wrong = "a text that does not fit";
        return;
    }
    char *copy = ff_arena_take(&columns->arena, shared + more + 1);
    columns->texts =
        ff_grow(columns->texts, &columns->text_capacity, (uint64_t)columns->text_count + 1,
                sizeof *columns->texts, &columns->out_of_memory);
    if (!copy || columns->out_of_memory) {
        columns->out_of_memory = true;
        return;
    }
    memcpy(copy, before.at, shared);
    memcpy(copy + shared, rest, more);
    *room -= shared + more;
    columns->texts[columns->text_count++] = (struct ff_text){copy, shared + more};
}

static void take_texts(struct columns *columns)
{
    uint64_t count = take_number(columns), room = columns->limit;
    columns->texts =
        ff_grow(NULL, &columns->text_capacity, 1, sizeof *columns->texts, &columns->out_of_memory);
    if (columns->out_of_memory)
        return;
    columns->texts[0] = FF_TEXT("");
    columns->text_count = 1;
    for (uint64_t i = 0; i < count && is_well(columns); i++)
        take_text(columns, &room);
}

static struct ff_text text_of(struct columns *columns, uint64_t id)
{
    if (id < columns->text_count)
        return columns->texts[id];
    columns->wrong = "a text number without a text";
    return FF_TEXT("");
}

struct column {
    unsigned type;
    struct ff_cursor at; /* of its next number */
    uint64_t before;
};

/* Finds where each column begins, so that lines can be put together from all of them. */
static void find_columns(struct columns *columns, struct column *column, uint32_t count,
                         uint64_t rows)
{
    for (uint32_t i = 0; i < count && is_well(columns); i++) {
        uint64_t type = take_number(columns);
        if (type > 15 || (type & TYPE) > TEXT)
            columns->wrong = "a column of an unknown type; a newer ff-read may know it";
        column[i] = (struct column){(unsigned)type, columns->at, 0};
        for (uint64_t row = 0; row < rows && is_well(columns); row++)
            take_number(columns);
    }
}

static uint64_t next_value(struct columns *columns, struct column *column)
{
    struct ff_cursor after = columns->at;
    columns->at = column->at;
    uint64_t value = take_number(columns);
    column->at = columns->at;
    columns->at = after;
    if (column->type & DIFFERENCES)
        value = column->before + (value & 1 ? ~(value >> 1) : value >> 1);
    return column->before = value;
}

static void put_field(struct columns *columns, struct column *column)
{
    uint64_t value = next_value(columns, column);
    unsigned type = column->type & TYPE;
    if ((column->type & OPTIONAL) && !value--)
        return;
    ff_output_byte(columns->lines, '\t');
    if (type == TEXT)
        ff_output_text(columns->lines, text_of(columns, value));
    else if (type == HEXADECIMAL)
        ff_output_hex(columns->lines, value);
    else
        ff_output_decimal(columns->lines, value);
}

static void put_lines(struct columns *columns, struct ff_text kind, struct column *column,
                      uint32_t count, uint64_t rows)
{
    for (uint64_t row = 0; row < rows && is_well(columns); row++) {
        ff_output_text(columns->lines, kind);
        for (uint32_t i = 0; i < count; i++)
            put_field(columns, &column[i]);
        ff_output_byte(columns->lines, '\n');
        columns->out_of_memory |= columns->lines->out_of_memory;
        if (columns->lines->used > columns->limit)
            columns->wrong = "far more text than a profile has";
    }
}

/* False after the last table. */
static bool take_table(struct columns *columns)
{
    struct column column[COLUMNS];
    uint64_t kind = take_number(columns);
    if (!kind || !is_well(columns))
        return false;
    uint64_t rows = take_number(columns), count = take_number(columns);
    struct ff_text word = text_of(columns, kind);
    if (count > COLUMNS || (!count && rows > UINT16_MAX)) {
        columns->wrong = "a table that is too wide";
        return false;
    }
    find_columns(columns, column, (uint32_t)count, rows);
    if (!ff_text_starts(word, FF_TEXT("view")))
        put_lines(columns, word, column, (uint32_t)count, rows);
    return is_well(columns);
}

static enum ff_status answer(const struct columns *columns, const char *name,
                             struct ff_error *error)
{
    if (columns->out_of_memory)
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory while unpacking", name);
    if (columns->wrong)
        return ff_error_set(error, FF_BAD_INPUT, "%s: found %s, expected a packed profile; %s",
                            name, columns->wrong, "draw the picture again");
    return FF_OK;
}

enum ff_status ff_svg_columns_lines(struct ff_text bytes, const char *name, struct ff_output *lines,
                                    struct ff_error *error)
{
    struct columns columns = {
        .at = ff_cursor(bytes.at, bytes.size, false),
        .lines = lines,
        .limit = bytes.size * (uint64_t)GROWTH + SLACK,
    };
    if (columns.limit > UINT32_MAX)
        columns.limit = UINT32_MAX;
    if (take_number(&columns) != 1)
        columns.wrong = "another version; a newer ff-read may know it";
    if (is_well(&columns))
        take_texts(&columns);
    while (is_well(&columns) && take_table(&columns))
        continue;
    is_well(&columns); /* the end within the number that would say there is no more */
    ff_free(columns.texts);
    ff_arena_release(&columns.arena);
    return answer(&columns, name, error);
}
