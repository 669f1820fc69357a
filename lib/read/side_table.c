/* SPDX-License-Identifier: MIT
 *
 * Tables with one head: the words of the head say what the words below them are. The hard thing is
 * that any column may be there, in any order, and numbers are printed for people.
 */
#include "read/side.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct ff_text ff_side_cut_word(struct ff_text *rest)
{
    size_t start = 0;
    while (start < rest->size && is_blank(rest->at[start]))
        start++;
    size_t end = start;
    while (end < rest->size && !is_blank(rest->at[end]))
        end++;
    struct ff_text word = ff_text_slice(*rest, start, end);
    *rest = ff_text_from(*rest, end);
    return word;
}

bool ff_side_scaled(struct ff_text text, uint64_t scale, uint64_t *value)
{
    uint64_t whole, digits = 0;
    ptrdiff_t point = ff_text_find(text, '.');
    if (point < 0)
        point = ff_text_find(text, ',');
    struct ff_text rest = point < 0 ? FF_TEXT("0") : ff_text_from(text, (size_t)point + 1);
    if (point >= 0)
        text.size = (size_t)point;
    if (!ff_text_decimal(text, &whole) || whole > UINT64_MAX / scale - 1 || !rest.size)
        return false;
    for (size_t i = 0; i < rest.size; i++) {
        unsigned digit = (unsigned)(unsigned char)rest.at[i] - '0';
        if (digit > 9)
            return false;
    }
    uint64_t step = scale / 10;
    for (size_t i = 0; i < rest.size && step; i++, step /= 10)
        digits += (uint64_t)(rest.at[i] - '0') * step;
    *value = whole * scale + digits;
    return true;
}

bool ff_side_clock(struct ff_text text, uint64_t *seconds)
{
    uint64_t hour, minute, second;
    struct ff_text rest = text;
    struct ff_text hours = ff_text_cut(&rest, ':');
    struct ff_text minutes = ff_text_cut(&rest, ':');
    if (!rest.at || !ff_text_decimal(hours, &hour) || !ff_text_decimal(minutes, &minute) ||
        !ff_text_decimal(rest, &second) || hour > 23 || minute > 59 || second > 60)
        return false;
    *seconds = hour * 3600 + minute * 60 + second;
    return true;
}

/* KiB as top prints them: "509472", "26.9g". */
static bool kib_parse(struct ff_text text, uint64_t *value)
{
    static const char suffixes[] = "kmgtp";
    unsigned int shift = 10;
    const char *suffix = text.size && text.at[text.size - 1]
                             ? strchr(suffixes, text.at[text.size - 1] | 0x20)
                             : NULL;
    if (suffix && *suffix) {
        shift = 10 * (unsigned int)(suffix - suffixes + 1);
        text.size--;
    }
    if (!ff_side_scaled(text, 1000, value) || *value > UINT64_MAX >> shift)
        return false;
    *value = (*value << shift) / 1000;
    return true;
}

/* "4:04.95" minutes, seconds and hundredths; "123:45" minutes and seconds; "99,12" hours and
 * minutes; "5h", "3d", "1w" where even that is too long. */
static bool time_parse(struct ff_text text, uint64_t *value)
{
    static const struct {
        char letter;
        uint32_t seconds;
    } units[] = {{'h', 3600}, {'d', 86400}, {'w', 604800}};
    const uint64_t second = 1000000000;
    uint64_t most = UINT32_MAX, whole, part;
    for (size_t i = 0; text.size && i < sizeof units / sizeof *units; i++) {
        if (text.at[text.size - 1] != units[i].letter)
            continue;
        text.size--;
        if (!ff_text_decimal(text, &whole) || whole > most / units[i].seconds)
            return false;
        *value = whole * units[i].seconds * second;
        return true;
    }
    struct ff_text rest = text;
    bool hours = ff_text_find(text, ':') < 0;
    struct ff_text first = ff_text_cut(&rest, hours ? ',' : ':');
    if (!rest.at || !ff_text_decimal(first, &whole) || whole > most ||
        !ff_side_scaled(rest, second, &part) || part >= 60 * second)
        return false;
    *value = hours ? (whole * 3600) * second + part * 60 : whole * 60 * second + part;
    return true;
}

const struct ff_side_column *ff_side_column(const struct ff_side_column *columns,
                                            struct ff_text title)
{
    for (; columns->title; columns++) {
        if (ff_text_equal(title, ff_text(columns->title)))
            return columns;
    }
    return NULL;
}

void ff_side_head(struct ff_side *side, const struct ff_side_column *columns, struct ff_text head)
{
    side->column_count = 0;
    for (;;) {
        struct ff_text word = ff_side_cut_word(&head);
        if (!word.size || side->column_count == FF_SIDE_COLUMNS)
            return;
        side->columns[side->column_count++] = ff_side_column(columns, word);
    }
}

static bool value_parse(enum ff_side_value kind, struct ff_text cell, uint64_t *value)
{
    switch (kind) {
    case FF_SIDE_NUMBER:
        return ff_text_decimal(cell, value);
    case FF_SIDE_SHARE:
        return ff_side_scaled(cell, 10000, value);
    case FF_SIDE_RATE:
        return ff_side_scaled(cell, 1000, value);
    case FF_SIDE_KIB:
        return kib_parse(cell, value);
    case FF_SIDE_TIME:
        return time_parse(cell, value);
    default:
        return false;
    }
}

static void add_cell(struct ff_side *side, const struct ff_side_column *column, uint32_t thread,
                     uint32_t subject, struct ff_text cell)
{
    uint64_t value;
    if (!column)
        side->cells_unused++;
    else if (column->value >= FF_SIDE_PROCESS)
        return;
    else if (column->value == FF_SIDE_WORD)
        ff_side_word(side, thread, column->fact, subject, cell);
    else if (ff_text_equal(cell, FF_TEXT("-")))
        side->cells_missing++;
    else if (value_parse(column->value, cell, &value))
        ff_side_fact(side, thread, column->fact, subject, value, column->unit);
    else
        side->cells_bad++;
}

void ff_side_row(struct ff_side *side, uint32_t thread, uint32_t subject, struct ff_text row)
{
    for (uint32_t i = 0;; i++) {
        bool known = i < side->column_count;
        const struct ff_side_column *column = known ? side->columns[i] : NULL;
        if (column && column->value == FF_SIDE_COMMAND && i + 1 == side->column_count)
            return;
        struct ff_text cell = ff_side_cut_word(&row);
        if (!cell.size) {
            side->cells_missing += side->column_count > i ? side->column_count - i : 0;
            return;
        }
        add_cell(side, column, thread, subject, cell);
    }
}

bool ff_side_row_number(const struct ff_side *side, struct ff_text row, enum ff_side_value kind,
                        uint32_t *number)
{
    for (uint32_t i = 0; i < side->column_count; i++) {
        uint64_t value;
        struct ff_text cell = ff_side_cut_word(&row);
        if (!side->columns[i] || side->columns[i]->value != kind)
            continue;
        if (!ff_text_decimal(cell, &value) || value > UINT32_MAX)
            return false;
        *number = (uint32_t)value;
        return true;
    }
    return false;
}

struct ff_text ff_side_row_command(const struct ff_side *side, struct ff_text row)
{
    for (uint32_t i = 0; i < side->column_count; i++) {
        if (side->columns[i] && side->columns[i]->value == FF_SIDE_COMMAND) {
            struct ff_text rest = ff_text_trim(row);
            return i + 1 == side->column_count ? rest : ff_side_cut_word(&rest);
        }
        ff_side_cut_word(&row);
    }
    return FF_TEXT("");
}
