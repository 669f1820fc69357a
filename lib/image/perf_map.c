/* SPDX-License-Identifier: MIT
 *
 * Perf map lines to entries by address. Nothing is hard here: ranges.c knows which of several lines
 * holds.
 */
#include "image/perf_map.h"
#include "base/memory.h"

static bool parse_number(struct ff_text text, uint64_t *value)
{
    if (ff_text_starts(text, FF_TEXT("0x")))
        text = ff_text_from(text, 2);
    return ff_text_hex(text, value);
}

static bool parse_line(struct ff_text line, struct ff_perf_map_entry *entry)
{
    struct ff_text start = ff_text_cut(&line, ' '), size = ff_text_cut(&line, ' ');
    if (!parse_number(start, &entry->start) || !parse_number(size, &entry->size))
        return false;
    entry->name = ff_text_trim(line);
    return entry->name.size && entry->size <= UINT64_MAX - entry->start;
}

bool ff_perf_map_recognise(struct ff_text bytes)
{
    struct ff_perf_map_entry entry;
    return parse_line(ff_text_cut(&bytes, '\n'), &entry);
}

uint32_t ff_perf_map_pid(struct ff_text path)
{
    struct ff_text name = ff_text_base_name(path);
    uint64_t pid;
    if (!ff_text_starts(name, FF_TEXT("perf-")) || !ff_text_ends(name, FF_TEXT(".map")) ||
        !ff_text_decimal(ff_text_slice(name, 5, name.size - 4), &pid) || pid > UINT32_MAX)
        return 0;
    return (uint32_t)pid;
}

static void read_lines(struct ff_perf_map *map)
{
    struct ff_text rest = map->file.bytes;
    while (rest.size && !map->failed) {
        struct ff_perf_map_entry entry;
        struct ff_text line = ff_text_cut(&rest, '\n');
        if (!parse_line(line, &entry)) {
            map->bad_lines += line.size > 0;
            continue;
        }
        map->entries = ff_grow(map->entries, &map->capacity, (uint64_t)map->count + 1,
                               sizeof *map->entries, &map->failed);
        if (!map->failed)
            map->entries[map->count++] = entry;
    }
}

static bool paint(struct ff_perf_map *map)
{
    struct ff_range *ranges = ff_alloc(map->count, sizeof *ranges);
    for (uint32_t i = 0; ranges && i < map->count; i++)
        ranges[i] = (struct ff_range){map->entries[i].start, map->entries[i].size};
    bool painted = ranges && ff_ranges_init(&map->ranges, ranges, map->count);
    ff_free(ranges);
    return painted;
}

enum ff_status ff_perf_map_open(struct ff_perf_map **map, struct ff_file *file,
                                struct ff_error *error)
{
    struct ff_perf_map *made = ff_alloc(1, sizeof *made);
    enum ff_status status = FF_OK;
    *map = NULL;
    if (!made) {
        status = ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", file->path);
        ff_file_close(file);
        return status;
    }
    *made = (struct ff_perf_map){.file = *file, .pid = ff_perf_map_pid(ff_text(file->path))};
    *file = (struct ff_file){0};
    read_lines(made);
    if (!made->count && !made->failed)
        status = ff_error_set(error, FF_BAD_INPUT,
                              "%s: line 1: expected hexadecimal address and size and a name",
                              made->file.path);
    else if (made->failed || !paint(made))
        status = ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", made->file.path);
    if (status != FF_OK)
        ff_perf_map_close(made);
    else
        *map = made;
    return status;
}

void ff_perf_map_close(struct ff_perf_map *map)
{
    if (!map)
        return;
    ff_file_close(&map->file);
    ff_free(map->entries);
    ff_ranges_release(&map->ranges);
    ff_free(map);
}

const struct ff_perf_map_entry *ff_perf_map_find(const struct ff_perf_map *map, uint64_t address)
{
    uint32_t holder = ff_ranges_find(&map->ranges, address);
    return holder ? &map->entries[holder - 1] : NULL;
}
