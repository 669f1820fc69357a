/* SPDX-License-Identifier: MIT
 *
 * A perf map (/tmp/perf-PID.map): lines `address size name` in hexadecimal, by which a JIT or
 * CPython's trampolines name their code. Format: Linux, tools/perf/Documentation/jit-interface.txt.
 * Such a file is only appended to, so where lines overlap the last one holds.
 */
#ifndef FF_IMAGE_PERF_MAP_H
#define FF_IMAGE_PERF_MAP_H

#include "base/status.h"
#include "base/text.h"
#include "image/file.h"
#include "image/ranges.h"

struct ff_perf_map {
    struct ff_file file;
    uint32_t pid;                      /* from a name like perf-630.map; 0: not known */
    struct ff_perf_map_entry *entries; /* in the order of the lines */
    uint32_t count, capacity;
    struct ff_ranges ranges;
    uint64_t bad_lines; /* lines that are no entry */
    bool failed;
};

struct ff_perf_map_entry {
    uint64_t start, size;
    struct ff_text name; /* may hold blanks; lives as long as the map */
};

/* Reads a map from a file, which it takes over (leaves empty) in every case. *map is NULL on failure: FF_BAD_INPUT when no line is an entry. */
enum ff_status ff_perf_map_open(struct ff_perf_map **map, struct ff_file *file,
                                struct ff_error *error);
void ff_perf_map_close(struct ff_perf_map *map); /* NULL is fine */

/* Whether bytes begin like a perf map. */
bool ff_perf_map_recognise(struct ff_text bytes);

/* The pid in a file name "perf-630.map", with or without folders before it; 0 when there is none.
 */
uint32_t ff_perf_map_pid(struct ff_text path);

/* The entry that holds an address; NULL when none does. */
const struct ff_perf_map_entry *ff_perf_map_find(const struct ff_perf_map *map, uint64_t address);

#endif
