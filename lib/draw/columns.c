/* SPDX-License-Identifier: MIT
 *
 * Rows to tables, tables to packed bytes. The hard thing is memory, which shall be that of the file: a
 * column is kept as the steps from row to row in groups of 7 bits, and most of it is written as it is.
 */
#include "draw/columns.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/memory.h"

enum { FIELDS = 16, DECIMAL = 0, HEXADECIMAL = 1, TEXT = 2, DIFFERENCES = 4, OPTIONAL = 8 };

/* Its values are numbers, or ids in texts; kept is value + 1, or 0 where a row ends before. */
struct column {
    uint8_t type;
    uint32_t rows, there; /* there: how many of the rows have it */
    uint64_t last;        /* kept of the last row */
    unsigned char *bytes; /* a step for each row, as step_of has it */
    uint32_t used, capacity;
};

struct table {
    struct ff_text kind;
    uint32_t kind_text; /* id in texts */
    uint32_t rows;      /* without the one that is being taken */
    uint32_t columns;
    struct column at[FIELDS];
};

struct ff_columns {
    struct ff_rows rows;
    struct table *tables;
    uint32_t count, capacity;
    uint32_t table, field; /* of the row that is being taken */
    struct ff_intern texts;
    uint32_t *rank; /* of a text among the sorted ones, by its id */
    bool failed;
};

/* Even numbers 2n mean n, odd ones 2n + 1 mean -n - 1. */
static uint64_t step_of(uint64_t value, uint64_t before)
{
    uint64_t step = value - before;
    return step >> 63 ? ~step << 1 | 1 : step << 1;
}

static uint64_t value_of(uint64_t step, uint64_t before)
{
    return before + (step & 1 ? ~(step >> 1) : step >> 1);
}

static uint32_t number_size(uint64_t value)
{
    uint32_t size = 1;
    for (; value > 127; value >>= 7)
        size++;
    return size;
}

static void keep(struct ff_columns *columns, struct column *column, uint64_t kept)
{
    enum { LONGEST = 10 };
    uint64_t step = step_of(kept, column->last);
    column->bytes = ff_grow(column->bytes, &column->capacity, (uint64_t)column->used + LONGEST, 1,
                            &columns->failed);
    if (columns->failed)
        return;
    for (; step > 127; step >>= 7)
        column->bytes[column->used++] = (unsigned char)(step | 128);
    column->bytes[column->used++] = (unsigned char)step;
    column->last = kept;
    column->rows++;
    column->there += kept != 0;
}

/* Reads a column from its first row on. */
struct scan {
    const unsigned char *at;
    uint64_t last;
};

static uint64_t next_kept(struct scan *scan)
{
    uint64_t step = 0;
    unsigned shift = 0;
    for (; *scan->at > 127; shift += 7)
        step |= (uint64_t)(*scan->at++ & 127) << shift;
    step |= (uint64_t)*scan->at++ << shift;
    return scan->last = value_of(step, scan->last);
}

/* Numbers become the texts that printing them gives. */
static void turn_to_text(struct ff_columns *columns, struct column *column)
{
    struct column old = *column;
    struct scan scan = {.at = old.bytes};
    struct ff_output printed;
    ff_output_memory(&printed);
    *column = (struct column){.type = TEXT};
    for (uint32_t row = 0; row < old.rows && !columns->failed; row++) {
        uint64_t kept = next_kept(&scan);
        printed.used = 0;
        if (kept && old.type == DECIMAL)
            ff_output_decimal(&printed, kept - 1);
        else if (kept)
            ff_output_hex(&printed, kept - 1);
        struct ff_text text = {printed.buffer, printed.used};
        keep(columns, column, kept ? (uint64_t)ff_intern(&columns->texts, text) + 1 : 0);
    }
    columns->failed |= printed.out_of_memory;
    ff_free(printed.buffer);
    ff_free(old.bytes);
}

/* The column of the next field, its earlier rows filled up; NULL where there is none. */
static struct column *next_column(struct ff_columns *columns)
{
    if (columns->failed || columns->field == FIELDS) {
        columns->failed = true;
        return NULL;
    }
    struct table *table = &columns->tables[columns->table];
    struct column *column = &table->at[columns->field++];
    table->columns = columns->field > table->columns ? columns->field : table->columns;
    while (column->rows < table->rows && !columns->failed)
        keep(columns, column, 0);
    return column;
}

static void keep_text(struct ff_columns *columns, struct column *column, struct ff_text text)
{
    if (!column->there)
        column->type = TEXT;
    else if (column->type != TEXT)
        turn_to_text(columns, column);
    /* The same word stands in row after row. */
    uint32_t last = column->last ? (uint32_t)(column->last - 1) : 0;
    bool same = ff_text_equal(ff_intern_text(&columns->texts, last), text);
    keep(columns, column, (uint64_t)(same ? last : ff_intern(&columns->texts, text)) + 1);
}

/* The largest number has to be a text: kept is one more. */
static void keep_number(struct ff_columns *columns, uint64_t value, uint8_t type)
{
    struct column *column = next_column(columns);
    if (column && !column->there && value != UINT64_MAX)
        column->type = type;
    if (column && column->type == type && value != UINT64_MAX) {
        keep(columns, column, value + 1);
    } else if (column) {
        struct ff_output printed;
        ff_output_memory(&printed);
        (type == DECIMAL ? ff_output_decimal : ff_output_hex)(&printed, value);
        keep_text(columns, column, (struct ff_text){printed.buffer, printed.used});
        columns->failed |= printed.out_of_memory;
        ff_free(printed.buffer);
    }
}

static struct ff_columns *columns_of(struct ff_rows *rows)
{
    return (struct ff_columns *)rows;
}

static void take_number(struct ff_rows *rows, uint64_t value)
{
    keep_number(columns_of(rows), value, DECIMAL);
}

static void take_hex(struct ff_rows *rows, uint64_t value)
{
    keep_number(columns_of(rows), value, HEXADECIMAL);
}

static void take_text(struct ff_rows *rows, struct ff_text text)
{
    struct column *column = next_column(columns_of(rows));
    if (column)
        keep_text(columns_of(rows), column, text);
}

static void begin_kind(struct ff_columns *columns, struct ff_text kind)
{
    columns->field = 0;
    for (uint32_t i = 0; i < columns->count; i++) {
        uint32_t at = (columns->table + i) % columns->count;
        if (ff_text_equal(columns->tables[at].kind, kind)) {
            columns->table = at;
            return;
        }
    }
    columns->tables = ff_grow(columns->tables, &columns->capacity, (uint64_t)columns->count + 1,
                              sizeof *columns->tables, &columns->failed);
    if (columns->failed)
        return;
    columns->table = columns->count++;
    struct table *table = &columns->tables[columns->table];
    table->kind_text = ff_intern(&columns->texts, kind);
    table->kind = ff_intern_text(&columns->texts, table->kind_text);
}

static void begin(struct ff_rows *rows, const char *kind)
{
    begin_kind(columns_of(rows), ff_text(kind));
}

static void end(struct ff_rows *rows)
{
    struct ff_columns *columns = columns_of(rows);
    if (!columns->failed)
        columns->tables[columns->table].rows++;
}

/* Whether the digits are those that printing the number gives. */
static bool is_canonical(struct ff_text field, uint64_t *value)
{
    return (field.size < 2 || field.at[0] != '0') && ff_text_decimal(field, value);
}

static void take_line(struct ff_rows *rows, struct ff_text line)
{
    uint64_t value;
    begin_kind(columns_of(rows), ff_text_cut(&line, '\t'));
    for (uint32_t i = 1; line.at; i++) {
        struct ff_text field = line;
        if (i < FIELDS)
            field = ff_text_cut(&line, '\t');
        else
            line.at = NULL;
        if (is_canonical(field, &value))
            take_number(rows, value);
        else
            take_text(rows, field);
    }
    end(rows);
}

struct ff_columns *ff_columns_new(void)
{
    struct ff_columns *columns = ff_alloc(1, sizeof *columns);
    if (!columns)
        return NULL;
    columns->rows = (struct ff_rows){begin, take_number, take_hex, take_text, end, take_line, {0}};
    ff_output_memory(&columns->rows.scratch);
    return columns;
}

struct ff_rows *ff_columns_rows(struct ff_columns *columns)
{
    return &columns->rows;
}

void ff_columns_free(struct ff_columns *columns)
{
    if (!columns)
        return;
    for (uint32_t t = 0; t < columns->count; t++) {
        for (uint32_t i = 0; i < FIELDS; i++)
            ff_free(columns->tables[t].at[i].bytes);
    }
    ff_free(columns->tables);
    ff_free(columns->rank);
    ff_free(columns->rows.scratch.buffer);
    ff_intern_release(&columns->texts);
    ff_free(columns);
}

struct entry {
    struct ff_text text;
    uint32_t id;
};

static int compare_entries(const void *a, const void *b)
{
    return ff_text_compare(((const struct entry *)a)->text, ((const struct entry *)b)->text);
}

static void put_entries(struct ff_columns *columns, struct ff_deflate *deflate,
                        const struct entry *entries, uint32_t count)
{
    struct ff_text before = FF_TEXT("");
    ff_deflate_number(deflate, count);
    for (uint32_t i = 0; i < count; i++) {
        size_t shared = ff_text_common(before, entries[i].text);
        struct ff_text rest = ff_text_from(entries[i].text, shared);
        ff_deflate_number(deflate, shared);
        ff_deflate_number(deflate, rest.size);
        ff_deflate_bytes(deflate, rest.at, rest.size);
        columns->rank[entries[i].id] = i + 1;
        before = entries[i].text;
    }
}

static bool put_texts(struct ff_columns *columns, struct ff_deflate *deflate)
{
    uint32_t count = columns->texts.count ? columns->texts.count - 1 : 0;
    struct entry *entries = ff_alloc(count, sizeof *entries);
    columns->rank = ff_alloc((size_t)count + 1, sizeof *columns->rank);
    bool done = entries && columns->rank;
    if (done) {
        for (uint32_t i = 0; i < count; i++)
            entries[i] = (struct entry){columns->texts.texts[i + 1], i + 1};
        qsort(entries, count, sizeof *entries, compare_entries);
        put_entries(columns, deflate, entries, count);
    }
    ff_free(entries);
    return done;
}

/* What the file says for what was kept; texts are numbered in byte order there. */
static uint64_t told(const struct ff_columns *columns, const struct column *column, bool optional,
                     uint64_t kept)
{
    if (!kept)
        return 0;
    uint64_t value = column->type == TEXT ? columns->rank[kept - 1] : kept - 1;
    return value + optional;
}

/* Whether the steps take no more bytes. At equal size too: 1, 2, 3 is 1, 1, 1, which compresses to
 * nothing. */
static bool steps_are_shorter(const struct ff_columns *columns, const struct column *column,
                              bool optional)
{
    struct scan scan = {.at = column->bytes};
    uint64_t plain = 0, stepped = 0, before = 0;
    for (uint32_t row = 0; row < column->rows; row++) {
        uint64_t value = told(columns, column, optional, next_kept(&scan));
        plain += number_size(value);
        stepped += number_size(step_of(value, before));
        before = value;
    }
    return stepped <= plain;
}

static void put_column(const struct ff_columns *columns, const struct column *column,
                       struct ff_deflate *deflate)
{
    bool optional = column->there < column->rows;
    bool differences = steps_are_shorter(columns, column, optional);
    struct scan scan = {.at = column->bytes};
    uint64_t before = 0;
    ff_deflate_number(deflate, (uint64_t)column->type + (optional ? OPTIONAL : 0) +
                                   (differences ? DIFFERENCES : 0));
    for (uint32_t row = 0; row < column->rows; row++) {
        uint64_t value = told(columns, column, optional, next_kept(&scan));
        ff_deflate_number(deflate, differences ? step_of(value, before) : value);
        before = value;
        /* Only the first step differs where neither numbers nor places are changed. */
        if (differences && column->type != TEXT) {
            ff_deflate_bytes(deflate, scan.at, (size_t)(column->bytes + column->used - scan.at));
            break;
        }
    }
}

static void put_table(struct ff_columns *columns, struct table *table, struct ff_deflate *deflate)
{
    ff_deflate_number(deflate, columns->rank[table->kind_text]);
    ff_deflate_number(deflate, table->rows);
    ff_deflate_number(deflate, table->columns);
    for (uint32_t i = 0; i < table->columns && !columns->failed; i++) {
        struct column *column = &table->at[i];
        while (column->rows < table->rows && !columns->failed)
            keep(columns, column, 0);
        put_column(columns, column, deflate);
    }
}

bool ff_columns_write(struct ff_columns *columns, struct ff_deflate *deflate)
{
    columns->failed |= columns->texts.failed || columns->rows.scratch.out_of_memory;
    if (columns->failed)
        return false;
    ff_deflate_number(deflate, 1);
    columns->failed = !put_texts(columns, deflate);
    for (uint32_t t = 0; t < columns->count && !columns->failed; t++)
        put_table(columns, &columns->tables[t], deflate);
    ff_deflate_number(deflate, 0);
    return !columns->failed;
}
