/* SPDX-License-Identifier: MIT
 *
 * Members in memory to a folder or an archive. The hard thing is that nothing but their content may
 * decide what is written: no order of making, no time, no file that lay there before.
 */
#include "image/members.h"
#include "base/memory.h"
#include "image/tar.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool has_member(const struct ff_members *members, const char *name)
{
    for (uint32_t i = 0; i < members->count; i++) {
        if (strcmp(members->at[i].name, name) == 0)
            return true;
    }
    return false;
}

struct ff_member *ff_members_add(struct ff_members *members, struct ff_text name)
{
    struct ff_member member = {.name = ""};
    size_t used = 0;
    for (size_t i = 0; i < name.size && used < 80; i++)
        member.name[used++] = name.at[i] <= ' ' || name.at[i] == 127 ? '_' : name.at[i];
    if (!used || member.name[0] == '.')
        member.name[0] = '_';
    for (int i = 2; has_member(members, member.name); i++)
        snprintf(member.name + used, sizeof member.name - used, ".%d", i);
    members->at = ff_grow(members->at, &members->capacity, (uint64_t)members->count + 1,
                          sizeof *members->at, &members->failed);
    if (members->count >= members->capacity)
        return NULL;
    ff_output_memory(&member.output);
    members->at[members->count] = member;
    return &members->at[members->count++];
}

void ff_members_drop(struct ff_members *members)
{
    struct ff_error ignored = {0};
    ff_output_close(&members->at[--members->count].output, &ignored);
}

void ff_members_release(struct ff_members *members)
{
    while (members->count)
        ff_members_drop(members);
    ff_free(members->at);
    *members = (struct ff_members){0};
}

static int compare_members(const void *a, const void *b)
{
    const struct ff_member *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static struct ff_text content(const struct ff_member *member)
{
    return (struct ff_text){member->output.buffer, member->output.used};
}

static enum ff_status write_tar(const struct ff_members *members, const char *path,
                                struct ff_error *error)
{
    struct ff_output output;
    enum ff_status status = ff_output_open(&output, path, error);
    if (status != FF_OK)
        return status;
    for (uint32_t i = 0; i < members->count; i++) {
        const struct ff_member *member = &members->at[i];
        ff_tar_write(&output, (struct ff_tar_member){ff_text(member->name), content(member)});
    }
    ff_tar_end(&output);
    return ff_output_close(&output, error);
}

/* Makes the folder; one that is there must be empty, so that no file of an older pack stays. */
static enum ff_status make_folder(const char *path, struct ff_error *error)
{
    if (mkdir(path, 0777) == 0)
        return FF_OK;
    DIR *folder = errno == EEXIST ? opendir(path) : NULL;
    if (!folder)
        return ff_error_set(error, FF_SYSTEM, "%s: cannot make this folder: %s", path,
                            strerror(errno));
    unsigned int count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    if (count > 2)
        return ff_error_set(
            error, FF_USAGE,
            "%s: this folder is not empty; name a new one, or a file ending in .tar", path);
    return FF_OK;
}

static enum ff_status write_folder(const struct ff_members *members, const char *path,
                                   struct ff_error *error)
{
    enum ff_status status = make_folder(path, error);
    for (uint32_t i = 0; status == FF_OK && i < members->count; i++) {
        char file[4096];
        struct ff_output output;
        snprintf(file, sizeof file, "%s/%s", path, members->at[i].name);
        status = ff_output_open(&output, file, error);
        if (status != FF_OK)
            break;
        ff_output_text(&output, content(&members->at[i]));
        status = ff_output_close(&output, error);
    }
    return status;
}

enum ff_status ff_members_write(struct ff_members *members, const char *path,
                                struct ff_error *error)
{
    for (uint32_t i = 0; i < members->count; i++)
        members->failed |= members->at[i].output.out_of_memory;
    if (members->failed)
        return ff_error_set(error, FF_NO_MEMORY, "%s: out of memory", path);
    if (members->count)
        qsort(members->at, members->count, sizeof *members->at, compare_members);
    bool tar = ff_text_ends(ff_text(path), FF_TEXT(".tar"));
    return tar ? write_tar(members, path, error) : write_folder(members, path, error);
}
