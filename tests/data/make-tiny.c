/* SPDX-License-Identifier: MIT
 *
 * Writes the recordings of the command-line tests; README says how, and what is in them. The one library is image.so: its .text is at module offset 0x3000
 * and file offset 0x500.
 */
#include <stdio.h>
#include <zstd.h>

#include "perf_maker.h"

#define LIBRARY UINT64_C(0x7f0000000000)
#define CODE    (LIBRARY + 0x500 - 0x3000) /* add a module offset */
#define KERNEL  UINT64_C(0xffffffff81000000)
#define TENTH   UINT64_C(100000000)

static const struct maker_event events[] = {
    {.type = 1,
     .config = 0,
     .period = 199,
     .sample_type = MAKER_PLAIN | MAKER_IDENTIFIER,
     .flags = MAKER_FREQUENCY | MAKER_ID_ALL,
     .ids = {11},
     .id_count = 1,
     .attr_size = 128,
     .name = "cpu-clock"},
    {.type = 1,
     .config = 2,
     .period = 1,
     .sample_type = MAKER_PLAIN | MAKER_IDENTIFIER,
     .flags = MAKER_ID_ALL,
     .ids = {21},
     .id_count = 1,
     .attr_size = 128,
     .name = "page-faults"},
};

/* MMAP2 with image.so's build-id in place of device and inode. */
static void put_library(struct maker *data, uint32_t pid)
{
    static const unsigned char id[24] = {20,   0,    0,    0,    0x01, 0x23, 0x45, 0x67,
                                         0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67,
                                         0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67};
    size_t at = data->used;
    maker_mmap2(data, 2 | 1 << 14, pid, LIBRARY, 0x1000, 0, "/opt/tiny/image.so", 0);
    maker_patch(data, at + 8 + 8 + 24, id, sizeof id);
}

/* One address or two, leaf first; tenths of a second. */
static void put_sample(struct maker *data, uint64_t event, uint32_t pid, uint32_t tid, uint32_t cpu,
                       uint64_t tenths, uint64_t leaf, uint64_t caller)
{
    uint64_t chain[] = {MAKER_USER, leaf, caller};
    size_t at = data->used;
    maker_sample(data, 2, event, pid, tid, tenths * TENTH, chain, caller ? 3 : 2);
    maker_patch(data, at + 8 + 32, &cpu, sizeof cpu);
}

static void put_records(struct maker *data)
{
    uint64_t in_kernel[] = {MAKER_KERNEL, KERNEL + 8, MAKER_USER, CODE + 0x3004};
    maker_mmap2(data, 1, UINT32_MAX, KERNEL, 0x100000, KERNEL, "[kernel.kallsyms]_text", 0);
    maker_comm(data, 0, 100, 100, "tiny", 0);
    put_library(data, 100);
    maker_task(data, 7, 0, 100, 101, 100, 100, 9 * TENTH);
    maker_comm(data, 0, 100, 101, "helper", 9 * TENTH);
    put_sample(data, 11, 100, 100, 0, 10, CODE + 0x3024, CODE + 0x3085); /* outer, calls */
    put_sample(data, 11, 100, 100, 0, 11, CODE + 0x3024, CODE + 0x3085);
    put_sample(data, 11, 100, 101, 1, 12, CODE + 0x3028, CODE + 0x30a1); /* inner, foo::bar */
    maker_round(data);
    put_sample(data, 11, 100, 101, 1, 15, CODE + 0x3064, 0); /* an FDE only */
    maker_task(data, 7, 0, 200, 200, 100, 100, 15 * TENTH);
    maker_comm(data, 0, 200, 200, "child", 15 * TENTH);
    put_sample(data, 11, 200, 200, 0, 16, CODE + 0x3004, 0); /* plain */
    put_sample(data, 21, 100, 100, 0, 19, CODE + 0x3004, 0);
    maker_sample(data, 1, 11, 100, 100, 20 * TENTH, in_kernel, 4);
    maker_round(data);
}

static struct maker make_pipe(const struct maker *records)
{
    struct maker pipe = {0};
    maker_bytes(&pipe, "PERFILE2", 8);
    maker_u64(&pipe, 16);
    for (int i = 0; i < 2; i++) {
        maker_begin(&pipe, 64, 0);
        maker_attr(&pipe, &events[i]);
        maker_bytes(&pipe, events[i].ids, 8);
        maker_end(&pipe);
        maker_begin(&pipe, 78, 0);
        maker_u64(&pipe, 2);
        maker_u64(&pipe, events[i].ids[0]);
        maker_string(&pipe, events[i].name);
        maker_end(&pipe);
    }
    maker_bytes(&pipe, records->at, records->used);
    return pipe;
}

/* Two samples with registers (of them only rsp, bit 7) and 16 bytes of stack. */
static struct maker make_dwarf(void)
{
    struct maker_event event = events[0];
    struct maker records = {0}, file = {0};
    event.sample_type |= (uint64_t)1 << 12 | (uint64_t)1 << 13;
    event.regs_user = 1 << 7;
    maker_comm(&records, 0, 100, 100, "tiny", 0);
    put_library(&records, 100);
    for (uint64_t i = 0; i < 2; i++) {
        maker_begin(&records, 9, 2);
        maker_u64(&records, 11);
        maker_u64(&records, CODE + 0x3024);
        maker_u32(&records, 100);
        maker_u32(&records, 100);
        maker_u64(&records, (10 + i) * TENTH);
        maker_u64(&records, 0);
        maker_u64(&records, 1000);
        maker_u64(&records, 0); /* no call chain */
        maker_u64(&records, 2); /* 64-bit */
        maker_u64(&records, 0x7fff00000000);
        maker_u64(&records, 16);
        maker_u64(&records, CODE + 0x3085);
        maker_u64(&records, 0);
        maker_u64(&records, 16);
        maker_end(&records);
    }
    maker_file(&file, &event, 1, maker_text(&records));
    maker_free(&records);
    return file;
}

/* The same records as one zstd stream, in pieces of 100 bytes: most records are torn. */
static struct maker make_compressed(const struct maker *records)
{
    struct maker data = {0}, file = {0};
    ZSTD_CStream *stream = ZSTD_createCStream();
    for (size_t at = 0; at < records->used; at += 100) {
        char room[1024];
        size_t left = records->used - at;
        ZSTD_inBuffer in = {records->at + at, left < 100 ? left : 100, 0};
        ZSTD_outBuffer out = {room, sizeof room, 0};
        ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush);
        maker_begin(&data, 81, 0);
        maker_bytes(&data, room, out.pos);
        maker_end(&data);
    }
    ZSTD_freeCStream(stream);
    maker_file(&file, events, 2, maker_text(&data));
    maker_free(&data);
    return file;
}

/* Generated code: 3 samples in anonymous executable memory. */
static struct maker make_jit(void)
{
    struct maker records = {0}, file = {0};
    maker_comm(&records, 0, 100, 100, "tiny", 0);
    maker_mmap2(&records, 2, 100, LIBRARY, 0x1000, 0, "//anon", 0);
    put_sample(&records, 11, 100, 100, 0, 10, LIBRARY + 0x10, LIBRARY + 0x40);
    put_sample(&records, 11, 100, 100, 0, 11, LIBRARY + 0x1f, LIBRARY + 0x40);
    put_sample(&records, 11, 100, 100, 0, 12, LIBRARY + 0x20, 0);
    maker_file(&file, events, 2, maker_text(&records));
    maker_free(&records);
    return file;
}

static void save(const char *path, struct maker *bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes->at, 1, bytes->used, file) != bytes->used || fclose(file) != 0)
        perror(path);
    maker_free(bytes);
}

int main(void)
{
    struct maker records = {0}, file = {0};
    put_records(&records);
    maker_file(&file, events, 2, maker_text(&records));
    struct maker pipe = make_pipe(&records), dwarf = make_dwarf(), jit = make_jit();
    struct maker compressed = make_compressed(&records);
    save("tests/data/tiny.data", &file);
    save("tests/data/tiny.pipe.data", &pipe);
    save("tests/data/dwarf.data", &dwarf);
    save("tests/data/tiny.zstd.data", &compressed);
    save("tests/data/jit.data", &jit);
    maker_free(&records);
    return 0;
}
