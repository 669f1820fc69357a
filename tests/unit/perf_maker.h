/* SPDX-License-Identifier: MIT
 *
 * A writer of perf.data, so that what a test expects is true by construction. Layouts: linux
 * include/uapi/linux/perf_event.h and tools/perf/Documentation/perf.data-file-format.txt. All bytes
 * are written one field after the other, without any struct of the reader.
 */
#ifndef FF_TESTS_PERF_MAKER_H
#define FF_TESTS_PERF_MAKER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Bytes that grow; all zero is empty. */
struct maker {
    unsigned char *at;
    size_t used, capacity;
    size_t record; /* where the open record begins */
};

struct maker_event {
    uint32_t type;
    uint64_t config, period, sample_type, read_format, flags, regs_user;
    uint64_t ids[2];
    uint32_t id_count;
    uint32_t attr_size; /* 0: 136 */
    const char *name;   /* in the EVENT_DESC feature; NULL: none */
};

#define MAKER_IDENTIFIER ((uint64_t)1 << 16)
/* IP, TID, TIME, CALLCHAIN, CPU, PERIOD: what `perf record -g` asks for. */
#define MAKER_PLAIN     ((uint64_t)(1 | 2 | 4 | 32 | 128 | 256))
#define MAKER_ID_ALL    ((uint64_t)1 << 18)
#define MAKER_FREQUENCY ((uint64_t)1 << 10)
#define MAKER_KERNEL    ((uint64_t)-128)
#define MAKER_USER      ((uint64_t)-512)

static inline void maker_bytes(struct maker *maker, const void *bytes, size_t size)
{
    if (maker->used + size > maker->capacity) {
        maker->capacity = (maker->used + size) * 2 + 256;
        maker->at = realloc(maker->at, maker->capacity);
        if (!maker->at)
            abort();
    }
    if (size)
        memcpy(maker->at + maker->used, bytes, size);
    maker->used += size;
}

static inline void maker_u16(struct maker *maker, uint16_t value)
{
    maker_bytes(maker, &value, sizeof value);
}

static inline void maker_u32(struct maker *maker, uint32_t value)
{
    maker_bytes(maker, &value, sizeof value);
}

static inline void maker_u64(struct maker *maker, uint64_t value)
{
    maker_bytes(maker, &value, sizeof value);
}

static inline void maker_pad(struct maker *maker, size_t to)
{
    while (maker->used % to)
        maker_bytes(maker, "", 1);
}

static inline void maker_patch(struct maker *maker, size_t at, const void *bytes, size_t size)
{
    memcpy(maker->at + at, bytes, size);
}

static inline void maker_free(struct maker *maker)
{
    free(maker->at);
    *maker = (struct maker){0};
}

static inline struct ff_text maker_text(const struct maker *maker)
{
    return (struct ff_text){(const char *)maker->at, maker->used};
}

static inline void maker_begin(struct maker *maker, uint32_t type, uint16_t misc)
{
    maker->record = maker->used;
    maker_u32(maker, type);
    maker_u16(maker, misc);
    maker_u16(maker, 0);
}

static inline void maker_end(struct maker *maker)
{
    uint16_t size = (uint16_t)(maker->used - maker->record);
    maker_patch(maker, maker->record + 6, &size, sizeof size);
}

/* A string with its NUL, padded to 8 from the record's start. */
static inline void maker_string(struct maker *maker, const char *string)
{
    maker_bytes(maker, string, strlen(string) + 1);
    while ((maker->used - maker->record) % 8)
        maker_bytes(maker, "", 1);
}

/* The trailer of a kernel record under MAKER_PLAIN | MAKER_IDENTIFIER and MAKER_ID_ALL: tid, time,
 * cpu, identifier. */
static inline void maker_trailer(struct maker *maker, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
    maker_u32(maker, pid);
    maker_u32(maker, tid);
    maker_u64(maker, time_ns);
    maker_u64(maker, 0);
    maker_u64(maker, 0);
    maker_end(maker);
}

static inline void maker_comm(struct maker *maker, uint16_t misc, uint32_t pid, uint32_t tid,
                              const char *comm, uint64_t time_ns)
{
    maker_begin(maker, 3, misc);
    maker_u32(maker, pid);
    maker_u32(maker, tid);
    maker_string(maker, comm);
    maker_trailer(maker, pid, tid, time_ns);
}

/* FORK (7) or EXIT (4). */
static inline void maker_task(struct maker *maker, uint32_t type, uint16_t misc, uint32_t pid,
                              uint32_t tid, uint32_t parent_pid, uint32_t parent_tid,
                              uint64_t time_ns)
{
    maker_begin(maker, type, misc);
    maker_u32(maker, pid);
    maker_u32(maker, parent_pid);
    maker_u32(maker, tid);
    maker_u32(maker, parent_tid);
    maker_u64(maker, time_ns);
    maker_trailer(maker, pid, tid, time_ns);
}

static inline void maker_mmap2(struct maker *maker, uint16_t misc, uint32_t pid, uint64_t start,
                               uint64_t size, uint64_t file_offset, const char *path,
                               uint64_t time_ns)
{
    maker_begin(maker, 10, misc);
    maker_u32(maker, pid);
    maker_u32(maker, pid);
    maker_u64(maker, start);
    maker_u64(maker, size);
    maker_u64(maker, file_offset);
    for (int i = 0; i < 3; i++)
        maker_u64(maker, 0); /* device, inode, generation */
    maker_u32(maker, 5);     /* PROT_READ | PROT_EXEC */
    maker_u32(maker, 2);
    maker_string(maker, path);
    maker_trailer(maker, pid, pid, time_ns);
}

/* A sample under MAKER_PLAIN | MAKER_IDENTIFIER, of period 1000. */
static inline void maker_sample(struct maker *maker, uint16_t cpu_mode, uint64_t id, uint32_t pid,
                                uint32_t tid, uint64_t time_ns, const uint64_t *chain,
                                uint64_t count)
{
    maker_begin(maker, 9, cpu_mode);
    maker_u64(maker, id);
    maker_u64(maker, count > 1 ? chain[1] : 0);
    maker_u32(maker, pid);
    maker_u32(maker, tid);
    maker_u64(maker, time_ns);
    maker_u64(maker, 3); /* cpu */
    maker_u64(maker, 1000);
    maker_u64(maker, count);
    maker_bytes(maker, chain, (size_t)count * 8);
    maker_end(maker);
}

static inline void maker_round(struct maker *maker)
{
    maker_begin(maker, 68, 0);
    maker_end(maker);
}

/* LOST: id, count. */
static inline void maker_lost(struct maker *maker, uint64_t id, uint64_t count, uint64_t time_ns)
{
    maker_begin(maker, 2, 0);
    maker_u64(maker, id);
    maker_u64(maker, count);
    maker_trailer(maker, 0, 0, time_ns);
}

/* A perf_event_attr of attr_size bytes; what a reader may not know is 0xaa. */
static inline void maker_attr(struct maker *maker, const struct maker_event *event)
{
    uint32_t size = event->attr_size ? event->attr_size : 136;
    struct maker attr = {0};
    maker_u32(&attr, event->type);
    maker_u32(&attr, size);
    maker_u64(&attr, event->config);
    maker_u64(&attr, event->period);
    maker_u64(&attr, event->sample_type);
    maker_u64(&attr, event->read_format);
    maker_u64(&attr, event->flags);
    for (int i = 0; i < 3; i++)
        maker_u64(&attr, 0); /* wake-up and breakpoint type, config1, config2 */
    maker_u64(&attr, 0);     /* branch_sample_type */
    maker_u64(&attr, event->regs_user);
    while (attr.used < size)
        maker_bytes(&attr, "\xaa", 1);
    maker_bytes(maker, attr.at, size);
    maker_free(&attr);
}

static inline void maker_feature_string(struct maker *maker, const char *string)
{
    size_t size = strlen(string) + 1, padded = (size + 63) / 64 * 64;
    maker_u32(maker, (uint32_t)padded);
    maker_bytes(maker, string, size);
    for (size_t i = size; i < padded; i++)
        maker_bytes(maker, "", 1);
}

static inline void maker_event_names(struct maker *maker, const struct maker_event *events,
                                     uint32_t count)
{
    maker_u32(maker, count);
    maker_u32(maker, events->attr_size ? events->attr_size : 136);
    for (uint32_t i = 0; i < count; i++) {
        maker_attr(maker, &events[i]);
        maker_u32(maker, events[i].id_count);
        maker_feature_string(maker, events[i].name);
        maker_bytes(maker, events[i].ids, events[i].id_count * sizeof *events[i].ids);
    }
}

/* Header, attributes, ids, data, features (host name; event names if the events have any). All
 * events have one attr_size. */
static inline void maker_file(struct maker *file, const struct maker_event *events, uint32_t count,
                              struct ff_text data)
{
    uint64_t entry = (events->attr_size ? events->attr_size : 136) + 16;
    uint64_t ids_at = 104 + count * entry, data_at = ids_at + count * 16;
    bool names = events->name != NULL;
    struct maker sections[2] = {{0}, {0}};
    maker_bytes(file, "PERFILE2", 8);
    uint64_t head[] = {104, entry, 104, count * entry, data_at, data.size, 0, 0};
    maker_bytes(file, head, sizeof head);
    uint64_t bits[4] = {(uint64_t)1 << 3 | (uint64_t)names << 12, 0, 0, 0};
    maker_bytes(file, bits, sizeof bits);
    for (uint32_t i = 0; i < count; i++) {
        maker_attr(file, &events[i]);
        maker_u64(file, ids_at + i * 16);
        maker_u64(file, events[i].id_count * 8);
    }
    for (uint32_t i = 0; i < count; i++)
        maker_bytes(file, events[i].ids, 16);
    maker_bytes(file, data.at, data.size);
    maker_feature_string(&sections[0], "builder");
    if (names)
        maker_event_names(&sections[1], events, count);
    uint64_t at = file->used + 16 * (1 + (unsigned)names);
    for (unsigned i = 0; i < 1 + (unsigned)names; i++) {
        maker_u64(file, at);
        maker_u64(file, sections[i].used);
        at += sections[i].used;
    }
    for (int i = 0; i < 2; i++) {
        maker_bytes(file, sections[i].at, sections[i].used);
        maker_free(&sections[i]);
    }
}

#endif
