/* SPDX-License-Identifier: MIT
 *
 * One recording, made here, and what must come out of it: an exec, a fork, a thread, two events with
 * ids, two CPUs whose records must be put in order, a loss.
 */
#ifndef FF_TESTS_PERF_RECORDING_H
#define FF_TESTS_PERF_RECORDING_H

#include "perf_maker.h"
#include "text_input.h"

#include <zstd.h>

#include "read/perf.h"

#define LIBX   UINT64_C(0x7f0000000000)
#define OTHER  UINT64_C(0x7f0000100000)
#define KERNEL UINT64_C(0xffffffff81000000)

static const struct maker_event events[] = {
    {.type = 1,
     .config = 0,
     .period = 199,
     .sample_type = MAKER_PLAIN | MAKER_IDENTIFIER,
     .flags = MAKER_FREQUENCY | MAKER_ID_ALL,
     .ids = {11, 12},
     .id_count = 2,
     .name = "cpu-clock"},
    {.type = 1,
     .config = 2,
     .period = 1000,
     .sample_type = MAKER_PLAIN | MAKER_IDENTIFIER,
     .flags = MAKER_ID_ALL,
     .ids = {21},
     .id_count = 1,
     .name = "page-faults:u"},
};

#define SAMPLE(maker, id, pid, tid, time, ...)                                                     \
    maker_sample(maker, 2, id, pid, tid, time, (const uint64_t[]){__VA_ARGS__},                    \
                 sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

/* What the recorder writes first: who is there, without times. */
static inline void put_start(struct maker *data)
{
    maker_mmap2(data, 1, UINT32_MAX, KERNEL, 0x100000, KERNEL, "[kernel.kallsyms]_text", 0);
    maker_comm(data, 0, 100, 100, "shell", 0);
    maker_mmap2(data, 2, 100, LIBX, 0x10000, 0, "/usr/lib/libx.so", 0);
}

/* Two rounds. Records of CPU 1 stand behind those of CPU 0 and are older than some of them. */
static inline void put_rounds(struct maker *data)
{
    SAMPLE(data, 11, 100, 100, 1000, MAKER_USER, LIBX + 0x10, LIBX + 0x20);
    maker_task(data, 7, 0, 200, 200, 100, 100, 1100); /* fork: a copy of the mappings */
    SAMPLE(data, 11, 200, 200, 1200, MAKER_USER, LIBX + 0x30);
    maker_comm(data, 1 << 13, 200, 200, "worker", 1300); /* exec: nothing is mapped */
    SAMPLE(data, 11, 200, 200, 1310, MAKER_USER, LIBX + 0x30);
    maker_mmap2(data, 2, 200, OTHER, 0x1000, 0x2000, "/opt/other.so (deleted)", 1320);
    maker_round(data);
    SAMPLE(data, 12, 200, 200, 1500, MAKER_KERNEL, KERNEL + 8, MAKER_USER, OTHER + 4);
    maker_task(data, 7, 0, 200, 201, 200, 200, 1390); /* a thread: the same mappings */
    maker_comm(data, 0, 200, 201, "helper", 1395);
    SAMPLE(data, 21, 200, 201, 1400, MAKER_USER, OTHER + 4);
    SAMPLE(data, 21, 200, 201, 1400, MAKER_USER, OTHER + 4);
    maker_lost(data, 11, 7, 1600);
    maker_round(data);
    SAMPLE(data, 11, 100, 100, 1700, MAKER_USER, LIBX + 0x10, LIBX + 0x20);
    maker_task(data, 4, 0, 200, 201, 200, 200, 1800);
}

static const char *const expected[] = {
    "100 100 shell cpu-clock 2 2000 recorded libx.so+1f libx.so+10",
    "200 200 shell cpu-clock 1 1000 recorded libx.so+30",
    "200 200 worker cpu-clock 1 1000 recorded +7f0000000030",
    "200 200 worker cpu-clock 1 1000 recorded other.so+2004 [kernel]+ffffffff81000008",
    "200 201 helper page-faults:u 2 2000 recorded other.so+2004",
};
#define EXPECTED_COUNT (sizeof expected / sizeof *expected)

/* A row as text: pid tid comm event count weight state stack, root first. */
static inline void sample_text(const struct ff_profile *profile, const struct ff_sample *sample,
                               char *text, size_t size)
{
    const struct ff_thread *thread = &profile->threads.at[sample->thread];
    struct ff_text comm = ff_profile_text(profile, thread->comm);
    struct ff_text event = ff_profile_text(profile, profile->events.at[sample->event].name);
    uint32_t stacks[16], depth = 0;
    size_t used = (size_t)snprintf(
        text, size, "%u %u %.*s %.*s %llu %llu %s", profile->processes.at[thread->process].pid,
        thread->tid, FF_TEXT_ARGS(comm), FF_TEXT_ARGS(event),
        (unsigned long long)(sample->count / FF_COUNT_ONE), (unsigned long long)sample->weight,
        ff_state_word(sample->state));
    for (uint32_t stack = sample->stack; stack; stack = profile->stacks.at[stack].parent)
        stacks[depth++] = stack;
    while (depth) {
        const struct ff_frame *frame =
            &profile->frames.at[profile->stacks.at[stacks[--depth]].frame];
        struct ff_text module = ff_module_name(profile, frame->module);
        used += (size_t)snprintf(text + used, size - used, " %.*s+%llx", FF_TEXT_ARGS(module),
                                 (unsigned long long)frame->place);
    }
}

/* How many of the expected rows are there. */
static inline unsigned int rows_right(const struct ff_profile *profile)
{
    unsigned int right = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        char text[512];
        sample_text(profile, &profile->samples.at[i], text, sizeof text);
        unsigned int before = right;
        for (size_t e = 0; e < EXPECTED_COUNT; e++)
            right += strcmp(text, expected[e]) == 0;
        if (right == before)
            fprintf(stderr, "  not expected: %s\n", text);
    }
    return right;
}

static inline struct ff_profile *read_bytes(struct ff_text bytes, enum ff_status *status)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_selection selection = {0};
    struct ff_input input;
    text_input(&input, "made.data", bytes);
    *status = ff_perf_read(profile, &input, FF_TEXT("made.data"),
                           &(struct ff_perf_options){.selection = &selection});
    ff_input_close(&input);
    return profile;
}

static inline struct maker plain_data(void)
{
    struct maker data = {0};
    put_start(&data);
    put_rounds(&data);
    return data;
}

/* One continuous stream, flushed but never closed, in records of PIECE bytes of plain data: most
 * records in it are torn. Type 81, or 83 with a size and padding. */
static inline void put_compressed(struct maker *data, const struct maker *plain, size_t piece,
                                  bool second)
{
    ZSTD_CStream *stream = ZSTD_createCStream();
    char room[8192];
    for (size_t at = 0; at < plain->used; at += piece) {
        size_t size = plain->used - at < piece ? plain->used - at : piece;
        ZSTD_inBuffer in = {plain->at + at, size, 0};
        ZSTD_outBuffer out = {room, sizeof room, 0};
        CHECK(ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush) == 0);
        maker_begin(data, second ? 83 : 81, 0);
        if (second)
            maker_u64(data, out.pos);
        maker_bytes(data, room, out.pos);
        while (second && (data->used - data->record) % 8)
            maker_bytes(data, "", 1);
        maker_end(data);
    }
    ZSTD_freeCStream(stream);
}

#endif
