/* SPDX-License-Identifier: MIT
 *
 * One record of a perf.data file to one struct. Layout: linux include/uapi/linux/perf_event.h,
 * enum perf_event_type, and tools/lib/perf/include/perf/event.h for the types from 64 on.
 */
#ifndef FF_READ_PERF_RECORD_H
#define FF_READ_PERF_RECORD_H

#include "read/perf_file.h"

enum ff_perf_type {
    FF_PERF_MMAP = 1,
    FF_PERF_LOST = 2,
    FF_PERF_COMM = 3,
    FF_PERF_EXIT = 4,
    FF_PERF_THROTTLE = 5,
    FF_PERF_UNTHROTTLE = 6,
    FF_PERF_FORK = 7,
    FF_PERF_SAMPLE = 9,
    FF_PERF_MMAP2 = 10,
    FF_PERF_LOST_SAMPLES = 13,
    FF_PERF_KSYMBOL = 17,
    FF_PERF_DEFERRED = 22,    /* CALLCHAIN_DEFERRED */
    FF_PERF_KERNEL_LAST = 22, /* kernel records end here */
    FF_PERF_ATTR = 64,
    FF_PERF_TRACING_DATA = 66,
    FF_PERF_BUILD_ID = 67,
    FF_PERF_FINISHED_ROUND = 68,
    FF_PERF_AUXTRACE = 71,
    FF_PERF_EVENT_UPDATE = 78,
    FF_PERF_FEATURE = 80,
    FF_PERF_COMPRESSED = 81,
    FF_PERF_COMPRESSED2 = 83,
    FF_PERF_TOOL_LAST = 86,
};

/* Bits of a record's misc word. */
enum ff_perf_misc {
    FF_PERF_CPU_MODE = 7, /* mask: 1 kernel, 2 user, 3 hypervisor, 4 guest kernel, 5 guest user */
    FF_PERF_COMM_EXEC = 1 << 13,
    FF_PERF_FORK_SYNTHESIZED = 1 << 13,
    FF_PERF_MMAP_BUILD_ID = 1 << 14,
    FF_PERF_LOST_BY_FILTER = 1 << 15,
};

/* Bits of perf_event_attr.read_format and branch_sample_type that change the layout of a sample. */
#define FF_PERF_READ_GROUP      8u
#define FF_PERF_BRANCH_STACKS   ((uint64_t)1 << 11) /* --call-graph lbr */
#define FF_PERF_BRANCH_BYTES    24u
#define FF_PERF_BRANCH_HW_INDEX ((uint64_t)1 << 17)

struct ff_perf_header {
    uint32_t type;
    uint16_t misc, size;
};

/* A view into a record; its bytes live as long as the record's. */
struct ff_perf_sample {
    struct ff_perf_attr *attr;
    uint32_t pid, tid, cpu;
    uint64_t ip, time_ns, period;
    const unsigned char *chain; /* `chain_count` u64s, not aligned */
    uint64_t chain_count;
    uint64_t group_values; /* counts of other events that the sample also carries */
    const unsigned char
        *branches; /* LBR: `branch_count` of 24 bytes, from, to, flags, newest first; they
                                      are the user side of the call chain */
    uint64_t branch_count;
    const uint64_t *deferred; /* the user side of the chain, from a later record; aligned */
    uint64_t deferred_count;
    struct ff_text raw;             /* a tracepoint's fields */
    bool has_chain;                 /* the event records call chains */
    bool has_dump;                  /* the user side is there as registers and stack bytes */
    uint64_t abi;                   /* of the registers: 1 is a 32-bit task, 2 a 64-bit one */
    const unsigned char *registers; /* u64s, not aligned, one for each bit of attr->regs_user */
    struct ff_text stack;           /* the bytes from SP on that were really copied */
    const uint64_t
        *unwound; /* words of the user side (unwind/unwind.h), set by whoever unwound it */
    uint32_t unwound_count;
};

struct ff_perf_mapping {
    uint32_t pid, tid;
    uint64_t start, size, file_offset;
    uint32_t protection;              /* PROT_ bits; PROT_EXEC where the record does not say */
    struct ff_text build_id;          /* bytes; empty when the record has none */
    uint64_t inode, inode_generation; /* 0 when the record has none */
    struct ff_text path;
};

/* COMM: pid, tid, comm. FORK and EXIT: pid, tid and those of the parent. */
struct ff_perf_task_record {
    uint32_t pid, tid, parent_pid, parent_tid;
    struct ff_text comm;
};

static inline struct ff_perf_header ff_perf_header(const char *record)
{
    struct ff_perf_header header;
    memcpy(&header, record, sizeof header);
    return header;
}

/* CALLCHAIN_DEFERRED; the words are not aligned. */
struct ff_perf_chain_record {
    uint64_t cookie, count;
    const unsigned char *words;
    uint32_t tid;
};

/* The time of a record, 0 when it has none. Works on samples and on kernel records with a trailer
 * of sample ids; all events of a file with several must agree on the trailer, as perf demands. */
uint64_t ff_perf_record_time(const struct ff_perf_file *file, struct ff_text record);

/* Each returns false if the record is shorter than its layout. A sample whose event the file does
 * not describe has attr == NULL and nothing else. */
bool ff_perf_record_sample(const struct ff_perf_file *file, struct ff_text record,
                           struct ff_perf_sample *sample);
bool ff_perf_record_mapping(struct ff_text record, struct ff_perf_mapping *mapping);
bool ff_perf_record_deferred(const struct ff_perf_file *file, struct ff_text record,
                             struct ff_perf_chain_record *chain);

/* KSYMBOL: the place of a piece of code in the kernel, whose path is its name; GONE: not any more. */
bool ff_perf_record_symbol(struct ff_text record, struct ff_perf_mapping *mapping, bool *gone);
bool ff_perf_record_comm(struct ff_text record, struct ff_perf_task_record *task);
bool ff_perf_record_fork(struct ff_text record, struct ff_perf_task_record *task);

#endif
