/* SPDX-License-Identifier: MIT
 *
 * Bytes to a descriptor through one buffer. The hard thing is nothing but honesty: every failed
 * write, and the one at close, is remembered and reported.
 */
#include "base/output.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define BUFFER_SIZE (1u << 18)

enum ff_status ff_output_open(struct ff_output *output, const char *path, struct ff_error *error)
{
    *output = (struct ff_output){.name = path, .descriptor = STDOUT_FILENO};
    if (strcmp(path, "-") == 0)
        output->name = "stdout";
    else
        output->descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output->descriptor < 0)
        return ff_error_set(error, FF_SYSTEM, "%s: cannot create: %s", path, strerror(errno));
    return FF_OK;
}

void ff_output_memory(struct ff_output *output)
{
    *output = (struct ff_output){.name = "memory", .descriptor = -1};
}

static void flush(struct ff_output *output)
{
    size_t done = 0;
    while (done < output->used && !output->system_errno) {
        ssize_t put = write(output->descriptor, output->buffer + done, output->used - done);
        if (put >= 0)
            done += (size_t)put;
        else if (errno != EINTR)
            output->system_errno = errno;
    }
    output->used = 0;
}

enum ff_status ff_output_close(struct ff_output *output, struct ff_error *error)
{
    if (output->descriptor >= 0)
        flush(output);
    /* stdout is closed too: some file systems report a full disk only then. */
    if (output->descriptor >= 0 && close(output->descriptor) < 0 && !output->system_errno)
        output->system_errno = errno;
    ff_free(output->buffer);
    struct ff_output closed = *output;
    *output = (struct ff_output){.descriptor = -1};
    if (closed.out_of_memory)
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", closed.name);
    if (closed.system_errno)
        return ff_error_set(error, FF_SYSTEM, "%s: cannot write: %s", closed.name,
                            strerror(closed.system_errno));
    return FF_OK;
}

/* What does not fit into the buffer as it is. */
static void put_piecewise(struct ff_output *output, struct ff_text text)
{
    while (text.size) {
        uint64_t want = output->descriptor < 0 ? output->used + (uint64_t)text.size : BUFFER_SIZE;
        output->buffer =
            ff_grow(output->buffer, &output->capacity, want, 1, &output->out_of_memory);
        size_t room = output->capacity - output->used;
        if (!room && output->descriptor >= 0 && output->capacity) {
            flush(output);
            continue;
        }
        if (!room || output->out_of_memory)
            return;
        size_t part = text.size < room ? text.size : room;
        memcpy(output->buffer + output->used, text.at, part);
        output->used += (uint32_t)part;
        text = ff_text_from(text, part);
    }
}

void ff_output_text(struct ff_output *output, struct ff_text text)
{
    if (text.size > output->capacity - output->used) {
        put_piecewise(output, text);
        return;
    }
    if (text.size)
        memcpy(output->buffer + output->used, text.at, text.size);
    output->used += (uint32_t)text.size;
}

void ff_output_string(struct ff_output *output, const char *string)
{
    ff_output_text(output, ff_text(string));
}

void ff_output_byte(struct ff_output *output, char byte)
{
    if (output->used < output->capacity)
        output->buffer[output->used++] = byte;
    else
        ff_output_text(output, (struct ff_text){&byte, 1});
}

void ff_output_decimal(struct ff_output *output, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits, size = 1;
    if (output->capacity - output->used < sizeof digits) {
        do {
            digits[--at] = (char)('0' + value % 10);
        } while (value /= 10);
        put_piecewise(output, (struct ff_text){digits + at, sizeof digits - at});
        return;
    }
    for (uint64_t rest = value / 10; rest; rest /= 10)
        size++;
    output->used += (uint32_t)size;
    for (char *to = output->buffer + output->used; size > 0; size--, value /= 10)
        *--to = (char)('0' + value % 10);
}

void ff_output_hex(struct ff_output *output, uint64_t value)
{
    char digits[16];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[value & 15];
    } while (value >>= 4);
    ff_output_text(output, (struct ff_text){digits + at, sizeof digits - at});
}

void ff_output_format(struct ff_output *output, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size > 0)
        ff_output_text(
            output,
            (struct ff_text){text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1});
}
