/* SPDX-License-Identifier: MIT
 *
 * read() into one buffer of 1 MiB, grown only for a longer look ahead or a longer line. The hard
 * thing: the same calls serve a file, a pipe and a pipe that had to be loaded whole.
 */
#include "base/input.h"
#include "base/memory.h"
#include "base/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE      ((size_t)1 << 20)
#define KEPT_PAGES ((size_t)1 << 23) /* of a mapping, behind the reading position */

static enum ff_status system_error(const struct ff_input *input, const char *what,
                                   struct ff_error *error)
{
    return ff_error_set(error, FF_SYSTEM, "%s: cannot %s: %s", input->name, what, strerror(errno));
}

/* Packed bytes for the unpacker. */
static long read_packed(void *context, void *to, size_t size)
{
    const struct ff_input *input = context;
    ssize_t got;
    do
        got = read(input->descriptor, to, size);
    while (got < 0 && errno == EINTR);
    return (long)got;
}

static enum ff_status fill(struct ff_input *input, size_t want, struct ff_error *error);

/* Looks whether the input is packed; from then on it is unpacked as it is read. Of a pipe the bytes
 * that were needed to see it are handed on. */
static enum ff_status begin_unpacking(struct ff_input *input, struct ff_error *error)
{
    char bytes[FF_UNPACK_HEAD];
    struct ff_text head = {bytes, 0};
    bool failed = false;
    if (input->seekable) {
        ssize_t got = pread(input->descriptor, bytes, sizeof bytes, 0);
        head.size = got > 0 ? (size_t)got : 0;
    } else {
        enum ff_status status = fill(input, FF_UNPACK_HEAD, error);
        if (status != FF_OK)
            return status;
        head = (struct ff_text){input->filled ? input->buffer : bytes, input->filled};
    }
    input->unpack = ff_unpack_new(head, read_packed, &failed);
    if (input->unpack && !input->seekable) {
        failed |= !ff_unpack_give(input->unpack, head);
        input->filled = 0;
        input->ended = false;
    }
    if (failed)
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", input->name);
    if (input->unpack) {
        input->seekable = false;
        input->size = UINT64_MAX;
    }
    return FF_OK;
}

enum ff_status ff_input_open(struct ff_input *input, const char *path, struct ff_error *error)
{
    struct stat status;
    *input = (struct ff_input){.name = path, .size = UINT64_MAX, .descriptor = STDIN_FILENO};
    if (strcmp(path, "-") == 0)
        input->name = "stdin";
    else
        input->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (input->descriptor < 0 || fstat(input->descriptor, &status) < 0)
        return system_error(input, "open", error);
    if (S_ISDIR(status.st_mode)) {
        ff_input_close(input);
        return ff_error_set(error, FF_USAGE, "%s: is a folder; name the files in it", path);
    }
    off_t start = lseek(input->descriptor, 0, SEEK_CUR);
    if (S_ISREG(status.st_mode) && start == 0) {
        input->seekable = true;
        input->size = (uint64_t)status.st_size;
    }
    enum ff_status opened = begin_unpacking(input, error);
    if (opened != FF_OK)
        ff_input_close(input);
    return opened;
}

void ff_input_close(struct ff_input *input)
{
    if (input->descriptor > STDIN_FILENO)
        close(input->descriptor);
    ff_unpack_free(input->unpack);
    input->unpack = NULL;
    if (input->mapped && !input->shared)
        munmap(input->buffer, input->capacity);
    else if (!input->mapped)
        ff_free(input->buffer);
    input->descriptor = -1;
    input->buffer = NULL;
    input->start = input->filled = input->capacity = 0;
    input->ended = true;
}

/* Room for one more piece behind buffer[filled), moving the unread bytes to the front. */
static bool make_room(struct ff_input *input, size_t want)
{
    if (input->start && !(input->seekable && input->descriptor < 0)) {
        memmove(input->buffer, input->buffer + input->start, input->filled - input->start);
        input->filled -= input->start;
        input->start = 0;
    }
    uint32_t capacity = (uint32_t)input->capacity;
    bool failed = input->filled + (uint64_t)want > UINT32_MAX;
    if (!failed) {
        input->buffer = ff_grow(input->buffer, &capacity, input->filled + want, 1, &failed);
        input->capacity = capacity;
    }
    return !failed;
}

/* Reads until at least WANT bytes are ready, or the input ends. */
static enum ff_status fill(struct ff_input *input, size_t want, struct ff_error *error)
{
    while (!input->ended && input->filled - input->start < want) {
        size_t missing = want - (input->filled - input->start);
        if (!make_room(input, missing > PIECE ? missing : PIECE))
            return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory at offset %llu",
                                input->name, (unsigned long long)input->offset);
        char *to = input->buffer + input->filled;
        size_t room = input->capacity - input->filled;
        ssize_t got = input->unpack ? (ssize_t)ff_unpack_read(input->unpack, input, to, room)
                                    : read(input->descriptor, to, room);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return system_error(input, "read", error);
        input->filled += (size_t)got;
        input->ended = got == 0;
        if (input->progress)
            input->progress->tell(input->progress->context, input->offset, input->size);
    }
    return FF_OK;
}

enum ff_status ff_input_peek(struct ff_input *input, size_t want, struct ff_text *view,
                             struct ff_error *error)
{
    enum ff_status status = fill(input, want, error);
    size_t ready = input->filled - input->start;
    *view =
        (struct ff_text){ready ? input->buffer + input->start : "", ready < want ? ready : want};
    return status;
}

/* Gives back pages that were read long ago, by mapping the same part of the file anew: a mapping counts
 * as this process's memory. If that is refused the old pages stay. */
static void release_pages(struct ff_input *input)
{
    size_t end = (input->start - KEPT_PAGES) & ~(KEPT_PAGES - 1);
    if (mmap(input->buffer + input->released, end - input->released, PROT_READ,
             MAP_PRIVATE | MAP_FIXED, input->descriptor, (off_t)input->released) != MAP_FAILED)
        input->released = end;
}

static void consume(struct ff_input *input, size_t size)
{
    input->start += size;
    input->offset += size;
    if (input->mapped && input->start > input->released + 2 * KEPT_PAGES)
        release_pages(input);
}

enum ff_status ff_input_bytes(struct ff_input *input, size_t want, struct ff_text *view,
                              struct ff_error *error)
{
    enum ff_status status = ff_input_peek(input, want, view, error);
    if (status == FF_OK)
        consume(input, view->size);
    return status;
}

enum ff_status ff_input_line(struct ff_input *input, struct ff_text *line, struct ff_error *error)
{
    size_t looked = 0;
    for (;;) {
        struct ff_text ready = {input->buffer + input->start, input->filled - input->start};
        ptrdiff_t end = ready.size > looked ? ff_text_find(ff_text_from(ready, looked), '\n') : -1;
        if (end >= 0 || input->ended) {
            if (!ready.size)
                return FF_END;
            size_t size = end >= 0 ? looked + (size_t)end : ready.size;
            *line = ff_text_slice(ready, 0, size);
            if (size && line->at[size - 1] == '\r')
                line->size--;
            consume(input, end >= 0 ? size + 1 : size);
            input->line++;
            return FF_OK;
        }
        looked = ready.size;
        enum ff_status status = fill(input, looked + 1, error);
        if (status != FF_OK)
            return status;
    }
}

static enum ff_status too_short(const struct ff_input *input, uint64_t offset, size_t size,
                                struct ff_error *error)
{
    return ff_error_set(error, FF_BAD_INPUT,
                        "%s: offset %llu: expected %zu bytes, found the end of the file",
                        input->name, (unsigned long long)offset, size);
}

enum ff_status ff_input_at(struct ff_input *input, uint64_t offset, void *bytes, size_t size,
                           struct ff_error *error)
{
    if (offset > input->size || size > input->size - offset)
        return too_short(input, offset, size, error);
    if (input->descriptor < 0 || input->mapped) {
        memcpy(bytes, input->buffer + offset, size);
        return FF_OK;
    }
    for (char *to = bytes; size > 0;) {
        ssize_t got = pread(input->descriptor, to, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return system_error(input, "read", error);
        if (got == 0)
            return too_short(input, offset, size, error);
        to += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return FF_OK;
}

enum ff_status ff_input_load(struct ff_input *input, struct ff_error *error)
{
    if (input->seekable)
        return FF_OK;
    while (!input->ended) {
        enum ff_status status = fill(input, input->filled - input->start + 1, error);
        if (status != FF_OK)
            return status;
    }
    if (input->descriptor > STDIN_FILENO)
        close(input->descriptor);
    input->descriptor = -1;
    input->seekable = true;
    input->size = input->filled;
    return FF_OK;
}

enum ff_status ff_input_check(const struct ff_input *input, struct ff_error *error)
{
    const char *why = input->unpack ? ff_unpack_error(input->unpack) : NULL;
    if (!why)
        return FF_OK;
    return ff_error_set(error, FF_BAD_INPUT, "%s: offset %llu: %s", input->name,
                        (unsigned long long)ff_unpack_offset(input->unpack), why);
}

void ff_input_map(struct ff_input *input)
{
    if (!input->seekable || input->descriptor < 0 || input->mapped || !input->size ||
        input->size > SIZE_MAX)
        return;
    void *map = mmap(NULL, (size_t)input->size, PROT_READ, MAP_PRIVATE, input->descriptor, 0);
    if (map == MAP_FAILED)
        return;
    ff_free(input->buffer);
    input->buffer = map;
    input->start = (size_t)input->offset;
    input->filled = input->capacity = (size_t)input->size;
    input->mapped = input->ended = true;
}

void ff_input_memory(struct ff_input *input, const char *name, char *bytes, size_t size)
{
    *input = (struct ff_input){
        .name = name,
        .size = size,
        .descriptor = -1,
        .seekable = true,
        .ended = true,
        .buffer = bytes,
        .filled = size,
        .capacity = size,
    };
}

enum ff_status ff_input_share(struct ff_input *input, const struct ff_input *mapped,
                              struct ff_error *error)
{
    *input = (struct ff_input){.name = mapped->name, .size = mapped->size, .seekable = true};
    input->descriptor = dup(mapped->descriptor);
    if (input->descriptor < 0)
        return system_error(input, "open again", error);
    input->buffer = mapped->buffer;
    input->filled = input->capacity = mapped->capacity;
    input->mapped = input->ended = input->shared = true;
    return FF_OK;
}

enum ff_status ff_input_seek(struct ff_input *input, uint64_t offset, struct ff_error *error)
{
    if (!input->seekable || offset > input->size)
        return too_short(input, offset, 0, error);
    input->offset = offset;
    if (input->descriptor < 0 || input->mapped) {
        input->start = (size_t)offset;
        return FF_OK;
    }
    input->start = input->filled = 0;
    input->ended = false;
    if (lseek(input->descriptor, (off_t)offset, SEEK_SET) < 0)
        return system_error(input, "seek", error);
    return FF_OK;
}
