/* SPDX-License-Identifier: MIT
 *
 * Record bytes to structs. The hard thing is the sample: its fields stand in an order that is not
 * that of their bits, and each is there only if its event asked for it.
 */
#include "read/perf_record.h"
#include "base/cursor.h"

#define HEADER_BYTES       8u
#define READ_TIME_ENABLED  1u /* perf_event_attr.read_format */
#define READ_TIME_RUNNING  2u
#define READ_ID            4u
#define READ_LOST          16u
#define PROTECTION_EXECUTE 4u

static struct ff_cursor payload(struct ff_text record)
{
    struct ff_cursor cursor = ff_cursor(record.at, record.size, false);
    ff_cursor_bytes(&cursor, HEADER_BYTES);
    return cursor;
}

static bool has_field(uint64_t sample_type, enum ff_perf_field field)
{
    return (sample_type & (uint64_t)field) != 0;
}

/* Bytes before field ID in a sample. */
static uint64_t bytes_before_id(uint64_t sample_type)
{
    return 8u * (unsigned)__builtin_popcountll(
                    sample_type & (FF_PERF_IP | FF_PERF_TID | FF_PERF_TIME | FF_PERF_ADDR));
}

static struct ff_perf_attr *sample_attr(const struct ff_perf_file *file, struct ff_text record)
{
    if (file->attr_count < 2)
        return ff_perf_file_attr(file, false, 0);
    uint64_t type = file->attrs[0].sample_type;
    struct ff_cursor cursor = payload(record);
    bool has_id = has_field(type, FF_PERF_IDENTIFIER) || has_field(type, FF_PERF_ID);
    if (!has_field(type, FF_PERF_IDENTIFIER))
        ff_cursor_bytes(&cursor, bytes_before_id(type));
    return ff_perf_file_attr(file, has_id, ff_cursor_u64(&cursor));
}

/* The trailer of sample ids ends each kernel record: TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER. */
static uint64_t trailer_time(const struct ff_perf_file *file, struct ff_text record)
{
    const struct ff_perf_attr *attr = ff_perf_file_attr(file, false, 0);
    if (!attr && file->attr_count)
        attr = file->attrs;
    if (!attr || !(attr->flags & FF_PERF_ATTR_SAMPLE_ID_ALL) ||
        !has_field(attr->sample_type, FF_PERF_TIME))
        return 0;
    uint64_t behind = attr->sample_type & (FF_PERF_TIME | FF_PERF_ID | FF_PERF_STREAM_ID |
                                           FF_PERF_CPU | FF_PERF_IDENTIFIER);
    size_t bytes = 8u * (unsigned)__builtin_popcountll(behind);
    uint64_t time_ns = 0;
    if (record.size >= HEADER_BYTES + bytes)
        memcpy(&time_ns, record.at + record.size - bytes, sizeof time_ns);
    return time_ns;
}

static uint64_t sample_time(const struct ff_perf_file *file, struct ff_text record)
{
    const struct ff_perf_attr *attr = sample_attr(file, record);
    if (!attr || !has_field(attr->sample_type, FF_PERF_TIME))
        return 0;
    size_t at = HEADER_BYTES +
                8u * (unsigned)__builtin_popcountll(
                         attr->sample_type & (FF_PERF_IDENTIFIER | FF_PERF_IP | FF_PERF_TID));
    uint64_t time_ns = 0;
    if (record.size >= at + sizeof time_ns)
        memcpy(&time_ns, record.at + at, sizeof time_ns);
    return time_ns;
}

uint64_t ff_perf_record_time(const struct ff_perf_file *file, struct ff_text record)
{
    uint32_t type = ff_perf_header(record.at).type;
    if (type == FF_PERF_SAMPLE)
        return sample_time(file, record);
    return type <= FF_PERF_KERNEL_LAST ? trailer_time(file, record) : 0;
}

/* Counter values; returns how many are of other events of the sample's group. */
static uint64_t skip_read(struct ff_cursor *cursor, uint64_t format)
{
    uint64_t values = format & FF_PERF_READ_GROUP ? ff_cursor_u64(cursor) : 1;
    uint64_t times = !!(format & READ_TIME_ENABLED) + (uint64_t) !!(format & READ_TIME_RUNNING);
    uint64_t words = 1 + (uint64_t) !!(format & READ_ID) + (uint64_t) !!(format & READ_LOST);
    if (values > ff_cursor_left(cursor) / 8)
        cursor->failed = true;
    else
        ff_cursor_bytes(cursor, 8 * (times + values * words));
    return values > 1 && !cursor->failed ? values - 1 : 0;
}

static void read_branches(struct ff_cursor *cursor, struct ff_perf_sample *sample)
{
    uint64_t type = sample->attr->branch_sample_type;
    uint64_t count = ff_cursor_u64(cursor);
    if (type & FF_PERF_BRANCH_HW_INDEX)
        ff_cursor_u64(cursor);
    if (count > ff_cursor_left(cursor) / FF_PERF_BRANCH_BYTES) {
        cursor->failed = true;
        return;
    }
    const unsigned char *branches = ff_cursor_bytes(cursor, count * FF_PERF_BRANCH_BYTES);
    if (!(type & FF_PERF_BRANCH_STACKS))
        return;
    sample->branches = branches;
    sample->branch_count = count;
}

static void read_stack(struct ff_cursor *cursor, struct ff_perf_sample *sample)
{
    uint64_t size = ff_cursor_u64(cursor);
    const char *bytes = ff_cursor_bytes(cursor, size);
    uint64_t copied = size ? ff_cursor_u64(cursor) : 0;
    if (bytes && copied <= size)
        sample->stack = (struct ff_text){bytes, (size_t)copied};
}

static void read_raw(struct ff_cursor *cursor, struct ff_perf_sample *sample)
{
    uint32_t size = ff_cursor_u32(cursor);
    const char *bytes = ff_cursor_bytes(cursor, size);
    if (bytes)
        sample->raw = (struct ff_text){bytes, size};
}

/* RAW, branches, registers, stack: the user side of the stack, where it has to be unwound. */
static void read_dump(struct ff_cursor *cursor, struct ff_perf_sample *sample)
{
    uint64_t type = sample->attr->sample_type;
    if (has_field(type, FF_PERF_RAW))
        read_raw(cursor, sample);
    if (has_field(type, FF_PERF_BRANCH_STACK))
        read_branches(cursor, sample);
    if (has_field(type, FF_PERF_REGS_USER) && (sample->abi = ff_cursor_u64(cursor)) != 0)
        sample->registers =
            ff_cursor_bytes(cursor, 8u * (unsigned)__builtin_popcountll(sample->attr->regs_user));
    if (has_field(type, FF_PERF_STACK_USER))
        read_stack(cursor, sample);
    sample->has_dump = sample->registers && sample->stack.size;
}

static void read_chain(struct ff_cursor *cursor, struct ff_perf_sample *sample)
{
    sample->has_chain = true;
    sample->chain_count = ff_cursor_u64(cursor);
    if (sample->chain_count > ff_cursor_left(cursor) / 8)
        cursor->failed = true;
    else
        sample->chain = ff_cursor_bytes(cursor, sample->chain_count * 8);
}

bool ff_perf_record_sample(const struct ff_perf_file *file, struct ff_text record,
                           struct ff_perf_sample *sample)
{
    *sample = (struct ff_perf_sample){.attr = sample_attr(file, record)};
    if (!sample->attr)
        return true;
    uint64_t type = sample->attr->sample_type;
    struct ff_cursor cursor = payload(record);
    sample->period = sample->attr->flags & FF_PERF_ATTR_FREQUENCY ? 1 : sample->attr->period;
    if (has_field(type, FF_PERF_IDENTIFIER))
        ff_cursor_u64(&cursor);
    if (has_field(type, FF_PERF_IP))
        sample->ip = ff_cursor_u64(&cursor);
    if (has_field(type, FF_PERF_TID)) {
        sample->pid = ff_cursor_u32(&cursor);
        sample->tid = ff_cursor_u32(&cursor);
    }
    if (has_field(type, FF_PERF_TIME))
        sample->time_ns = ff_cursor_u64(&cursor);
    ff_cursor_bytes(&cursor, 8u * (unsigned)__builtin_popcountll(
                                      type & (FF_PERF_ADDR | FF_PERF_ID | FF_PERF_STREAM_ID)));
    if (has_field(type, FF_PERF_CPU)) {
        sample->cpu = ff_cursor_u32(&cursor);
        ff_cursor_u32(&cursor);
    }
    if (has_field(type, FF_PERF_PERIOD))
        sample->period = ff_cursor_u64(&cursor);
    if (has_field(type, FF_PERF_READ))
        sample->group_values = skip_read(&cursor, sample->attr->read_format);
    if (has_field(type, FF_PERF_CALLCHAIN))
        read_chain(&cursor, sample);
    if (type & (FF_PERF_RAW | FF_PERF_BRANCH_STACK | FF_PERF_REGS_USER | FF_PERF_STACK_USER))
        read_dump(&cursor, sample);
    return !cursor.failed;
}

static void read_identity(struct ff_cursor *cursor, uint16_t misc, struct ff_perf_mapping *mapping)
{
    if (misc & FF_PERF_MMAP_BUILD_ID) {
        const char *id = ff_cursor_bytes(cursor, 24);
        if (id && (unsigned char)*id <= 20)
            mapping->build_id = (struct ff_text){id + 4, (unsigned char)*id};
        return;
    }
    ff_cursor_u64(cursor); /* device */
    mapping->inode = ff_cursor_u64(cursor);
    mapping->inode_generation = ff_cursor_u64(cursor);
}

bool ff_perf_record_mapping(struct ff_text record, struct ff_perf_mapping *mapping)
{
    struct ff_perf_header header = ff_perf_header(record.at);
    struct ff_cursor cursor = payload(record);
    *mapping = (struct ff_perf_mapping){.protection = PROTECTION_EXECUTE};
    mapping->pid = ff_cursor_u32(&cursor);
    mapping->tid = ff_cursor_u32(&cursor);
    mapping->start = ff_cursor_u64(&cursor);
    mapping->size = ff_cursor_u64(&cursor);
    mapping->file_offset = ff_cursor_u64(&cursor);
    if (header.type == FF_PERF_MMAP2) {
        read_identity(&cursor, header.misc, mapping);
        mapping->protection = ff_cursor_u32(&cursor);
        ff_cursor_u32(&cursor); /* flags */
    }
    mapping->path = ff_cursor_string(&cursor);
    return !cursor.failed;
}

bool ff_perf_record_deferred(const struct ff_perf_file *file, struct ff_text record,
                             struct ff_perf_chain_record *chain)
{
    struct ff_cursor cursor = payload(record);
    *chain = (struct ff_perf_chain_record){.cookie = ff_cursor_u64(&cursor)};
    chain->count = ff_cursor_u64(&cursor);
    if (chain->count > ff_cursor_left(&cursor) / 8)
        return false;
    chain->words = ff_cursor_bytes(&cursor, chain->count * 8);
    if (!file->attr_count || !has_field(file->attrs[0].sample_type, FF_PERF_TID))
        return false;
    ff_cursor_u32(&cursor); /* the trailer begins with the process */
    chain->tid = ff_cursor_u32(&cursor);
    return !cursor.failed;
}

bool ff_perf_record_symbol(struct ff_text record, struct ff_perf_mapping *mapping, bool *gone)
{
    struct ff_cursor cursor = payload(record);
    *mapping = (struct ff_perf_mapping){.pid = UINT32_MAX, .protection = PROTECTION_EXECUTE};
    mapping->start = ff_cursor_u64(&cursor);
    mapping->size = ff_cursor_u32(&cursor);
    ff_cursor_u16(&cursor); /* type: BPF, or out of line */
    *gone = ff_cursor_u16(&cursor) & 1;
    mapping->path = ff_cursor_string(&cursor);
    return !cursor.failed;
}

bool ff_perf_record_comm(struct ff_text record, struct ff_perf_task_record *task)
{
    struct ff_cursor cursor = payload(record);
    *task = (struct ff_perf_task_record){0};
    task->pid = ff_cursor_u32(&cursor);
    task->tid = ff_cursor_u32(&cursor);
    task->comm = ff_cursor_string(&cursor);
    return !cursor.failed;
}

bool ff_perf_record_fork(struct ff_text record, struct ff_perf_task_record *task)
{
    struct ff_cursor cursor = payload(record);
    *task = (struct ff_perf_task_record){0};
    task->pid = ff_cursor_u32(&cursor);
    task->parent_pid = ff_cursor_u32(&cursor);
    task->tid = ff_cursor_u32(&cursor);
    task->parent_tid = ff_cursor_u32(&cursor);
    return !cursor.failed;
}
