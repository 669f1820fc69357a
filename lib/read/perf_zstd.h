/* SPDX-License-Identifier: MIT
 *
 * The compressed records of one perf.data stream, back to records.
 */
#ifndef FF_READ_PERF_ZSTD_H
#define FF_READ_PERF_ZSTD_H

#include "base/status.h"
#include "base/text.h"

/* All zero is a stream that has not begun. */
struct ff_perf_zstd {
    void *stream;      /* ZSTD_DStream */
    struct ff_text in; /* what is left of the record at hand */
    char *bytes;       /* bytes[0 .. used): decompressed and not yet taken */
    uint32_t used, capacity;
    bool full; /* the last step filled its room: there may be more */
};

/* Takes the payload of the next compressed record; it must stay until the last step. */
void ff_perf_zstd_begin(struct ff_perf_zstd *zstd, struct ff_text compressed);

/* Decompresses one piece behind what is left in bytes: a perf record may straddle two pieces and
 * two compressed records. FF_END when the payload is used up; FF_BAD_INPUT with zstd's own words.
 */
enum ff_status ff_perf_zstd_step(struct ff_perf_zstd *zstd, struct ff_error *error);

/* Forgets the first SIZE bytes. */
void ff_perf_zstd_take(struct ff_perf_zstd *zstd, size_t size);
void ff_perf_zstd_release(struct ff_perf_zstd *zstd);

#endif
