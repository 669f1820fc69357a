/* SPDX-License-Identifier: MIT
 *
 * .eh_frame_hdr and .eh_frame to [start, size) of functions. The hard thing: nothing in these bytes
 * is believed. A table entry counts only if the FDE that it points to starts at the same place, and
 * an encoding that is not understood makes its FDE invisible, never wrong.
 */
#include "image/fde.h"
#include "base/memory.h"

#include <stdlib.h>

/* Pointer encodings: see frame_entry.c. */
enum { UDATA4 = 0x03, TABLE_ENCODING = 0x3b };

struct ff_frame_table ff_fde_table(const struct ff_fde_index *index)
{
    return (struct ff_frame_table){.section = index->frame,
                                   .data_start = index->header.module_offset,
                                   .is_debug = index->is_debug,
                                   .is_64 = index->is_64,
                                   .swapped = index->swapped};
}

/* An encoded pointer of the header as a module offset. */
static uint64_t read_pointer(const struct ff_fde_index *index, struct ff_cursor *cursor,
                             uint8_t encoding)
{
    struct ff_frame_table table = ff_fde_table(index);
    table.section = index->header;
    return ff_frame_pointer(&table, cursor, encoding);
}

static bool fde_read(const struct ff_fde_index *index, uint64_t at, struct ff_fde *fde)
{
    struct ff_frame_entry entry;
    struct ff_frame_table table = ff_fde_table(index);
    if (ff_frame_entry_read(&table, at, &entry))
        return false;
    *fde = (struct ff_fde){.start = entry.start, .size = entry.size, .at = at};
    return true;
}

/* START and place of the FDE of entry NUMBER of the search table. */
static void table_entry(const struct ff_fde_index *index, uint32_t number, uint64_t *start,
                        uint64_t *at)
{
    struct ff_cursor cursor = ff_cursor(index->table.at + (size_t)number * 8, 8, index->swapped);
    *start = read_pointer(index, &cursor, TABLE_ENCODING);
    *at = read_pointer(index, &cursor, TABLE_ENCODING);
}

bool ff_fde_at(const struct ff_fde_index *index, uint32_t number, struct ff_fde *fde)
{
    if (number >= index->count)
        return false;
    if (index->walked) {
        *fde = index->walked[number];
        return true;
    }
    uint64_t start, at;
    table_entry(index, number, &start, &at);
    return fde_read(index, at, fde) && fde->start == start;
}

static uint64_t entry_start(const struct ff_fde_index *index, uint32_t number)
{
    uint64_t start, at;
    if (index->walked)
        return index->walked[number].start;
    table_entry(index, number, &start, &at);
    return start;
}

/* Number of the first entry that starts behind a module offset. */
static uint32_t entry_behind(const struct ff_fde_index *index, uint64_t module_offset)
{
    uint32_t low = 0, high = index->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (entry_start(index, middle) <= module_offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool ff_fde_find(const struct ff_fde_index *index, uint64_t module_offset, struct ff_fde *fde)
{
    uint32_t behind = entry_behind(index, module_offset);
    return behind > 0 && ff_fde_at(index, behind - 1, fde) && fde->start <= module_offset &&
           module_offset - fde->start < fde->size;
}

bool ff_fde_place(const struct ff_fde_index *index, uint64_t module_offset, uint64_t *at)
{
    uint64_t start;
    uint32_t behind = entry_behind(index, module_offset);
    if (behind > 0 && index->walked)
        *at = index->walked[behind - 1].at;
    else if (behind > 0)
        table_entry(index, behind - 1, &start, at);
    return behind > 0;
}

uint64_t ff_fde_frame_start(struct ff_section header, bool is_64, bool swapped)
{
    struct ff_fde_index index = {.header = header, .is_64 = is_64, .swapped = swapped};
    struct ff_cursor cursor = ff_cursor(header.bytes.at, header.bytes.size, swapped);
    uint8_t version = ff_cursor_u8(&cursor);
    uint8_t encoding = ff_cursor_u8(&cursor);
    ff_cursor_u16(&cursor); /* encodings of the count and of the table */
    uint64_t start = read_pointer(&index, &cursor, encoding);
    return version == 1 && !cursor.failed ? start : 0;
}

/* Finds the search table in the header; false when it has none of the one kind that linkers write.
 */
static bool table_find(struct ff_fde_index *index)
{
    struct ff_text bytes = index->header.bytes;
    struct ff_cursor cursor = ff_cursor(bytes.at, bytes.size, index->swapped);
    uint8_t version = ff_cursor_u8(&cursor);
    uint8_t frame_encoding = ff_cursor_u8(&cursor);
    uint8_t count_encoding = ff_cursor_u8(&cursor);
    uint8_t table_encoding = ff_cursor_u8(&cursor);
    read_pointer(index, &cursor, frame_encoding);
    if (cursor.failed || version != 1 || table_encoding != TABLE_ENCODING ||
        count_encoding != UDATA4)
        return false;
    uint64_t count = ff_cursor_u32(&cursor);
    if (cursor.failed || !count || count > ff_cursor_left(&cursor) / 8)
        return false;
    index->table = (struct ff_text){(const char *)cursor.at, (size_t)count * 8};
    index->count = (uint32_t)count;
    return true;
}

static int compare_start(const void *a, const void *b)
{
    const struct ff_fde *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

static bool frame_walk(struct ff_fde_index *index)
{
    uint32_t capacity = 0, count = 0;
    bool failed = false;
    struct ff_frame_table table = ff_fde_table(index);
    uint64_t at = index->frame.module_offset, next;
    for (; !failed && ff_frame_next(&table, at, &next); at = next) {
        struct ff_fde fde;
        if (!fde_read(index, at, &fde))
            continue;
        index->walked =
            ff_grow(index->walked, &capacity, (uint64_t)count + 1, sizeof *index->walked, &failed);
        if (!failed)
            index->walked[count++] = fde;
    }
    if (count)
        qsort(index->walked, count, sizeof *index->walked, compare_start);
    index->count = count;
    return !failed;
}

bool ff_fde_index_init(struct ff_fde_index *index, struct ff_section header,
                       struct ff_section frame, bool is_64, bool swapped)
{
    *index =
        (struct ff_fde_index){.header = header, .frame = frame, .is_64 = is_64, .swapped = swapped};
    if (table_find(index))
        return true;
    return frame_walk(index);
}

bool ff_fde_index_init_debug(struct ff_fde_index *index, struct ff_section frame, bool is_64,
                             bool swapped)
{
    *index =
        (struct ff_fde_index){.frame = frame, .is_64 = is_64, .swapped = swapped, .is_debug = true};
    return frame_walk(index);
}

void ff_fde_index_release(struct ff_fde_index *index)
{
    ff_free(index->walked);
    *index = (struct ff_fde_index){0};
}
