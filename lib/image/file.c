/* SPDX-License-Identifier: MIT
 *
 * open, fstat, mmap or read. The hard thing is nothing; failing with the path and the reason is.
 */
#include "image/file.h"
#include "base/memory.h"
#include "base/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE       ((size_t)1 << 20)
#define PACKED_HEAD 16384 /* of a packed file: enough for the first bytes of what is inside */

static enum ff_status system_error(const char *path, const char *what, struct ff_error *error)
{
    return ff_error_set(error, FF_SYSTEM, "%s: cannot %s: %s", path, what, strerror(errno));
}

enum ff_status ff_file_map(const char *path, struct ff_text *bytes, struct ff_error *error)
{
    struct stat info;
    void *at = MAP_FAILED;
    *bytes = FF_TEXT("");
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return system_error(path, "open", error);
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode)) {
        if (info.st_size == 0) {
            close(descriptor);
            return FF_OK;
        }
        at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    } else {
        errno = EINVAL;
    }
    enum ff_status status = FF_OK;
    if (at == MAP_FAILED)
        status = system_error(path, "map", error);
    else
        *bytes = (struct ff_text){at, (size_t)info.st_size};
    close(descriptor);
    return status;
}

void ff_file_unmap(struct ff_text bytes)
{
    if (bytes.size)
        munmap((void *)(uintptr_t)bytes.at, bytes.size);
}

/* Reads until the end into a growing buffer; negative on failure (errno is set). */
static ssize_t read_all(int descriptor, char **buffer)
{
    uint32_t capacity = 0;
    size_t used = 0;
    bool failed = false;
    ssize_t got = 1;
    while (got > 0) {
        *buffer = ff_grow(*buffer, &capacity, (uint64_t)used + PIECE, 1, &failed);
        if (failed) {
            errno = ENOMEM;
            return -1;
        }
        got = read(descriptor, *buffer + used, capacity - used);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            used += (size_t)got;
    }
    return got < 0 ? -1 : (ssize_t)used;
}

enum ff_status ff_file_borrow(struct ff_file *file, const char *name, struct ff_text bytes,
                              struct ff_error *error)
{
    size_t size = strlen(name) + 1;
    char *path = ff_alloc(size, 1);
    *file = (struct ff_file){0};
    if (!path)
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", name);
    memcpy(path, name, size);
    file->path = path;
    file->bytes = bytes;
    return FF_OK;
}

/* Puts what BYTES unpack to in their place, if they are packed. */
static enum ff_status unpack(const char *path, struct ff_text *bytes, struct ff_error *error)
{
    char *unpacked;
    size_t size;
    const char *why = ff_unpack_whole(*bytes, SIZE_MAX, &unpacked, &size);
    if (why) {
        ff_free(unpacked);
        return ff_error_set(error, FF_BAD_INPUT, "%s: %s", path, why);
    }
    if (unpacked) {
        ff_free((void *)(uintptr_t)bytes->at);
        *bytes = (struct ff_text){unpacked, size};
    }
    return FF_OK;
}

enum ff_status ff_file_open(struct ff_file *file, const char *path, struct ff_error *error)
{
    char *buffer = NULL;
    *file = (struct ff_file){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return system_error(path, "open", error);
    ssize_t size = read_all(descriptor, &buffer);
    struct ff_text bytes = {buffer, size < 0 ? 0 : (size_t)size};
    enum ff_status status =
        size < 0 ? system_error(path, "read", error) : unpack(path, &bytes, error);
    if (status == FF_OK)
        status = ff_file_borrow(file, path, bytes, error);
    close(descriptor);
    if (status == FF_OK)
        file->loaded = true;
    else
        ff_free((void *)(uintptr_t)bytes.at);
    return status;
}

void ff_file_close(struct ff_file *file)
{
    if (file->loaded)
        ff_free((void *)(uintptr_t)file->bytes.at);
    ff_free((void *)(uintptr_t)file->path);
    *file = (struct ff_file){0};
}

/* The first bytes of what the HEAD of a packed file unpacks to. */
static size_t unpacked_head(struct ff_text head, char *bytes, size_t size)
{
    char *unpacked;
    size_t found;
    ff_unpack_whole(head, size, &unpacked, &found); /* it ends early, of course */
    found = found < size ? found : size;
    if (unpacked)
        memcpy(bytes, unpacked, found);
    ff_free(unpacked);
    return unpacked ? found : 0;
}

size_t ff_file_head(const char *path, char *bytes, size_t size)
{
    struct stat info;
    char head[PACKED_HEAD];
    ssize_t got = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return 0;
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode))
        got = read(descriptor, head, sizeof head);
    close(descriptor);
    if (got <= 0)
        return 0;
    size_t found = unpacked_head((struct ff_text){head, (size_t)got}, bytes, size);
    if (found)
        return found;
    found = (size_t)got < size ? (size_t)got : size;
    memcpy(bytes, head, found);
    return found;
}
