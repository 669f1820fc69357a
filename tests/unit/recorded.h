/* SPDX-License-Identifier: MIT
 *
 * A recording with stack dumps, sample by sample: a loop over the reader's parts that hands out each
 * sample with its address space, its dump and its unwound stack, before anything is aggregated.
 */
#ifndef FF_TESTS_RECORDED_H
#define FF_TESTS_RECORDED_H

#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "read/perf_dump.h"
#include "read/perf_mapping.h"
#include "read/perf_order.h"
#include "read/perf_zstd.h"
#include "text_input.h"
#include "unwind/unwind.h"

#define LIBRARIES "build/shared"

struct recorded {
    struct ff_profile *profile;
    struct ff_images *images;
    struct ff_unwinder *unwinder;
    struct ff_perf_file file;
    struct ff_perf_zstd zstd;
    struct ff_perf_order order;
    struct ff_perf_tasks tasks;
    struct ff_perf_stacks stacks;
    /* The sample at hand. */
    struct ff_perf_sample sample;
    const struct ff_space *space;
    bool has_dump; /* whether there is a user side that can be unwound */
    struct ff_dump dump;
    struct ff_unwound unwound; /* without words where there is no dump */
    void (*each)(struct recorded *recorded, void *context);
    void *context;
};

/* A user frame as perf prints it: a file offset where the module comes from a file or an image. */
struct recorded_frame {
    struct ff_text path; /* of the module; empty: none */
    uint32_t module;
    uint64_t address, place; /* a caller's are one less than its return address */
    bool exact;
};

static inline void recorded_sample(struct recorded *recorded, struct ff_text record)
{
    if (!ff_perf_record_sample(&recorded->file, record, &recorded->sample) ||
        !recorded->sample.attr) {
        CHECK(!"a sample that is damaged or of no event");
        return;
    }
    recorded->space = &ff_perf_tasks_process(&recorded->tasks, recorded->sample.pid)->space;
    recorded->unwound.count = 0;
    recorded->has_dump = recorded->sample.has_dump &&
                         ff_perf_dump(&recorded->file, &recorded->sample, &recorded->dump);
    if (recorded->has_dump && recorded->unwinder)
        ff_unwind(recorded->unwinder, recorded->space, &recorded->dump, &recorded->unwound);
    recorded->each(recorded, recorded->context);
}

static inline void recorded_apply(void *context, struct ff_text record)
{
    struct recorded *recorded = context;
    struct ff_perf_header header = ff_perf_header(record.at);
    struct ff_perf_mapping mapping;
    struct ff_perf_task_record task;
    if (header.type == FF_PERF_SAMPLE)
        recorded_sample(recorded, record);
    else if ((header.type == FF_PERF_MMAP || header.type == FF_PERF_MMAP2) &&
             ff_perf_record_mapping(record, &mapping))
        ff_perf_mapping_add(&recorded->file, &recorded->tasks, &recorded->stacks, &mapping,
                            (header.misc & FF_PERF_CPU_MODE) == 1 || mapping.pid == UINT32_MAX);
    else if (header.type == FF_PERF_COMM && ff_perf_record_comm(record, &task))
        ff_perf_tasks_comm(&recorded->tasks, task.pid, task.tid, task.comm,
                           header.misc & FF_PERF_COMM_EXEC);
    else if (header.type == FF_PERF_FORK && ff_perf_record_fork(record, &task))
        ff_perf_tasks_fork(&recorded->tasks, task.pid, task.tid, task.parent_pid, task.parent_tid,
                           header.misc & FF_PERF_FORK_SYNTHESIZED);
}

/* Takes whole records; returns the bytes used. */
static inline size_t recorded_walk(struct recorded *recorded, struct ff_text bytes);

static inline void recorded_unpack(struct recorded *recorded, struct ff_text record)
{
    struct ff_error error = {0};
    enum ff_status status;
    ff_perf_zstd_begin(&recorded->zstd, ff_text_from(record, 8));
    while ((status = ff_perf_zstd_step(&recorded->zstd, &error)) == FF_OK) {
        struct ff_text ready = {recorded->zstd.bytes, recorded->zstd.used};
        ff_perf_zstd_take(&recorded->zstd, recorded_walk(recorded, ready));
    }
    if (status != FF_END)
        CHECK(!"compressed records that cannot be unpacked");
}

static inline size_t recorded_walk(struct recorded *recorded, struct ff_text bytes)
{
    size_t used = 0;
    while (bytes.size - used >= 8) {
        struct ff_perf_header header = ff_perf_header(bytes.at + used);
        if (header.size < 8 || header.size > bytes.size - used)
            break;
        struct ff_text record = ff_text_slice(bytes, used, used + header.size);
        if (header.type == FF_PERF_COMPRESSED)
            recorded_unpack(recorded, record);
        else if (header.type == FF_PERF_FINISHED_ROUND)
            ff_perf_order_round(&recorded->order, false, recorded_apply, recorded);
        else if (header.type <= FF_PERF_KERNEL_LAST)
            ff_perf_order_add(&recorded->order, ff_perf_record_time(&recorded->file, record),
                              record);
        used += header.size;
    }
    return used;
}

/* Reads a file below the shared folder; the caller has set what it wants of `each`, `context`. With
 * SYMBOLS (up to a NULL), stacks are unwound by these. The profile stays until recorded_release. */
static inline void recorded_read(struct recorded *recorded, const char *below,
                                 const char *const *symbols)
{
    char path[512];
    struct ff_input input;
    struct ff_error error = {0};
    struct ff_text bytes;
    recorded->profile = ff_profile_new();
    recorded->images = ff_images_new();
    recorded->unwinder = ff_unwinder_new(recorded->profile, recorded->images);
    for (; *symbols; symbols++)
        CHECK(ff_images_add(recorded->images, *symbols) == FF_OK);
    CHECK(ff_input_open(&input, shared_path(path, sizeof path, below), &error) == FF_OK);
    CHECK(ff_perf_file_open(&recorded->file, recorded->profile, &input) == FF_OK);
    ff_perf_tasks_init(&recorded->tasks, recorded->profile, 1);
    ff_perf_stacks_init(&recorded->stacks, recorded->profile);
    size_t size = (size_t)(recorded->file.data_end - recorded->file.data_start);
    CHECK(ff_input_bytes(&input, size, &bytes, &error) == FF_OK && bytes.size == size);
    CHECK_NUMBER(recorded_walk(recorded, bytes), size);
    ff_perf_order_round(&recorded->order, true, recorded_apply, recorded);
    ff_input_close(&input);
}

static inline void recorded_release(struct recorded *recorded)
{
    ff_unwound_release(&recorded->unwound);
    ff_perf_stacks_release(&recorded->stacks);
    ff_perf_tasks_release(&recorded->tasks);
    ff_perf_order_release(&recorded->order);
    ff_perf_zstd_release(&recorded->zstd);
    ff_perf_file_release(&recorded->file);
    ff_unwinder_free(recorded->unwinder);
    ff_images_free(recorded->images);
    ff_profile_free(recorded->profile);
}

/* The frames of the unwound stack, innermost first; at most LIMIT. */
static inline uint32_t recorded_frames(const struct recorded *recorded,
                                       struct recorded_frame *frames, uint32_t limit)
{
    uint32_t count = 0;
    bool exact = true;
    for (uint32_t i = 0; i < recorded->unwound.count && count < limit; i++) {
        uint64_t word = recorded->unwound.words[i];
        if (word == FF_UNWOUND_EXACT) {
            exact = true;
            continue;
        }
        struct recorded_frame frame = {.address = exact ? word : word - 1, .exact = exact};
        const struct ff_span *span = ff_space_find(recorded->space, frame.address);
        frame.place = frame.address;
        if (span) {
            const struct ff_module *module = &recorded->profile->modules.at[span->module];
            frame.module = span->module;
            frame.path = ff_profile_text(recorded->profile, module->path);
            if (module->kind == FF_MODULE_ELF || module->kind == FF_MODULE_VDSO)
                frame.place = frame.address - span->start + span->file_offset;
        }
        frames[count++] = frame;
        exact = false;
    }
    return count;
}

/* Whether the captures and their unpacked libraries are there. */
static inline bool recorded_available(void)
{
    char path[512];
    return access(LIBRARIES "/vdso.so", R_OK) == 0 &&
           access(shared_path(path, sizeof path, "captures"), R_OK) == 0;
}

#endif
