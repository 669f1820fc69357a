/* SPDX-License-Identifier: MIT
 *
 * A file or stdin, read forwards in large pieces, with one look ahead for recognition. A seekable
 * file can also be read at any offset; an unseekable one can be loaded whole first.
 */
#ifndef FF_BASE_INPUT_H
#define FF_BASE_INPUT_H

#include "base/status.h"
#include "base/text.h"

/* Who wants to know how far reading is: TELL is called after each piece, with SIZE UINT64_MAX while
 * it is not known. */
struct ff_progress {
    void (*tell)(void *context, uint64_t offset, uint64_t size);
    void *context;
};

struct ff_input {
    const char
        *name;       /* for messages: the path as given, "-" is "stdin"; borrowed from the caller */
    uint64_t size;   /* bytes in all; UINT64_MAX while unknown (a pipe) */
    uint64_t offset; /* of the next byte that ff_input_bytes or ff_input_line will return */
    uint64_t line;   /* number of the line that ff_input_line returned last, from 1 */
    const struct ff_progress *progress; /* NULL: nobody; borrowed, set after the opening */
    int descriptor;                     /* -1 once everything is in the buffer */
    struct ff_unpack *unpack; /* of a packed file: what is read here is unpacked; else NULL */
    bool seekable, ended;
    bool mapped;  /* the buffer is a mapping of the whole file: views stay until the closing */
    bool shared;  /* the mapping is another input's */
    char *buffer; /* buffer[start .. filled) is read but not yet handed out */
    size_t start, filled, capacity;
    size_t released; /* mapped: pages before this were given back; they come again when read */
};

/* Whether reading ended because packed data are damaged, cut, followed by something else, or unpack to
 * more than is allowed (see base/unpack.h): FF_BAD_INPUT with a message. All that came before was
 * handed out. To be asked when reading is over. */
enum ff_status ff_input_check(const struct ff_input *input, struct ff_error *error);

/* Opens PATH ("-" is stdin). What is packed by gzip, zstd or xz is unpacked on the way, and then is read
 * like a pipe. A folder is FF_USAGE: callers list folders themselves. */
enum ff_status ff_input_open(struct ff_input *input, const char *path, struct ff_error *error);
void ff_input_close(struct ff_input *input);

/* Up to WANT coming bytes without consuming them: less only at the end of the input. The view lives
 * until the next call. */
enum ff_status ff_input_peek(struct ff_input *input, size_t want, struct ff_text *view,
                             struct ff_error *error);

/* Like peek, and consumes what it returns; at the end FF_OK with an empty view. */
enum ff_status ff_input_bytes(struct ff_input *input, size_t want, struct ff_text *view,
                              struct ff_error *error);

/* The next line without its LF (and CR); FF_END after the last. A last line without LF counts. */
enum ff_status ff_input_line(struct ff_input *input, struct ff_text *line, struct ff_error *error);

/* Copies SIZE bytes at OFFSET to BYTES without moving the reading position. FF_BAD_INPUT, naming the
 * offset, where the input is shorter. Needs a seekable or a loaded input. */
enum ff_status ff_input_at(struct ff_input *input, uint64_t offset, void *bytes, size_t size,
                           struct ff_error *error);

/* Makes ff_input_at work on a pipe: loads all that is left. Does nothing to a seekable file. Only
 * before the first byte was consumed. */
enum ff_status ff_input_load(struct ff_input *input, struct ff_error *error);

/* Maps a regular file, so that its bytes are not copied and views of them stay until the input is
 * closed. Pays where most of a file is skipped, as stack dumps are. Does nothing where there is no
 * regular file, or no room: ask input->mapped. Only before the first byte was consumed. */
void ff_input_map(struct ff_input *input);

/* An input of bytes that stay the caller's: it is not closed, and dies before them. */
void ff_input_memory(struct ff_input *input, const char *name, char *bytes, size_t size);

/* Another reader of a mapped file through the same mapping, with a position of its own at its beginning;
 * closed by itself, before MAPPED is. FF_SYSTEM when that cannot be had. */
enum ff_status ff_input_share(struct ff_input *input, const struct ff_input *mapped,
                              struct ff_error *error);

/* Moves the reading position; seekable or loaded inputs only. */
enum ff_status ff_input_seek(struct ff_input *input, uint64_t offset, struct ff_error *error);

#endif
