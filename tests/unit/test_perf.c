/* SPDX-License-Identifier: MIT
 *
 * Whole recordings, made here: a program that execs, forks and starts threads, in file mode, pipe
 * mode and compressed in pieces that tear records apart; then cut, killed and damaged. What must
 * come out is written below as text.
 */
#include "check.h"
#include "perf_maker.h"
#include "text_input.h"

#include <zstd.h>

#include "profile/stream.h"
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
static void put_start(struct maker *data)
{
    maker_mmap2(data, 1, UINT32_MAX, KERNEL, 0x100000, KERNEL, "[kernel.kallsyms]_text", 0);
    maker_comm(data, 0, 100, 100, "shell", 0);
    maker_mmap2(data, 2, 100, LIBX, 0x10000, 0, "/usr/lib/libx.so", 0);
}

/* Two rounds. Records of CPU 1 stand behind those of CPU 0 and are older than some of them. */
static void put_rounds(struct maker *data)
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
static void sample_text(const struct ff_profile *profile, const struct ff_sample *sample,
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
static unsigned int rows_right(const struct ff_profile *profile)
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

static struct ff_profile *read_bytes(struct ff_text bytes, enum ff_status *status)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_selection selection = {0};
    struct ff_input input;
    text_input(&input, "made.data", bytes);
    *status = ff_perf_read(profile, &input, FF_TEXT("made.data"), &selection);
    ff_input_close(&input);
    return profile;
}

static void check_whole(struct ff_text bytes)
{
    enum ff_status status;
    struct ff_profile *profile = read_bytes(bytes, &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(rows_right(profile), EXPECTED_COUNT);
    CHECK_NUMBER(profile->samples.count - 1, EXPECTED_COUNT);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_SAMPLES), 7);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_LOST), 7);
    CHECK_NUMBER(ff_ledger_grade_count(profile, FF_GRADE_LOSS), 0);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_ORDER), 0);
    CHECK_NUMBER(profile->sources.at[1].start_ns, 1000);
    CHECK_NUMBER(profile->sources.at[1].end_ns, 1700);
    CHECK_NUMBER(profile->sources.at[1].rate, 199);
    ff_profile_free(profile);
}

static struct maker plain_data(void)
{
    struct maker data = {0};
    put_start(&data);
    put_rounds(&data);
    return data;
}

static void test_file(void)
{
    struct maker data = plain_data(), file = {0};
    maker_file(&file, events, 2, maker_text(&data));
    check_whole(maker_text(&file));
    maker_free(&file);
    maker_free(&data);
}

static struct maker pipe_head(void)
{
    struct maker pipe = {0};
    maker_bytes(&pipe, "PERFILE2", 8);
    maker_u64(&pipe, 16);
    for (int i = 0; i < 2; i++) {
        maker_begin(&pipe, 64, 0); /* HEADER_ATTR */
        maker_attr(&pipe, &events[i]);
        maker_bytes(&pipe, events[i].ids, events[i].id_count * 8);
        maker_end(&pipe);
        maker_begin(&pipe, 78, 0); /* EVENT_UPDATE: 2 is the name */
        maker_u64(&pipe, 2);
        maker_u64(&pipe, events[i].ids[0]);
        maker_string(&pipe, events[i].name);
        maker_end(&pipe);
    }
    return pipe;
}

static void test_pipe(void)
{
    struct maker data = plain_data(), pipe = pipe_head();
    maker_begin(&pipe, 71, 0); /* AUXTRACE: its bytes stand behind the record */
    maker_u64(&pipe, 21);
    maker_end(&pipe);
    maker_bytes(&pipe, "\xff\xff\xff\xff\xff\xff\xff\xff ignore me ..", 21);
    maker_bytes(&pipe, data.at, data.used); /* from here on nothing is aligned */
    check_whole(maker_text(&pipe));
    maker_free(&pipe);
    maker_free(&data);
}

/* One continuous stream, flushed but never closed, in records of PIECE bytes of plain data: most
 * records in it are torn. Type 81, or 83 with a size and padding. */
static void put_compressed(struct maker *data, const struct maker *plain, size_t piece, bool second)
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

static void test_compressed(void)
{
    static const size_t pieces[] = {1, 7, 8, 13, 100, 4000};
    struct maker start = {0}, rounds = {0};
    put_start(&start);
    put_rounds(&rounds);
    for (size_t i = 0; i < 2 * sizeof pieces / sizeof *pieces; i++) {
        struct maker data = {0}, file = {0};
        maker_bytes(&data, start.at, start.used);
        put_compressed(&data, &rounds, pieces[i / 2], i % 2);
        maker_file(&file, events, 2, maker_text(&data));
        check_whole(maker_text(&file));
        maker_free(&file);
        maker_free(&data);
    }
    maker_free(&start);
    maker_free(&rounds);
}

/* Samples that are wholly there before byte END of the data. */
static unsigned int samples_before(const struct maker *data, size_t end)
{
    unsigned int samples = 0;
    for (size_t at = 0; at + 8 <= end;) {
        uint16_t size;
        uint32_t type;
        memcpy(&type, data->at + at, sizeof type);
        memcpy(&size, data->at + at + 6, sizeof size);
        at += size;
        samples += type == 9 && at <= end;
    }
    return samples;
}

/* Cut at every byte: all samples before the cut, and the ledger names every byte that is missing. */
static void test_cut_anywhere(void)
{
    struct maker data = plain_data(), file = {0};
    size_t start = 104 + 2 * 152 + 2 * 16;
    unsigned int wrong = 0, quiet = 0;
    maker_file(&file, events, 2, maker_text(&data));
    for (size_t cut = 0; cut < data.used; cut++) {
        enum ff_status status;
        struct ff_profile *profile =
            read_bytes((struct ff_text){(const char *)file.at, start + cut}, &status);
        wrong += status != FF_OK ||
                 ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES) != samples_before(&data, cut);
        quiet += ff_ledger_count(profile, 0, FF_LEDGER_BYTES_MISSING) != data.used - cut;
        ff_profile_free(profile);
    }
    CHECK_NUMBER(wrong, 0);
    CHECK_NUMBER(quiet, 0);
    maker_free(&file);
    maker_free(&data);
}

/* A recorder that was killed: data size 0, no features. Everything is read to the end. */
static void test_killed(void)
{
    struct maker data = plain_data(), file = {0};
    maker_file(&file, events, 2, maker_text(&data));
    memset(file.at + 48, 0, 8);
    size_t end = 104 + 2 * 152 + 2 * 16 + data.used;
    enum ff_status status;
    struct ff_profile *profile = read_bytes((struct ff_text){(const char *)file.at, end}, &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES), 7);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_KILLED), 1);
    CHECK_NUMBER(ff_ledger_grade_count(profile, FF_GRADE_LOSS), 0);
    ff_profile_free(profile);
    maker_free(&file);
    maker_free(&data);
}

/* A record that says it is shorter than its header: nothing behind it can be found. */
static void test_bad_size(void)
{
    struct maker data = {0}, file = {0};
    put_start(&data);
    size_t bad = data.used;
    maker_comm(&data, 0, 5, 5, "bad", 0);
    put_rounds(&data);
    memset(data.at + bad + 6, 0, 2);
    maker_file(&file, events, 2, maker_text(&data));
    enum ff_status status;
    struct ff_profile *profile = read_bytes(maker_text(&file), &status);
    CHECK(status == FF_BAD_INPUT);
    CHECK(strstr(profile->error.message, "made.data: record 4") != NULL);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_RECORDS), 3);
    ff_profile_free(profile);
    maker_free(&file);
    maker_free(&data);
}

/* Records of types that nobody knows, of events that the file does not describe, and too short. */
static void test_strange_records(void)
{
    struct maker data = {0}, file = {0};
    put_start(&data);
    maker_begin(&data, 4242, 0);
    maker_u64(&data, 0);
    maker_end(&data);
    SAMPLE(&data, 99, 100, 100, 900, MAKER_USER, LIBX);
    maker_begin(&data, 10, 2); /* MMAP2 with nothing in it */
    maker_end(&data);
    maker_begin(&data, 9, 2);
    maker_u64(&data, 11);
    maker_end(&data);
    put_rounds(&data);
    maker_file(&file, events, 2, maker_text(&data));
    enum ff_status status;
    struct ff_profile *profile = read_bytes(maker_text(&file), &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(rows_right(profile), EXPECTED_COUNT);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_RECORDS_UNKNOWN), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES_NO_EVENT), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_RECORDS_BAD), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES_BAD), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES), 9);
    ff_profile_free(profile);
    maker_free(&file);
    maker_free(&data);
}

/* A zstd stream with a flipped byte: what was decompressed before it counts. */
static void test_damaged_zstd(void)
{
    struct maker start = {0}, rounds = {0}, data = {0}, file = {0};
    put_start(&start);
    put_rounds(&rounds);
    maker_bytes(&data, start.at, start.used);
    put_compressed(&data, &rounds, 100, false);
    memset(data.at + data.record + 8, 0xff, data.used - data.record - 8); /* the last one */
    maker_file(&file, events, 2, maker_text(&data));
    enum ff_status status;
    struct ff_profile *profile = read_bytes(maker_text(&file), &status);
    size_t whole = rounds.used / 100 * 100;
    CHECK(status == FF_BAD_INPUT);
    CHECK(strstr(profile->error.message, "zstd") != NULL);
    CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_SAMPLES), samples_before(&rounds, whole));
    ff_profile_free(profile);
    maker_free(&file);
    maker_free(&data);
    maker_free(&start);
    maker_free(&rounds);
}

int main(void)
{
    test_file();
    test_pipe();
    test_compressed();
    test_cut_anywhere();
    test_killed();
    test_bad_size();
    test_strange_records();
    test_damaged_zstd();
    return check_result();
}
