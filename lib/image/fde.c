/* SPDX-License-Identifier: MIT
 *
 * .eh_frame_hdr and .eh_frame to [start, size) of functions. The hard thing: nothing in these bytes
 * is believed. A table entry counts only if the FDE that it points to starts at the same place, and
 * an encoding that is not understood makes its FDE invisible, never wrong.
 */
#include "image/fde.h"
#include "base/memory.h"

#include <stdlib.h>

/* Pointer encodings: the low four bits are the format, the next three what it is relative to. */
enum {
    ABSPTR = 0x00,
    UDATA2 = 0x02,
    UDATA4 = 0x03,
    UDATA8 = 0x04,
    SDATA2 = 0x0a,
    SDATA4 = 0x0b,
    SDATA8 = 0x0c,
    FORMAT = 0x0f,
    PCREL = 0x10,
    DATAREL = 0x30,
    RELATIVE = 0x70,
    INDIRECT = 0x80,
    OMIT = 0xff,
};

#define TABLE_ENCODING (DATAREL | SDATA4)

/* One record of .eh_frame: a CIE or an FDE, BODY behind its id word. */
struct record {
    struct ff_cursor body;
    uint64_t id_at; /* module offset of the id word */
    uint64_t id;    /* 0: a CIE; else the distance from id_at back to the CIE */
    uint64_t next;  /* module offset behind the record */
};

static uint64_t position(const struct ff_section *section, const struct ff_cursor *cursor)
{
    return section->module_offset + (uint64_t)((const char *)cursor->at - section->bytes.at);
}

static uint64_t read_uleb(struct ff_cursor *cursor)
{
    uint64_t value = 0;
    unsigned int shift = 0;
    uint8_t byte;
    do {
        byte = ff_cursor_u8(cursor);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return value;
}

static uint64_t read_format(struct ff_cursor *cursor, uint8_t format, bool is_64)
{
    switch (format) {
    case ABSPTR:
        return is_64 ? ff_cursor_u64(cursor) : ff_cursor_u32(cursor);
    case UDATA2:
        return ff_cursor_u16(cursor);
    case UDATA4:
        return ff_cursor_u32(cursor);
    case UDATA8:
    case SDATA8:
        return ff_cursor_u64(cursor);
    case SDATA2:
        return (uint64_t)(int64_t)(int16_t)ff_cursor_u16(cursor);
    case SDATA4:
        return (uint64_t)(int64_t)(int32_t)ff_cursor_u32(cursor);
    default:
        cursor->failed = true;
        return 0;
    }
}

/* An encoded pointer of SECTION as a module offset. */
static uint64_t read_pointer(const struct ff_fde_index *index, const struct ff_section *section,
                             struct ff_cursor *cursor, uint8_t encoding)
{
    uint64_t base = 0;
    if ((encoding & RELATIVE) == PCREL)
        base = position(section, cursor);
    else if ((encoding & RELATIVE) == DATAREL)
        base = index->header.module_offset;
    else if (encoding & RELATIVE)
        cursor->failed = true;
    if (encoding & INDIRECT)
        cursor->failed = true;
    uint64_t value = base + read_format(cursor, encoding & FORMAT, index->is_64);
    return index->is_64 ? value : value & UINT32_MAX;
}

static bool record_read(const struct ff_fde_index *index, uint64_t at, struct record *record)
{
    const struct ff_section *frame = &index->frame;
    uint64_t skip = at - frame->module_offset;
    if (at < frame->module_offset || skip >= frame->bytes.size)
        return false;
    struct ff_text bytes = ff_text_from(frame->bytes, (size_t)skip);
    struct ff_cursor cursor = ff_cursor(bytes.at, bytes.size, index->swapped);
    uint64_t length = ff_cursor_u32(&cursor);
    bool wide = length == UINT32_MAX;
    if (wide)
        length = ff_cursor_u64(&cursor);
    if (cursor.failed || !length || length > ff_cursor_left(&cursor))
        return false;
    cursor.end = cursor.at + length;
    record->id_at = position(frame, &cursor);
    record->id = wide ? ff_cursor_u64(&cursor) : ff_cursor_u32(&cursor);
    record->next = record->id_at + length;
    record->body = cursor;
    return !cursor.failed;
}

/* Steps over the letters behind 'z' up to 'R'. */
static uint8_t augmentation_encoding(const struct ff_fde_index *index, struct ff_text letters,
                                     struct ff_cursor *cursor)
{
    for (size_t i = 0; i < letters.size && !cursor->failed; i++) {
        uint8_t encoding;
        switch (letters.at[i]) {
        case 'R':
            return ff_cursor_u8(cursor);
        case 'L':
            ff_cursor_u8(cursor);
            break;
        case 'P':
            encoding = ff_cursor_u8(cursor);
            read_format(cursor, encoding & FORMAT, index->is_64);
            break;
        case 'S':
        case 'B':
        case 'G':
            break;
        default:
            return OMIT;
        }
    }
    return cursor->failed ? OMIT : ABSPTR;
}

/* How the CIE at a module offset says that its FDEs encode addresses; OMIT when it is no CIE that
 * is understood. */
static uint8_t cie_encoding(const struct ff_fde_index *index, uint64_t at)
{
    struct record record;
    if (!record_read(index, at, &record) || record.id != 0)
        return OMIT;
    struct ff_cursor *cursor = &record.body;
    uint8_t version = ff_cursor_u8(cursor);
    struct ff_text letters = ff_cursor_string(cursor);
    if (version == 4)
        ff_cursor_u16(cursor); /* sizes of an address and of a segment selector */
    read_uleb(cursor);         /* code alignment */
    read_uleb(cursor);         /* data alignment, a sleb of the same length */
    if (version == 1)
        ff_cursor_u8(cursor); /* return address register */
    else
        read_uleb(cursor);
    if (cursor->failed || (version != 1 && version != 3 && version != 4))
        return OMIT;
    if (!letters.size)
        return ABSPTR;
    if (letters.at[0] != 'z')
        return OMIT;
    read_uleb(cursor);
    return augmentation_encoding(index, ff_text_from(letters, 1), cursor);
}

static bool fde_read(const struct ff_fde_index *index, const struct record *record, uint64_t at,
                     struct ff_fde *fde)
{
    if (record->id == 0 || record->id > record->id_at)
        return false;
    uint8_t encoding = cie_encoding(index, record->id_at - record->id);
    if (encoding == OMIT)
        return false;
    struct ff_cursor cursor = record->body;
    fde->start = read_pointer(index, &index->frame, &cursor, encoding);
    fde->size = read_format(&cursor, encoding & FORMAT, index->is_64);
    fde->at = at;
    return !cursor.failed && fde->size > 0 && fde->size <= UINT64_MAX - fde->start;
}

/* START and place of the FDE of entry NUMBER of the search table. */
static void table_entry(const struct ff_fde_index *index, uint32_t number, uint64_t *start,
                        uint64_t *at)
{
    struct ff_cursor cursor = ff_cursor(index->table.at + (size_t)number * 8, 8, index->swapped);
    *start = read_pointer(index, &index->header, &cursor, TABLE_ENCODING);
    *at = read_pointer(index, &index->header, &cursor, TABLE_ENCODING);
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
    struct record record;
    table_entry(index, number, &start, &at);
    return record_read(index, at, &record) && fde_read(index, &record, at, fde) &&
           fde->start == start;
}

static uint64_t entry_start(const struct ff_fde_index *index, uint32_t number)
{
    uint64_t start, at;
    if (index->walked)
        return index->walked[number].start;
    table_entry(index, number, &start, &at);
    return start;
}

bool ff_fde_find(const struct ff_fde_index *index, uint64_t module_offset, struct ff_fde *fde)
{
    uint32_t low = 0, high = index->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (entry_start(index, middle) <= module_offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && ff_fde_at(index, low - 1, fde) && fde->start <= module_offset &&
           module_offset - fde->start < fde->size;
}

uint64_t ff_fde_frame_start(struct ff_section header, bool is_64, bool swapped)
{
    struct ff_fde_index index = {.header = header, .is_64 = is_64, .swapped = swapped};
    struct ff_cursor cursor = ff_cursor(header.bytes.at, header.bytes.size, swapped);
    uint8_t version = ff_cursor_u8(&cursor);
    uint8_t encoding = ff_cursor_u8(&cursor);
    ff_cursor_u16(&cursor); /* encodings of the count and of the table */
    uint64_t start = read_pointer(&index, &header, &cursor, encoding);
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
    read_pointer(index, &index->header, &cursor, frame_encoding);
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
    struct record record;
    uint64_t at = index->frame.module_offset;
    for (; !failed && record_read(index, at, &record); at = record.next) {
        struct ff_fde fde;
        if (!fde_read(index, &record, at, &fde))
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

void ff_fde_index_release(struct ff_fde_index *index)
{
    ff_free(index->walked);
    *index = (struct ff_fde_index){0};
}
