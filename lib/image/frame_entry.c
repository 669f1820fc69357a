/* SPDX-License-Identifier: MIT
 *
 * Bytes of an unwind section to CIE and FDE. The hard thing: nothing in these bytes is believed,
 * and what is not understood is refused by name. An FDE refers to its CIE once and a CIE to nothing,
 * so that no damage can lead round in a circle.
 */
#include "image/frame_entry.h"
#include "image/cfi.h"

/* Pointer encodings: the low four bits are the format, the next three what it is relative to. */
enum {
    ABSPTR = 0x00,
    ULEB128 = 0x01,
    UDATA2 = 0x02,
    UDATA4 = 0x03,
    UDATA8 = 0x04,
    SLEB128 = 0x09,
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

/* One CIE or FDE, BODY behind its id word. */
struct record {
    struct ff_cursor body;
    uint64_t id_at; /* module offset of the id word */
    uint64_t id;
    uint64_t next; /* module offset behind the record */
    bool wide;     /* 64-bit form */
};

static uint64_t position(const struct ff_frame_table *table, const struct ff_cursor *cursor)
{
    return table->section.module_offset +
           (uint64_t)((const char *)cursor->at - table->section.bytes.at);
}

/* LEB128: seven bits a byte. SHIFT is left behind the last. */
static uint64_t read_leb(struct ff_cursor *cursor, unsigned int *shift, uint8_t *last)
{
    uint64_t value = 0;
    *shift = 0;
    do {
        *last = ff_cursor_u8(cursor);
        if (*shift < 64)
            value |= (uint64_t)(*last & 0x7f) << *shift;
        *shift += 7;
    } while (*last & 0x80);
    return value;
}

uint64_t ff_frame_uleb(struct ff_cursor *cursor)
{
    unsigned int shift;
    uint8_t last;
    return read_leb(cursor, &shift, &last);
}

int64_t ff_frame_sleb(struct ff_cursor *cursor)
{
    unsigned int shift;
    uint8_t last;
    uint64_t value = read_leb(cursor, &shift, &last);
    if (shift < 64 && last & 0x40)
        value |= UINT64_MAX << shift;
    return (int64_t)value;
}

static uint64_t read_format(const struct ff_frame_table *table, struct ff_cursor *cursor,
                            uint8_t encoding)
{
    switch (encoding & FORMAT) {
    case ABSPTR:
        return table->is_64 ? ff_cursor_u64(cursor) : ff_cursor_u32(cursor);
    case ULEB128:
        return ff_frame_uleb(cursor);
    case UDATA2:
        return ff_cursor_u16(cursor);
    case UDATA4:
        return ff_cursor_u32(cursor);
    case UDATA8:
    case SDATA8:
        return ff_cursor_u64(cursor);
    case SLEB128:
        return (uint64_t)ff_frame_sleb(cursor);
    case SDATA2:
        return (uint64_t)(int64_t)(int16_t)ff_cursor_u16(cursor);
    case SDATA4:
        return (uint64_t)(int64_t)(int32_t)ff_cursor_u32(cursor);
    default:
        cursor->failed = true;
        return 0;
    }
}

static bool is_supported(uint8_t encoding)
{
    uint8_t format = encoding & FORMAT, relative = encoding & RELATIVE;
    bool known = format <= UDATA8 || (format >= SLEB128 && format <= SDATA8);
    return known && !(encoding & INDIRECT) &&
           (!relative || relative == PCREL || relative == DATAREL);
}

uint64_t ff_frame_pointer(const struct ff_frame_table *table, struct ff_cursor *cursor,
                          uint8_t encoding)
{
    uint64_t base = 0;
    if (!is_supported(encoding))
        cursor->failed = true;
    if ((encoding & RELATIVE) == PCREL)
        base = position(table, cursor);
    else if ((encoding & RELATIVE) == DATAREL)
        base = table->data_start;
    uint64_t value = base + read_format(table, cursor, encoding);
    return table->is_64 ? value : value & UINT32_MAX;
}

static bool record_read(const struct ff_frame_table *table, uint64_t at, struct record *record)
{
    const struct ff_section *section = &table->section;
    uint64_t skip = at - section->module_offset;
    if (at < section->module_offset || skip >= section->bytes.size)
        return false;
    struct ff_text bytes = ff_text_from(section->bytes, (size_t)skip);
    struct ff_cursor cursor = ff_cursor(bytes.at, bytes.size, table->swapped);
    uint64_t length = ff_cursor_u32(&cursor);
    record->wide = length == UINT32_MAX;
    if (record->wide)
        length = ff_cursor_u64(&cursor);
    if (cursor.failed || !length || length > ff_cursor_left(&cursor))
        return false;
    cursor.end = cursor.at + length;
    record->id_at = position(table, &cursor);
    record->id = record->wide ? ff_cursor_u64(&cursor) : ff_cursor_u32(&cursor);
    record->next = record->id_at + length;
    record->body = cursor;
    return !cursor.failed;
}

bool ff_frame_next(const struct ff_frame_table *table, uint64_t at, uint64_t *next)
{
    struct record record;
    if (!record_read(table, at, &record))
        return false;
    *next = record.next;
    return true;
}

static bool is_common(const struct ff_frame_table *table, const struct record *record)
{
    if (!table->is_debug)
        return record->id == 0;
    return record->id == (record->wide ? UINT64_MAX : UINT32_MAX);
}

/* Takes one letter of an augmentation and its data. */
static uint8_t read_letter(const struct ff_frame_table *table, char letter,
                           struct ff_cursor *cursor, struct ff_frame_common *common)
{
    uint8_t encoding;
    switch (letter) {
    case 'R':
        common->encoding = ff_cursor_u8(cursor);
        return is_supported(common->encoding) ? FF_CFI_FINE : FF_CFI_ENCODING;
    case 'L':
        ff_cursor_u8(cursor);
        return FF_CFI_FINE;
    case 'P':
        encoding = ff_cursor_u8(cursor);
        if (encoding == OMIT)
            return FF_CFI_FINE;
        read_format(table, cursor, encoding);
        return is_supported(encoding & ~INDIRECT) ? FF_CFI_FINE : FF_CFI_ENCODING;
    case 'S':
        common->signal_frame = true;
        return FF_CFI_FINE;
    case 'B':
        common->b_key = true;
        return FF_CFI_FINE;
    case 'G': /* AArch64: the frame's memory is tagged; that changes no rule */
        return FF_CFI_FINE;
    default:
        return FF_CFI_AUGMENTATION;
    }
}

/* The augmentation and its data; leaves the cursor behind them. Without 'z' it has no data, and then
 * only letters that need none are known (.debug_frame: "S"). */
static uint8_t read_augmentation(const struct ff_frame_table *table, struct ff_text letters,
                                 struct ff_cursor *cursor, struct ff_frame_common *common)
{
    struct ff_cursor data = *cursor;
    data.end = data.at;
    common->has_size = letters.size && letters.at[0] == 'z';
    if (common->has_size) {
        uint64_t size = ff_frame_uleb(cursor);
        data.at = cursor->at;
        if (!ff_cursor_bytes(cursor, size))
            return FF_CFI_ENTRY_DAMAGED;
        data.end = cursor->at;
    }
    uint8_t reason = FF_CFI_FINE;
    for (size_t i = common->has_size; i < letters.size && !reason; i++) {
        bool needs_data = ff_text_find(FF_TEXT("PLR"), letters.at[i]) >= 0;
        reason = needs_data && !common->has_size ? (uint8_t)FF_CFI_AUGMENTATION
                                                 : read_letter(table, letters.at[i], &data, common);
    }
    return !reason && data.failed ? FF_CFI_ENTRY_DAMAGED : reason;
}

/* What a CIE of version 4 says more: only flat addresses of the machine's size are known here. */
static bool read_sizes(const struct ff_frame_table *table, struct ff_cursor *cursor)
{
    uint8_t address_size = ff_cursor_u8(cursor), segment_size = ff_cursor_u8(cursor);
    return address_size == (table->is_64 ? 8 : 4) && segment_size == 0;
}

static uint8_t common_read(const struct ff_frame_table *table, uint64_t at,
                           struct ff_frame_common *common)
{
    struct record record;
    if (!record_read(table, at, &record) || !is_common(table, &record))
        return FF_CFI_ENTRY_DAMAGED;
    struct ff_cursor *cursor = &record.body;
    uint8_t version = ff_cursor_u8(cursor);
    struct ff_text letters = ff_cursor_string(cursor);
    *common = (struct ff_frame_common){.encoding = ABSPTR};
    if (version != 1 && version != 3 && version != 4)
        return FF_CFI_CIE_VERSION;
    if (version == 4 && !read_sizes(table, cursor))
        return FF_CFI_CIE_ADDRESS;
    common->code_align = ff_frame_uleb(cursor);
    common->data_align = ff_frame_sleb(cursor);
    common->return_register = version == 1 ? ff_cursor_u8(cursor) : ff_frame_uleb(cursor);
    uint8_t reason = read_augmentation(table, letters, cursor, common);
    common->program = *cursor;
    return !reason && cursor->failed ? FF_CFI_ENTRY_DAMAGED : reason;
}

/* Module offset of the CIE that an FDE refers to; false when it lies outside the section. */
static bool common_place(const struct ff_frame_table *table, const struct record *record,
                         uint64_t *at)
{
    uint64_t start = table->section.module_offset;
    uint64_t limit = table->is_debug ? table->section.bytes.size : record->id_at - start;
    if (record->id > limit)
        return false;
    *at = table->is_debug ? start + record->id : record->id_at - record->id;
    return true;
}

uint8_t ff_frame_entry_read(const struct ff_frame_table *table, uint64_t at,
                            struct ff_frame_entry *entry)
{
    struct record record;
    uint64_t common_at;
    if (!record_read(table, at, &record) || is_common(table, &record) ||
        !common_place(table, &record, &common_at))
        return FF_CFI_ENTRY_DAMAGED;
    uint8_t reason = common_read(table, common_at, &entry->common);
    if (reason)
        return reason;
    struct ff_cursor cursor = record.body;
    entry->start = ff_frame_pointer(table, &cursor, entry->common.encoding);
    entry->size = read_format(table, &cursor, entry->common.encoding);
    if (entry->common.has_size)
        ff_cursor_bytes(&cursor, ff_frame_uleb(&cursor));
    entry->program = cursor;
    bool fits = entry->size > 0 && entry->size <= UINT64_MAX - entry->start;
    return cursor.failed || !fits ? FF_CFI_ENTRY_DAMAGED : FF_CFI_FINE;
}
