/* SPDX-License-Identifier: MIT
 *
 * Whole files as bytes: mapped (ELF files and packs, of which little is touched) or opened (texts,
 * which are read once; also files in /proc, whose size is not known before).
 */
#ifndef FF_IMAGE_FILE_H
#define FF_IMAGE_FILE_H

#include "base/status.h"
#include "base/text.h"

/* Maps a regular file read-only. FF_SYSTEM when it cannot be opened or is no regular file. The
 * bytes live until ff_file_unmap. */
enum ff_status ff_file_map(const char *path, struct ff_text *bytes, struct ff_error *error);
void ff_file_unmap(struct ff_text bytes);

/* A file's bytes with the name that messages give it. All zero is an empty one. */
struct ff_file {
    const char *path; /* owned */
    struct ff_text bytes;
    bool loaded; /* the bytes are its own; else borrowed */
};

/* Reads a file to its end. On failure *file is empty. */
enum ff_status ff_file_open(struct ff_file *file, const char *path, struct ff_error *error);

/* The same for bytes in memory, which must outlive the file. NAME is copied. */
enum ff_status ff_file_borrow(struct ff_file *file, const char *name, struct ff_text bytes,
                              struct ff_error *error);
void ff_file_close(struct ff_file *file); /* leaves it empty */

/* Up to SIZE first bytes of a file, to recognise it; returns how many, 0 also on any failure. */
size_t ff_file_head(const char *path, char *bytes, size_t size);

#endif
