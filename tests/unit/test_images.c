/* SPDX-License-Identifier: MIT
 *
 * Where code is looked for, what is refused, and packs: names with a pack are the names with the
 * full symbols, from a folder and from an archive.
 */
#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "image/file.h"
#include "read/read.h"
#include "symbolize/symbolize.h"

#define BUILD_ID "0123456789abcdef0123456789abcdef01234567"
#define OTHER_ID "ffff456789abcdef0123456789abcdef01234567"
#define IMAGE    "tests/data/image.so"

static char folder[256]; /* a fresh one */

static const char *in_folder(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, struct ff_text bytes)
{
    struct ff_output output;
    struct ff_error error = {0};
    if (ff_output_open(&output, in_folder(name), &error) != FF_OK)
        return;
    ff_output_text(&output, bytes);
    CHECK(ff_output_close(&output, &error) == FF_OK);
}

static void copy_image(const char *name)
{
    struct ff_file file;
    struct ff_error error = {0};
    CHECK(ff_file_open(&file, IMAGE, &error) == FF_OK);
    write_file(name, file.bytes);
    ff_file_close(&file);
}

static void new_folder(void)
{
    snprintf(folder, sizeof folder, "build/images-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
}

static void remove_folder(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
}

static struct ff_image find(struct ff_images *images, const char *path, const char *build_id)
{
    return ff_images_find(images, (struct ff_image_key){.kind = FF_MODULE_ELF,
                                                        .path = ff_text(path),
                                                        .build_id = ff_text(build_id)});
}

static void test_search(void)
{
    new_folder();
    mkdir(in_folder("opt"), 0777);
    mkdir(in_folder(".build-id"), 0777);
    mkdir(in_folder(".build-id/01"), 0777);
    copy_image("opt/sysroot.so");
    copy_image("flat.so");
    copy_image(".build-id/01/23456789abcdef0123456789abcdef01234567");
    write_file("broken.so", FF_TEXT("\177ELF, not really"));
    struct ff_images *images = ff_images_new();
    CHECK(ff_images_add(images, folder) == FF_OK);
    CHECK_NUMBER(find(images, "/opt/sysroot.so", BUILD_ID).verdict, FF_VERDICT_SAME);
    CHECK_NUMBER(find(images, "/opt/sysroot.so", "").verdict, FF_VERDICT_NOT_VERIFIED);
    CHECK_NUMBER(find(images, "/opt/sysroot.so (deleted)", "").verdict, FF_VERDICT_NOT_VERIFIED);
    CHECK_NUMBER(find(images, "/usr/flat.so", BUILD_ID).verdict, FF_VERDICT_SAME);
    CHECK_NUMBER(find(images, "/elsewhere/other.so", BUILD_ID).verdict, FF_VERDICT_SAME);
    CHECK_NUMBER(find(images, "/elsewhere/other.so", "").verdict, FF_VERDICT_NONE);
    CHECK_NUMBER(find(images, "/usr/broken.so", "").verdict, FF_VERDICT_NONE);
    CHECK_NUMBER(find(images, "/../flat.so", "").verdict, FF_VERDICT_NONE);
    struct ff_image differs = find(images, "/opt/sysroot.so", OTHER_ID);
    CHECK_NUMBER(differs.verdict, FF_VERDICT_DIFFERS);
    CHECK(!differs.elf);
    CHECK_TEXT(ff_intern_text(&images->texts, differs.refused), in_folder("opt/sysroot.so"));
    CHECK(find(images, "/opt/sysroot.so", "").elf == find(images, "/opt/sysroot.so", "").elf);
    ff_images_free(images);
    images = ff_images_new();
    CHECK(ff_images_add(images, in_folder("flat.so")) == FF_OK);
    CHECK_NUMBER(find(images, "/a/b.so", BUILD_ID).verdict, FF_VERDICT_SAME);
    CHECK_NUMBER(find(images, "/a/flat.so", "").verdict, FF_VERDICT_NOT_VERIFIED);
    CHECK_NUMBER(find(images, "/a/flat.so", OTHER_ID).verdict, FF_VERDICT_DIFFERS);
    CHECK_NUMBER(find(images, "/a/b.so", "").verdict, FF_VERDICT_NONE);
    /* The recorded path itself only when the live system is asked for. */
    ff_images_use_system(images);
    CHECK_NUMBER(find(images, "/no/such/file", "").verdict, FF_VERDICT_NONE);
    ff_images_free(images);
    remove_folder();
}

static void test_recognition(void)
{
    new_folder();
    write_file("text", FF_TEXT("hello\n"));
    write_file("empty", FF_TEXT(""));
    write_file("kallsyms", FF_TEXT("ffffffff81000000 T _text\n"));
    write_file("perf.map", FF_TEXT("1000 b py::f:g.py\n"));
    write_file("perf-7.map", FF_TEXT("1000 10 seven\n"));
    struct ff_images *images = ff_images_new();
    CHECK(ff_images_add(images, in_folder("text")) == FF_USAGE);
    CHECK(strstr(images->error.message, "expected a folder, a symbol pack") != NULL);
    CHECK(ff_images_add(images, in_folder("empty")) == FF_USAGE);
    CHECK(ff_images_add(images, in_folder("missing")) == FF_SYSTEM);
    CHECK(ff_images_add(images, folder) == FF_OK);
    struct ff_kallsyms *table;
    struct ff_perf_map *map;
    CHECK(ff_images_kallsyms(images, &table) == FF_OK && table);
    CHECK(ff_images_perf_map(images, 7, false, &map) == FF_OK && map && map->pid == 7);
    CHECK(ff_images_perf_map(images, 8, true, &map) == FF_OK && map && map->pid == 0);
    CHECK(ff_images_perf_map(images, 8, false, &map) == FF_USAGE && !map);
    CHECK(strstr(images->error.message, "--pid-of FILE=PID") != NULL);
    CHECK(ff_images_set_pid(images, in_folder("perf.map"), 9) == FF_OK);
    CHECK(ff_images_perf_map(images, 9, false, &map) == FF_OK && map);
    CHECK(ff_images_perf_map(images, 8, false, &map) == FF_OK && !map);
    CHECK(ff_images_set_pid(images, "nowhere", 9) == FF_USAGE);
    ff_images_free(images);
    remove_folder();
}

/* A profile that touches image.so, the kernel and a perf map. */
static struct ff_profile *small_profile(const char *build_id)
{
    static const uint64_t offsets[] = {0x470, 0x480, 0x500, 0x510, 0x528, 0x530,
                                       0x540, 0x558, 0x560, 0x590, 0x5a0, 0xffff};
    static const uint64_t kernel[] = {0xffffffff81000010, 0xffffffff81000110, 0xffffffff81020000};
    struct ff_profile *profile = ff_profile_new();
    struct ff_module elf = {.kind = FF_MODULE_ELF,
                            .path = ff_profile_intern(profile, FF_TEXT("/a\tb/image.so")),
                            .build_id = ff_profile_intern(profile, ff_text(build_id))};
    struct ff_module core = {.kind = FF_MODULE_KERNEL,
                             .path = ff_profile_intern(profile, FF_TEXT("[kernel.kallsyms]"))};
    struct ff_module jit = {.kind = FF_MODULE_PERF_MAP,
                            .path = ff_profile_intern(profile, FF_TEXT("//anon")),
                            .pid = 7};
    struct ff_frame frame = {.kind = FF_FRAME_NATIVE, .module = ff_module_add(profile, elf)};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        frame.place = offsets[i];
        ff_frame_add(profile, frame);
    }
    frame = (struct ff_frame){.kind = FF_FRAME_KERNEL, .module = ff_module_add(profile, core)};
    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++) {
        frame.place = kernel[i];
        ff_frame_add(profile, frame);
    }
    frame = (struct ff_frame){.kind = FF_FRAME_NATIVE, .module = ff_module_add(profile, jit)};
    for (frame.place = 0x1000; frame.place < 0x1030; frame.place += 0x10)
        ff_frame_add(profile, frame);
    jit.path = ff_profile_intern(profile, FF_TEXT("/memfd:jit"));
    frame = (struct ff_frame){
        .kind = FF_FRAME_NATIVE, .module = ff_module_add(profile, jit), .place = 0x2000};
    ff_frame_add(profile, frame);
    frame = (struct ff_frame){.kind = FF_FRAME_NATIVE, .place = 0x1234};
    ff_frame_add(profile, frame);
    /* One sample holds each frame once. */
    uint32_t stack = 0;
    for (uint32_t i = 1; i < profile->frames.count; i++)
        stack = ff_stack_push(profile, stack, i);
    uint32_t event = ff_event_add(profile, (struct ff_event){.source = 0});
    ff_sample_add(profile,
                  (struct ff_sample){.event = event, .stack = stack, .count = FF_COUNT_ONE});
    return profile;
}

static void check_same_frames(const struct ff_profile *a, const struct ff_profile *b)
{
    unsigned int different = 0;
    CHECK_NUMBER(b->frames.count, a->frames.count);
    for (uint32_t i = 1; i < a->frames.count && i < b->frames.count; i++) {
        const struct ff_frame *left = &a->frames.at[i], *right = &b->frames.at[i];
        different +=
            left->named != right->named || left->function != right->function ||
            !ff_text_equal(ff_profile_text(a, left->symbol), ff_profile_text(b, right->symbol));
    }
    CHECK_NUMBER(different, 0);
}

static void check_counts(const struct ff_profile *profile, uint64_t not_verified)
{
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_NO_MODULE), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_NO_SYMBOLS), 0);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_NO_RANGE), 4);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_NOT_VERIFIED), not_verified);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_BUILD_ID_DIFFERS), 0);
}

static void check_small_names(const struct ff_profile *profile)
{
    static const char *const names[] = {"external_a@plt",
                                        "chosen@plt",
                                        "plain",
                                        "",
                                        "inner",
                                        "outer",
                                        "sizeless",
                                        "",
                                        "",
                                        "chosen",
                                        "foo::bar",
                                        "",
                                        "first",
                                        "second",
                                        "",
                                        "one",
                                        "two b",
                                        "",
                                        "three",
                                        ""};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK_TEXT(ff_profile_text(profile, profile->frames.at[i + 1].symbol), names[i]);
    CHECK_NUMBER(profile->frames.at[8].named, FF_NAMED_FUNCTION);
    CHECK_NUMBER(profile->frames.at[8].function, 0x3050);
    CHECK_NUMBER(profile->frames.at[9].function, 0x3060);
    CHECK_NUMBER(profile->frames.at[4].named, FF_NAMED_NOT);
}

static void name_with(struct ff_profile *profile, const char *path, uint64_t not_verified)
{
    struct ff_images *images = ff_images_new();
    CHECK(ff_images_add(images, path) == FF_OK);
    if (not_verified) /* a file without a proof must be named itself: its folder will not do */
        CHECK(ff_images_add(images, in_folder("image.so")) == FF_OK);
    CHECK(ff_symbolize(profile, images) == FF_OK);
    check_counts(profile, not_verified);
    check_small_names(profile);
    /* Again: nothing is counted twice. */
    CHECK(ff_symbolize(profile, images) == FF_OK);
    check_counts(profile, not_verified);
    ff_images_free(images);
}

static void test_pack_of(const char *build_id)
{
    char tar[512], copy[512];
    uint64_t not_verified = *build_id ? 0 : 1;
    struct ff_error note = {0};
    new_folder();
    copy_image("image.so");
    write_file("kallsyms", FF_TEXT("ffffffff81000000 T first\nffffffff81000100 t second\n"
                                   "ffffffff81000200 t third\n"));
    write_file("perf-7.map", FF_TEXT("1000 10 one\n1010 10 two b\n2000 1 three\n"));
    struct ff_profile *full = small_profile(build_id);
    name_with(full, folder, not_verified);
    struct ff_images *images = ff_images_new();
    CHECK(ff_images_add(images, folder) == FF_OK);
    if (not_verified)
        CHECK(ff_images_add(images, in_folder("image.so")) == FF_OK);
    snprintf(tar, sizeof tar, "%s", in_folder("pack.tar"));
    snprintf(copy, sizeof copy, "%s", in_folder("pack"));
    CHECK(ff_pack_write(full, images, tar, &note) == FF_OK);
    CHECK(ff_pack_write(full, images, copy, &note) == FF_OK);
    CHECK(ff_pack_write(full, images, folder, &note) == FF_USAGE);
    CHECK_NUMBER(note.status, FF_OK);
    ff_images_free(images);
    static const char *const packs[] = {"pack.tar", "pack"};
    for (int i = 0; i < 2; i++) {
        struct ff_profile *packed = small_profile(build_id);
        name_with(packed, in_folder(packs[i]), not_verified);
        check_same_frames(full, packed);
        ff_profile_free(packed);
    }
    ff_profile_free(full);
    remove_folder();
}

static void test_bad_packs(void)
{
    static const char *const manifests[] = {
        "flamefold-pack 2\n",
        "flamefold-pack 1\nelf\t-\t0\t../x\t/x\n",
        "flamefold-pack 1\nelf\t-\tx\tx\t/x\n",
        "flamefold-pack 1\nelf\t-\t0\tx\n",
        "flamefold-pack 1\nwasm\t-\t0\tx\t/x\n",
    };
    new_folder();
    for (size_t i = 0; i < sizeof manifests / sizeof *manifests; i++) {
        struct ff_pack *pack;
        struct ff_error error = {0};
        write_file("manifest", ff_text(manifests[i]));
        CHECK(ff_pack_open(&pack, folder, &error) == FF_BAD_INPUT && !pack);
        CHECK(strstr(error.message, i ? "manifest: line 2" : "manifest: line 1") != NULL);
    }
    remove_folder();
}

static void name_capture(struct ff_profile *profile, struct ff_images *images, const char *data)
{
    struct ff_selection selection = {0};
    CHECK(ff_read(profile, data, &(struct ff_read_options){.selection = &selection}) == FF_OK);
    CHECK(ff_symbolize(profile, images) == FF_OK);
}

static void test_captured_pack(const char *shared, const char *name, off_t limit)
{
    char data[512], vdso[512], map[512], tar[512];
    struct stat info = {0};
    struct ff_error note = {0};
    struct ff_profile *full = ff_profile_new(), *packed = ff_profile_new();
    struct ff_images *images = ff_images_new(), *pack = ff_images_new();
    new_folder();
    snprintf(data, sizeof data, "%s/captures/%s/fp.data", shared, name);
    snprintf(vdso, sizeof vdso, "%s/captures/vdso.so", shared);
    snprintf(map, sizeof map, "%s/captures/%s/perf.map", shared, name);
    snprintf(tar, sizeof tar, "%s", in_folder("pack.tar"));
    CHECK(ff_images_add(images, "build/shared") == FF_OK);
    CHECK(ff_images_add(images, vdso) == FF_OK);
    if (access(map, R_OK) == 0)
        CHECK(ff_images_add(images, map) == FF_OK);
    if (access("build/shared-kallsyms", R_OK) == 0)
        CHECK(ff_images_add(images, "build/shared-kallsyms") == FF_OK);
    name_capture(full, images, data);
    CHECK(ff_pack_write(full, images, tar, &note) == FF_OK && note.status == FF_OK);
    CHECK(stat(tar, &info) == 0 && info.st_size < limit);
    printf("%s: pack of %lld bytes\n", name, (long long)info.st_size);
    CHECK(ff_images_add(pack, tar) == FF_OK);
    name_capture(packed, pack, data);
    check_same_frames(full, packed);
    ff_images_free(images);
    ff_images_free(pack);
    ff_profile_free(full);
    ff_profile_free(packed);
    remove_folder();
}

int main(void)
{
    const char *shared = getenv("FF_SHARED");
    shared = shared ? shared : "../shared";
    test_search();
    test_recognition();
    test_pack_of(BUILD_ID);
    test_pack_of("");
    test_bad_packs();
    if (access("build/shared", R_OK) == 0 && access(shared, R_OK) == 0) {
        test_captured_pack(shared, "launch-queue", 150000);
        test_captured_pack(shared, "trampoline", 300000);
    } else {
        SKIP("the captures and their unpacked symbols are not here");
    }
    return check_result();
}
