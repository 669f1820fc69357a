/* SPDX-License-Identifier: MIT
 *
 * Files that are made in memory and written together: as a folder, or as an uncompressed tar.
 */
#ifndef FF_IMAGE_MEMBERS_H
#define FF_IMAGE_MEMBERS_H

#include "base/output.h"

struct ff_member {
    char name[96];
    struct ff_output output; /* a memory output */
};

struct ff_members {
    struct ff_member *at;
    uint32_t count, capacity;
    bool failed; /* memory ran out */
};

/* A new member, valid until the next call. Unusual characters of NAME become `_`, a name that is
 * taken gets a number. NULL when memory is out. */
struct ff_member *ff_members_add(struct ff_members *members, struct ff_text name);

/* Takes the last member away again. */
void ff_members_drop(struct ff_members *members);

/* Writes all, sorted by name. PATH ending in ".tar" becomes an archive; else a folder, which must
 * not exist or be empty (FF_USAGE). */
enum ff_status ff_members_write(struct ff_members *members, const char *path,
                                struct ff_error *error);
void ff_members_release(struct ff_members *members);

#endif
