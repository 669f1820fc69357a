/* SPDX-License-Identifier: MIT
 *
 * Bare addresses and mappings: which proof is one; and a captured dump beside a recording and beside the
 * maps file of its process, which must say the same.
 */
#include "pyspy_reads.h"

#include <unistd.h>

#include "base/output.h"
#include "profile/mapping.h"
#include "read/belong.h"
#include "read/proc_maps.h"
#include "read/pyspy_dump.h"
#include "read/read.h"
#include "read/side.h"
#include "symbolize/symbolize.h"

static uint32_t library(struct ff_profile *profile, const char *path)
{
    return ff_module_add(profile,
                         (struct ff_module){.kind = FF_MODULE_ELF,
                                            .path = ff_profile_intern(profile, ff_text(path))});
}

static void map(struct ff_profile *profile, uint32_t pid, const char *path, uint64_t start,
                uint64_t end, uint64_t file_offset)
{
    ff_mapping_add(profile, (struct ff_mapping){.pid = pid,
                                                .module = library(profile, path),
                                                .start = start,
                                                .end = end,
                                                .file_offset = file_offset});
}

static struct ff_profile *dump_of(const char *frames)
{
    char text[500];
    snprintf(text, sizeof text, "Process 7: x\nThread 8 (idle)\n%s", frames);
    return pyspy_read_good(ff_pyspy_dump_read, text);
}

static struct ff_frame frame_at(const struct ff_profile *profile, uint32_t level)
{
    uint32_t stack = profile->samples.at[1].stack;
    while (level--)
        stack = profile->stacks.at[stack].parent;
    return profile->frames.at[profile->stacks.at[stack].frame];
}

static void check_places(void)
{
    struct ff_profile *profile =
        dump_of("    0x7f1100 (libcuda.so.1)\n    0x7f1100 (libcuda.so.1)\n"
                "    0x7f1000 (libcuda.so.1)\n    0x7f1100 (libc.so.6)\n");
    map(profile, 7, "/lib/libcuda.so.1", 0x7f1000, 0x7f2000, 0x4000);
    map(profile, 7, "/lib/libc.so.6", 0x6f1000, 0x6f2000, 0);
    ff_mapping_place_frames(profile);
    CHECK_NUMBER(frame_at(profile, 0).place, 0x4100); /* innermost: where it was */
    CHECK_NUMBER(frame_at(profile, 1).place, 0x40ff);
    CHECK_NUMBER(frame_at(profile, 2).place,
                 0x7f0fff); /* before the mapping: the caller is elsewhere */
    CHECK_NUMBER(frame_at(profile, 3).place, 0x7f10ff); /* another library's address */
    CHECK(frame_at(profile, 0).module == library(profile, "/lib/libcuda.so.1"));
    CHECK(profile->modules.at[frame_at(profile, 3).module].kind == FF_MODULE_UNPLACED);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_ADDRESSES_PLACED), 2);
    CHECK_NUMBER(pyspy_total(profile), 1);
    ff_mapping_place_frames(profile);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_ADDRESSES_PLACED), 2);
    ff_profile_free(profile);
}

/* Two processes with the library at one address and different files: the pid decides, if it can. */
static void check_processes(void)
{
    for (uint32_t pid = 6; pid <= 7; pid++) {
        struct ff_profile *profile = dump_of("    0x7f1100 (libcuda.so.1)\n");
        map(profile, pid, "/a/libcuda.so.1", 0x7f1000, 0x7f2000, 0);
        map(profile, 9, "/b/libcuda.so.1", 0x7f1000, 0x7f2000, 0x1000);
        ff_mapping_place_frames(profile);
        bool placed = frame_at(profile, 0).module == library(profile, "/a/libcuda.so.1");
        CHECK(placed == (pid == 7));
        ff_profile_free(profile);
    }
    /* A container's pid is another one: what all mappings say is proof enough. */
    struct ff_profile *profile = dump_of("    0x7f1100 (libcuda.so.1)\n");
    map(profile, 1234, "/a/libcuda.so.1", 0x7f1000, 0x7f2000, 0);
    map(profile, 1235, "/a/libcuda.so.1", 0x7f1000, 0x7f2000, 0);
    ff_mapping_place_frames(profile);
    CHECK_NUMBER(frame_at(profile, 0).place, 0x100);
    ff_profile_free(profile);
}

/* Two frames that become equal are one stack, and their samples add up. */
static void check_equal(void)
{
    struct ff_profile *profile = pyspy_read_good(
        ff_pyspy_dump_read, "Process 7: x\nThread 8 (idle)\n    0x7f1100 (/a/l.so)\n"
                            "Process 9: x\nThread 8 (idle)\n    0x5f1100 (/a/l.so)\n");
    map(profile, 7, "/a/l.so", 0x7f1000, 0x7f2000, 0);
    map(profile, 9, "/a/l.so", 0x5f1000, 0x5f2000, 0);
    ff_mapping_place_frames(profile);
    CHECK(profile->samples.at[1].stack == profile->samples.at[2].stack);
    CHECK_NUMBER(profile->samples.count, 3);
    ff_profile_free(profile);
}

static struct ff_profile *read_files(const char *const *files)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_selection selection = {0};
    struct ff_read_options options = {.selection = &selection, .pid = 627};
    char path[1000], below[200];
    for (; *files; files++) {
        snprintf(below, sizeof below, "captures/gil-convoy/%s", *files);
        CHECK(ff_read(profile, shared_path(path, sizeof path, below), &options) == FF_OK);
    }
    return profile;
}

/* Names of all frames of the dump's samples, outermost first, with their threads. */
static void print_all(struct ff_profile *profile, struct ff_output *output)
{
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        uint32_t source = profile->events.at[sample->event].source;
        if (profile->sources.at[source].tool != FF_TOOL_PY_SPY)
            continue;
        ff_output_decimal(output, profile->threads.at[sample->thread].tid);
        for (uint32_t s = sample->stack; s; s = profile->stacks.at[s].parent) {
            ff_output_byte(output, ';');
            ff_output_text(
                output,
                ff_profile_text(profile, ff_frame_name(profile, profile->stacks.at[s].frame)));
        }
        ff_output_byte(output, '\n');
    }
}

static uint32_t unplaced(const struct ff_profile *profile)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        for (uint32_t s = profile->samples.at[i].stack; s; s = profile->stacks.at[s].parent) {
            uint32_t module = profile->frames.at[profile->stacks.at[s].frame].module;
            count += profile->modules.at[module].kind == FF_MODULE_UNPLACED;
        }
    }
    return count;
}

/* The dump beside a recording without stack dumps, and beside the maps file: the same names. */
static void check_capture(void)
{
    char path[1000];
    const char *const recording[] = {"dump-native.1.txt", "fp.data", NULL};
    const char *const maps[] = {"maps", "dump-native.1.txt", NULL};
    const char *const alone[] = {"dump-native.1.txt", NULL};
    if (access(shared_path(path, sizeof path, "captures/gil-convoy/maps"), R_OK) != 0 ||
        access("build/shared/vdso.so", R_OK) != 0) {
        SKIP("the captures or their libraries are not here");
        return;
    }
    struct ff_output outputs[2];
    const char *const *const both[] = {recording, maps};
    for (size_t i = 0; i < 2; i++) {
        struct ff_profile *profile = read_files(both[i]);
        struct ff_images *images = ff_images_new();
        ff_output_memory(&outputs[i]);
        CHECK(ff_images_add(images, "build/shared") == FF_OK);
        ff_maps_enter(profile);
        CHECK(ff_symbolize(profile, images) == FF_OK);
        CHECK_NUMBER(unplaced(profile), 0);
        print_all(profile, &outputs[i]);
        ff_images_free(images);
        ff_profile_free(profile);
    }
    struct ff_text first = {outputs[0].buffer, outputs[0].used};
    struct ff_text second = {outputs[1].buffer, outputs[1].used};
    CHECK(first.size > 1000);
    CHECK(ff_text_equal(first, second));
    ff_output_close(&outputs[0], &(struct ff_error){0});
    ff_output_close(&outputs[1], &(struct ff_error){0});
    struct ff_profile *profile = read_files(alone);
    ff_mapping_place_frames(profile);
    /* Lines of the file that hold an address: grep -c '^    0x'. */
    CHECK_NUMBER(unplaced(profile), 45);
    ff_profile_free(profile);
}

/* A maps file that names no process: it is the dump's if its addresses lie in files of their names. */
static void check_belongs(void)
{
    static const char maps[] = "7f1000-7f2000 r-xp 00004000 fe:00 7 /lib/libcuda.so.1\n"
                               "7f2000-7f3000 r--p 00005000 fe:00 7 /lib/libcuda.so.1\n";
    static const char *const addresses[] = {"0x7f1100", "0x7f2100"};
    for (size_t i = 0; i < 2; i++) {
        char frames[100];
        struct ff_input input;
        struct ff_error note = {0};
        snprintf(frames, sizeof frames, "    %s (libcuda.so.1)\n", addresses[i]);
        struct ff_profile *profile = dump_of(frames);
        text_input(&input, "maps", FF_TEXT(maps));
        CHECK(ff_side_read(profile, &input, "maps", &ff_side_maps, 0) == FF_OK);
        ff_input_close(&input);
        CHECK(ff_belong(profile, &note) == FF_OK);
        ff_maps_enter(profile);
        ff_mapping_place_frames(profile);
        /* The second address is in no code. */
        CHECK((note.status == FF_OK) == (i == 0));
        CHECK_NUMBER(frame_at(profile, 0).place, i == 0 ? 0x4100 : 0x7f2100);
        ff_profile_free(profile);
    }
}

int main(void)
{
    check_places();
    check_processes();
    check_equal();
    check_belongs();
    check_capture();
    return check_result();
}
