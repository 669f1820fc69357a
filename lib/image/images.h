/* SPDX-License-Identifier: MIT
 *
 * Where to look for code: the places that a user named (`--symbols PATH`, in this order), then, if
 * asked for, the live system. What a place is, is recognised by its content:
 *   a pack             a folder with a manifest, or a tar of one (see pack.h)
 *
 *   any other folder   holds the module recorded as /usr/lib/libc.so.6 with build-id abcdef... as
 *                      FOLDER/usr/lib/libc.so.6 (a sysroot), else as
 *                      FOLDER/.build-id/ab/cdef... (a file, or a folder with `elf`, `vdso`,
 *                      `debug`) or cdef....debug, else as FOLDER/abcdef.../executable (with
 *                      `debuginfo`: the cache of debuginfod's client), else as FOLDER/libc.so.6; the vdso also as
 *                      FOLDER/vdso.so. Files `kallsyms`, `perf.map`, `perf-PID.map` and
 *                      `jit-PID.dump` that lie in it count as if they had been named
 *
 *   one file           an ELF file, a copy of /proc/kallsyms, a perf map, a jit dump
 *
 * A file whose build-id is not the recorded one is refused; the search goes on.
 */
#ifndef FF_IMAGE_IMAGES_H
#define FF_IMAGE_IMAGES_H

#include "base/threads.h"
#include "image/elf.h"
#include "image/jit_dump.h"
#include "image/kallsyms.h"
#include "image/pack.h"
#include "image/perf_map.h"
#include "profile/profile.h"

enum ff_verdict {
    FF_VERDICT_NONE,         /* no file was found */
    FF_VERDICT_DIFFERS,      /* only files with another build-id were */
    FF_VERDICT_NOT_VERIFIED, /* found by path, on the live system by path and inode: the recording
                                has no build-id to compare */
    FF_VERDICT_SAME,         /* the build-ids are equal */
};

/* The code of one module. Lives as long as the images. */
struct ff_image {
    struct ff_elf *elf; /* NULL for the first two verdicts */
    struct ff_elf
        *debug;       /* a separate file of the same build with more symbols or debug information,
                             looked for when ELF lacks either; often NULL */
    uint8_t verdict;  /* enum ff_verdict */
    uint32_t refused; /* text (of images->texts): a file that was refused; 0: none */
};

struct ff_images {
    struct ff_error error; /* of the last call that returned a status */
    struct ff_intern texts;
    struct ff_image_root *roots;
    uint32_t root_count, root_capacity;
    struct ff_image_cached *cache;
    uint32_t cache_count, cache_capacity;
    bool system; /* search the live system last, for modules whose build-id or inode is known */
    bool verified_only;  /* refuse what a build-id does not prove */
    bool failed;         /* memory ran out */
    struct ff_lock lock; /* whoever finds images while other threads may, or uses an ELF that others
                            use, takes it first; the calls below do not */
};

/* A place to look in. */
enum ff_root_kind {
    FF_ROOT_FOLDER,
    FF_ROOT_PACK,
    FF_ROOT_ELF,
    FF_ROOT_KALLSYMS,
    FF_ROOT_PERF_MAP,
    FF_ROOT_JIT_DUMP,
};

struct ff_image_root {
    uint8_t kind;                      /* enum ff_root_kind */
    uint32_t path;                     /* text */
    uint32_t pid;                      /* perf map, jit dump: whose; 0: not known */
    struct ff_pack *pack;              /* owned by the root of kind PACK, shared by its members */
    const struct ff_pack_entry *entry; /* of a kallsyms, perf map or jit dump inside a pack */
    struct ff_elf *elf;                /* these four are opened at the first need, and owned */
    struct ff_kallsyms *kallsyms;
    struct ff_perf_map *perf_map;
    struct ff_jit_dump *jit_dump;
};

/* What a recording tells about a module of kind elf or vdso. */
struct ff_image_key {
    enum ff_module_kind kind;
    struct ff_text path, build_id; /* build-id: empty when not known */
    uint64_t inode;                /* 0 when not known, as is the generation */
    uint32_t generation;
};

/* An answer of ff_images_find. */
struct ff_image_cached {
    struct ff_image_key key; /* its texts are of images->texts */
    struct ff_image image;
};

struct ff_images *ff_images_new(void);
void ff_images_free(struct ff_images *images); /* NULL is fine */

/* Adds a place. FF_USAGE when it is none of those above, FF_SYSTEM when it cannot be opened. */
enum ff_status ff_images_add(struct ff_images *images, const char *path);

/* Says which process a perf map or jit dump that was added (by the same path) belongs to. */
enum ff_status ff_images_set_pid(struct ff_images *images, const char *path, uint32_t pid);

/* Searches the live system last: the recorded path, /usr/lib/debug/.build-id, /tmp/perf-PID.map,
 * /tmp/jit-PID.dump. Where no build-id is known the recorded path must lead to a regular file with the
 * recorded inode, and with its generation where both are known. Devices are not compared: an overlay
 * reports another one than the kernel recorded. */
void ff_images_use_system(struct ff_images *images);

/* The image of a module of kind elf or vdso; each is searched for once. */
struct ff_image ff_images_find(struct ff_images *images, struct ff_image_key key);

/* The same for a row of the profile's modules. */
struct ff_image ff_images_find_module(struct ff_images *images, const struct ff_profile *profile,
                                      const struct ff_module *row);

/* Like ff_elf_functions, with the symbols of the separate debug file before those of the image. */
bool ff_image_functions(const struct ff_image *image, const uint64_t *places, uint32_t count,
                        struct ff_function *functions);

/* The first kernel symbol table; NULL and FF_OK when there is none. */
enum ff_status ff_images_kallsyms(struct ff_images *images, struct ff_kallsyms **table);

/* The perf map of a process; NULL and FF_OK when there is none. A map of an unknown process is
 * taken when it is the only one and ALONE says that no other process has such code; if not, that is
 * FF_USAGE. */
enum ff_status ff_images_perf_map(struct ff_images *images, uint32_t pid, bool alone,
                                  struct ff_perf_map **map);

/* Whether there is a perf map whose process is not known: whose it is depends on what was read before. */
bool ff_images_unknown_map(const struct ff_images *images);

/* The jit dump of a process; NULL and FF_OK when there is none. */
enum ff_status ff_images_jit_dump(struct ff_images *images, uint32_t pid,
                                  struct ff_jit_dump **dump);

#endif
