/* SPDX-License-Identifier: MIT
 *
 * A compressed recording written anew without compression: the same header and descriptions, the
 * records as they come out of zstd. For tests of what only a mapped file gets.
 */
#ifndef FF_TESTS_UNPACKED_H
#define FF_TESTS_UNPACKED_H

#include "read/perf_file.h"
#include "read/perf_record.h"
#include "read/perf_zstd.h"

/* Where a file's header (struct perf_file_header) has the data section and the bits of features. */
enum { UNPACKED_DATA = 40, UNPACKED_FEATURES = 72 };

static inline void unpacked_record(FILE *to, struct ff_perf_zstd *zstd, struct ff_text record)
{
    struct ff_error error = {0};
    if (ff_perf_header(record.at).type != FF_PERF_COMPRESSED) {
        fwrite(record.at, record.size, 1, to);
        return;
    }
    ff_perf_zstd_begin(zstd, ff_text_from(record, 8));
    while (ff_perf_zstd_step(zstd, &error) == FF_OK) {
        size_t used = 0;
        while (zstd->used - used >= 8 &&
               ff_perf_header(zstd->bytes + used).size <= zstd->used - used) {
            struct ff_perf_header header = ff_perf_header(zstd->bytes + used);
            /* What a round mark says is true where it stood in the file: between the records. */
            fwrite(zstd->bytes + used, header.size, 1, to);
            used += header.size;
        }
        ff_perf_zstd_take(zstd, used);
    }
}

/* Writes the recording BYTES to PATH; false if it is none, or cannot be written. */
static inline bool unpacked_write(struct ff_text bytes, const char *path)
{
    uint64_t data[2], features[4];
    FILE *to = fopen(path, "wb");
    struct ff_perf_zstd zstd = {0};
    if (!to || bytes.size < 104)
        return false;
    memcpy(data, bytes.at + UNPACKED_DATA, sizeof data);
    memcpy(features, bytes.at + UNPACKED_FEATURES, sizeof features);
    fwrite(bytes.at, (size_t)data[0], 1, to);
    struct ff_text records = ff_text_slice(bytes, (size_t)data[0], (size_t)(data[0] + data[1]));
    while (records.size >= 8) {
        uint16_t size = ff_perf_header(records.at).size;
        unpacked_record(to, &zstd, ff_text_slice(records, 0, size));
        records = ff_text_from(records, size);
    }
    uint64_t end = (uint64_t)ftell(to), moved = end - (data[0] + data[1]);
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++)
        count += (unsigned)__builtin_popcountll(features[i]);
    /* Behind the data: offset and size of each feature, then the features. */
    struct ff_text rest = ff_text_from(bytes, (size_t)(data[0] + data[1]));
    for (unsigned i = 0; i < count; i++) {
        uint64_t section[2];
        memcpy(section, rest.at + 16 * i, sizeof section);
        section[0] += moved;
        fwrite(section, sizeof section, 1, to);
    }
    fwrite(rest.at + 16 * count, rest.size - 16 * count, 1, to);
    data[1] = end - data[0];
    fseek(to, UNPACKED_DATA, SEEK_SET);
    fwrite(data, sizeof data, 1, to);
    ff_perf_zstd_release(&zstd);
    return fclose(to) == 0 && !records.size;
}

#endif
