/* SPDX-License-Identifier: MIT
 *
 * Modules recorded without a build-id: the live file is taken if it is the one that was mapped.
 */
#include "check.h"
#include "scratch.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "image/images.h"
#include "profile/profile.h"

static uint8_t verdict_of(const char *path, uint64_t inode, uint32_t generation, bool verified_only)
{
    struct ff_images *images = ff_images_new();
    struct ff_image_key key = {
        .kind = FF_MODULE_ELF, .path = ff_text(path), .inode = inode, .generation = generation};
    images->verified_only = verified_only;
    CHECK_NUMBER(ff_images_find(images, key).verdict, FF_VERDICT_NONE);
    ff_images_free(images);
    images = ff_images_new();
    images->verified_only = verified_only;
    ff_images_use_system(images);
    struct ff_image image = ff_images_find(images, key);
    CHECK((image.elf != NULL) == (image.verdict == FF_VERDICT_NOT_VERIFIED));
    uint8_t verdict = image.verdict;
    ff_images_free(images);
    return verdict;
}

/* 0 where the file system tells none. */
static uint32_t generation_of(const char *path)
{
    int file = open(path, O_RDONLY), generation = 0;
    if (ioctl(file, FS_IOC_GETVERSION, &generation) != 0)
        generation = 0;
    close(file);
    return (uint32_t)generation;
}

static void test_live_file(void)
{
    struct scratch scratch;
    struct stat info = {0};
    char path[128], deleted[160], program[128];
    CHECK(scratch_enter(&scratch, "tests/data/image.so"));
    snprintf(path, sizeof path, "%s/image.so", scratch.folder);
    snprintf(deleted, sizeof deleted, "%s (deleted)", path);
    snprintf(program, sizeof program, "%s/other.so", scratch.folder);
    CHECK(stat(path, &info) == 0);
    uint64_t inode = info.st_ino;
    uint32_t generation = generation_of(path);
    CHECK_NUMBER(verdict_of(path, inode, 0, false), FF_VERDICT_NOT_VERIFIED);
    CHECK_NUMBER(verdict_of(path, inode, generation, false), FF_VERDICT_NOT_VERIFIED);
    CHECK_NUMBER(verdict_of(path, inode + 1, 0, false), FF_VERDICT_NONE);
    CHECK_NUMBER(verdict_of(path, 0, 0, false), FF_VERDICT_NONE);
    CHECK_NUMBER(verdict_of("image.so", inode, 0, false), FF_VERDICT_NONE);
    CHECK_NUMBER(verdict_of(program, inode, 0, false), FF_VERDICT_NONE);
    CHECK_NUMBER(verdict_of(path, inode, 0, true), FF_VERDICT_NONE);
    CHECK_NUMBER(verdict_of(deleted, inode, 0, false), FF_VERDICT_NONE);
    if (generation) /* a file that took the number over */
        CHECK_NUMBER(verdict_of(path, inode, generation ^ 1, false), FF_VERDICT_NONE);
    /* A pipe in its place is not waited for. */
    CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0 && stat(path, &info) == 0);
    CHECK_NUMBER(verdict_of(path, info.st_ino, 0, false), FF_VERDICT_NONE);
    scratch_leave(&scratch);
}

static uint8_t packed_verdict(const char *pack, uint64_t inode, uint32_t generation)
{
    struct ff_images *images = ff_images_new();
    struct ff_image_key key = {.kind = FF_MODULE_ELF,
                               .path = FF_TEXT("/bin/program"),
                               .inode = inode,
                               .generation = generation};
    CHECK(ff_images_add(images, pack) == FF_OK);
    uint8_t verdict = ff_images_find(images, key).verdict;
    ff_images_free(images);
    return verdict;
}

/* A pack made where two files had one path says which one it has. */
static void test_packed_file(void)
{
    struct scratch scratch;
    char from[128], pack[128], to[160], manifest[160];
    CHECK(scratch_enter(&scratch, "tests/data/image.so"));
    snprintf(from, sizeof from, "%s/image.so", scratch.folder);
    snprintf(pack, sizeof pack, "%s/pack", scratch.folder);
    snprintf(to, sizeof to, "%s/image.so", pack);
    snprintf(manifest, sizeof manifest, "%s/manifest", pack);
    CHECK(mkdir(pack, 0700) == 0 && rename(from, to) == 0);
    FILE *file = fopen(manifest, "w");
    CHECK(file && fputs("flamefold-pack 1\nelf\t-\t18446744073709551615.7\timage.so\t"
                        "/bin/program\n",
                        file) >= 0);
    fclose(file);
    CHECK_NUMBER(packed_verdict(pack, UINT64_MAX, 7), FF_VERDICT_NOT_VERIFIED);
    CHECK_NUMBER(packed_verdict(pack, UINT64_MAX, 0), FF_VERDICT_NOT_VERIFIED);
    CHECK_NUMBER(packed_verdict(pack, UINT64_MAX, 8), FF_VERDICT_NONE);
    CHECK_NUMBER(packed_verdict(pack, 5, 7), FF_VERDICT_NONE);
    CHECK_NUMBER(packed_verdict(pack, 0, 0), FF_VERDICT_NONE);
    CHECK(unlink(manifest) == 0 && unlink(to) == 0 && rmdir(pack) == 0);
    scratch_leave(&scratch);
}

/* Mappings that perf made up from /proc tell the inode only. */
static void test_module_rows(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_module module = {.kind = FF_MODULE_ELF, .inode = 5};
    module.path = ff_profile_intern(profile, FF_TEXT("/lib/libx.so"));
    uint32_t first = ff_module_add(profile, module);
    module.generation = 7;
    CHECK_NUMBER(ff_module_add(profile, module), first);
    CHECK_NUMBER(profile->modules.at[first].generation, 7);
    module.generation = 8;
    uint32_t second = ff_module_add(profile, module);
    CHECK(second != first);
    module.inode = 6;
    CHECK(ff_module_add(profile, module) != second);
    ff_profile_free(profile);
}

int main(void)
{
    test_live_file();
    test_packed_file();
    test_module_rows();
    return check_result();
}
