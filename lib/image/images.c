/* SPDX-License-Identifier: MIT
 *
 * The list of places, and the sources that are not searched for by module: kernel symbols, perf maps
 * and jit dumps. The hard thing: the user names a path, and its content decides what it is.
 */
#include "image/images.h"
#include "base/memory.h"
#include "image/file.h"
#include "image/tar.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* kallsyms may begin with many per-cpu symbols, whose types look like a perf map's sizes. */
#define HEAD_SIZE ((size_t)1 << 16)

struct ff_images *ff_images_new(void)
{
    struct ff_images *images = ff_alloc(1, sizeof *images);
    if (images)
        ff_lock_init(&images->lock);
    return images;
}

void ff_images_free(struct ff_images *images)
{
    if (!images)
        return;
    for (uint32_t i = 0; i < images->cache_count; i++) {
        ff_elf_close(images->cache[i].image.elf);
        ff_elf_close(images->cache[i].image.debug);
    }
    for (uint32_t i = 0; i < images->root_count; i++) {
        struct ff_image_root *root = &images->roots[i];
        ff_elf_close(root->elf);
        ff_kallsyms_close(root->kallsyms);
        ff_perf_map_close(root->perf_map);
        ff_jit_dump_close(root->jit_dump);
    }
    for (uint32_t i = 0; i < images->root_count; i++) {
        if (images->roots[i].kind == FF_ROOT_PACK)
            ff_pack_close(images->roots[i].pack);
    }
    ff_free(images->roots);
    ff_free(images->cache);
    ff_intern_release(&images->texts);
    ff_lock_release(&images->lock);
    ff_free(images);
}

static enum ff_status add_root(struct ff_images *images, const char *path,
                               struct ff_image_root root)
{
    root.path = ff_intern(&images->texts, ff_text(path));
    images->roots = ff_grow(images->roots, &images->root_capacity, (uint64_t)images->root_count + 1,
                            sizeof *images->roots, &images->failed);
    if (images->failed || images->texts.failed)
        return ff_error_set(&images->error, FF_NO_MEMORY, "%s: out of memory", path);
    images->roots[images->root_count++] = root;
    return FF_OK;
}

static enum ff_status add_pack(struct ff_images *images, const char *path)
{
    struct ff_pack *pack;
    enum ff_status status = ff_pack_open(&pack, path, &images->error);
    if (status != FF_OK)
        return status;
    status = add_root(images, path, (struct ff_image_root){.kind = FF_ROOT_PACK, .pack = pack});
    if (status != FF_OK)
        ff_pack_close(pack);
    for (uint32_t i = 0; status == FF_OK && i < pack->count; i++) {
        const struct ff_pack_entry *entry = &pack->entries[i];
        struct ff_image_root root = {.pack = pack, .entry = entry, .pid = entry->pid};
        if (entry->kind == FF_MODULE_KERNEL)
            root.kind = FF_ROOT_KALLSYMS;
        else if (entry->kind == FF_MODULE_PERF_MAP)
            root.kind = entry->jit_dump ? FF_ROOT_JIT_DUMP : FF_ROOT_PERF_MAP;
        else
            continue;
        status = add_root(images, path, root);
    }
    return status;
}

/* What a file is by its first bytes; FOLDER: nothing that is known. */
static enum ff_root_kind recognise(struct ff_text head)
{
    if (ff_tar_recognise(head))
        return FF_ROOT_PACK;
    if (ff_elf_recognise(head))
        return FF_ROOT_ELF;
    if (ff_jit_dump_recognise(head))
        return FF_ROOT_JIT_DUMP;
    if (ff_kallsyms_recognise(head))
        return FF_ROOT_KALLSYMS;
    return ff_perf_map_recognise(head) ? FF_ROOT_PERF_MAP : FF_ROOT_FOLDER;
}

/* Opens what says something about itself that is needed at once. */
static enum ff_status open_root(struct ff_images *images, const char *path,
                                struct ff_image_root *root)
{
    enum ff_status status = FF_OK;
    struct ff_file file;
    if (root->kind == FF_ROOT_PERF_MAP)
        root->pid = ff_perf_map_pid(ff_text(path));
    if (root->kind == FF_ROOT_ELF)
        status = ff_elf_open(&root->elf, path, &images->error);
    if (root->kind == FF_ROOT_JIT_DUMP)
        status = ff_file_open(&file, path, &images->error);
    if (root->kind == FF_ROOT_JIT_DUMP && status == FF_OK)
        status = ff_jit_dump_open(&root->jit_dump, &file, &images->error);
    if (root->jit_dump)
        root->pid = root->jit_dump->pid ? root->jit_dump->pid : ff_jit_dump_pid(ff_text(path));
    return status;
}

static enum ff_status add_file(struct ff_images *images, const char *path)
{
    struct ff_image_root root = {0};
    char *bytes = ff_alloc(HEAD_SIZE, 1);
    if (!bytes)
        return ff_error_set(&images->error, FF_NO_MEMORY, "%s: out of memory", path);
    root.kind = (uint8_t)recognise((struct ff_text){bytes, ff_file_head(path, bytes, HEAD_SIZE)});
    ff_free(bytes);
    if (root.kind == FF_ROOT_PACK)
        return add_pack(images, path);
    if (root.kind == FF_ROOT_FOLDER)
        return ff_error_set(&images->error, FF_USAGE,
                            "%s: expected a folder, a symbol pack, an ELF file, a copy of "
                            "/proc/kallsyms, a perf map or a jit dump; unpack it if it is "
                            "compressed",
                            path);
    enum ff_status status = open_root(images, path, &root);
    if (status == FF_OK)
        status = add_root(images, path, root);
    if (status != FF_OK) {
        ff_elf_close(root.elf);
        ff_jit_dump_close(root.jit_dump);
    }
    return status;
}

static bool is_side_file(const char *name)
{
    return strcmp(name, "kallsyms") == 0 || strcmp(name, "perf.map") == 0 ||
           ff_perf_map_pid(ff_text(name)) || ff_jit_dump_pid(ff_text(name));
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds the side files of a folder in the order of their names. */
static enum ff_status add_side_files(struct ff_images *images, const char *path)
{
    const char **names = NULL;
    uint32_t count = 0, capacity = 0;
    enum ff_status status = FF_OK;
    DIR *folder = opendir(path);
    if (!folder)
        return ff_error_set(&images->error, FF_SYSTEM, "%s: cannot list this folder", path);
    for (struct dirent *item; (item = readdir(folder));) {
        char file[4096];
        if (!is_side_file(item->d_name) ||
            (size_t)snprintf(file, sizeof file, "%s/%s", path, item->d_name) >= sizeof file)
            continue;
        names = ff_grow(names, &capacity, (uint64_t)count + 1, sizeof *names, &images->failed);
        uint32_t id = ff_intern(&images->texts, ff_text(file));
        if (!images->failed)
            names[count++] = ff_intern_text(&images->texts, id).at;
    }
    closedir(folder);
    if (count)
        qsort(names, count, sizeof *names, compare_strings);
    for (uint32_t i = 0; status == FF_OK && i < count; i++)
        status = add_file(images, names[i]);
    ff_free(names);
    return status;
}

enum ff_status ff_images_add(struct ff_images *images, const char *path)
{
    struct stat info;
    images->error = (struct ff_error){0};
    if (stat(path, &info) != 0)
        return ff_error_set(&images->error, FF_SYSTEM, "%s: cannot open: no such file or folder",
                            path);
    if (!S_ISDIR(info.st_mode))
        return add_file(images, path);
    if (ff_pack_recognise(path))
        return add_pack(images, path);
    enum ff_status status = add_root(images, path, (struct ff_image_root){.kind = FF_ROOT_FOLDER});
    return status == FF_OK ? add_side_files(images, path) : status;
}

enum ff_status ff_images_set_pid(struct ff_images *images, const char *path, uint32_t pid)
{
    images->error = (struct ff_error){0};
    for (uint32_t i = 0; i < images->root_count; i++) {
        struct ff_image_root *root = &images->roots[i];
        if ((root->kind != FF_ROOT_PERF_MAP && root->kind != FF_ROOT_JIT_DUMP) ||
            !ff_text_equal(ff_intern_text(&images->texts, root->path), ff_text(path)))
            continue;
        root->pid = pid;
        return FF_OK;
    }
    return ff_error_set(&images->error, FF_USAGE,
                        "%s: no perf map or jit dump of this path was added; name it with "
                        "--symbols first",
                        path);
}

void ff_images_use_system(struct ff_images *images)
{
    images->system = true;
}

/* The bytes of a root that is read whole; FF_END where its pack cannot give them. */
static enum ff_status root_file(struct ff_images *images, const struct ff_image_root *root,
                                struct ff_file *file)
{
    const char *path = ff_intern_text(&images->texts, root->path).at;
    struct ff_text bytes;
    char member[4096];
    if (!root->entry)
        return ff_file_open(file, path, &images->error);
    if (!ff_pack_member(root->pack, root->entry, &bytes, member, sizeof member))
        return FF_END;
    return bytes.size ? ff_file_borrow(file, path, bytes, &images->error)
                      : ff_file_open(file, member, &images->error);
}

enum ff_status ff_images_kallsyms(struct ff_images *images, struct ff_kallsyms **table)
{
    enum ff_status status = FF_OK;
    *table = NULL;
    images->error = (struct ff_error){0};
    for (uint32_t i = 0; i < images->root_count && status == FF_OK && !*table; i++) {
        struct ff_image_root *root = &images->roots[i];
        struct ff_file file;
        if (root->kind != FF_ROOT_KALLSYMS)
            continue;
        if (!root->kallsyms)
            status = root_file(images, root, &file);
        if (!root->kallsyms && status == FF_OK)
            status = ff_kallsyms_open(&root->kallsyms, &file, &images->error);
        if (status == FF_END)
            status = FF_OK;
        *table = root->kallsyms;
    }
    return status;
}

static enum ff_status open_map(struct ff_images *images, struct ff_image_root *root,
                               struct ff_perf_map **map)
{
    enum ff_status status = FF_OK;
    struct ff_file file;
    if (!root->perf_map)
        status = root_file(images, root, &file);
    if (!root->perf_map && status == FF_OK)
        status = ff_perf_map_open(&root->perf_map, &file, &images->error);
    *map = root->perf_map;
    return status == FF_END ? FF_OK : status;
}

/* A file of the live system becomes a root like any other, if it is there. */
static struct ff_image_root *system_file(struct ff_images *images, const char *format, uint32_t pid)
    __attribute__((format(printf, 2, 0)));

static struct ff_image_root *system_file(struct ff_images *images, const char *format, uint32_t pid)
{
    char path[64], byte;
    snprintf(path, sizeof path, format, (unsigned int)pid);
    if (!images->system || !ff_file_head(path, &byte, 1) || add_file(images, path) != FF_OK)
        return NULL;
    return &images->roots[images->root_count - 1];
}

enum ff_status ff_images_perf_map(struct ff_images *images, uint32_t pid, bool alone,
                                  struct ff_perf_map **map)
{
    struct ff_image_root *unknown = NULL, *found = NULL;
    uint32_t unknown_count = 0;
    *map = NULL;
    images->error = (struct ff_error){0};
    for (uint32_t i = 0; i < images->root_count && !found; i++) {
        struct ff_image_root *root = &images->roots[i];
        if (root->kind != FF_ROOT_PERF_MAP)
            continue;
        if (root->pid == pid)
            found = root;
        else if (!root->pid && !unknown_count++)
            unknown = root;
    }
    if (!found && unknown && (!alone || unknown_count > 1))
        return ff_error_set(&images->error, FF_USAGE,
                            "%s: a perf map whose process is not known, and %s; say "
                            "--pid-of FILE=PID",
                            ff_intern_text(&images->texts, unknown->path).at,
                            alone ? "another one like it" : "several processes that may have it");
    if (!found)
        found = unknown ? unknown : system_file(images, "/tmp/perf-%u.map", pid);
    return found ? open_map(images, found, map) : FF_OK;
}

bool ff_images_unknown_map(const struct ff_images *images)
{
    bool unknown = false;
    for (uint32_t i = 0; i < images->root_count; i++)
        unknown |= images->roots[i].kind == FF_ROOT_PERF_MAP && !images->roots[i].pid;
    return unknown;
}

static enum ff_status open_dump(struct ff_images *images, struct ff_image_root *root,
                                struct ff_jit_dump **dump)
{
    enum ff_status status = FF_OK;
    struct ff_file file;
    if (!root->jit_dump)
        status = root_file(images, root, &file);
    if (!root->jit_dump && status == FF_OK)
        status = ff_jit_dump_open(&root->jit_dump, &file, &images->error);
    *dump = root->jit_dump;
    return status == FF_END ? FF_OK : status;
}

enum ff_status ff_images_jit_dump(struct ff_images *images, uint32_t pid, struct ff_jit_dump **dump)
{
    struct ff_image_root *found = NULL;
    *dump = NULL;
    images->error = (struct ff_error){0};
    for (uint32_t i = 0; i < images->root_count && !found; i++) {
        if (images->roots[i].kind == FF_ROOT_JIT_DUMP && images->roots[i].pid == pid)
            found = &images->roots[i];
    }
    if (!found)
        found = system_file(images, "/tmp/jit-%u.dump", pid);
    images->error = (struct ff_error){0};
    return found ? open_dump(images, found, dump) : FF_OK;
}
