/* SPDX-License-Identifier: MIT
 *
 * Opening a pack: the manifest, and members in place. The hard thing: a pack comes from somebody
 * else, so a member's name is a plain file name or it is refused.
 */
#include "image/pack.h"
#include "image/file.h"
#include "image/tar.h"
#include "profile/kinds.h"

#include <stdio.h>
#include <sys/stat.h>

#define TITLE    "flamefold-pack 1"
#define JIT_DUMP "jit-dump"

static const struct {
    const char *word;
    uint8_t kind;
} kinds[] = {
    {"elf", FF_MODULE_ELF},         {"vdso", FF_MODULE_VDSO},
    {"kallsyms", FF_MODULE_KERNEL}, {"perf-map", FF_MODULE_PERF_MAP},
    {JIT_DUMP, FF_MODULE_PERF_MAP},
};

bool ff_pack_recognise(const char *folder)
{
    char path[4096], head[sizeof TITLE];
    int size = snprintf(path, sizeof path, "%s/" FF_PACK_MANIFEST, folder);
    return size > 0 && (size_t)size < sizeof path &&
           ff_file_head(path, head, sizeof head) == sizeof head &&
           memcmp(head, TITLE "\n", sizeof head) == 0;
}

static bool tar_member(const struct ff_pack *pack, struct ff_text name, struct ff_text *bytes)
{
    struct ff_text rest = pack->tar;
    struct ff_tar_member member;
    while (ff_tar_next(&rest, &member) == FF_OK) {
        if (ff_text_equal(member.name, name)) {
            *bytes = member.bytes;
            return true;
        }
    }
    return false;
}

static struct ff_text unescape(struct ff_pack *pack, struct ff_text text)
{
    if (ff_text_find(text, '\\') < 0)
        return text;
    char *to = ff_arena_take(&pack->arena, text.size);
    size_t used = 0;
    for (size_t i = 0; to && i < text.size; i++) {
        char byte = text.at[i];
        if (byte == '\\' && i + 1 < text.size) {
            byte = text.at[++i];
            byte = byte == 't' ? '\t' : byte == 'n' ? '\n' : byte;
        }
        to[used++] = byte;
    }
    return (struct ff_text){to ? to : "", used};
}

static bool parse_entry(struct ff_pack *pack, struct ff_text line, struct ff_pack_entry *entry)
{
    uint64_t pid;
    struct ff_text kind = ff_text_cut(&line, '\t');
    entry->build_id = ff_text_cut(&line, '\t');
    if (ff_text_equal(entry->build_id, FF_TEXT("-")))
        entry->build_id = FF_TEXT("");
    struct ff_text generation = ff_text_cut(&line, '\t'), first = ff_text_cut(&generation, '.');
    uint64_t number = 0;
    if (!ff_text_decimal(first, &pid) ||
        (generation.size && !ff_text_decimal(generation, &number)) || number > UINT32_MAX ||
        (!generation.size && pid > UINT32_MAX))
        return false;
    entry->pid = generation.size ? 0 : (uint32_t)pid;
    entry->inode = generation.size ? pid : 0;
    entry->generation = (uint32_t)number;
    entry->member = ff_text_cut(&line, '\t');
    entry->path = unescape(pack, line);
    entry->kind = FF_MODULE_NONE;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (ff_text_equal(kind, ff_text(kinds[i].word)))
            entry->kind = kinds[i].kind;
    }
    entry->jit_dump = ff_text_equal(kind, FF_TEXT(JIT_DUMP));
    return entry->kind && entry->member.size && ff_text_find(entry->member, '/') < 0 &&
           !ff_text_equal(entry->member, FF_TEXT("..")) && line.at;
}

static enum ff_status read_manifest(struct ff_pack *pack, struct ff_error *error)
{
    struct ff_text rest = pack->manifest.bytes;
    bool failed = false;
    if (!ff_text_equal(ff_text_cut(&rest, '\n'), FF_TEXT(TITLE)))
        return ff_error_set(error, FF_BAD_INPUT, "%s: manifest: line 1: expected '" TITLE "'",
                            pack->path);
    for (unsigned int number = 2; rest.size; number++) {
        struct ff_pack_entry entry;
        if (!parse_entry(pack, ff_text_cut(&rest, '\n'), &entry))
            return ff_error_set(error, FF_BAD_INPUT,
                                "%s: manifest: line %u: expected kind, build-id, pid, member, "
                                "path, separated by tabs",
                                pack->path, number);
        pack->entries = ff_grow(pack->entries, &pack->capacity, (uint64_t)pack->count + 1,
                                sizeof *pack->entries, &failed);
        if (failed || pack->arena.failed)
            return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", pack->path);
        pack->entries[pack->count++] = entry;
    }
    return FF_OK;
}

static enum ff_status find_manifest(struct ff_pack *pack, struct ff_error *error)
{
    char path[4096];
    struct stat info;
    if (stat(pack->path, &info) == 0 && S_ISDIR(info.st_mode)) {
        snprintf(path, sizeof path, "%s/" FF_PACK_MANIFEST, pack->path);
        return ff_file_open(&pack->manifest, path, error);
    }
    enum ff_status status = ff_file_map(pack->path, &pack->tar, error);
    if (status == FF_OK && !tar_member(pack, FF_TEXT(FF_PACK_MANIFEST), &pack->manifest.bytes))
        return ff_error_set(error, FF_BAD_INPUT,
                            "%s: this archive has no member 'manifest', so it is no symbol pack; "
                            "unpack it (perf archive's too) and give the folder",
                            pack->path);
    return status;
}

enum ff_status ff_pack_open(struct ff_pack **pack, const char *path, struct ff_error *error)
{
    struct ff_pack *made = ff_alloc(1, sizeof *made);
    char *name = ff_alloc(strlen(path) + 1, 1);
    *pack = NULL;
    if (!made || !name) {
        ff_free(made);
        ff_free(name);
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", path);
    }
    memcpy(name, path, strlen(path));
    made->path = name;
    enum ff_status status = find_manifest(made, error);
    if (status == FF_OK)
        status = read_manifest(made, error);
    if (status != FF_OK)
        ff_pack_close(made);
    else
        *pack = made;
    return status;
}

void ff_pack_close(struct ff_pack *pack)
{
    if (!pack)
        return;
    ff_file_unmap(pack->tar);
    ff_file_close(&pack->manifest);
    ff_free((void *)(uintptr_t)pack->path);
    ff_free(pack->entries);
    ff_arena_release(&pack->arena);
    ff_free(pack);
}

bool ff_pack_member(const struct ff_pack *pack, const struct ff_pack_entry *entry,
                    struct ff_text *bytes, char *path, size_t size)
{
    *bytes = FF_TEXT("");
    if (pack->tar.size)
        return tar_member(pack, entry->member, bytes);
    int used = snprintf(path, size, "%s/%.*s", pack->path, FF_TEXT_ARGS(entry->member));
    return used > 0 && (size_t)used < size;
}
