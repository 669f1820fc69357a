/* SPDX-License-Identifier: MIT
 *
 * Whole files as bytes: mapped (ELF files and packs, of which little is touched) or loaded (texts,
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

/* Reads a file to its end; free bytes->at with ff_file_unload. */
enum ff_status ff_file_load(const char *path, struct ff_text *bytes, struct ff_error *error);
void ff_file_unload(struct ff_text bytes);

/* Up to SIZE first bytes of a file, to recognise it; returns how many, 0 also on any failure. */
size_t ff_file_head(const char *path, char *bytes, size_t size);

#endif
