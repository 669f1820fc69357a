/* SPDX-License-Identifier: MIT
 *
 * Records against bytes that are written here field by field, in the order that perf_event.h gives:
 * every combination of the fifteen sample fields that ff-read looks at, and every cut of one record.
 */
#include "check.h"
#include "perf_maker.h"

#include "read/perf_record.h"

#define IP       UINT64_C(0x401234)
#define PID      UINT32_C(590)
#define TID      UINT32_C(601)
#define TIME_NS  UINT64_C(51409120555)
#define CPU      UINT32_C(17)
#define PERIOD   UINT64_C(5025125)
#define ID       UINT64_C(99)
#define REGS     UINT64_C(0xff0fff) /* 20 registers: x86-64 without ds, es, fs, gs */
#define HW_INDEX ((uint64_t)1 << 17)

static const uint64_t chain[] = {MAKER_KERNEL, 0xffffffff81000001, MAKER_USER, IP, 0x401300};

/* The bits in any order; bit i of COMBINATION stands for fields[i]. */
static const uint64_t fields[] = {
    FF_PERF_IP,         FF_PERF_TID,          FF_PERF_TIME,       FF_PERF_ADDR,
    FF_PERF_READ,       FF_PERF_CALLCHAIN,    FF_PERF_ID,         FF_PERF_CPU,
    FF_PERF_PERIOD,     FF_PERF_STREAM_ID,    FF_PERF_RAW,        FF_PERF_REGS_USER,
    FF_PERF_STACK_USER, FF_PERF_BRANCH_STACK, FF_PERF_IDENTIFIER,
};
#define FIELD_COUNT (sizeof fields / sizeof *fields)

static void put_branches(struct maker *record, bool hw_index)
{
    maker_u64(record, 2);
    if (hw_index)
        maker_u64(record, 5);
    for (int i = 0; i < 6; i++)
        maker_u64(record, 0x400000);
}

/* Everything up to the call chain; its end is what a reader must have. */
static void put_head(struct maker *record, uint64_t type)
{
    if (type & FF_PERF_IDENTIFIER)
        maker_u64(record, ID);
    if (type & FF_PERF_IP)
        maker_u64(record, IP);
    if (type & FF_PERF_TID) {
        maker_u32(record, PID);
        maker_u32(record, TID);
    }
    if (type & FF_PERF_TIME)
        maker_u64(record, TIME_NS);
    if (type & FF_PERF_ADDR)
        maker_u64(record, 0xdddddddddddddddd);
    if (type & FF_PERF_ID)
        maker_u64(record, ID);
    if (type & FF_PERF_STREAM_ID)
        maker_u64(record, 0xeeeeeeeeeeeeeeee);
    if (type & FF_PERF_CPU) {
        maker_u32(record, CPU);
        maker_u32(record, 0xffffffff);
    }
    if (type & FF_PERF_PERIOD)
        maker_u64(record, PERIOD);
    if (type & FF_PERF_READ) { /* group of 2 with times, ids and lost counts */
        maker_u64(record, 2);
        for (int i = 0; i < 2 + 2 * 3; i++)
            maker_u64(record, 0x1111111111111111);
    }
    if (type & FF_PERF_CALLCHAIN) {
        maker_u64(record, sizeof chain / sizeof *chain);
        maker_bytes(record, chain, sizeof chain);
    }
}

static void put_tail(struct maker *record, uint64_t type, uint64_t stack_size)
{
    if (type & FF_PERF_RAW) { /* size and bytes together are a multiple of 8 */
        maker_u32(record, 12);
        maker_bytes(record, "raw raw raw ", 12);
    }
    if (type & FF_PERF_BRANCH_STACK)
        put_branches(record, true);
    if (type & FF_PERF_REGS_USER) {
        maker_u64(record, 2); /* 64-bit */
        for (int i = 0; i < 20; i++)
            maker_u64(record, 0x7777777777777777);
    }
    if (type & FF_PERF_STACK_USER) {
        maker_u64(record, stack_size);
        for (uint64_t i = 0; i < stack_size; i += 8)
            maker_u64(record, 0x5555555555555555);
        if (stack_size)
            maker_u64(record, stack_size);
    }
    maker_u64(record, 0x3333333333333333); /* DATA_SRC and what else comes last */
}

static struct ff_perf_attr attr_of(uint64_t type)
{
    return (struct ff_perf_attr){
        .type = 1,
        .period = 4000,
        .sample_type = type | (uint64_t)1 << 15,
        .read_format = 1 | 2 | 4 | 8 | 16,
        .branch_sample_type = HW_INDEX,
        .regs_user = REGS,
    };
}

static bool is_right(const struct ff_perf_sample *sample, uint64_t type, uint64_t stack_size)
{
    if (sample->ip != (type & FF_PERF_IP ? IP : 0) ||
        sample->pid != (type & FF_PERF_TID ? PID : 0) ||
        sample->tid != (type & FF_PERF_TID ? TID : 0) ||
        sample->time_ns != (type & FF_PERF_TIME ? TIME_NS : 0) ||
        sample->cpu != (type & FF_PERF_CPU ? CPU : 0) ||
        sample->period != (type & FF_PERF_PERIOD ? PERIOD : 4000))
        return false;
    bool has_chain = (type & FF_PERF_CALLCHAIN) != 0;
    if (sample->has_chain != has_chain || sample->chain_count != (has_chain ? 5 : 0))
        return false;
    if (has_chain && memcmp(sample->chain, chain, sizeof chain) != 0)
        return false;
    /* Stack bytes without registers: no recorder writes them, and nobody could use them. */
    if (type & FF_PERF_STACK_USER && !(type & FF_PERF_REGS_USER))
        return true;
    return sample->has_dump == ((type & FF_PERF_STACK_USER) != 0 && stack_size != 0);
}

static void test_every_combination(void)
{
    unsigned int wrong = 0, wrong_time = 0, wrong_cut = 0;
    for (unsigned int combination = 0; combination < 1u << FIELD_COUNT; combination++) {
        uint64_t type = 0, stack_size = combination % 3 ? 64 : 0;
        for (unsigned int i = 0; i < FIELD_COUNT; i++)
            type |= combination >> i & 1 ? fields[i] : 0;
        struct ff_perf_attr attr = attr_of(type);
        struct ff_perf_file file = {.attrs = &attr, .attr_count = 1};
        struct ff_perf_sample sample;
        struct maker record = {0};
        maker_begin(&record, 9, 2);
        put_head(&record, type);
        size_t head = record.used;
        put_tail(&record, type, stack_size);
        maker_end(&record);
        bool whole = ff_perf_record_sample(&file, maker_text(&record), &sample);
        wrong += !whole || !is_right(&sample, type, stack_size);
        wrong_time +=
            ff_perf_record_time(&file, maker_text(&record)) != (type & FF_PERF_TIME ? TIME_NS : 0);
        /* One byte short of the call chain's end is too short. */
        if (head > 8)
            wrong_cut += ff_perf_record_sample(
                &file, (struct ff_text){(const char *)record.at, head - 1}, &sample);
        maker_free(&record);
    }
    CHECK_NUMBER(wrong, 0);
    CHECK_NUMBER(wrong_time, 0);
    CHECK_NUMBER(wrong_cut, 0);
}

/* READ in its other forms: one value, with and without each optional word. */
static void test_read_formats(void)
{
    for (uint64_t format = 0; format < 32; format++) {
        struct ff_perf_attr attr = {.sample_type = FF_PERF_READ | FF_PERF_CALLCHAIN,
                                    .read_format = format};
        struct ff_perf_file file = {.attrs = &attr, .attr_count = 1};
        struct ff_perf_sample sample;
        struct maker record = {0};
        uint64_t values = format & 8 ? 3 : 1;
        uint64_t words =
            values * (1 + (format >> 2 & 1) + (format >> 4 & 1)) + (format & 1) + (format >> 1 & 1);
        maker_begin(&record, 9, 2);
        if (format & 8)
            maker_u64(&record, values);
        for (uint64_t i = 0; i < words; i++)
            maker_u64(&record, 1);
        maker_u64(&record, 1);
        maker_u64(&record, IP);
        maker_end(&record);
        CHECK(ff_perf_record_sample(&file, maker_text(&record), &sample));
        CHECK_NUMBER(sample.chain_count, 1);
        maker_free(&record);
    }
}

/* Counts that no record can hold. */
static void test_hostile_counts(void)
{
    uint64_t counts[] = {2, 8192, UINT64_MAX / 8, UINT64_MAX / 8 + 1, UINT64_MAX};
    uint64_t types[] = {FF_PERF_CALLCHAIN, FF_PERF_READ, FF_PERF_BRANCH_STACK | FF_PERF_STACK_USER};
    for (size_t t = 0; t < 3; t++) {
        for (size_t i = 0; i < 5; i++) {
            struct ff_perf_attr attr = {.sample_type = types[t], .read_format = 8};
            struct ff_perf_file file = {.attrs = &attr, .attr_count = 1};
            struct ff_perf_sample sample;
            struct maker record = {0};
            maker_begin(&record, 9, 2);
            maker_u64(&record, counts[i]);
            maker_u64(&record, 0);
            maker_end(&record);
            CHECK(!ff_perf_record_sample(&file, maker_text(&record), &sample));
            maker_free(&record);
        }
    }
}

/* A 32-bit or absent register set: without registers (abi 0) none follow. */
static void test_no_registers(void)
{
    struct ff_perf_attr attr = attr_of(FF_PERF_REGS_USER | FF_PERF_STACK_USER);
    struct ff_perf_file file = {.attrs = &attr, .attr_count = 1};
    struct ff_perf_sample sample;
    struct maker record = {0};
    maker_begin(&record, 9, 1);
    maker_u64(&record, 0); /* a kernel thread */
    maker_u64(&record, 0);
    maker_end(&record);
    CHECK(ff_perf_record_sample(&file, maker_text(&record), &sample));
    CHECK(!sample.has_dump);
    maker_free(&record);
}

/* Several events: the id says which; without IDENTIFIER it stands behind what the bits put first. */
static void test_event_of_sample(void)
{
    struct ff_perf_attr attrs[2] = {{.config = 1}, {.config = 2}};
    for (int identifier = 0; identifier < 2; identifier++) {
        uint64_t type = FF_PERF_IP | FF_PERF_TID | FF_PERF_TIME | FF_PERF_ADDR |
                        (identifier ? FF_PERF_IDENTIFIER : FF_PERF_ID);
        attrs[0].sample_type = attrs[1].sample_type = type;
        struct ff_perf_id ids[] = {{7, 0}, {ID, 1}};
        struct ff_perf_file file = {.attrs = attrs, .attr_count = 2, .ids = ids, .id_count = 2};
        ff_map_add(&file.id_map, ff_hash_mix(0, 7), 1);
        ff_map_add(&file.id_map, ff_hash_mix(0, ID), 2);
        struct ff_perf_sample sample;
        struct maker record = {0};
        maker_begin(&record, 9, 2);
        put_head(&record, type);
        maker_end(&record);
        CHECK(ff_perf_record_sample(&file, maker_text(&record), &sample));
        CHECK(sample.attr == &attrs[1]);
        CHECK_NUMBER(sample.time_ns, TIME_NS);
        CHECK_NUMBER(ff_perf_record_time(&file, maker_text(&record)), TIME_NS);
        uint64_t unknown = 12345;
        maker_patch(&record, identifier ? 8 : 8 + 4 * 8, &unknown, sizeof unknown);
        CHECK(ff_perf_record_sample(&file, maker_text(&record), &sample));
        CHECK(sample.attr == NULL);
        ff_map_release(&file.id_map);
        maker_free(&record);
    }
}

static void test_kernel_records(void)
{
    struct ff_perf_attr attr = {.sample_type = MAKER_PLAIN | MAKER_IDENTIFIER,
                                .flags = MAKER_ID_ALL};
    struct ff_perf_file file = {.attrs = &attr, .attr_count = 1};
    struct ff_perf_mapping mapping;
    struct ff_perf_task_record task;
    struct maker record = {0};
    maker_mmap2(&record, 2, 42, 0x7f0000001000, 0x2000, 0x3000, "/usr/lib/libx.so", 777);
    CHECK(ff_perf_record_mapping(maker_text(&record), &mapping));
    CHECK_NUMBER(mapping.pid, 42);
    CHECK_NUMBER(mapping.start, 0x7f0000001000);
    CHECK_NUMBER(mapping.size, 0x2000);
    CHECK_NUMBER(mapping.file_offset, 0x3000);
    CHECK_NUMBER(mapping.protection, 5);
    CHECK_NUMBER(mapping.build_id.size, 0);
    CHECK_NUMBER(mapping.inode, 0);
    CHECK_TEXT(mapping.path, "/usr/lib/libx.so");
    CHECK_NUMBER(ff_perf_record_time(&file, maker_text(&record)), 777);

    /* Major and minor number in one word, inode, its generation. */
    uint64_t file_id[3] = {0xfe, 326269, 846016813};
    maker_patch(&record, 8 + 32, file_id, sizeof file_id);
    CHECK(ff_perf_record_mapping(maker_text(&record), &mapping));
    CHECK_NUMBER(mapping.inode, 326269);
    CHECK_NUMBER(mapping.inode_generation, 846016813);
    CHECK_TEXT(mapping.path, "/usr/lib/libx.so");

    /* misc bit 14: a size and up to 20 bytes of build-id stand in place of device and inode. */
    record.at[5] |= 1 << 14 >> 8;
    unsigned char id[24] = {20, 0, 0, 0, 0xab, 0xcd};
    maker_patch(&record, 8 + 32, id, sizeof id);
    CHECK(ff_perf_record_mapping(maker_text(&record), &mapping));
    CHECK_NUMBER(mapping.build_id.size, 20);
    CHECK_NUMBER((unsigned char)mapping.build_id.at[1], 0xcd);
    CHECK_NUMBER(mapping.inode, 0);
    CHECK_NUMBER(mapping.inode_generation, 0);
    record.at[8 + 32] = 21; /* longer than its room */
    CHECK(ff_perf_record_mapping(maker_text(&record), &mapping));
    CHECK_NUMBER(mapping.build_id.size, 0);
    CHECK(!ff_perf_record_mapping((struct ff_text){(const char *)record.at, 39}, &mapping));
    record.used = 0;

    maker_comm(&record, 0, 42, 43, "worker", 888);
    CHECK(ff_perf_record_comm(maker_text(&record), &task));
    CHECK_NUMBER(task.pid, 42);
    CHECK_NUMBER(task.tid, 43);
    CHECK_TEXT(task.comm, "worker");
    CHECK_NUMBER(ff_perf_record_time(&file, maker_text(&record)), 888);
    CHECK(!ff_perf_record_comm((struct ff_text){(const char *)record.at, 15}, &task));
    record.used = 0;

    maker_task(&record, 7, 0, 50, 51, 42, 43, 999);
    CHECK(ff_perf_record_fork(maker_text(&record), &task));
    CHECK_NUMBER(task.pid, 50);
    CHECK_NUMBER(task.tid, 51);
    CHECK_NUMBER(task.parent_pid, 42);
    CHECK_NUMBER(task.parent_tid, 43);
    CHECK_NUMBER(ff_perf_record_time(&file, maker_text(&record)), 999);
    attr.flags = 0; /* no trailer: no time */
    CHECK_NUMBER(ff_perf_record_time(&file, maker_text(&record)), 0);
    maker_free(&record);
}

int main(void)
{
    test_every_combination();
    test_read_formats();
    test_hostile_counts();
    test_no_registers();
    test_event_of_sample();
    test_kernel_records();
    return check_result();
}
