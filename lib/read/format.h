/* SPDX-License-Identifier: MIT
 *
 * What an input is, by its first bytes. Every kind that people are likely to hand over has a name,
 * so that what cannot be read is refused by that name and with what to do instead.
 */
#ifndef FF_READ_FORMAT_H
#define FF_READ_FORMAT_H

#include "base/input.h"

/* Constant, printed name, whether ff-read reads it, and for the others what to do instead. */
#define FF_FORMAT_TABLE(X)                                                                         \
    X(FF_FORMAT_BINARY, "unknown binary data", false, "ff-read --formats lists what is read")      \
    X(FF_FORMAT_TEXT, "plain text", false, "ff-read --formats lists what is read")                 \
    X(FF_FORMAT_EMPTY, "an empty file", false, "check the command that should have written it")    \
    X(FF_FORMAT_STREAM, "a flamefold stream", true, "")                                            \
    X(FF_FORMAT_STREAM_NEWER, "a flamefold stream of a newer version", false,                      \
      "read it with the flamefold that wrote it")                                                  \
    X(FF_FORMAT_PERF_DATA, "perf.data", true, "")                                                  \
    X(FF_FORMAT_PERF_PIPE, "perf.data in pipe mode", true, "")                                     \
    X(FF_FORMAT_PERF_SWAPPED, "perf.data of a machine with the other byte order", true, "")        \
    X(FF_FORMAT_PERF_V1, "perf.data of the obsolete version 1", true, "")                          \
    X(FF_FORMAT_PY_SPY_RAW, "py-spy raw", true, "")                                                \
    X(FF_FORMAT_PY_SPY_DUMP, "py-spy dump text", true, "")                                         \
    X(FF_FORMAT_PY_SPY_JSON, "py-spy dump JSON", true, "")                                         \
    X(FF_FORMAT_CHROMETRACE, "chrometrace JSON", true, "")                                         \
    X(FF_FORMAT_SPEEDSCOPE, "speedscope JSON", true, "")                                           \
    X(FF_FORMAT_PY_SPY_DIFF, "py-spy raw with two counts a line", true, "")                        \
    X(FF_FORMAT_TACHYON, "profiling.sampling collapsed", true, "")                                 \
    X(FF_FORMAT_TACHYON_DUMP, "profiling.sampling dump text", true, "")                            \
    X(FF_FORMAT_AUSTIN, "austin text", true, "")                                                   \
    X(FF_FORMAT_GDB, "gdb or eu-stack backtraces", true, "")                                       \
    X(FF_FORMAT_FOLDED, "folded text", true, "")                                                   \
    X(FF_FORMAT_FOLDED_DIFF, "folded text with two counts a line", true, "")                       \
    X(FF_FORMAT_GZIP, "gzip data in packed data", false, "unpack it once, and give that")          \
    X(FF_FORMAT_XZ, "xz data in packed data", false, "unpack it once, and give that")              \
    X(FF_FORMAT_ZSTD, "zstd data in packed data", false, "unpack it once, and give that")          \
    X(FF_FORMAT_BZIP2, "bzip2-compressed", false, "unpack it: bzip2 -dc FILE | ff-read -")         \
    X(FF_FORMAT_UTF16, "UTF-16 text", false, "it is damaged: write it again, best as UTF-8")       \
    X(FF_FORMAT_PERF_SCRIPT, "perf script text", true, "")                                         \
    X(FF_FORMAT_PRINT, "the text of ff-read --print", false,                                       \
      "its samples are sums: give what ff-read writes without --print")                            \
    X(FF_FORMAT_PERF_RAW, "the text of perf script -D", false,                                     \
      "give the perf.data, or print it without -D")                                                \
    X(FF_FORMAT_JSON, "JSON", false, "ff-read --formats lists what is read")                       \
    X(FF_FORMAT_TOP, "the output of top", true, "")                                                \
    X(FF_FORMAT_STAT, "/proc stat lines", true, "")                                                \
    X(FF_FORMAT_MAPS, "/proc/PID/maps", true, "")                                                  \
    X(FF_FORMAT_DMON, "nvidia-smi dmon", true, "")                                                 \
    X(FF_FORMAT_GPU_QUERY, "nvidia-smi query CSV", true, "")                                       \
    X(FF_FORMAT_PIDSTAT, "the output of pidstat", true, "")                                        \
    X(FF_FORMAT_COMMS, "a list of threads and comms", true, "")                                    \
    X(FF_FORMAT_THREADS, "a list of threads and Python names", true, "")                           \
    X(FF_FORMAT_LOG, "a log of py-spy or perf record", true, "")                                   \
    X(FF_FORMAT_MANIFEST, "a manifest", true, "")                                                  \
    X(FF_FORMAT_GPU_TABLE, "the table of nvidia-smi", true, "")                                    \
    X(FF_FORMAT_SVG, "an SVG", true, "")                                                           \
    X(FF_FORMAT_PPROF, "pprof", false, "convert it: pprof -raw, or export folded text")            \
    X(FF_FORMAT_ELF, "an ELF file", false, "it is a symbol source: give it to --symbols")          \
    X(FF_FORMAT_PERF_MAP, "a perf map", false, "it is a symbol source: give it to --symbols")      \
    X(FF_FORMAT_KALLSYMS, "kallsyms", false, "it is a symbol source: give it to --symbols")        \
    X(FF_FORMAT_BUILD_IDS, "perf buildid-list", false,                                             \
      "give the recording itself: it holds these build-ids")                                       \
    X(FF_FORMAT_TAR, "a tar", false, "a pack goes to --symbols; unpack others first")              \
    X(FF_FORMAT_JITDUMP, "a jit dump", false, "it is a symbol source: give it to --symbols")

enum ff_format {
#define X(name, text, read, advice) name,
    FF_FORMAT_TABLE(X)
#undef X
        FF_FORMAT_COUNT
};

/* How many bytes of an input recognition looks at. */
#define FF_FORMAT_HEAD ((size_t)1 << 16)

/* The format of a text that begins with HEAD; `whole` says that nothing comes after it. Never
 * fails: what is not known is FF_FORMAT_BINARY or FF_FORMAT_TEXT. */
enum ff_format ff_format_of(struct ff_text head, bool whole);

/* The same for an input, without consuming it. Fails only as ff_input_peek does. */
enum ff_status ff_format_recognise(struct ff_input *input, enum ff_format *format,
                                   struct ff_error *error);

/* Sets and returns FF_UNSUPPORTED with the format's name and advice; FF_BAD_INPUT for an empty file
 * and for bytes that are nothing we know. */
enum ff_status ff_format_refuse(const struct ff_input *input, enum ff_format format,
                                struct ff_error *error);

const char *ff_format_name(enum ff_format format); /* "py-spy raw"; never NULL */
bool ff_format_is_read(enum ff_format format);
const char *ff_format_advice(enum ff_format format); /* what to do instead; "" if it is read */

#endif
