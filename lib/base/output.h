/* SPDX-License-Identifier: MIT
 *
 * A buffered writer to a file, to stdout or to memory. Write errors are kept until the close, so
 * that callers print without checking and a full disk or a closed pipe is still noticed.
 */
#ifndef FF_BASE_OUTPUT_H
#define FF_BASE_OUTPUT_H

#include "base/status.h"
#include "base/text.h"

struct ff_output {
    const char *name;   /* for messages; borrowed */
    int descriptor;     /* -1: memory only */
    int system_errno;   /* of the first failed write; 0 = none */
    bool out_of_memory; /* memory outputs only */
    char *buffer;       /* a memory output's whole content */
    uint32_t used, capacity;
};

/* "-" is stdout. An existing file is replaced. */
enum ff_status ff_output_open(struct ff_output *output, const char *path, struct ff_error *error);

/* An output that only collects: read buffer[0 .. used), then ff_output_close. */
void ff_output_memory(struct ff_output *output);

/* Flushes, closes, frees; the first write error of the whole life becomes the status. */
enum ff_status ff_output_close(struct ff_output *output, struct ff_error *error);

void ff_output_text(struct ff_output *output, struct ff_text text);
void ff_output_string(struct ff_output *output, const char *string);
void ff_output_byte(struct ff_output *output, char byte);
void ff_output_decimal(struct ff_output *output, uint64_t value);
void ff_output_hex(struct ff_output *output,
                   uint64_t value); /* lower case, no 0x, no zeros ahead */
void ff_output_format(struct ff_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
