/* SPDX-License-Identifier: MIT
 *
 * What a perf.data file says about itself: events with their record layout, ids, features. Layout
 * of the file: linux tools/perf/Documentation/perf.data-file-format.txt; of attributes and records:
 * linux include/uapi/linux/perf_event.h.
 */
#ifndef FF_READ_PERF_FILE_H
#define FF_READ_PERF_FILE_H

#include "base/input.h"
#include "profile/profile.h"

/* Bits of perf_event_attr.sample_type: which fields a sample has. */
enum ff_perf_field {
    FF_PERF_IP = 1 << 0,
    FF_PERF_TID = 1 << 1,
    FF_PERF_TIME = 1 << 2,
    FF_PERF_ADDR = 1 << 3,
    FF_PERF_READ = 1 << 4,
    FF_PERF_CALLCHAIN = 1 << 5,
    FF_PERF_ID = 1 << 6,
    FF_PERF_CPU = 1 << 7,
    FF_PERF_PERIOD = 1 << 8,
    FF_PERF_STREAM_ID = 1 << 9,
    FF_PERF_RAW = 1 << 10,
    FF_PERF_BRANCH_STACK = 1 << 11,
    FF_PERF_REGS_USER = 1 << 12,
    FF_PERF_STACK_USER = 1 << 13,
    FF_PERF_IDENTIFIER = 1 << 16,
};

/* perf_event_attr.type, as far as it matters here. */
enum { FF_PERF_TYPE_TRACEPOINT = 2, FF_PERF_TYPE_BREAKPOINT = 5 };

/* Bits of perf_event_attr's flag word. */
#define FF_PERF_ATTR_FREQUENCY     ((uint64_t)1 << 10)
#define FF_PERF_ATTR_DEFER         ((uint64_t)1 << 38)
#define FF_PERF_ATTR_SAMPLE_ID_ALL ((uint64_t)1 << 18)

struct ff_perf_attr {
    uint32_t type;
    uint64_t config;
    uint64_t period; /* or samples a second, with FF_PERF_ATTR_FREQUENCY */
    uint64_t sample_type, read_format, flags, branch_sample_type, regs_user;
    uint32_t name;  /* text id; 0 while the file has not said it */
    uint32_t event; /* row of the profile, made at the event's first sample; 0 before */
};

struct ff_perf_id {
    uint64_t id;
    uint32_t attr;
};

struct ff_perf_build_id {
    uint32_t path, build_id; /* text ids */
};

struct ff_perf_file {
    struct ff_profile *profile; /* texts and messages go there */
    const char *name;           /* of the input, for messages */
    bool swapped;               /* written on a machine with the other byte order */
    bool pipe;                  /* records only: attributes and features are records too */
    uint64_t data_start, data_end;
    uint64_t promised_end; /* what the header says; differs from data_end in a cut file */
    bool killed;           /* the recorder never completed the header */
    uint32_t features_cut; /* feature sections that the file does not hold */
    struct ff_perf_attr *attrs;
    uint32_t attr_count, attr_capacity;
    struct ff_perf_id *ids;
    uint32_t id_count, id_capacity;
    struct ff_map id_map; /* id -> index in ids + 1 */
    struct ff_perf_build_id *build_ids;
    uint32_t build_id_count, build_id_capacity;
    uint16_t machine;           /* EM_X86_64, EM_AARCH64 (elf.h); 0: another one */
    uint32_t host;              /* text id */
    uint64_t first_ns, last_ns; /* of the samples, where the file says it; else 0, 0 */
    uint64_t clock_resolution;  /* ns, where -k chose the clock; 0: not told */
    bool has_clock;             /* one moment by both clocks: */
    uint32_t clock;             /* CLOCK_* (time.h) */
    uint64_t clock_ns, wall_ns; /* since that clock's own start, and since 1970 */
};

/* Reads the header and, in file mode, attributes and features, and leaves the input at the first
 * record. A damaged feature is no failure; a damaged header is FF_BAD_INPUT. */
enum ff_status ff_perf_file_open(struct ff_perf_file *file, struct ff_profile *profile,
                                 struct ff_input *input);
void ff_perf_file_release(struct ff_perf_file *file);

/* Adds one perf_event_attr (of any size: unknown tails are ignored, missing ones are zero) with its
 * ids. Also for HEADER_ATTR records. FF_BAD_INPUT if it is shorter than its first version. */
enum ff_status ff_perf_file_add_attr(struct ff_perf_file *file, struct ff_text attr,
                                     struct ff_text ids);

/* Takes over a feature section (also of HEADER_FEATURE records); unknown ones are ignored. */
void ff_perf_file_add_feature(struct ff_perf_file *file, unsigned feature, struct ff_text bytes);

/* One record of build-ids: header, pid, id, path. */
void ff_perf_file_add_build_id(struct ff_perf_file *file, struct ff_text record);

/* Names the attribute that has this id (EVENT_UPDATE records). */
void ff_perf_file_set_name(struct ff_perf_file *file, uint64_t id, struct ff_text name);

/* The attribute for an event id: that one, or the only one there is. NULL if the file has none that
 * fits. */
struct ff_perf_attr *ff_perf_file_attr(const struct ff_perf_file *file, bool has_id, uint64_t id);

/* The recorded build-id of a path, as text id; 0 if there is none. */
uint32_t ff_perf_file_build_id(const struct ff_perf_file *file, uint32_t path);

/* Build-id bytes as hexadecimal text id; all zero bytes count as none. */
uint32_t ff_perf_build_id_text(struct ff_profile *profile, struct ff_text bytes);

/* What the event is called, where the file has no name for it ("cycles", "cpu-clock", "raw 0x1b1").
 */
uint32_t ff_perf_attr_name(struct ff_profile *profile, const struct ff_perf_attr *attr);

#endif
