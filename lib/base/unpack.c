/* SPDX-License-Identifier: MIT
 *
 * Three libraries behind one call. The hard thing is the end: a packed file may hold several streams
 * one after the other, may be cut, may go on with something else, and may be made to never end.
 */
#include "base/unpack.h"

#include "base/memory.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#define PIECE       ((size_t)1 << 16)
#define XZ_MEMORY   ((uint64_t)256 << 20)
#define ZSTD_WINDOW 27 /* 128 MiB, what zstd itself takes without being asked */

enum kind { KIND_NONE, KIND_GZIP, KIND_ZSTD, KIND_XZ };

struct ff_unpack {
    enum kind kind;
    long (*read)(void *context, void *to, size_t size);
    void *context;         /* of the call at hand */
    unsigned char *packed; /* packed[start .. filled) was read and not yet unpacked */
    size_t start, filled;
    uint32_t capacity;
    uint64_t consumed, made; /* bytes, packed and unpacked */
    bool ended;              /* READ has no more */
    bool between;            /* no stream is open: an end here is an end */
    const char *error;
    z_stream gzip;
    ZSTD_DStream *zstd;
    lzma_stream xz;
};

static enum kind kind_of(struct ff_text head)
{
    if (ff_text_starts(head, FF_TEXT("\x1f\x8b\x08")))
        return KIND_GZIP;
    if (ff_text_starts(head, FF_TEXT("\x28\xb5\x2f\xfd")))
        return KIND_ZSTD;
    if (ff_text_starts(head, (struct ff_text){"\xfd"
                                              "7zXZ\0",
                                              6}))
        return KIND_XZ;
    return KIND_NONE;
}

static bool open_library(struct ff_unpack *unpack)
{
    if (unpack->kind == KIND_GZIP)
        return inflateInit2(&unpack->gzip, 15 + 16) == Z_OK;
    if (unpack->kind == KIND_XZ)
        return lzma_stream_decoder(&unpack->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
    unpack->zstd = ZSTD_createDStream();
    return unpack->zstd &&
           !ZSTD_isError(ZSTD_DCtx_setParameter(unpack->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW));
}

struct ff_unpack *ff_unpack_new(struct ff_text head,
                                long (*read)(void *context, void *to, size_t size), bool *failed)
{
    enum kind kind = kind_of(head);
    if (kind == KIND_NONE)
        return NULL;
    struct ff_unpack *unpack = ff_alloc(1, sizeof *unpack);
    if (unpack) {
        unpack->kind = kind;
        unpack->read = read;
        unpack->packed = ff_grow(NULL, &unpack->capacity, PIECE, 1, failed);
        if (unpack->packed && open_library(unpack))
            return unpack;
    }
    ff_unpack_free(unpack);
    *failed = true;
    return NULL;
}

void ff_unpack_free(struct ff_unpack *unpack)
{
    if (!unpack)
        return;
    if (unpack->kind == KIND_GZIP)
        inflateEnd(&unpack->gzip);
    else if (unpack->kind == KIND_XZ)
        lzma_end(&unpack->xz);
    else
        ZSTD_freeDStream(unpack->zstd);
    ff_free(unpack->packed);
    ff_free(unpack);
}

bool ff_unpack_give(struct ff_unpack *unpack, struct ff_text packed)
{
    bool failed = false;
    unpack->packed = ff_grow(unpack->packed, &unpack->capacity, packed.size, 1, &failed);
    if (failed)
        return false;
    memcpy(unpack->packed, packed.at, packed.size);
    unpack->start = 0;
    unpack->filled = packed.size;
    return true;
}

/* Has packed bytes ready, or knows that there are no more. */
static bool refill(struct ff_unpack *unpack)
{
    if (unpack->start < unpack->filled || unpack->ended)
        return true;
    long got = unpack->read(unpack->context, unpack->packed, unpack->capacity);
    if (got < 0)
        return false;
    unpack->start = 0;
    unpack->filled = (size_t)got;
    unpack->ended = got == 0;
    return true;
}

static void take(struct ff_unpack *unpack, size_t left)
{
    unpack->consumed += unpack->filled - unpack->start - left;
    unpack->start = unpack->filled - left;
}

/* Behind a gzip member: zeros pad it, a further member goes on, all else is not ours. */
static void begin_member(struct ff_unpack *unpack)
{
    while (unpack->start < unpack->filled && !unpack->packed[unpack->start]) {
        unpack->start++;
        unpack->consumed++;
    }
    if (unpack->start == unpack->filled)
        return;
    if (unpack->packed[unpack->start] != 0x1f)
        unpack->error = "something that is no gzip data follows";
    else if (inflateReset(&unpack->gzip) != Z_OK)
        unpack->error = "zlib refuses to go on";
    unpack->between = false;
}

/* Each step unpacks from packed[start ..) to TO and returns how much it made. */
static size_t step_gzip(struct ff_unpack *unpack, void *to, size_t size)
{
    if (unpack->between)
        begin_member(unpack);
    if (unpack->error || unpack->between)
        return 0;
    z_stream *gzip = &unpack->gzip;
    size_t left = unpack->filled - unpack->start;
    gzip->next_in = unpack->packed + unpack->start;
    gzip->avail_in = (uInt)left;
    gzip->next_out = to;
    gzip->avail_out = (uInt)size;
    int status = inflate(gzip, Z_NO_FLUSH);
    take(unpack, gzip->avail_in);
    unpack->between = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        unpack->error = "the gzip data are damaged";
    return size - gzip->avail_out;
}

static size_t step_zstd(struct ff_unpack *unpack, void *to, size_t size)
{
    ZSTD_inBuffer in = {unpack->packed + unpack->start, unpack->filled - unpack->start, 0};
    ZSTD_outBuffer out = {to, size, 0};
    size_t status = ZSTD_decompressStream(unpack->zstd, &out, &in);
    take(unpack, in.size - in.pos);
    if (ZSTD_isError(status))
        unpack->error =
            unpack->between ? "something that is no zstd data follows" : ZSTD_getErrorName(status);
    /* An empty call between two frames says that it expects one. */
    if (in.pos || out.pos)
        unpack->between = status == 0;
    return out.pos;
}

static size_t step_xz(struct ff_unpack *unpack, void *to, size_t size)
{
    lzma_stream *xz = &unpack->xz;
    xz->next_in = unpack->packed + unpack->start;
    xz->avail_in = unpack->filled - unpack->start;
    xz->next_out = to;
    xz->avail_out = size;
    lzma_ret status = lzma_code(xz, unpack->ended ? LZMA_FINISH : LZMA_RUN);
    take(unpack, xz->avail_in);
    unpack->between = status == LZMA_STREAM_END;
    if (status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR)
        unpack->error = status == LZMA_MEMLIMIT_ERROR
                            ? "the xz data need more than 256 MiB to be unpacked"
                            : "the xz data are damaged, or something else follows them";
    return size - xz->avail_out;
}

static size_t step(struct ff_unpack *unpack, void *to, size_t size)
{
    size_t made = unpack->kind == KIND_GZIP   ? step_gzip(unpack, to, size)
                  : unpack->kind == KIND_ZSTD ? step_zstd(unpack, to, size)
                                              : step_xz(unpack, to, size);
    unpack->made += made;
    if (unpack->made > FF_UNPACK_FREE &&
        (unpack->made - FF_UNPACK_FREE) / FF_UNPACK_RATIO > unpack->consumed)
        unpack->error = "it unpacks to over 256 MiB and 4096 times its size; unpack it by hand if "
                        "that is right";
    return made;
}

long ff_unpack_read(struct ff_unpack *unpack, void *context, void *to, size_t size)
{
    unpack->context = context;
    if (size > PIECE)
        size = PIECE;
    while (!unpack->error) {
        if (!refill(unpack))
            return -1;
        size_t made = step(unpack, to, size);
        if (made)
            return (long)made;
        if (unpack->ended && unpack->start == unpack->filled) {
            if (!unpack->between && !unpack->error)
                unpack->error = "the packed data end early: the file was cut";
            return 0;
        }
    }
    return 0;
}

const char *ff_unpack_error(const struct ff_unpack *unpack)
{
    return unpack->error;
}

uint64_t ff_unpack_offset(const struct ff_unpack *unpack)
{
    return unpack->consumed;
}

/* No more than was given. */
static long read_nothing(void *context, void *to, size_t size)
{
    (void)context, (void)to, (void)size;
    return 0;
}

const char *ff_unpack_whole(struct ff_text packed, size_t most, char **bytes, size_t *size)
{
    bool failed = false;
    uint32_t capacity = 0;
    long got = 1;
    const char *error = NULL;
    *bytes = NULL;
    *size = 0;
    struct ff_unpack *unpack = ff_unpack_new(packed, read_nothing, &failed);
    if (unpack)
        failed |= !ff_unpack_give(unpack, packed);
    while (unpack && got > 0 && !failed && *size < most) {
        *bytes = ff_grow(*bytes, &capacity, (uint64_t)*size + PIECE, 1, &failed);
        got = failed ? 0 : ff_unpack_read(unpack, NULL, *bytes + *size, PIECE);
        *size += (size_t)got;
    }
    if (failed)
        error = "out of memory";
    else if (unpack)
        error = ff_unpack_error(unpack);
    ff_unpack_free(unpack);
    return error;
}
