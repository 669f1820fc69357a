/* SPDX-License-Identifier: MIT
 *
 * Byte order, once, at the door. The hard things: pairs of 32-bit numbers stand where others are 64
 * bits wide, and bit-fields of the other order begin at the other end of each byte.
 */
#include "read/perf_swap.h"
#include "read/perf_record.h"

#define ATTR_FLAGS_AT 40u

/* Where swapping stands. Past the end it does nothing. */
struct swap {
    unsigned char *at, *end;
};

/* Reverses the next SIZE bytes. */
static void number(struct swap *swap, size_t size)
{
    if ((size_t)(swap->end - swap->at) < size) {
        swap->at = swap->end;
        return;
    }
    for (size_t i = 0; i < size / 2; i++) {
        unsigned char byte = swap->at[i];
        swap->at[i] = swap->at[size - 1 - i];
        swap->at[size - 1 - i] = byte;
    }
    swap->at += size;
}

static void numbers(struct swap *swap, size_t size, uint64_t count)
{
    while (count-- && swap->at < swap->end)
        number(swap, size);
}

static void skip(struct swap *swap, uint64_t size)
{
    size_t left = (size_t)(swap->end - swap->at);
    swap->at += size < left ? (size_t)size : left;
}

static uint64_t word(struct swap *swap)
{
    uint64_t value = 0;
    unsigned char *at = swap->at;
    bool whole = (size_t)(swap->end - at) >= sizeof value;
    number(swap, sizeof value);
    if (whole)
        memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t half(struct swap *swap)
{
    uint32_t value = 0;
    unsigned char *at = swap->at;
    bool whole = (size_t)(swap->end - at) >= sizeof value;
    number(swap, sizeof value);
    if (whole)
        memcpy(&value, at, sizeof value);
    return value;
}

void ff_perf_swap_words(unsigned char *words, size_t size)
{
    struct swap swap = {words, words + size / 8 * 8};
    numbers(&swap, 8, size / 8);
}

static unsigned char mirrored(unsigned char byte)
{
    unsigned char other = 0;
    for (unsigned bit = 0; bit < 8; bit++)
        other = (unsigned char)(other | (byte >> bit & 1u) << (7 - bit));
    return other;
}

void ff_perf_swap_attr(unsigned char *attr, size_t size)
{
    struct swap swap = {attr, attr + size};
    numbers(&swap, 4, 2); /* type, size */
    numbers(&swap, 8, 4); /* config, period, sample_type, read_format */
    for (size_t i = ATTR_FLAGS_AT; i < ATTR_FLAGS_AT + 8 && i < size; i++)
        attr[i] = mirrored(attr[i]);
    skip(&swap, 8);
    numbers(&swap, 4, 2); /* wake-up, breakpoint type */
    numbers(&swap, 8, 4); /* config1, config2, branch_sample_type, regs_user */
    numbers(&swap, 4, 2); /* stack_user, clockid */
}

static void swap_read(struct swap *swap, uint64_t format)
{
    uint64_t values = format & FF_PERF_READ_GROUP ? word(swap) : 1;
    if (!(format & FF_PERF_READ_GROUP))
        number(swap, 8);
    uint64_t times = !!(format & 1) + (uint64_t) !!(format & 2);
    uint64_t each = 1 + (uint64_t) !!(format & 4) + (uint64_t) !!(format & 16);
    numbers(swap, 8, times);
    numbers(swap, 8, format & FF_PERF_READ_GROUP ? values * each : each - 1);
}

static void swap_branches(struct swap *swap, const struct ff_perf_attr *attr)
{
    uint64_t count = word(swap);
    if (attr->branch_sample_type & FF_PERF_BRANCH_HW_INDEX)
        number(swap, 8);
    numbers(swap, 8, count < UINT32_MAX ? count * 3 : 0);
}

/* From the call chain on, where lengths decide. */
static void swap_variable(struct swap *swap, const struct ff_perf_attr *attr)
{
    uint64_t type = attr->sample_type;
    if (type & FF_PERF_READ)
        swap_read(swap, attr->read_format);
    if (type & FF_PERF_CALLCHAIN)
        numbers(swap, 8, word(swap));
    if (type & FF_PERF_RAW)
        skip(swap, half(swap));
    if (type & FF_PERF_BRANCH_STACK)
        swap_branches(swap, attr);
    if (type & FF_PERF_REGS_USER && word(swap))
        numbers(swap, 8, (unsigned)__builtin_popcountll(attr->regs_user));
    if (type & FF_PERF_STACK_USER) {
        uint64_t size = word(swap);
        skip(swap, size);
        if (size)
            number(swap, 8);
    }
}

/* The attribute of a sample whose numbers are still the other way. */
static const struct ff_perf_attr *attr_of(const struct ff_perf_file *file, struct swap swap)
{
    uint64_t type = file->attr_count ? file->attrs[0].sample_type : 0;
    bool identifier = type & FF_PERF_IDENTIFIER;
    unsigned char copy[8];
    if (!identifier)
        skip(&swap, 8u * (unsigned)__builtin_popcountll(
                             type & (FF_PERF_IP | FF_PERF_TID | FF_PERF_TIME | FF_PERF_ADDR)));
    if (swap.end - swap.at < 8)
        return ff_perf_file_attr(file, false, 0);
    memcpy(copy, swap.at, sizeof copy);
    struct swap id = {copy, copy + sizeof copy};
    return ff_perf_file_attr(file, identifier || type & FF_PERF_ID, word(&id));
}

static void swap_sample(const struct ff_perf_file *file, struct swap *swap)
{
    const struct ff_perf_attr *attr = attr_of(file, *swap);
    if (!attr)
        return;
    static const struct {
        uint64_t bit;
        uint8_t size; /* of each of the numbers that make 8 bytes */
    } fields[] = {
        {FF_PERF_IDENTIFIER, 8}, {FF_PERF_IP, 8},   {FF_PERF_TID, 4},
        {FF_PERF_TIME, 8},       {FF_PERF_ADDR, 8}, {FF_PERF_ID, 8},
        {FF_PERF_STREAM_ID, 8},  {FF_PERF_CPU, 4},  {FF_PERF_PERIOD, 8},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (attr->sample_type & fields[i].bit)
            numbers(swap, fields[i].size, 8u / fields[i].size);
    }
    swap_variable(swap, attr);
}

/* The ids at the end of a kernel record. */
static void swap_trailer(const struct ff_perf_file *file, struct swap *swap)
{
    const struct ff_perf_attr *attr = file->attr_count ? file->attrs : NULL;
    if (!attr || !(attr->flags & FF_PERF_ATTR_SAMPLE_ID_ALL))
        return;
    uint64_t type = attr->sample_type;
    uint64_t all = type & (FF_PERF_TID | FF_PERF_TIME | FF_PERF_ID | FF_PERF_STREAM_ID |
                           FF_PERF_CPU | FF_PERF_IDENTIFIER);
    size_t bytes = 8u * (unsigned)__builtin_popcountll(all);
    if ((size_t)(swap->end - swap->at) < bytes)
        return;
    swap->at = swap->end - bytes;
    if (type & FF_PERF_TID)
        numbers(swap, 4, 2);
    numbers(swap, 8,
            (unsigned)__builtin_popcountll(all & (FF_PERF_TIME | FF_PERF_ID | FF_PERF_STREAM_ID)));
    if (type & FF_PERF_CPU)
        numbers(swap, 4, 2);
    if (type & FF_PERF_IDENTIFIER)
        number(swap, 8);
}

/* Numbers at the start of a record: first some of 4 bytes, then some of 8; the rest is text. */
static const struct {
    uint8_t type, halves, words;
} shapes[] = {
    {FF_PERF_MMAP, 2, 3},         {FF_PERF_MMAP2, 2, 3},        {FF_PERF_LOST, 0, 2},
    {FF_PERF_COMM, 2, 0},         {FF_PERF_FORK, 4, 1},         {FF_PERF_EXIT, 4, 1},
    {FF_PERF_THROTTLE, 0, 3},     {FF_PERF_UNTHROTTLE, 0, 3},   {FF_PERF_LOST_SAMPLES, 0, 1},
    {FF_PERF_ATTR, 0, 0},         {FF_PERF_TRACING_DATA, 1, 0}, {FF_PERF_BUILD_ID, 1, 0},
    {FF_PERF_EVENT_UPDATE, 0, 2}, {FF_PERF_FEATURE, 0, 1},      {FF_PERF_AUXTRACE, 0, 3},
    {FF_PERF_COMPRESSED2, 0, 1},  {FF_PERF_DEFERRED, 0, 1},
};

static void swap_shape(struct swap *swap, uint32_t type)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes[i].type != type)
            continue;
        numbers(swap, 4, shapes[i].halves);
        numbers(swap, 8, shapes[i].words);
    }
}

/* The attribute in a record of its own, and its ids. */
static void swap_attr_record(struct swap *swap)
{
    size_t left = (size_t)(swap->end - swap->at);
    uint32_t own = 0;
    if (left >= 8)
        memcpy(&own, swap->at + 4, sizeof own);
    own = __builtin_bswap32(own);
    size_t attr = own && own < left ? own : left < 64 ? left : 64;
    ff_perf_swap_attr(swap->at, attr);
    ff_perf_swap_words(swap->at + attr, left - attr);
}

void ff_perf_swap_record(const struct ff_perf_file *file, unsigned char *record, size_t size)
{
    struct swap swap = {record, record + size};
    number(&swap, 4);
    numbers(&swap, 2, 2);
    struct ff_perf_header header = ff_perf_header((const char *)record);
    if (header.type == FF_PERF_SAMPLE) {
        swap_sample(file, &swap);
        return;
    }
    if (header.type <= FF_PERF_KERNEL_LAST) {
        struct swap end = swap;
        swap_trailer(file, &end);
    }
    swap_shape(&swap, header.type);
    if (header.type == FF_PERF_MMAP2) {
        if (header.misc & FF_PERF_MMAP_BUILD_ID) {
            skip(&swap, 24);
        } else {
            numbers(&swap, 4, 2); /* device */
            numbers(&swap, 8, 2); /* inode, generation */
        }
        numbers(&swap, 4, 2); /* protection, flags */
    }
    if (header.type == FF_PERF_DEFERRED)
        numbers(&swap, 8, word(&swap));
    if (header.type == FF_PERF_ATTR)
        swap_attr_record(&swap);
}
