/* SPDX-License-Identifier: MIT
 *
 * A recording read by several threads gives the bytes that one thread gives: everybody's recordings,
 * whole and cut, and the captures with their stack dumps, unpacked.
 */
#include "recorded.h"
#include "scratch.h"
#include "unpacked.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/output.h"
#include "profile/stream.h"
#include "read/perf.h"
#include "read/perf_parts.h"

/* The stream of a recording that THREADS threads read. `images` is used by all of them. */
static struct ff_output read_with(const char *path, struct ff_images *images, unsigned threads,
                                  enum ff_status *status)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_unwinder *unwinder = ff_unwinder_new(profile, images);
    struct ff_selection all = {0};
    struct ff_input input;
    struct ff_output output;
    ff_output_memory(&output);
    CHECK(ff_input_open(&input, path, &profile->error) == FF_OK);
    ff_input_map(&input);
    *status = ff_perf_read(profile, &input, FF_TEXT("x"),
                           &(struct ff_perf_options){.selection = &all,
                                                     .unwinder = unwinder,
                                                     .threads = threads,
                                                     .part_bytes = 1,
                                                     .in_turn = true});
    CHECK(ff_stream_write(profile, &output) == FF_OK);
    ff_input_close(&input);
    ff_unwinder_free(unwinder);
    ff_profile_free(profile);
    return output;
}

static void check_equal(const char *path, struct ff_images *images, const unsigned *threads)
{
    enum ff_status alone_status, status;
    struct ff_error error = {0};
    struct ff_output alone = read_with(path, images, 1, &alone_status);
    CHECK(alone.used > 0);
    for (; *threads; threads++) {
        struct ff_output output = read_with(path, images, *threads, &status);
        CHECK(status == alone_status);
        bool equal =
            output.used == alone.used && memcmp(output.buffer, alone.buffer, alone.used) == 0;
        CHECK(equal);
        if (!equal)
            fprintf(stderr, "  in %s with %u threads\n", path, *threads);
        ff_output_close(&output, &error);
    }
    ff_output_close(&alone, &error);
}

/* All recordings below a folder, and their first three quarters. */
static void check_folder(const char *folder)
{
    static const unsigned threads[] = {2, 3, 8, 0};
    struct ff_images *images = ff_images_new();
    struct ff_error error = {0};
    DIR *list = opendir(folder);
    for (struct dirent *item; list && (item = readdir(list));) {
        char path[1024], cut[] = "/tmp/flamefold-parts-XXXXXX";
        struct ff_input input;
        struct ff_text bytes;
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
        if (item->d_name[0] == '.' || stat(path, &info) != 0)
            continue;
        if (S_ISDIR(info.st_mode)) {
            check_folder(path);
            continue;
        }
        if (ff_input_open(&input, path, &error) != FF_OK)
            continue;
        bool is_recording = ff_input_bytes(&input, (size_t)info.st_size, &bytes, &error) == FF_OK &&
                            ff_text_starts(bytes, FF_TEXT("PERFILE2"));
        int file = is_recording ? mkstemp(cut) : -1;
        if (file >= 0) {
            check_equal(path, images, threads);
            CHECK(write(file, bytes.at, bytes.size / 4 * 3) == (ssize_t)(bytes.size / 4 * 3));
            check_equal(cut, images, threads);
            close(file);
            unlink(cut);
        }
        ff_input_close(&input);
    }
    if (list)
        closedir(list);
    ff_images_free(images);
}

/* The process that has generated code: a map whose process is not known is not read in parts. */
static uint32_t pid_with_code(const char *path)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_selection all = {0};
    struct ff_input input;
    uint32_t pid = 0;
    CHECK(ff_input_open(&input, path, &profile->error) == FF_OK);
    ff_perf_read(profile, &input, FF_TEXT("x"), &(struct ff_perf_options){.selection = &all});
    for (uint32_t i = 1; i < profile->modules.count; i++)
        pid = profile->modules.at[i].kind == FF_MODULE_PERF_MAP ? profile->modules.at[i].pid : pid;
    ff_input_close(&input);
    ff_profile_free(profile);
    return pid;
}

static void check_capture(const char *name, const unsigned *threads)
{
    char path[512], below[64], map[600], unpacked[] = "/tmp/flamefold-parts-XXXXXX";
    struct ff_error error = {0};
    struct ff_input input;
    struct ff_text bytes;
    struct ff_images *images = ff_images_new();
    snprintf(below, sizeof below, "captures/%s", name);
    shared_path(path, sizeof path, below);
    snprintf(map, sizeof map, "%s/perf.map", path);
    strncat(path, "/dwarf.data", sizeof path - strlen(path) - 1);
    CHECK(ff_images_add(images, LIBRARIES) == FF_OK);
    int file = mkstemp(unpacked);
    CHECK(file >= 0 && ff_input_open(&input, path, &error) == FF_OK);
    CHECK(ff_input_bytes(&input, (size_t)input.size, &bytes, &error) == FF_OK);
    CHECK(unpacked_write(bytes, unpacked));
    ff_input_close(&input);
    if (access(map, R_OK) == 0) {
        CHECK(ff_images_add(images, map) == FF_OK);
        CHECK(ff_images_set_pid(images, map, pid_with_code(unpacked)) == FF_OK);
    }
    check_equal(unpacked, images, threads);
    close(file);
    unlink(unpacked);
    ff_images_free(images);
}

static void test_captures(void)
{
    static const unsigned some[] = {2, 5, 0}, two[] = {2, 0};
    if (!recorded_available()) {
        SKIP("no shared captures with their libraries");
        return;
    }
    check_capture("gil-convoy", some);
    check_capture("launch-queue", some);
    check_capture("trampoline", some);
    check_capture("dispatch", some);
    check_capture("sync", some);
    if (!getenv("FULL")) {
        check_capture("launch-queue-64k", two);
        return;
    }
    check_capture("launch-queue-64k", some);
    check_capture("gil-convoy-64k", some);
    check_capture("trampoline-64k", some);
}

int main(void)
{
    char path[512];
    check_folder("tests/data");
    check_folder("examples");
    check_folder(shared_path(path, sizeof path, "corpora"));
    test_captures();
    return check_result();
}
