/* SPDX-License-Identifier: MIT
 *
 * Elements of base64 to bytes to the stream's lines to a profile. The hard thing: nothing here believes
 * how much a file says there will be.
 */
#include <zlib.h>

#include "base/base64.h"
#include "base/memory.h"
#include "profile/stream.h"
#include "read/svg.h"
#include "read/svg_columns.h"

/* Of what a profile is made compresses well, but not like the bombs that are made for it. */
#define GROWTH 256
#define SLACK  ((uint64_t)1 << 26)

struct unpacker {
    struct ff_profile *profile;
    struct ff_input *input;
    z_stream stream;
    unsigned char *part; /* the bytes of one line */
    uint32_t part_capacity;
    unsigned char *bytes; /* all that was unpacked */
    uint32_t used, capacity;
    uint64_t packed;
    bool found, whole; /* an element; the end of what was compressed */
    bool ended;        /* the picture's own end was seen */
    bool out_of_memory;
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

static enum ff_status fail(struct unpacker *unpacker, const char *found)
{
    const struct ff_input *input = unpacker->input;
    if (unpacker->out_of_memory)
        return ff_error_set(&unpacker->profile->error, FF_NO_MEMORY,
                            "%s: out of memory while unpacking", input->name);
    return ff_error_set(
        &unpacker->profile->error, FF_BAD_INPUT,
        "%s: line %llu: found %s, expected the packed profile of ff-svg; get the file "
        "again, or draw it again",
        input->name, (unsigned long long)input->line, found);
}

static enum ff_status grow(struct unpacker *unpacker)
{
    if (unpacker->used > unpacker->packed * GROWTH + SLACK)
        return fail(unpacker, "more data than can be packed here");
    unpacker->bytes = ff_grow(unpacker->bytes, &unpacker->capacity,
                              (uint64_t)unpacker->used + 65536, 1, &unpacker->out_of_memory);
    return unpacker->out_of_memory ? fail(unpacker, "") : FF_OK;
}

static enum ff_status inflate_part(struct unpacker *unpacker, size_t size)
{
    int answer = Z_OK;
    enum ff_status status = FF_OK;
    unpacker->packed += size;
    unpacker->stream.next_in = unpacker->part;
    unpacker->stream.avail_in = (uInt)size;
    while (answer == Z_OK && (status = grow(unpacker)) == FF_OK) {
        unpacker->stream.next_out = unpacker->bytes + unpacker->used;
        unpacker->stream.avail_out = unpacker->capacity - unpacker->used;
        answer = inflate(&unpacker->stream, Z_NO_FLUSH);
        unpacker->used = unpacker->capacity - unpacker->stream.avail_out;
    }
    unpacker->whole = answer == Z_STREAM_END;
    if (status != FF_OK || answer == Z_BUF_ERROR || unpacker->whole)
        return status;
    return fail(unpacker, "damaged data");
}

static enum ff_status take_line(struct unpacker *unpacker, struct ff_text line)
{
    unpacker->part = ff_grow(unpacker->part, &unpacker->part_capacity, line.size / 4 * 3 + 1, 1,
                             &unpacker->out_of_memory);
    if (unpacker->out_of_memory)
        return fail(unpacker, "");
    ptrdiff_t size = ff_base64_take(line, unpacker->part);
    if (size < 0 || (size && unpacker->whole))
        return fail(unpacker, "a line that does not belong there");
    return inflate_part(unpacker, (size_t)size);
}

/* Every line of the file; what stands between the elements is the picture. */
static enum ff_status unpack(struct unpacker *unpacker)
{
    struct ff_text line;
    enum ff_status status = FF_OK;
    bool inside = false;
    while (status == FF_OK &&
           (status = ff_input_line(unpacker->input, &line, &unpacker->profile->error)) == FF_OK) {
        if (ff_text_equal(line, FF_TEXT("<metadata class=\"packed\">")))
            inside = unpacker->found = true;
        else if (ff_text_equal(line, FF_TEXT("</metadata>")))
            inside = false;
        else if (ff_text_equal(line, FF_TEXT("</svg>")))
            unpacker->ended = true;
        else if (inside)
            status = take_line(unpacker, line);
    }
    return status == FF_END ? FF_OK : status;
}

static enum ff_status read_lines(struct unpacker *unpacker)
{
    struct ff_output lines;
    struct ff_input input;
    struct ff_error *error = &unpacker->profile->error;
    ff_output_memory(&lines);
    enum ff_status status =
        ff_svg_columns_lines((struct ff_text){(const char *)unpacker->bytes, unpacker->used},
                             unpacker->input->name, &lines, error);
    if (status == FF_OK) {
        ff_input_memory(&input, unpacker->input->name, lines.buffer, lines.used);
        status = ff_stream_read(unpacker->profile, &input);
    }
    ff_output_close(&lines, error);
    return status;
}

static enum ff_status read_packed(struct unpacker *unpacker)
{
    enum ff_status status = unpack(unpacker);
    if (status != FF_OK)
        return status;
    if (!unpacker->found && !unpacker->ended)
        return fail(unpacker, "the end of the file");
    if (!unpacker->found)
        return ff_error_set(&unpacker->profile->error, FF_UNSUPPORTED,
                            "%s: this picture holds no profile: it was drawn by an older ff-svg; "
                            "give what it was drawn from",
                            unpacker->input->name);
    return unpacker->whole ? read_lines(unpacker) : fail(unpacker, "the end of the file");
}

enum ff_status ff_svg_packed_read(struct ff_profile *profile, struct ff_input *input)
{
    struct unpacker unpacker = {.profile = profile, .input = input};
    unpacker.stream.zalloc = take;
    unpacker.stream.zfree = give;
    unpacker.out_of_memory = inflateInit(&unpacker.stream) != Z_OK;
    enum ff_status status = unpacker.out_of_memory ? fail(&unpacker, "") : read_packed(&unpacker);
    inflateEnd(&unpacker.stream);
    ff_free(unpacker.part);
    ff_free(unpacker.bytes);
    return status;
}
