/* SPDX-License-Identifier: MIT
 *
 * Perf map lines to intervals without overlaps. The hard thing is "the last line holds" when a JIT
 * reuses memory in other pieces: the entries are painted, last one first, over the intervals
 * between all their edges.
 */
#include "image/perf_map.h"
#include "base/memory.h"
#include "image/cover.h"
#include "image/file.h"

#include <stdlib.h>

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
    struct ff_text rest = map->bytes;
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

static int compare_edges(const void *a, const void *b)
{
    uint64_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return left < right ? -1 : left > right;
}

static bool find_edges(struct ff_perf_map *map)
{
    uint32_t count = 0;
    if (map->count > UINT32_MAX / 2)
        return false;
    map->edges = ff_alloc((size_t)map->count * 2, sizeof *map->edges);
    if (!map->edges)
        return false;
    for (uint32_t i = 0; i < map->count; i++) {
        map->edges[count++] = map->entries[i].start;
        map->edges[count++] = map->entries[i].start + map->entries[i].size;
    }
    if (count)
        qsort(map->edges, count, sizeof *map->edges, compare_edges);
    for (uint32_t i = 0; i < count; i++) {
        if (!i || map->edges[i] != map->edges[map->edge_count - 1])
            map->edges[map->edge_count++] = map->edges[i];
    }
    return true;
}

static bool paint(struct ff_perf_map *map)
{
    struct ff_cover cover;
    if (!find_edges(map) || !ff_cover_init(&cover, map->edges, map->edge_count))
        return false;
    for (uint32_t i = map->count; i-- > 0;)
        ff_cover_paint(&cover, map->entries[i].start, map->entries[i].size, i + 1);
    map->holders = cover.owners;
    cover.owners = NULL;
    ff_cover_release(&cover);
    return true;
}

static enum ff_status map_new(struct ff_perf_map **map, const char *path, struct ff_text bytes,
                              bool loaded, struct ff_error *error)
{
    struct ff_perf_map *made = ff_alloc(1, sizeof *made);
    char *name = ff_alloc(strlen(path) + 1, 1);
    enum ff_status status = FF_OK;
    *map = NULL;
    if (!made || !name) {
        if (loaded)
            ff_file_unload(bytes);
        ff_free(made);
        ff_free(name);
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", path);
    }
    memcpy(name, path, strlen(path));
    *made = (struct ff_perf_map){
        .path = name, .bytes = bytes, .loaded = loaded, .pid = ff_perf_map_pid(ff_text(path))};
    read_lines(made);
    if (!made->count && !made->failed)
        status = ff_error_set(error, FF_BAD_INPUT,
                              "%s: line 1: expected hexadecimal address and size and a name", path);
    else if (made->failed || !paint(made))
        status = ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", path);
    if (status != FF_OK)
        ff_perf_map_close(made);
    else
        *map = made;
    return status;
}

enum ff_status ff_perf_map_open_bytes(struct ff_perf_map **map, const char *name,
                                      struct ff_text bytes, struct ff_error *error)
{
    return map_new(map, name, bytes, false, error);
}

enum ff_status ff_perf_map_open(struct ff_perf_map **map, const char *path, struct ff_error *error)
{
    struct ff_text bytes;
    enum ff_status status = ff_file_load(path, &bytes, error);
    *map = NULL;
    return status == FF_OK ? map_new(map, path, bytes, true, error) : status;
}

void ff_perf_map_close(struct ff_perf_map *map)
{
    if (!map)
        return;
    if (map->loaded)
        ff_file_unload(map->bytes);
    ff_free((void *)(uintptr_t)map->path);
    ff_free(map->entries);
    ff_free(map->edges);
    ff_free(map->holders);
    ff_free(map);
}

const struct ff_perf_map_entry *ff_perf_map_find(const struct ff_perf_map *map, uint64_t address)
{
    uint32_t low = 0, high = map->edge_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (map->edges[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t holder = low ? map->holders[low - 1] : 0;
    return holder ? &map->entries[holder - 1] : NULL;
}
