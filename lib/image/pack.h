/* SPDX-License-Identifier: MIT
 *
 * A symbol pack: for one profile, exactly the functions that it touches, so that a recording and
 * its pack can be read anywhere. A folder, or an uncompressed tar of one (read in place), with
 *   manifest       text: `flamefold-pack 1`, then a line for each member, fields separated by TAB:
 *                  kind (elf, vdso, kallsyms, perf-map, jit-dump) · build-id or `-` · pid or 0 (where the
 *                  profile has two files of one path without build-id: inode.generation) · member ·
 *                  path as recorded (`\t`, `\n`, `\\` escaped)
 *   libc.so.6 ...  for each library an ELF file with its machine, type, build-id and segments, and
 *                  of its symbols and FDEs those that hold a frame of the profile (see pack_elf.h)
 *   kallsyms       the touched kernel symbols, and the symbol behind each so that ranges stay
 *   perf-630.map   the touched entries
 *   jit-630.dump   the records of the touched code, with its unwind tables
 * Naming the profile's frames with the pack gives the same names as with the full symbols.
 */
#ifndef FF_IMAGE_PACK_H
#define FF_IMAGE_PACK_H

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "image/file.h"

#define FF_PACK_MANIFEST "manifest"

struct ff_pack_entry {
    uint8_t kind;            /* enum ff_module_kind: elf, vdso, kernel (kallsyms), perf-map */
    bool jit_dump;           /* of the last kind: a jit dump */
    struct ff_text build_id; /* empty when the file had none */
    uint32_t pid;
    uint64_t inode; /* of an ELF file, with its generation; 0: not known */
    uint32_t generation;
    struct ff_text member;
    struct ff_text path;
};

struct ff_pack {
    const char *path;   /* owned */
    struct ff_text tar; /* mapped; empty for a folder */
    struct ff_file manifest;
    struct ff_pack_entry *entries;
    uint32_t count, capacity;
    struct ff_arena arena; /* unescaped paths */
};

/* Whether a folder is a pack. */
bool ff_pack_recognise(const char *folder);

/* Opens a folder or an archive. *pack is NULL on failure; FF_BAD_INPUT names the manifest's line.
 */
enum ff_status ff_pack_open(struct ff_pack **pack, const char *path, struct ff_error *error);
void ff_pack_close(struct ff_pack *pack); /* NULL is fine */

/* The bytes of a member: for an archive they live as long as the pack. A folder has no bytes here:
 * then *path is the file to open, made in PATH of SIZE bytes. False when there is no such member.
 */
bool ff_pack_member(const struct ff_pack *pack, const struct ff_pack_entry *entry,
                    struct ff_text *bytes, char *path, size_t size);

struct ff_profile;
struct ff_images;

/* Writes a pack for the native and kernel frames of a profile, as far as the images have them. PATH
 * ending in ".tar" becomes an archive; else a folder, which must not exist or be empty.
 * The message of a failure is in the profile's error. What was written but lacks unwind rules sets
 * the note. */
enum ff_status ff_pack_write(struct ff_profile *profile, struct ff_images *images, const char *path,
                             struct ff_error *note);

#endif
