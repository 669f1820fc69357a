/* SPDX-License-Identifier: MIT
 *
 * First bytes to a format: binary kinds by magic numbers, some texts by their first line, the rest
 * by the shapes of their lines (shape.c). The hard thing: no rule may take bytes that another kind
 * could begin with, "[unknown];main 5" is no JSON.
 */
#include "read/format.h"

#include "profile/stream.h"
#include "read/shape.h"
#include "read/utf16.h"
#include "read/side.h"

static const struct {
    const char *name;
    bool read;
    const char *advice;
} formats[] = {
#define X(id, name, read, advice) {name, read, advice},
    FF_FORMAT_TABLE(X)
#undef X
};

const char *ff_format_name(enum ff_format format)
{
    return (unsigned)format < FF_FORMAT_COUNT ? formats[format].name : "?";
}

bool ff_format_is_read(enum ff_format format)
{
    return (unsigned)format < FF_FORMAT_COUNT && formats[format].read;
}

const char *ff_format_advice(enum ff_format format)
{
    return (unsigned)format < FF_FORMAT_COUNT ? formats[format].advice : "";
}

/* Byte strings at fixed places. perf's version 2 magic is followed by the header size: 16 in pipe
 * mode, 104 in a file; the shorter pattern stands behind the longer one. */
static const struct {
    uint16_t offset;
    uint8_t size;
    const char *bytes;
    enum ff_format format;
} magics[] = {
    {0, 16, "PERFILE2\x10\0\0\0\0\0\0\0", FF_FORMAT_PERF_PIPE},
    {0, 8, "PERFILE2", FF_FORMAT_PERF_DATA},
    {0, 8, "2ELIFREP", FF_FORMAT_PERF_SWAPPED},
    {0, 8, "PERFFILE", FF_FORMAT_PERF_V1},
    {0, 8, "ELIFFREP", FF_FORMAT_PERF_V1},
    {0, 2, "\x1f\x8b", FF_FORMAT_GZIP},
    {0, 6,
     "\xfd"
     "7zXZ\0",
     FF_FORMAT_XZ},
    {0, 4, "\x28\xb5\x2f\xfd", FF_FORMAT_ZSTD},
    {4, 6, "1AY&SY", FF_FORMAT_BZIP2},
    {0, 4,
     "\x7f"
     "ELF",
     FF_FORMAT_ELF},
    {0, 4, "JiTD", FF_FORMAT_JITDUMP},
    {0, 4, "DTiJ", FF_FORMAT_JITDUMP},
    {257, 5, "ustar", FF_FORMAT_TAR},
    {0, 2, "\xff\xfe", FF_FORMAT_UTF16},
    {0, 2, "\xfe\xff", FF_FORMAT_UTF16},
    /* pprof's older form: words 0, 3, 0, period, 0. The newer one is compressed as a rule. */
    {0, 24, "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", FF_FORMAT_PPROF},
};

static enum ff_format magic_format(struct ff_text head)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        struct ff_text at = ff_text_from(head, magics[i].offset);
        if (ff_text_starts(at, (struct ff_text){magics[i].bytes, magics[i].size}))
            return magics[i].format;
    }
    return FF_FORMAT_BINARY;
}

/* An uncompressed pprof protobuf begins with field 1, a value type of two small numbers. */
static bool is_pprof(struct ff_text head)
{
    return head.size > 6 && head.at[0] == 0x0a && head.at[1] >= 2 && head.at[1] <= 8 &&
           head.at[2] == 0x08 && (head.at[1] == 2 || head.at[4] == 0x10);
}

/* Text holds no control bytes but white space, bell and escape sequences. */
static bool is_text(struct ff_text head)
{
    for (size_t i = 0; i < head.size; i++) {
        unsigned char c = (unsigned char)head.at[i];
        if (c == 0x7f || (c < 0x20 && !(c >= '\a' && c <= '\r') && c != 0x1b))
            return false;
    }
    return true;
}

static bool has(struct ff_text head, const char *part)
{
    return ff_text_find_text(head, ff_text(part)) >= 0;
}

/* Whether TEXT, behind a '[' or '{', goes on as JSON does: "[unknown];main 5" does not. */
static bool json_goes_on(struct ff_text text)
{
    text = ff_text_trim(text);
    while (text.size && text.at[0] == '[')
        text = ff_text_trim(ff_text_from(text, 1));
    return text.size && ff_text_find(FF_TEXT("\"{]}-0123456789"), text.at[0]) >= 0;
}

static enum ff_format json_format(struct ff_text head)
{
    if (!head.size || (head.at[0] != '[' && head.at[0] != '{') ||
        !json_goes_on(ff_text_from(head, 1)))
        return FF_FORMAT_TEXT;
    if (has(head, "\"os_thread_id\"") || has(head, "\"owns_gil\""))
        return FF_FORMAT_PY_SPY_JSON;
    /* A trace, which is an array, may be of a program with that name. */
    if (head.at[0] == '{' && has(head, "speedscope"))
        return FF_FORMAT_SPEEDSCOPE;
    if (has(head, "\"ph\"") || has(head, "\"traceEvents\""))
        return FF_FORMAT_CHROMETRACE;
    return FF_FORMAT_JSON;
}

/* The table of nvidia-smi may have a date above it, pidstat's a head of its own below. */
static enum ff_format second_line_format(struct ff_text first, struct ff_text rest)
{
    struct ff_text second = ff_text_cut(&rest, '\n');
    if (ff_side_pidstat.begins(first) && has(rest, " Command"))
        return FF_FORMAT_PIDSTAT;
    if (ff_text_starts(second, FF_TEXT("+---")))
        second = ff_text_cut(&rest, '\n');
    return ff_side_gpu_table.begins(second) ? FF_FORMAT_GPU_TABLE : FF_FORMAT_TEXT;
}

/* The first line that is no comment decides. */
static bool is_manifest(struct ff_text head)
{
    struct ff_text line = FF_TEXT("#");
    while (head.size && (!ff_text_trim(line).size || line.at[0] == '#'))
        line = ff_text_cut(&head, '\n');
    return ff_side_manifest.begins(ff_text_trim(line));
}

/* "# fp.data: 39 samples, complete", which stands above the first sample of --print. */
static bool is_print(struct ff_text first)
{
    uint64_t samples;
    ptrdiff_t end = ff_text_find_text(first, FF_TEXT(" samples, "));
    struct ff_text before = ff_text_slice(first, 0, end > 0 ? (size_t)end : 0);
    ptrdiff_t colon = ff_text_find_last(before, ':');
    return ff_text_starts(first, FF_TEXT("# ")) && colon > 0 &&
           ff_text_decimal(ff_text_trim(ff_text_from(before, (size_t)colon + 1)), &samples);
}

/* Formats that their first line gives away. */
static enum ff_format first_line_format(struct ff_text head)
{
    struct ff_text rest = head;
    struct ff_text first = ff_text_trim(ff_text_cut(&rest, '\n'));
    enum ff_format format = second_line_format(first, rest);
    if (format != FF_FORMAT_TEXT)
        return format;
    if (ff_side_log.begins(first))
        return FF_FORMAT_LOG;
    if (is_manifest(head))
        return FF_FORMAT_MANIFEST;
    if (is_print(first))
        return FF_FORMAT_PRINT;
    if (has(head, "\n. ... raw event: size "))
        return FF_FORMAT_PERF_RAW;
    if (ff_text_starts(first, FF_TEXT("# austin: ")))
        return FF_FORMAT_AUSTIN;
    if (ff_side_top.begins(first))
        return FF_FORMAT_TOP;
    if (ff_side_dmon.begins(first))
        return FF_FORMAT_DMON;
    if (ff_side_gpu_query.begins(first))
        return FF_FORMAT_GPU_QUERY;
    if (ff_text_starts(first, FF_TEXT("<svg")) ||
        (ff_text_starts(first, FF_TEXT("<?xml")) && has(head, "<svg")))
        return FF_FORMAT_SVG;
    return json_format(head);
}

static enum ff_format stream_format(struct ff_text head)
{
    uint64_t version;
    struct ff_text rest = head;
    struct ff_text first = ff_text_trim(ff_text_cut(&rest, '\n'));
    if (!ff_text_starts(first, FF_TEXT("flamefold ")) ||
        !ff_text_decimal(ff_text_from(first, 10), &version))
        return FF_FORMAT_TEXT;
    return version <= FF_STREAM_VERSION ? FF_FORMAT_STREAM : FF_FORMAT_STREAM_NEWER;
}

enum ff_format ff_format_of(struct ff_text head, bool whole)
{
    if (!head.size)
        return whole ? FF_FORMAT_EMPTY : FF_FORMAT_TEXT;
    enum ff_format format = magic_format(head);
    if (format == FF_FORMAT_BINARY && (format = stream_format(head)) == FF_FORMAT_TEXT) {
        if (is_pprof(head))
            return FF_FORMAT_PPROF;
        if (!is_text(head))
            return FF_FORMAT_BINARY;
        if (ff_text_starts(head, FF_TEXT("\xef\xbb\xbf")))
            head = ff_text_from(head, 3);
        format = first_line_format(head);
        if (format == FF_FORMAT_TEXT)
            format = ff_shape_format(head, whole);
    }
    return format;
}

enum ff_status ff_format_recognise(struct ff_input *input, enum ff_format *format,
                                   struct ff_error *error)
{
    struct ff_text head;
    enum ff_status status = ff_input_peek(input, FF_FORMAT_HEAD, &head, error);
    if (status == FF_OK && ff_utf16_is(head)) {
        status = ff_utf16_convert(input, error);
        if (status == FF_OK)
            status = ff_input_peek(input, FF_FORMAT_HEAD, &head, error);
    }
    *format = status == FF_OK ? ff_format_of(head, head.size < FF_FORMAT_HEAD) : FF_FORMAT_BINARY;
    return status;
}

enum ff_status ff_format_refuse(const struct ff_input *input, enum ff_format format,
                                struct ff_error *error)
{
    bool nothing = format <= FF_FORMAT_EMPTY;
    return ff_error_set(error, nothing ? FF_BAD_INPUT : FF_UNSUPPORTED, "%s: this is %s%s; %s",
                        input->name, ff_format_name(format), nothing ? "" : ", which is not read",
                        formats[format].advice);
}
