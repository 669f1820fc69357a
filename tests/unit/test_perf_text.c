/* SPDX-License-Identifier: MIT
 *
 * Whole samples against perf's own text: what `perf script` printed on the machine that recorded,
 * sample by sample. A sample is looked up by comm, tid and the addresses of its frames, and both
 * sides must have each as often as the other; then the names are compared frame by frame.
 *
 * The one tolerated difference in names: callers that perf shows at +0x0. It looks up the return
 * address itself, which is the next function's first byte when the call never returns; we look up
 * the byte before it. The differences in what is named at all are counted: code that only an FDE
 * covers ([unknown] for perf), the vdso and .plt.sec, which perf 6.1 cannot name here.
 */
#include "check.h"
#include "perf_text.h"
#include "text_input.h"

#include <stdlib.h>
#include <unistd.h>

#include "classify/classify.h"
#include "image/name.h"
#include "read/read.h"
#include "symbolize/symbolize.h"

#define LIBRARIES   "build/shared"
#define TORCH       "/opt/torch/.venv/lib/python3.12/site-packages/torch/lib/"
#define FRAME_LIMIT 256

/* One stack of one thread in our profile. */
struct row {
    struct ff_text key;
    uint32_t sample;
    uint64_t left; /* samples that perf's text has not shown yet */
};

struct tally {
    unsigned int samples, without_frames, frames, same, callers_at_zero, other_name_at_zero;
    unsigned int no_module, only_function, nothing, in_vdso, in_plt, in_other_module, different;
    unsigned int not_parsed, not_found, python, launch_yield, launch_yield_spin;
};

struct comparison {
    struct ff_profile *profile;
    struct row *rows; /* from 1 */
    uint32_t row_count;
    struct ff_map map;
    struct ff_arena arena;
    struct ff_name name;
    struct tally tally;
    char *key;
    size_t key_used;
    struct frame frames[FRAME_LIMIT];
    uint32_t frame_count;
    struct ff_text head;
};

#define KEY_SIZE ((size_t)1 << 16)

static void key_add(struct comparison *comparison, struct ff_text module, uint64_t place)
{
    comparison->key_used +=
        (size_t)snprintf(comparison->key + comparison->key_used, KEY_SIZE - comparison->key_used,
                         "|%.*s+%llx", FF_TEXT_ARGS(module), (unsigned long long)place);
}

static void key_begin(struct comparison *comparison, struct ff_text comm, uint64_t tid)
{
    comparison->key_used = (size_t)snprintf(comparison->key, KEY_SIZE, "%.*s/%llu",
                                            FF_TEXT_ARGS(comm), (unsigned long long)tid);
}

static uint32_t find_row(const struct comparison *comparison)
{
    struct ff_text key = {comparison->key, comparison->key_used};
    struct ff_probe probe;
    uint64_t hash = ff_hash_bytes(key.at, key.size, 0);
    for (uint32_t id = ff_map_first(&comparison->map, hash, &probe); id;
         id = ff_map_next(&comparison->map, &probe)) {
        if (ff_text_equal(comparison->rows[id].key, key))
            return id;
    }
    return 0;
}

/* perf's word for a module. Kernel code has absolute addresses, so that its module is compared by
 * itself: perf 6.1 takes code of nvidia_uvm for nvidia's, whose size overlaps it. */
static struct ff_text module_word(const struct ff_profile *profile, const struct ff_frame *frame,
                                  char *buffer, size_t size)
{
    const struct ff_module *module = &profile->modules.at[frame->module];
    if (frame->kind == FF_FRAME_KERNEL)
        return FF_TEXT("kernel");
    if (!frame->module)
        return FF_TEXT("[unknown]");
    if (module->kind == FF_MODULE_PERF_MAP) {
        snprintf(buffer, size, "/tmp/perf-%u.map", (unsigned int)module->pid);
        return ff_text(buffer);
    }
    return ff_profile_text(profile, module->path);
}

static void index_samples(struct comparison *comparison)
{
    const struct ff_profile *profile = comparison->profile;
    comparison->rows = ff_alloc(profile->samples.count + 1, sizeof *comparison->rows);
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        const struct ff_thread *thread = &profile->threads.at[sample->thread];
        key_begin(comparison, ff_profile_text(profile, thread->comm), thread->tid);
        for (uint32_t s = sample->stack; s; s = profile->stacks.at[s].parent) {
            const struct ff_frame *frame = &profile->frames.at[profile->stacks.at[s].frame];
            char buffer[64];
            key_add(comparison, module_word(profile, frame, buffer, sizeof buffer), frame->place);
        }
        uint32_t row = find_row(comparison);
        if (!row) {
            row = ++comparison->row_count;
            char *copy = ff_arena_take(&comparison->arena, comparison->key_used);
            memcpy(copy, comparison->key, comparison->key_used);
            comparison->rows[row].key = (struct ff_text){copy, comparison->key_used};
            comparison->rows[row].sample = i;
            ff_map_add(&comparison->map, ff_hash_bytes(copy, comparison->key_used, 0), row);
        }
        comparison->rows[row].left += sample->count / FF_COUNT_ONE;
    }
}

static bool is_kernel_module(const struct frame *frame)
{
    return frame->address >> 47 == UINT64_C(0x1ffff) && ff_text_starts(frame->module, FF_TEXT("["));
}

/* Which frames are where they stand: the leaf, and the first one behind the kernel's. */
static bool is_exact(const struct comparison *comparison, uint32_t index)
{
    uint32_t kernel = 0;
    while (kernel < comparison->frame_count && is_kernel_module(&comparison->frames[kernel]) &&
           !ff_text_equal(comparison->frames[kernel].module, FF_TEXT("[unknown]")))
        kernel++;
    return index == 0 || index == kernel;
}

static bool is_plt(struct ff_text name)
{
    return ff_text_ends(name, FF_TEXT("@plt"));
}

static void report(const struct frame *perf, struct ff_text ours, const char *what)
{
    fprintf(stderr, "  %s: %llx '%.*s' (%.*s), ours '%.*s'\n", what,
            (unsigned long long)perf->address, FF_TEXT_ARGS(perf->symbol),
            FF_TEXT_ARGS(perf->module), FF_TEXT_ARGS(ours));
}

static void compare_names(struct comparison *comparison, const struct frame *perf, bool exact,
                          const struct ff_frame *frame)
{
    struct tally *tally = &comparison->tally;
    const struct ff_profile *profile = comparison->profile;
    const struct ff_module *module = &profile->modules.at[frame->module];
    struct ff_text ours = ff_profile_text(profile, frame->symbol), theirs = perf->symbol;
    bool known = !ff_text_equal(theirs, FF_TEXT("[unknown]"));
    bool kernel = frame->kind == FF_FRAME_KERNEL;
    tally->frames++;
    if (kernel)
        theirs = ff_name_kernel(theirs);
    else if (module->kind != FF_MODULE_PERF_MAP)
        theirs = ff_name_text(&comparison->name, theirs);
    tally->callers_at_zero += !exact && known && perf->offset == 0;
    bool moved = kernel && !ff_text_equal(perf->module, ff_profile_text(profile, module->path));
    tally->in_other_module += moved;
    if (!frame->module)
        tally->no_module++;
    if (known && frame->named == FF_NAMED_SYMBOL && ff_text_equal(ours, theirs)) {
        tally->same++;
        tally->python += ff_text_starts(ours, FF_TEXT("py::"));
    } else if (known && !exact && perf->offset == 0) {
        tally->other_name_at_zero++;
    } else if (!known && frame->named == FF_NAMED_FUNCTION) {
        tally->only_function++;
    } else if (!known && frame->named != FF_NAMED_SYMBOL) {
        tally->nothing++;
    } else if (!known && module->kind == FF_MODULE_VDSO) {
        tally->in_vdso++;
    } else if (!known && is_plt(ours)) {
        tally->in_plt++;
    } else if (!known && moved) {
        return;
    } else if (tally->different++ < 10) {
        report(perf, ours, "another name");
    }
}

/* "sched_yield" and "cuLaunchKernel*" by perf's words alone. */
static bool is_launch_yield(const struct comparison *comparison)
{
    bool yield = false, launch = false;
    for (uint32_t i = 0; i < comparison->frame_count; i++) {
        struct ff_text symbol = comparison->frames[i].symbol;
        yield |= ff_text_equal(symbol, FF_TEXT("__sched_yield"));
        launch |= ff_text_starts(symbol, FF_TEXT("cuLaunchKernel"));
    }
    return yield && launch;
}

static void compare_sample(struct comparison *comparison)
{
    struct tally *tally = &comparison->tally;
    const struct ff_profile *profile = comparison->profile;
    struct ff_text comm = {0};
    uint64_t tid = 0;
    tally->samples++;
    if (!comparison->frame_count) {
        tally->without_frames++;
        return;
    }
    tally->not_parsed += !parse_head(comparison->head, &comm, &tid);
    key_begin(comparison, comm, tid);
    for (uint32_t i = 0; i < comparison->frame_count; i++) {
        const struct frame *frame = &comparison->frames[i];
        struct ff_text module = frame->module;
        if (is_kernel_module(frame) && !ff_text_equal(module, FF_TEXT("[unknown]")))
            module = FF_TEXT("kernel");
        key_add(comparison, module, frame->address - !is_exact(comparison, i));
    }
    uint32_t row = find_row(comparison);
    if (!row || !comparison->rows[row].left) {
        if (tally->not_found++ < 5)
            fprintf(stderr, "  not in our profile: %.*s\n", (int)comparison->key_used,
                    comparison->key);
        return;
    }
    comparison->rows[row].left--;
    const struct ff_sample *sample = &profile->samples.at[comparison->rows[row].sample];
    uint32_t stack = sample->stack;
    for (uint32_t i = 0; stack; i++, stack = profile->stacks.at[stack].parent)
        compare_names(comparison, &comparison->frames[i], is_exact(comparison, i),
                      &profile->frames.at[profile->stacks.at[stack].frame]);
    if (is_launch_yield(comparison)) {
        tally->launch_yield++;
        tally->launch_yield_spin +=
            ff_text_equal(ff_profile_text(profile, sample->bucket), FF_TEXT("cuda_launch_spin"));
    }
}

/* The whole text in memory: a sample's lines are needed together. */
static void compare_text(struct comparison *comparison, const char *path)
{
    struct ff_input input;
    struct ff_error error = {0};
    struct ff_text text, none = {0};
    CHECK(ff_input_open(&input, path, &error) == FF_OK);
    CHECK(ff_input_peek(&input, (size_t)input.size, &text, &error) == FF_OK);
    while (text.size) {
        struct ff_text line = ff_text_cut(&text, '\n');
        if (!line.size) {
            if (comparison->head.size)
                compare_sample(comparison);
            comparison->head = none;
            comparison->frame_count = 0;
        } else if (line.at[0] != '\t') {
            if (comparison->head.size) /* a sample without frames has no empty line behind it */
                compare_sample(comparison);
            comparison->head = line;
            comparison->frame_count = 0;
        } else if (comparison->frame_count < FRAME_LIMIT) {
            comparison->tally.not_parsed +=
                !parse_frame(line, &comparison->frames[comparison->frame_count++]);
        }
    }
    if (comparison->head.size)
        compare_sample(comparison);
    ff_input_close(&input);
}

/* Samples of ours that perf's text does not have: none but ONLY, where it is given.
 *
 * perf 6.1 prints no frame of a sample in whose chain a word is a context marker that it does not
 * know: walking by frame pointers, the kernel took -1 off a torn stack for a return address. The
 * words before it are good, and ours keeps them. The bytes (perf script -D): launch-queue, record
 * at 0x1abb8: FP chain nr 4: fffffffffffffe00 7f808bf2fbc0 7f7ff032fa25 ffffffffffffffff, with
 * libc10.so mapped at 7f808beff000 from 2a000 and libtorch_cpu.so at 7f7fef438000 from 1038000;
 * trampoline, time 188156616: nr 3: fffffffffffffe00 7fa938940700 ffffffffffffffff, with
 * libtorch_cpu.so at 7fa936c38000 from 1038000. */
static void check_left_over(const struct comparison *comparison, const char *only)
{
    unsigned int rows = 0;
    for (uint32_t i = 1; i <= comparison->row_count; i++) {
        if (!comparison->rows[i].left)
            continue;
        rows++;
        CHECK_NUMBER(comparison->rows[i].left, 1);
        CHECK_TEXT(comparison->rows[i].key, only ? only : "");
    }
    CHECK_NUMBER(rows, only != NULL);
}

static void load(struct comparison *comparison, const char *name)
{
    char path[512], below[128];
    struct ff_selection selection = {0};
    struct ff_images *images = ff_images_new();
    struct ff_rules *rules = ff_rules_new();
    snprintf(below, sizeof below, "captures/%s/fp.data", name);
    CHECK(ff_read(comparison->profile, shared_path(path, sizeof path, below),
                  &(struct ff_read_options){.selection = &selection}) == FF_OK);
    CHECK(ff_images_add(images, LIBRARIES) == FF_OK);
    snprintf(below, sizeof below, "captures/%s/perf.map", name);
    if (access(shared_path(path, sizeof path, below), R_OK) == 0)
        CHECK(ff_images_add(images, path) == FF_OK);
    CHECK(ff_symbolize(comparison->profile, images) == FF_OK);
    CHECK(ff_rules_parse(rules, "default.rules", ff_rules_default()) == FF_OK);
    CHECK(ff_classify(comparison->profile, rules) == FF_OK);
    ff_rules_free(rules);
    ff_images_free(images);
}

static void compare_recording(const char *name, const char *without_frames, struct tally *tally)
{
    static struct comparison comparison;
    char path[512], below[128];
    comparison = (struct comparison){.profile = ff_profile_new(), .key = malloc(KEY_SIZE)};
    load(&comparison, name);
    index_samples(&comparison);
    snprintf(below, sizeof below, "captures/%s/fp.script.txt", name);
    compare_text(&comparison, shared_path(path, sizeof path, below));
    *tally = comparison.tally;
    printf(
        "%s: %u samples (%u without frames), %u frames: %u same, %u only their function's start, "
        "%u in the vdso, %u in the PLT, %u named by nobody (%u in no module), %u callers at +0x0 "
        "(%u named otherwise), %u in another kernel module, %u py::\n",
        name, tally->samples, tally->without_frames, tally->frames, tally->same,
        tally->only_function, tally->in_vdso, tally->in_plt, tally->nothing, tally->no_module,
        tally->callers_at_zero, tally->other_name_at_zero, tally->in_other_module, tally->python);
    CHECK_NUMBER(tally->not_parsed, 0);
    CHECK_NUMBER(tally->not_found, 0);
    CHECK_NUMBER(tally->different, 0);
    check_left_over(&comparison, without_frames);
    ff_profile_free(comparison.profile);
    ff_free(comparison.rows);
    ff_map_release(&comparison.map);
    ff_arena_release(&comparison.arena);
    ff_name_release(&comparison.name);
    free(comparison.key);
}

int main(void)
{
    char path[512];
    struct tally tally;
    if (access(LIBRARIES "/kallsyms", R_OK) != 0 ||
        access(shared_path(path, sizeof path, "captures"), R_OK) != 0) {
        SKIP("the captures and their unpacked symbols are not here");
        return check_result();
    }
    /* The numbers are from perf's texts, with grep and awk: headers; samples without a frame;
     * "[unknown] ([unknown])"; "+0x0 (" but for the first frame and the first behind the kernel's;
     * "[unknown] ([vdso])"; "([nvidia])" from ffffffffc080c000 on, where kallsyms says nvidia_uvm;
     * "py::". One py:: caller of trampoline stands at +0x0, for a frame pointer led there. */
    compare_recording("launch-queue",
                      "python3/630|" TORCH "libc10.so+5abc0|" TORCH "libtorch_cpu.so+1f2fa24",
                      &tally);
    CHECK_NUMBER(tally.samples, 1899);
    CHECK_NUMBER(tally.without_frames, 1);
    CHECK_NUMBER(tally.frames, 38059);
    CHECK_NUMBER(tally.no_module, 4566);
    CHECK_NUMBER(tally.nothing, 4566);
    CHECK_NUMBER(tally.callers_at_zero, 353);
    CHECK_NUMBER(tally.in_vdso, 161);
    CHECK_NUMBER(tally.in_other_module, 26);
    CHECK_NUMBER(tally.launch_yield, 540);
    CHECK_NUMBER(tally.launch_yield_spin, 540);
    compare_recording("gil-convoy", NULL, &tally);
    CHECK_NUMBER(tally.samples, 2793);
    CHECK_NUMBER(tally.frames, 50509);
    CHECK_NUMBER(tally.no_module, 5384);
    CHECK_NUMBER(tally.nothing, 5384);
    CHECK_NUMBER(tally.callers_at_zero, 379);
    CHECK_NUMBER(tally.in_vdso, 9);
    CHECK_NUMBER(tally.in_other_module, 0);
    CHECK_NUMBER(tally.launch_yield, 0);
    compare_recording("trampoline", "python3/1135|" TORCH "libtorch_cpu.so+2d40700", &tally);
    CHECK_NUMBER(tally.samples, 2748);
    CHECK_NUMBER(tally.without_frames, 1);
    CHECK_NUMBER(tally.frames, 66469);
    CHECK_NUMBER(tally.no_module, 5347);
    CHECK_NUMBER(tally.nothing, 5347);
    CHECK_NUMBER(tally.callers_at_zero, 399);
    CHECK_NUMBER(tally.in_vdso, 4);
    CHECK_NUMBER(tally.python, 10089 - 1);
    return check_result();
}
