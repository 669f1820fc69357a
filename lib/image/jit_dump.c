/* SPDX-License-Identifier: MIT
 *
 * Jit dump records to code by address. The hard thing is that a dump is written while the process
 * runs, and ends wherever that was killed: what is whole before the end counts.
 */
#include "image/jit_dump.h"
#include "base/map.h"
#include "image/fde.h"

#define HEADER_SIZE 40u
#define RECORD_SIZE 16u    /* id, size, time */
#define MAGIC       "DTiJ" /* 0x4A695444 on a little-endian machine */
#define SWAPPED     "JiTD"
#define VERSION     1u

enum { RECORD_LOAD, RECORD_MOVE, RECORD_DEBUG_INFO, RECORD_CLOSE, RECORD_UNWINDING };

struct reader {
    struct ff_jit_dump *dump;
    struct ff_text frame, unwinding; /* of the load to come: its table, the record that has it */
    struct code *codes;              /* index 0 unused */
    uint32_t code_count, code_capacity;
    struct ff_map code_map;
};

/* A piece of code, by the JIT's number. */
struct code {
    uint64_t index;
    uint32_t entry; /* where it is now */
};

bool ff_jit_dump_recognise(struct ff_text bytes)
{
    return ff_text_starts(bytes, FF_TEXT(MAGIC)) || ff_text_starts(bytes, FF_TEXT(SWAPPED));
}

uint32_t ff_jit_dump_pid(struct ff_text path)
{
    struct ff_text name = ff_text_base_name(path);
    uint64_t pid;
    if (!ff_text_starts(name, FF_TEXT("jit-")) || !ff_text_ends(name, FF_TEXT(".dump")) ||
        !ff_text_decimal(ff_text_slice(name, 4, name.size - 5), &pid) || pid > UINT32_MAX)
        return 0;
    return (uint32_t)pid;
}

static struct code *code_of(struct reader *reader, uint64_t index)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(0, index);
    for (uint32_t i = ff_map_first(&reader->code_map, hash, &probe); i;
         i = ff_map_next(&reader->code_map, &probe)) {
        if (reader->codes[i].index == index)
            return &reader->codes[i];
    }
    return NULL;
}

static void add_code(struct reader *reader, uint64_t index, uint32_t entry)
{
    struct code *known = code_of(reader, index);
    uint32_t number = reader->code_count ? reader->code_count : 1;
    if (known) {
        known->entry = entry;
        return;
    }
    reader->codes = ff_grow(reader->codes, &reader->code_capacity, (uint64_t)number + 1,
                            sizeof *reader->codes, &reader->dump->failed);
    if (number >= reader->code_capacity)
        return;
    reader->codes[number] = (struct code){index, entry};
    reader->code_count = number + 1;
    ff_map_add(&reader->code_map, ff_hash_mix(0, index), number);
}

static void add_entry(struct reader *reader, struct ff_jit_dump_entry entry)
{
    struct ff_jit_dump *dump = reader->dump;
    if (entry.size > UINT64_MAX - entry.start) {
        dump->bad_records++;
        return;
    }
    dump->entries = ff_grow(dump->entries, &dump->capacity, (uint64_t)dump->count + 1,
                            sizeof *dump->entries, &dump->failed);
    if (dump->count == dump->capacity)
        return;
    add_code(reader, entry.index, dump->count);
    dump->entries[dump->count++] = entry;
}

/* u32 pid, tid; u64 vma, address, size, index; name; code. */
static void read_load(struct reader *reader, struct ff_cursor *cursor,
                      struct ff_jit_dump_entry entry)
{
    ff_cursor_u64(cursor); /* pid and tid */
    ff_cursor_u64(cursor); /* vma: not always the address */
    entry.start = ff_cursor_u64(cursor);
    entry.size = ff_cursor_u64(cursor);
    entry.index = ff_cursor_u64(cursor);
    entry.name = ff_text_trim(ff_cursor_string(cursor));
    entry.code.at = ff_cursor_bytes(cursor, entry.size);
    entry.code.size = (size_t)entry.size;
    entry.frame = reader->frame;
    entry.unwinding = reader->unwinding;
    entry.origin = reader->dump->count;
    if (!cursor->failed)
        add_entry(reader, entry);
}

/* u32 pid, tid; u64 vma, old address, new address, size, index. */
static void read_move(struct reader *reader, struct ff_cursor *cursor,
                      struct ff_jit_dump_entry move)
{
    ff_cursor_u64(cursor);
    ff_cursor_u64(cursor);
    ff_cursor_u64(cursor); /* where it was: the index says what it is */
    move.start = ff_cursor_u64(cursor);
    move.size = ff_cursor_u64(cursor);
    move.index = ff_cursor_u64(cursor);
    const struct code *code = cursor->failed ? NULL : code_of(reader, move.index);
    cursor->failed |= !code;
    if (!code)
        return;
    const struct ff_jit_dump_entry *moved = &reader->dump->entries[code->entry];
    move.name = moved->name;
    move.code = moved->code;
    move.frame = moved->frame;
    move.origin = moved->origin;
    add_entry(reader, move);
}

/* u64 size of all, of .eh_frame_hdr at its end, of what the JIT mapped; the bytes. */
static void read_unwinding(struct reader *reader, struct ff_cursor *cursor, struct ff_text record)
{
    uint64_t size = ff_cursor_u64(cursor), header = ff_cursor_u64(cursor);
    ff_cursor_u64(cursor);
    const char *bytes = ff_cursor_bytes(cursor, size);
    cursor->failed |= header > size;
    if (cursor->failed)
        return;
    reader->frame = (struct ff_text){bytes, (size_t)(size - header)};
    reader->unwinding = record;
}

static void read_record(struct reader *reader, struct ff_cursor *cursor, uint32_t id,
                        const struct ff_jit_dump_entry *entry)
{
    if (id == RECORD_LOAD)
        read_load(reader, cursor, *entry);
    else if (id == RECORD_MOVE)
        read_move(reader, cursor, *entry);
    /* Debug information is for the next load too, and may stand between. */
    if (id != RECORD_DEBUG_INFO)
        reader->frame = reader->unwinding = FF_TEXT("");
    if (id == RECORD_UNWINDING)
        read_unwinding(reader, cursor, entry->record);
    reader->dump->bad_records += cursor->failed;
}

/* Reads records until one is not whole; returns how many bytes are left. */
static size_t read_records(struct reader *reader, struct ff_text rest)
{
    while (rest.size >= RECORD_SIZE && !reader->dump->failed) {
        struct ff_cursor cursor = ff_cursor(rest.at, rest.size, false);
        uint32_t id = ff_cursor_u32(&cursor), size = ff_cursor_u32(&cursor);
        if (size < RECORD_SIZE || size > rest.size)
            break;
        struct ff_jit_dump_entry entry = {
            .time_ns = ff_cursor_u64(&cursor), .unwinding = {"", 0}, .record = {rest.at, size}};
        cursor.end = (const unsigned char *)rest.at + size;
        read_record(reader, &cursor, id, &entry);
        rest = ff_text_from(rest, size);
        if (id == RECORD_CLOSE)
            return 0;
    }
    return rest.size;
}

static bool find_ranges(struct ff_jit_dump *dump)
{
    struct ff_range *ranges = ff_alloc(dump->count, sizeof *ranges);
    for (uint32_t i = 0; ranges && i < dump->count; i++)
        ranges[i] = (struct ff_range){dump->entries[i].start, dump->entries[i].size};
    bool found = ranges && ff_ranges_init(&dump->ranges, ranges, dump->count);
    ff_free(ranges);
    return found;
}

static enum ff_status read_dump(struct ff_jit_dump *dump, struct ff_error *error)
{
    struct ff_cursor cursor = ff_cursor(dump->file.bytes.at, dump->file.bytes.size, false);
    ff_cursor_u32(&cursor);
    uint32_t version = ff_cursor_u32(&cursor), size = ff_cursor_u32(&cursor);
    ff_cursor_u64(&cursor); /* machine, padding */
    dump->pid = ff_cursor_u32(&cursor);
    if (ff_text_starts(dump->file.bytes, FF_TEXT(SWAPPED)))
        return ff_error_set(error, FF_UNSUPPORTED,
                            "%s: a jit dump of a machine with the other byte order, which is not "
                            "read; read it on a machine of that kind",
                            dump->file.path);
    if (dump->file.bytes.size < HEADER_SIZE || !ff_text_starts(dump->file.bytes, FF_TEXT(MAGIC)) ||
        size < HEADER_SIZE || size > dump->file.bytes.size)
        return ff_error_set(error, FF_BAD_INPUT,
                            "%s: offset 0: expected the 40 bytes of a jit dump's header",
                            dump->file.path);
    if (version != VERSION)
        return ff_error_set(error, FF_UNSUPPORTED,
                            "%s: offset 4: jit dump of version %u, expected 1", dump->file.path,
                            (unsigned int)version);
    dump->header = ff_text_slice(dump->file.bytes, 0, size);
    struct reader reader = {.dump = dump, .frame = {"", 0}, .unwinding = {"", 0}};
    dump->cut = read_records(&reader, ff_text_from(dump->file.bytes, size));
    dump->failed |= reader.code_map.failed;
    ff_free(reader.codes);
    ff_map_release(&reader.code_map);
    if (dump->failed || !find_ranges(dump))
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", dump->file.path);
    return FF_OK;
}

enum ff_status ff_jit_dump_open(struct ff_jit_dump **dump, struct ff_file *file,
                                struct ff_error *error)
{
    struct ff_jit_dump *made = ff_alloc(1, sizeof *made);
    enum ff_status status;
    *dump = NULL;
    if (!made) {
        status = ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", file->path);
        ff_file_close(file);
        return status;
    }
    *made = (struct ff_jit_dump){.file = *file};
    *file = (struct ff_file){0};
    status = read_dump(made, error);
    if (status != FF_OK)
        ff_jit_dump_close(made);
    else
        *dump = made;
    return status;
}

void ff_jit_dump_close(struct ff_jit_dump *dump)
{
    if (!dump)
        return;
    ff_file_close(&dump->file);
    ff_free(dump->entries);
    ff_ranges_release(&dump->ranges);
    ff_free(dump);
}

const struct ff_jit_dump_entry *ff_jit_dump_find(const struct ff_jit_dump *dump, uint64_t address,
                                                 uint64_t time_ns)
{
    uint32_t i = ff_ranges_find(&dump->ranges, address);
    while (i && time_ns &&
           (dump->entries[i - 1].time_ns > time_ns ||
            address - dump->entries[i - 1].start >= dump->entries[i - 1].size))
        i--;
    return i ? &dump->entries[i - 1] : NULL;
}

struct ff_section ff_jit_dump_frame(const struct ff_jit_dump_entry *entry)
{
    struct ff_section section = {entry->start + entry->size, entry->frame};
    struct ff_fde_index index;
    struct ff_fde first;
    /* Pointers are relative to themselves: all move with the table, and so does the lowest start. */
    if (ff_fde_index_init(&index, (struct ff_section){0, {"", 0}}, section, true, false) &&
        ff_fde_at(&index, 0, &first))
        section.module_offset += entry->start - first.start;
    else
        section.bytes.size = 0;
    ff_fde_index_release(&index);
    return section;
}
