/* SPDX-License-Identifier: MIT
 *
 * Two passes over the lines: the first counts rows and finds out what each column is, the second fills
 * the columns. The hard thing is to be exact: a field is a number only if its digits are those that
 * printing the number gives.
 */
#include "draw/columns.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/memory.h"

enum { FIELDS = 16, DECIMAL = 0, HEXADECIMAL = 1, TEXT = 2, DIFFERENCES = 4, OPTIONAL = 8 };

struct table {
    struct ff_text kind;
    uint32_t kind_text; /* id in texts */
    uint32_t columns, rows, filled;
    bool not_decimal[FIELDS], not_hex[FIELDS];
    uint32_t there[FIELDS];   /* how many lines have this field */
    uint64_t *values[FIELDS]; /* of texts: ids in texts */
};

struct packer {
    struct ff_deflate *deflate;
    struct table *tables;
    uint32_t count, capacity, last; /* last: the table of the line before */
    struct ff_intern texts;
    uint32_t *rank; /* of a text among the sorted ones, by its id */
    bool failed;
};

/* The kind, and the fields behind it; one that has too many keeps the rest in its last. */
static uint32_t split(struct ff_text line, struct ff_text *kind, struct ff_text fields[FIELDS])
{
    uint32_t count = 0;
    *kind = ff_text_cut(&line, '\t');
    while (line.at && count < FIELDS - 1)
        fields[count++] = ff_text_cut(&line, '\t');
    if (line.at)
        fields[count++] = line;
    return count;
}

static struct table *table_of(struct packer *packer, struct ff_text kind)
{
    for (uint32_t i = 0; i < packer->count; i++) {
        uint32_t at = (packer->last + i) % packer->count;
        if (ff_text_equal(packer->tables[at].kind, kind)) {
            packer->last = at;
            return &packer->tables[at];
        }
    }
    packer->tables = ff_grow(packer->tables, &packer->capacity, (uint64_t)packer->count + 1,
                             sizeof *packer->tables, &packer->failed);
    if (packer->failed)
        return NULL;
    packer->last = packer->count;
    struct table *table = &packer->tables[packer->count++];
    *table = (struct table){.kind = kind};
    table->kind_text = ff_intern(&packer->texts, kind);
    return table;
}

/* The largest number is left out: an optional column needs one more. */
static bool is_canonical(struct ff_text field, bool hex, uint64_t *value)
{
    if (field.size > 1 && field.at[0] == '0')
        return false;
    for (size_t i = 0; hex && i < field.size; i++) {
        if (field.at[i] >= 'A' && field.at[i] <= 'F')
            return false;
    }
    return (hex ? ff_text_hex(field, value) : ff_text_decimal(field, value)) &&
           *value != UINT64_MAX;
}

static void count_line(struct packer *packer, struct ff_text line)
{
    struct ff_text kind, fields[FIELDS];
    uint32_t count = split(line, &kind, fields);
    struct table *table = table_of(packer, kind);
    uint64_t value;
    if (!table)
        return;
    table->rows++;
    table->columns = count > table->columns ? count : table->columns;
    for (uint32_t i = 0; i < count; i++) {
        table->there[i]++;
        if (!table->not_decimal[i])
            table->not_decimal[i] = !is_canonical(fields[i], false, &value);
        if (!table->not_hex[i])
            table->not_hex[i] = !is_canonical(fields[i], true, &value);
    }
}

static bool is_text(const struct table *table, uint32_t column)
{
    return table->not_decimal[column] && table->not_hex[column];
}

static void fill_line(struct packer *packer, struct ff_text line)
{
    struct ff_text kind, fields[FIELDS];
    uint32_t count = split(line, &kind, fields);
    struct table *table = table_of(packer, kind);
    if (!table || table->filled == table->rows)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *value = &table->values[i][table->filled];
        if (is_text(table, i))
            *value = ff_intern(&packer->texts, fields[i]);
        else
            is_canonical(fields[i], table->not_decimal[i], value);
        *value += table->there[i] < table->rows;
    }
    table->filled++;
}

static void each_line(struct packer *packer, struct ff_text lines,
                      void (*take)(struct packer *packer, struct ff_text line))
{
    while (lines.size && !packer->failed)
        take(packer, ff_text_cut(&lines, '\n'));
}

static void make_room(struct packer *packer)
{
    for (uint32_t t = 0; t < packer->count; t++) {
        struct table *table = &packer->tables[t];
        for (uint32_t i = 0; i < table->columns; i++) {
            table->values[i] = ff_alloc(table->rows, sizeof *table->values[i]);
            packer->failed |= !table->values[i];
        }
    }
}

struct entry {
    struct ff_text text;
    uint32_t id;
};

static int compare_entries(const void *a, const void *b)
{
    return ff_text_compare(((const struct entry *)a)->text, ((const struct entry *)b)->text);
}

static uint32_t shared_size(struct ff_text a, struct ff_text b)
{
    uint32_t size = 0;
    while (size < a.size && size < b.size && a.at[size] == b.at[size])
        size++;
    return size;
}

static void put_entries(struct packer *packer, const struct entry *entries, uint32_t count)
{
    struct ff_text before = FF_TEXT("");
    ff_deflate_number(packer->deflate, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t shared = shared_size(before, entries[i].text);
        struct ff_text rest = ff_text_from(entries[i].text, shared);
        ff_deflate_number(packer->deflate, shared);
        ff_deflate_number(packer->deflate, rest.size);
        ff_deflate_bytes(packer->deflate, rest.at, rest.size);
        packer->rank[entries[i].id] = i + 1;
        before = entries[i].text;
    }
}

static void put_texts(struct packer *packer)
{
    uint32_t count = packer->texts.count ? packer->texts.count - 1 : 0;
    struct entry *entries = ff_alloc(count, sizeof *entries);
    packer->rank = ff_alloc((size_t)count + 1, sizeof *packer->rank);
    packer->failed |= !entries || !packer->rank || packer->texts.failed;
    if (!packer->failed) {
        for (uint32_t i = 0; i < count; i++)
            entries[i] = (struct entry){packer->texts.texts[i + 1], i + 1};
        qsort(entries, count, sizeof *entries, compare_entries);
        put_entries(packer, entries, count);
    }
    ff_free(entries);
}

static uint64_t difference(const uint64_t *values, uint32_t row)
{
    uint64_t step = values[row] - (row ? values[row - 1] : 0);
    return step >> 63 ? ~step << 1 | 1 : step << 1;
}

static uint32_t number_size(uint64_t value)
{
    uint32_t size = 1;
    for (; value > 127; value >>= 7)
        size++;
    return size;
}

/* From ids in the order of their first use to numbers in byte order. */
static void rank_texts(const struct packer *packer, const struct table *table, uint32_t column)
{
    uint64_t *values = table->values[column];
    bool optional = table->there[column] < table->rows;
    for (uint32_t row = 0; row < table->rows; row++) {
        if (values[row] || !optional)
            values[row] = packer->rank[values[row] - optional] + (uint64_t)optional;
    }
}

static void put_column(struct packer *packer, const struct table *table, uint32_t column)
{
    uint64_t *values = table->values[column], plain = 0, stepped = 0;
    unsigned type = is_text(table, column)       ? TEXT
                    : table->not_decimal[column] ? HEXADECIMAL
                                                 : DECIMAL;
    if (type == TEXT)
        rank_texts(packer, table, column);
    if (table->there[column] < table->rows)
        type += OPTIONAL;
    for (uint32_t row = 0; row < table->rows; row++) {
        plain += number_size(values[row]);
        stepped += number_size(difference(values, row));
    }
    /* At equal size too: 1, 2, 3 is 1, 1, 1, which compresses to nothing. */
    bool differences = stepped <= plain;
    ff_deflate_number(packer->deflate, differences ? type + DIFFERENCES : type);
    for (uint32_t row = 0; row < table->rows; row++)
        ff_deflate_number(packer->deflate, differences ? difference(values, row) : values[row]);
}

static void put_tables(struct packer *packer)
{
    for (uint32_t t = 0; t < packer->count; t++) {
        const struct table *table = &packer->tables[t];
        ff_deflate_number(packer->deflate, packer->rank[table->kind_text]);
        ff_deflate_number(packer->deflate, table->rows);
        ff_deflate_number(packer->deflate, table->columns);
        for (uint32_t i = 0; i < table->columns; i++)
            put_column(packer, table, i);
    }
    ff_deflate_number(packer->deflate, 0);
}

bool ff_columns_write(struct ff_deflate *deflate, struct ff_text lines)
{
    struct packer packer = {.deflate = deflate};
    each_line(&packer, lines, count_line);
    make_room(&packer);
    if (!packer.failed)
        each_line(&packer, lines, fill_line);
    ff_deflate_number(deflate, 1);
    if (!packer.failed)
        put_texts(&packer);
    if (!packer.failed)
        put_tables(&packer);
    for (uint32_t t = 0; t < packer.count; t++) {
        for (uint32_t i = 0; i < packer.tables[t].columns; i++)
            ff_free(packer.tables[t].values[i]);
    }
    ff_free(packer.tables);
    ff_free(packer.rank);
    ff_intern_release(&packer.texts);
    return !packer.failed;
}
