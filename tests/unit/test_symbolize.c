/* SPDX-License-Identifier: MIT
 *
 * Names against perf's own: a real recording, its libraries' skeletons, its kernel's symbols, and
 * the text that perf script printed where it was made. After the canonicaliser on both sides every
 * name is equal, except for callers that perf shows at +0x0: there the return address is the first
 * of the next function, and perf names that one.
 */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/input.h"
#include "base/memory.h"
#include "image/name.h"
#include "read/read.h"
#include "symbolize/symbolize.h"

#define LIBRARIES "build/shared"
#define KALLSYMS  "build/shared-kallsyms"

struct perf_frame {
    struct ff_text symbol, module; /* symbol without +0xoffset */
    uint64_t address, offset;
};

struct comparison {
    struct ff_profile *profile;
    struct ff_map places;
    struct ff_name name;
    unsigned int equal, at_zero, zero_callers, beyond, unknown, different, missing;
};

static bool parse_frame(struct ff_text line, struct perf_frame *frame)
{
    line = ff_text_trim(line);
    ptrdiff_t open = ff_text_find_text(line, FF_TEXT(" ("));
    for (ptrdiff_t next = open; next >= 0;) {
        open = next;
        next = ff_text_find_text(ff_text_from(line, (size_t)open + 2), FF_TEXT(" ("));
        next = next < 0 ? -1 : open + 2 + next;
    }
    if (open < 0 || !ff_text_ends(line, FF_TEXT(")")))
        return false;
    frame->module = ff_text_slice(line, (size_t)open + 2, line.size - 1);
    struct ff_text rest = ff_text_slice(line, 0, (size_t)open);
    if (!ff_text_hex(ff_text_cut(&rest, ' '), &frame->address))
        return false;
    ptrdiff_t plus = ff_text_find_last(rest, '+');
    frame->offset = 0;
    if (plus > 0 && ff_text_starts(ff_text_from(rest, (size_t)plus), FF_TEXT("+0x"))) {
        ff_text_hex(ff_text_from(rest, (size_t)plus + 3), &frame->offset);
        rest = ff_text_slice(rest, 0, (size_t)plus);
    }
    frame->symbol = rest;
    return true;
}

static uint64_t place_hash(struct ff_text module, uint64_t place)
{
    return ff_hash_bytes(module.at, module.size, place);
}

/* A frame of the profile by perf's name of its module. */
static uint32_t find_frame(const struct comparison *comparison, struct ff_text module,
                           uint64_t place)
{
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&comparison->places, place_hash(module, place), &probe); id;
         id = ff_map_next(&comparison->places, &probe)) {
        if (comparison->profile->frames.at[id].place == place)
            return id;
    }
    return 0;
}

static void index_frames(struct comparison *comparison)
{
    const struct ff_profile *profile = comparison->profile;
    for (uint32_t i = 1; i < profile->frames.count; i++) {
        const struct ff_frame *frame = &profile->frames.at[i];
        const struct ff_module *module = &profile->modules.at[frame->module];
        struct ff_text path = ff_profile_text(profile, module->path);
        char map[64];
        if (module->kind == FF_MODULE_PERF_MAP) {
            snprintf(map, sizeof map, "/tmp/perf-%u.map", (unsigned int)module->pid);
            path = ff_text(map);
        }
        if (frame->module)
            ff_map_add(&comparison->places, place_hash(path, frame->place), i);
    }
}

/* What perf 6.1 does not name: the vdso, which it cannot replay, and slots of .plt.sec. It also
 * takes code of nvidia_uvm for nvidia's, whose size overlaps it; that frame is counted nowhere. */
static bool is_beyond_perf(struct ff_text module, struct ff_text ours)
{
    return ff_text_equal(module, FF_TEXT("[vdso]")) || ff_text_ends(ours, FF_TEXT("@plt"));
}

static void compare(struct comparison *comparison, const struct perf_frame *perf, bool caller)
{
    struct ff_profile *profile = comparison->profile;
    struct ff_text unknown = FF_TEXT("[unknown]");
    bool known = !ff_text_equal(perf->symbol, unknown);
    uint32_t id = find_frame(comparison, perf->module, perf->address - caller);
    const struct ff_frame *frame = &profile->frames.at[id];
    struct ff_text ours = ff_profile_text(profile, frame->symbol), theirs = perf->symbol;
    if (ff_text_equal(perf->module, unknown))
        return;
    if (frame->kind == FF_FRAME_KERNEL)
        theirs = ff_name_kernel(theirs);
    else if (profile->modules.at[frame->module].kind != FF_MODULE_PERF_MAP)
        theirs = ff_name_text(&comparison->name, theirs);
    if (caller && known && !perf->offset)
        comparison->zero_callers++;
    if (!id)
        comparison->missing += known || !ff_text_equal(perf->module, FF_TEXT("[nvidia]"));
    else if (!known && frame->named != FF_NAMED_SYMBOL)
        comparison->unknown++;
    else if (known && frame->named == FF_NAMED_SYMBOL && ff_text_equal(ours, theirs))
        comparison->equal++;
    else if (caller && perf->offset == 0 && known)
        comparison->at_zero++;
    else if (!known && is_beyond_perf(perf->module, ours))
        comparison->beyond++;
    else {
        if (comparison->different++ < 40)
            fprintf(stderr, "%.*s %llx: perf '%.*s'+%llx, ours '%.*s' %llx\n",
                    FF_TEXT_ARGS(perf->module), (unsigned long long)perf->address,
                    FF_TEXT_ARGS(perf->symbol), (unsigned long long)perf->offset,
                    FF_TEXT_ARGS(ours), (unsigned long long)frame->function);
    }
}

static bool is_kernel(const struct perf_frame *frame)
{
    /* Walks by frame pointer bring up garbage with the high bit set, too. */
    return frame->address >> 47 == UINT64_C(0x1ffff);
}

static void compare_script(struct comparison *comparison, const char *path)
{
    struct ff_input input;
    struct ff_error error = {0};
    struct ff_text line;
    bool first = true, kernel = false;
    if (ff_input_open(&input, path, &error) != FF_OK)
        return;
    while (ff_input_line(&input, &line, &error) == FF_OK) {
        struct perf_frame frame;
        if (!line.size || line.at[0] != '\t' || !parse_frame(line, &frame)) {
            first = true;
            continue;
        }
        bool turn = kernel && !is_kernel(&frame);
        compare(comparison, &frame, !first && !turn);
        first = false;
        kernel = is_kernel(&frame);
    }
    ff_input_close(&input);
}

static void compare_recording(const char *shared, const char *name, unsigned int expected_at_zero)
{
    char data[512], script[512], vdso[512], map[512];
    struct ff_selection selection = {0};
    struct comparison comparison = {.profile = ff_profile_new()};
    struct ff_images *images = ff_images_new();
    snprintf(data, sizeof data, "%s/captures/%s/fp.data", shared, name);
    snprintf(script, sizeof script, "%s/captures/%s/fp.script.txt", shared, name);
    snprintf(vdso, sizeof vdso, "%s/captures/vdso.so", shared);
    snprintf(map, sizeof map, "%s/captures/%s/perf.map", shared, name);
    CHECK(ff_read(comparison.profile, data, &(struct ff_read_options){.selection = &selection}) ==
          FF_OK);
    CHECK(ff_images_add(images, LIBRARIES) == FF_OK);
    CHECK(ff_images_add(images, KALLSYMS) == FF_OK);
    CHECK(ff_images_add(images, vdso) == FF_OK);
    if (access(map, R_OK) == 0)
        CHECK(ff_images_add(images, map) == FF_OK);
    CHECK(ff_symbolize(comparison.profile, images) == FF_OK);
    index_frames(&comparison);
    compare_script(&comparison, script);
    printf("%s: %u equal, %u unknown to both, %u unknown to perf, %u of %u callers at +0x0 "
           "differ, %u others differ, %u missing\n",
           name, comparison.equal, comparison.unknown, comparison.beyond, comparison.at_zero,
           comparison.zero_callers, comparison.different, comparison.missing);
    CHECK(comparison.equal > 10000);
    CHECK_NUMBER(comparison.different, 0);
    CHECK_NUMBER(comparison.missing, 0);
    if (expected_at_zero)
        CHECK_NUMBER(comparison.zero_callers, expected_at_zero);
    ff_images_free(images);
    ff_profile_free(comparison.profile);
    ff_map_release(&comparison.places);
    ff_name_release(&comparison.name);
}

/* The kernel's symbols are kept compressed; unpacked once, beside the libraries. */
static bool unpack_kallsyms(const char *shared)
{
    char command[1024];
    snprintf(command, sizeof command,
             "xz -dc '%s/captures/kallsyms.xz' > " KALLSYMS ".part && mv " KALLSYMS
             ".part " KALLSYMS,
             shared);
    return access(KALLSYMS, R_OK) == 0 || system(command) == 0;
}

int main(void)
{
    const char *shared = getenv("FF_SHARED");
    shared = shared ? shared : "../shared";
    if (access(LIBRARIES, R_OK) != 0 || access(shared, R_OK) != 0 || !unpack_kallsyms(shared)) {
        SKIP("the captures and their unpacked symbols are not here");
        return check_result();
    }
    compare_recording(shared, "launch-queue", 353);
    compare_recording(shared, "gil-convoy", 0);
    compare_recording(shared, "trampoline", 0);
    return check_result();
}
