/* SPDX-License-Identifier: MIT
 *
 * A module's recorded path and build-id to an ELF file. The hard thing is to refuse: a library of
 * the same name from another build gives wrong names everywhere, so a known build-id must be equal,
 * and a file that was taken without one is marked.
 */
#include "image/images.h"
#include "base/memory.h"
#include "image/debug_link.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

struct hunt {
    struct ff_images *images;
    enum ff_module_kind kind;
    struct ff_text path, build_id; /* as recorded; path without " (deleted)" */
    uint64_t inode;                /* 0: not known, or its file was deleted */
    uint32_t generation;
    struct ff_image image;
    bool only_debug;           /* the image is found; look for its separate debug file */
    struct ff_debug_link link; /* this one; no name: that of the build-id */
};

/* A separate debug file has the program headers of its image, but its code takes no bytes, and file
 * offsets mean nothing in it. */
static bool has_code(const struct ff_elf *elf)
{
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        if (elf->segments[i].executable)
            return true;
    }
    return false;
}

/* Takes ownership of an ELF: keeps it as the answer, or closes it. */
static void offer(struct hunt *hunt, struct ff_elf *elf)
{
    bool known = hunt->build_id.size > 0;
    if (!known && hunt->images->verified_only) {
        ff_elf_close(elf);
        return;
    }
    /* A file that an image names by its checksum need not have a build-id. */
    bool named = hunt->link.name.size && !elf->build_id[0];
    if (named)
        known = false;
    if (known && !ff_text_equal(ff_text(elf->build_id), hunt->build_id)) {
        if (!hunt->only_debug && hunt->image.verdict == FF_VERDICT_NONE) {
            hunt->image.verdict = FF_VERDICT_DIFFERS;
            hunt->image.refused = ff_intern(&hunt->images->texts, ff_text(elf->path));
        }
        ff_elf_close(elf);
        return;
    }
    if (hunt->only_debug) {
        bool proven = known || !hunt->link.name.size || ff_debug_link_fits(&hunt->link, elf->bytes);
        bool itself = strcmp(elf->path, hunt->image.elf->path) == 0;
        hunt->image.debug = proven && !itself ? elf : NULL;
        if (!hunt->image.debug)
            ff_elf_close(elf);
        return;
    }
    if (!has_code(elf)) {
        ff_elf_close(elf);
        return;
    }
    hunt->image.elf = elf;
    hunt->image.verdict = known ? FF_VERDICT_SAME : FF_VERDICT_NOT_VERIFIED;
}

static bool done(const struct hunt *hunt)
{
    return hunt->only_debug ? hunt->image.debug != NULL : hunt->image.elf != NULL;
}

/* Tries a file, if it is there. */
static void try_file(struct hunt *hunt, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void try_file(struct hunt *hunt, const char *format, ...)
{
    char path[4096];
    struct ff_elf *elf;
    struct ff_error error = {0};
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    if (done(hunt) || size < 0 || (size_t)size >= sizeof path || access(path, R_OK) != 0)
        return;
    /* What cannot be opened (a folder, a damaged file) is as good as not there. */
    if (ff_elf_open(&elf, path, &error) == FF_OK)
        offer(hunt, elf);
}

static void try_build_id_tree(struct hunt *hunt, const char *folder)
{
    struct ff_text id = hunt->build_id;
    if (id.size < 4)
        return;
    int rest = (int)id.size - 2;
    const char *tail = id.at + 2;
    if (hunt->only_debug) {
        try_file(hunt, "%s/.build-id/%.2s/%.*s.debug", folder, id.at, rest, tail);
        try_file(hunt, "%s/.build-id/%.2s/%.*s/debug", folder, id.at, rest, tail);
        try_file(hunt, "%s/%.*s/debuginfo", folder, (int)id.size, id.at);
        return;
    }
    try_file(hunt, "%s/.build-id/%.2s/%.*s", folder, id.at, rest, tail);
    try_file(hunt, "%s/.build-id/%.2s/%.*s/elf", folder, id.at, rest, tail);
    try_file(hunt, "%s/.build-id/%.2s/%.*s/vdso", folder, id.at, rest, tail);
    try_file(hunt, "%s/.build-id/%.2s/%.*s.debug", folder, id.at, rest, tail);
    try_file(hunt, "%s/%.*s/executable", folder, (int)id.size, id.at); /* of debuginfod's client */
}

/* A recorded path that leads upwards would leave the sysroot. */
static bool is_tame(struct ff_text path)
{
    return ff_text_find_text(path, FF_TEXT("../")) < 0;
}

static void try_folder(struct hunt *hunt, const char *folder)
{
    struct ff_text name = ff_text_base_name(hunt->path);
    if (hunt->only_debug || !is_tame(hunt->path)) {
        try_build_id_tree(hunt, folder);
        return;
    }
    if (hunt->path.size && hunt->path.at[0] == '/')
        try_file(hunt, "%s%.*s", folder, (int)hunt->path.size, hunt->path.at);
    try_build_id_tree(hunt, folder);
    /* The base name alone says nothing about which build a file is. */
    if (name.size && hunt->build_id.size)
        try_file(hunt, "%s/%.*s", folder, (int)name.size, name.at);
    if (hunt->kind == FF_MODULE_VDSO)
        try_file(hunt, "%s/vdso.so", folder);
}

/* Whether an entry of the same path may be of the same file. */
static bool may_be(const struct hunt *hunt, const struct ff_pack_entry *entry)
{
    if (!entry->inode || !hunt->inode)
        return !entry->inode || hunt->build_id.size;
    return entry->inode == hunt->inode && ff_generations_agree(entry->generation, hunt->generation);
}

/* A pack's file stands for a module of the same build; without a build-id, of the same path. */
static void try_pack(struct hunt *hunt, const struct ff_pack *pack)
{
    for (uint32_t i = 0; i < pack->count && !done(hunt) && !hunt->only_debug; i++) {
        const struct ff_pack_entry *entry = &pack->entries[i];
        struct ff_text bytes;
        struct ff_elf *elf;
        struct ff_error error = {0};
        char path[4096];
        bool same_path = ff_text_equal(entry->path, hunt->path);
        bool same_id = hunt->build_id.size && ff_text_equal(entry->build_id, hunt->build_id);
        if (entry->kind != hunt->kind || (!same_id && (!same_path || !may_be(hunt, entry))) ||
            !ff_pack_member(pack, entry, &bytes, path, sizeof path))
            continue;
        if (!bytes.size)
            try_file(hunt, "%s", path);
        else if (ff_elf_open_bytes(&elf, pack->path, bytes, &error) == FF_OK)
            offer(hunt, elf);
    }
}

/* A file that the user named stands for a module of the same build or of the same base name. */
static void try_elf(struct hunt *hunt, const struct ff_elf *elf)
{
    struct ff_text name = ff_text_base_name(ff_text(elf->path));
    bool same_id = hunt->build_id.size && ff_text_equal(hunt->build_id, ff_text(elf->build_id));
    bool same_name = ff_text_equal(name, ff_text_base_name(hunt->path)) ||
                     (hunt->kind == FF_MODULE_VDSO && ff_text_equal(name, FF_TEXT("vdso.so")));
    if (same_id || same_name)
        try_file(hunt, "%s", elf->path);
}

/* Whether a file is the one that was mapped. A number alone is not enough: a program that is built
 * again often gets the number of the file that it replaces. */
static bool is_recorded_inode(const struct hunt *hunt, int file)
{
    struct stat info;
    int generation = 0; /* the kernel writes an int, whatever the name of the request says */
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_ino != hunt->inode)
        return false;
    if (!hunt->generation || ioctl(file, FS_IOC_GETVERSION, &generation) != 0)
        return true;
    return (uint32_t)generation == hunt->generation;
}

static void try_inode(struct hunt *hunt)
{
    char path[4096];
    int size = snprintf(path, sizeof path, "%.*s", (int)hunt->path.size, hunt->path.at);
    if (!hunt->inode || size < 0 || (size_t)size >= sizeof path)
        return;
    /* What lies there now may be a pipe, which must not be waited for. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool same = file >= 0 && is_recorded_inode(hunt, file);
    if (file >= 0)
        close(file);
    if (same)
        try_file(hunt, "%s", path);
}

static void search(struct hunt *hunt)
{
    struct ff_images *images = hunt->images;
    for (uint32_t i = 0; i < images->root_count && !done(hunt); i++) {
        const struct ff_image_root *root = &images->roots[i];
        if (root->kind == FF_ROOT_FOLDER)
            try_folder(hunt, ff_intern_text(&images->texts, root->path).at);
        else if (root->kind == FF_ROOT_PACK)
            try_pack(hunt, root->pack);
        else if (root->kind == FF_ROOT_ELF && !hunt->only_debug)
            try_elf(hunt, root->elf);
    }
    if (!images->system)
        return;
    /* This machine may be another one, or be updated since: a path alone says nothing. */
    bool at_path = !hunt->only_debug && hunt->path.size && hunt->path.at[0] == '/';
    if (at_path && hunt->build_id.size)
        try_file(hunt, "%.*s", (int)hunt->path.size, hunt->path.at);
    else if (at_path)
        try_inode(hunt);
    try_build_id_tree(hunt, "/usr/lib/debug");
}

/* A file's folder, without the last slash. */
static struct ff_text folder_of(struct ff_text path)
{
    size_t size = path.size - ff_text_base_name(path).size;
    return size ? ff_text_slice(path, 0, size - 1) : FF_TEXT(".");
}

/* Looks for the debug file that the image names: where its own file lies, and where the debug files of
 * the recorded path's folder lie. */
static void search_link(struct hunt *hunt)
{
    struct ff_images *images = hunt->images;
    struct ff_text name = hunt->link.name, recorded = folder_of(hunt->path);
    struct ff_text beside = folder_of(ff_text(hunt->image.elf->path));
    try_file(hunt, "%.*s/%s", (int)beside.size, beside.at, name.at);
    try_file(hunt, "%.*s/.debug/%s", (int)beside.size, beside.at, name.at);
    for (uint32_t i = 0; i < images->root_count && is_tame(hunt->path); i++) {
        if (images->roots[i].kind == FF_ROOT_FOLDER)
            try_file(hunt, "%s/usr/lib/debug%.*s/%s",
                     ff_intern_text(&images->texts, images->roots[i].path).at, (int)recorded.size,
                     recorded.at, name.at);
    }
    if (images->system)
        try_file(hunt, "/usr/lib/debug%.*s/%s", (int)recorded.size, recorded.at, name.at);
}

/* Looks for what has the symbols and the debug information that the image lacks. */
static void search_debug(struct hunt *hunt)
{
    const struct ff_elf *elf = hunt->image.elf;
    hunt->only_debug = true;
    hunt->build_id = ff_text(elf->build_id);
    if (hunt->build_id.size)
        search(hunt);
    if (!hunt->image.debug && ff_debug_link(elf, &hunt->link))
        search_link(hunt);
    if (!hunt->image.debug && !ff_elf_has_symtab(elf))
        hunt->image.debug = ff_debug_inside(elf);
}

static struct ff_text without_deleted(struct ff_text path)
{
    if (ff_text_ends(path, FF_TEXT(" (deleted)")))
        path.size -= sizeof " (deleted)" - 1;
    return path;
}

static struct ff_image find(struct ff_images *images, const struct ff_image_key *key)
{
    struct hunt hunt = {.images = images,
                        .kind = key->kind,
                        .path = without_deleted(key->path),
                        .build_id = key->build_id,
                        .generation = key->generation};
    if (hunt.path.size == key->path.size)
        hunt.inode = key->inode;
    search(&hunt);
    bool lacks = hunt.image.elf && (!ff_elf_has_symtab(hunt.image.elf) ||
                                    !ff_elf_section(hunt.image.elf, ".debug_info").bytes.size);
    if (lacks)
        search_debug(&hunt);
    return hunt.image;
}

static bool is_same_key(const struct ff_image_key *a, const struct ff_image_key *b)
{
    return a->kind == b->kind && ff_text_equal(a->path, b->path) &&
           ff_text_equal(a->build_id, b->build_id) && a->inode == b->inode &&
           a->generation == b->generation;
}

struct ff_image ff_images_find(struct ff_images *images, struct ff_image_key key)
{
    for (uint32_t i = 0; i < images->cache_count; i++) {
        if (is_same_key(&images->cache[i].key, &key))
            return images->cache[i].image;
    }
    key.path = ff_intern_text(&images->texts, ff_intern(&images->texts, key.path));
    key.build_id = ff_intern_text(&images->texts, ff_intern(&images->texts, key.build_id));
    images->cache =
        ff_grow(images->cache, &images->cache_capacity, (uint64_t)images->cache_count + 1,
                sizeof *images->cache, &images->failed);
    if (images->failed)
        return (struct ff_image){0};
    struct ff_image image = find(images, &key);
    images->cache[images->cache_count++] = (struct ff_image_cached){.key = key, .image = image};
    return image;
}

struct ff_image ff_images_find_module(struct ff_images *images, const struct ff_profile *profile,
                                      const struct ff_module *row)
{
    struct ff_image_key key = {.kind = (enum ff_module_kind)row->kind,
                               .path = ff_profile_text(profile, row->path),
                               .build_id = ff_profile_text(profile, row->build_id),
                               .inode = row->inode,
                               .generation = row->generation};
    return ff_images_find(images, key);
}

bool ff_image_functions(const struct ff_image *image, const uint64_t *places, uint32_t count,
                        struct ff_function *functions)
{
    if (!ff_elf_functions(image->elf, places, count, functions))
        return false;
    if (!image->debug)
        return true;
    struct ff_function *better = ff_alloc(count, sizeof *better);
    bool found = better && ff_elf_functions(image->debug, places, count, better);
    for (uint32_t i = 0; found && i < count; i++) {
        if (better[i].kind == FF_FUNCTION_SYMBOL)
            functions[i] = better[i];
    }
    ff_free(better);
    return found;
}
