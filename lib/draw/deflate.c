/* SPDX-License-Identifier: MIT
 *
 * zlib between two buffers. The hard thing: a base64 line must hold a multiple of three bytes, so the
 * compressed side is written only in full lines until the end.
 */
#include "draw/deflate.h"

#include <zlib.h>

#include "base/base64.h"
#include "base/memory.h"

enum { LINE = 3072, LINES_PER_ELEMENT = 256, LEVEL = 6 };

struct ff_deflate {
    struct ff_output *output;
    z_stream stream;
    uint32_t pending, line_count; /* bytes in in[]; lines of the open element */
    bool failed;
    unsigned char in[1 << 15], out[LINE];
};

static void *take(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return ff_alloc(count, size);
}

static void give(void *opaque, void *memory)
{
    (void)opaque;
    ff_free(memory);
}

static void new_line_of_out(struct ff_deflate *sink)
{
    sink->stream.next_out = sink->out;
    sink->stream.avail_out = LINE;
}

struct ff_deflate *ff_deflate_new(struct ff_output *output)
{
    struct ff_deflate *sink = ff_alloc(1, sizeof *sink);
    if (!sink)
        return NULL;
    sink->output = output;
    sink->stream.zalloc = take;
    sink->stream.zfree = give;
    new_line_of_out(sink);
    if (deflateInit(&sink->stream, LEVEL) != Z_OK) {
        ff_free(sink);
        return NULL;
    }
    return sink;
}

static void write_line(struct ff_deflate *sink)
{
    size_t size = LINE - sink->stream.avail_out;
    if (!sink->line_count)
        ff_output_string(sink->output, "<metadata class=\"packed\">\n");
    ff_base64_put(sink->output, sink->out, size);
    ff_output_byte(sink->output, '\n');
    if (++sink->line_count == LINES_PER_ELEMENT) {
        ff_output_string(sink->output, "</metadata>\n");
        sink->line_count = 0;
    }
    new_line_of_out(sink);
}

static void run(struct ff_deflate *sink, int flush)
{
    int answer = Z_OK;
    sink->stream.next_in = sink->in;
    sink->stream.avail_in = sink->pending;
    while (answer == Z_OK && (sink->stream.avail_in || flush == Z_FINISH)) {
        answer = deflate(&sink->stream, flush);
        if (!sink->stream.avail_out)
            write_line(sink);
    }
    sink->failed |= answer != Z_OK && answer != Z_STREAM_END;
    sink->pending = 0;
}

void ff_deflate_bytes(struct ff_deflate *sink, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size) {
        size_t room = sizeof sink->in - sink->pending, part = size < room ? size : room;
        memcpy(sink->in + sink->pending, at, part);
        sink->pending += (uint32_t)part;
        at += part;
        size -= part;
        if (sink->pending == sizeof sink->in)
            run(sink, Z_NO_FLUSH);
    }
}

void ff_deflate_number(struct ff_deflate *sink, uint64_t value)
{
    unsigned char bytes[10];
    size_t size = 0;
    for (; value > 127; value >>= 7)
        bytes[size++] = (unsigned char)(value | 128);
    bytes[size++] = (unsigned char)value;
    ff_deflate_bytes(sink, bytes, size);
}

bool ff_deflate_close(struct ff_deflate *sink)
{
    if (!sink)
        return false;
    run(sink, Z_FINISH);
    if (sink->stream.avail_out < LINE)
        write_line(sink);
    if (sink->line_count)
        ff_output_string(sink->output, "</metadata>\n");
    bool done = !sink->failed;
    deflateEnd(&sink->stream);
    ff_free(sink);
    return done;
}
