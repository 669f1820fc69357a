/* SPDX-License-Identifier: MIT
 *
 * One continuous zstd stream over all compressed records of a file; perf flushes it per record and
 * never closes it. The hard thing: records inside it do not respect the borders of the records
 * around it.
 */
#include "read/perf_zstd.h"
#include "base/memory.h"

#include <zstd.h>

#define PIECE (1u << 18)

void ff_perf_zstd_begin(struct ff_perf_zstd *zstd, struct ff_text compressed)
{
    zstd->in = compressed;
    zstd->full = false;
}

enum ff_status ff_perf_zstd_step(struct ff_perf_zstd *zstd, struct ff_error *error)
{
    bool failed = false;
    if (!zstd->in.size && !zstd->full)
        return FF_END;
    if (!zstd->stream)
        zstd->stream = ZSTD_createDStream();
    zstd->bytes = ff_grow(zstd->bytes, &zstd->capacity, (uint64_t)zstd->used + PIECE, 1, &failed);
    if (failed || !zstd->stream)
        return ff_error_set(error, FF_NO_MEMORY, "out of memory for zstd");
    ZSTD_inBuffer in = {zstd->in.at, zstd->in.size, 0};
    ZSTD_outBuffer out = {zstd->bytes + zstd->used, PIECE, 0};
    size_t result = ZSTD_decompressStream(zstd->stream, &out, &in);
    if (ZSTD_isError(result))
        return ff_error_set(error, FF_BAD_INPUT, "zstd: %s", ZSTD_getErrorName(result));
    zstd->in = ff_text_from(zstd->in, in.pos);
    zstd->used += (uint32_t)out.pos;
    zstd->full = out.pos == out.size;
    return FF_OK;
}

void ff_perf_zstd_take(struct ff_perf_zstd *zstd, size_t size)
{
    memmove(zstd->bytes, zstd->bytes + size, zstd->used - size);
    zstd->used -= (uint32_t)size;
}

void ff_perf_zstd_release(struct ff_perf_zstd *zstd)
{
    ZSTD_freeDStream(zstd->stream);
    ff_free(zstd->bytes);
    *zstd = (struct ff_perf_zstd){0};
}
