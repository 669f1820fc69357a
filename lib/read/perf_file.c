/* SPDX-License-Identifier: MIT
 *
 * The head of a perf.data file. The hard thing: everything here is offsets and lengths that a
 * killed recorder, a cut copy or an enemy may have written.
 */
#include "read/perf_file.h"
#include "base/cursor.h"
#include "read/perf_names.h"
#include "read/perf_swap.h"

#include <elf.h>
#include <stdio.h>

#define HEADER_SIZE      104u
#define PIPE_HEADER_SIZE 16u
#define ATTR_SIZE_MIN    64u /* PERF_ATTR_SIZE_VER0 */
#define FEATURE_BITS     256u

enum feature {
    BUILD_ID = 2,
    HOST_NAME = 3,
    ARCH = 6,
    EVENT_DESC = 12,
    SAMPLE_TIME = 21,
    CLOCKID = 23,
    CLOCK_DATA = 29
};

struct section {
    uint64_t offset, size;
};

static enum ff_status damaged(struct ff_perf_file *file, uint64_t offset, const char *what)
{
    return ff_error_set(&file->profile->error, FF_BAD_INPUT,
                        "%s: offset %llu: %s; the file is damaged or no perf.data", file->name,
                        (unsigned long long)offset, what);
}

uint32_t ff_perf_build_id_text(struct ff_profile *profile, struct ff_text bytes)
{
    char text[128];
    size_t used = 0;
    bool any = false;
    for (size_t i = 0; i < bytes.size && used + 2 < sizeof text; i++) {
        unsigned char byte = (unsigned char)bytes.at[i];
        text[used++] = "0123456789abcdef"[byte >> 4];
        text[used++] = "0123456789abcdef"[byte & 15];
        any |= byte != 0;
    }
    return any ? ff_profile_intern(profile, (struct ff_text){text, used}) : 0;
}

static uint32_t attr_index_of_id(const struct ff_perf_file *file, uint64_t id)
{
    struct ff_probe probe;
    for (uint32_t row = ff_map_first(&file->id_map, ff_hash_mix(0, id), &probe); row;
         row = ff_map_next(&file->id_map, &probe)) {
        if (file->ids[row - 1].id == id)
            return file->ids[row - 1].attr;
    }
    return file->attr_count;
}

static void add_id(struct ff_perf_file *file, uint64_t id, uint32_t attr)
{
    file->ids = ff_grow(file->ids, &file->id_capacity, (uint64_t)file->id_count + 1,
                        sizeof *file->ids, &file->profile->out_of_memory);
    if (file->id_count == file->id_capacity)
        return;
    file->ids[file->id_count++] = (struct ff_perf_id){id, attr};
    ff_map_add(&file->id_map, ff_hash_mix(0, id), file->id_count);
}

enum ff_status ff_perf_file_add_attr(struct ff_perf_file *file, struct ff_text bytes,
                                     struct ff_text ids)
{
    if (bytes.size < ATTR_SIZE_MIN)
        return damaged(file, 0, "an event attribute is shorter than 64 bytes");
    unsigned char whole[96] = {0};
    memcpy(whole, bytes.at, bytes.size < sizeof whole ? bytes.size : sizeof whole);
    struct ff_cursor cursor = ff_cursor(whole, sizeof whole, false);
    struct ff_perf_attr attr = {.type = ff_cursor_u32(&cursor)};
    ff_cursor_u32(&cursor); /* its own size */
    attr.config = ff_cursor_u64(&cursor);
    attr.period = ff_cursor_u64(&cursor);
    attr.sample_type = ff_cursor_u64(&cursor);
    attr.read_format = ff_cursor_u64(&cursor);
    attr.flags = ff_cursor_u64(&cursor);
    ff_cursor_bytes(&cursor, 24); /* wake-up, breakpoint, config1, config2 */
    attr.branch_sample_type = ff_cursor_u64(&cursor);
    attr.regs_user = ff_cursor_u64(&cursor);
    /* A recorder that was killed wrote no feature: x86-64 has no register 31, AArch64's SP is it. */
    if (!file->machine && attr.regs_user)
        file->machine = attr.regs_user >> 31 & 1 ? EM_AARCH64 : EM_X86_64;
    file->attrs = ff_grow(file->attrs, &file->attr_capacity, (uint64_t)file->attr_count + 1,
                          sizeof *file->attrs, &file->profile->out_of_memory);
    if (file->attr_count == file->attr_capacity)
        return ff_profile_status(file->profile);
    struct ff_cursor list = ff_cursor(ids.at, ids.size, false);
    while (ff_cursor_left(&list) >= 8)
        add_id(file, ff_cursor_u64(&list), file->attr_count);
    file->attrs[file->attr_count++] = attr;
    return FF_OK;
}

struct ff_perf_attr *ff_perf_file_attr(const struct ff_perf_file *file, bool has_id, uint64_t id)
{
    if (file->attr_count == 1)
        return file->attrs;
    uint32_t index = has_id ? attr_index_of_id(file, id) : 0;
    return index < file->attr_count ? &file->attrs[index] : NULL;
}

void ff_perf_file_set_name(struct ff_perf_file *file, uint64_t id, struct ff_text name)
{
    uint32_t index = attr_index_of_id(file, id);
    if (index < file->attr_count)
        file->attrs[index].name = ff_profile_intern(file->profile, name);
}

uint32_t ff_perf_file_build_id(const struct ff_perf_file *file, uint32_t path)
{
    for (uint32_t i = 0; i < file->build_id_count; i++) {
        if (file->build_ids[i].path == path)
            return file->build_ids[i].build_id;
    }
    return 0;
}

void ff_perf_file_add_build_id(struct ff_perf_file *file, struct ff_text record)
{
    struct ff_cursor cursor = ff_cursor(record.at, record.size, file->swapped);
    ff_cursor_u32(&cursor); /* type */
    uint16_t misc = ff_cursor_u16(&cursor);
    ff_cursor_u16(&cursor); /* size */
    ff_cursor_u32(&cursor); /* pid */
    const char *id = ff_cursor_bytes(&cursor, 24);
    if (!id)
        return;
    size_t size = 20;
    if (misc & 1 << 15 && (unsigned char)id[20] && (unsigned char)id[20] <= 20)
        size = (unsigned char)id[20];
    struct ff_perf_build_id row = {
        .path = ff_profile_intern(file->profile, ff_cursor_string(&cursor)),
        .build_id = ff_perf_build_id_text(file->profile, (struct ff_text){id, size}),
    };
    file->build_ids =
        ff_grow(file->build_ids, &file->build_id_capacity, (uint64_t)file->build_id_count + 1,
                sizeof *file->build_ids, &file->profile->out_of_memory);
    if (file->build_id_count < file->build_id_capacity)
        file->build_ids[file->build_id_count++] = row;
}

static void add_build_ids(struct ff_perf_file *file, struct ff_text bytes)
{
    while (bytes.size >= 8) {
        uint16_t size;
        memcpy(&size, bytes.at + 6, sizeof size);
        size = file->swapped ? __builtin_bswap16(size) : size;
        if (size < 8 || size > bytes.size)
            return;
        ff_perf_file_add_build_id(file, ff_text_slice(bytes, 0, size));
        bytes = ff_text_from(bytes, size);
    }
}

/* u32 length (padded), bytes with a NUL. */
static struct ff_text feature_string(struct ff_cursor *cursor)
{
    uint32_t size = ff_cursor_u32(cursor);
    const char *bytes = ff_cursor_bytes(cursor, size);
    struct ff_cursor string = ff_cursor(bytes ? bytes : "", bytes ? size : 0, false);
    return ff_cursor_string(&string);
}

/* nr, attribute size, then for each event: attribute, number of ids, name, ids. The names stand
 * nowhere else in file mode; events are told apart by their ids, or by their order without any. */
static void add_event_names(struct ff_perf_file *file, struct ff_text bytes)
{
    struct ff_cursor cursor = ff_cursor(bytes.at, bytes.size, file->swapped);
    uint32_t count = ff_cursor_u32(&cursor);
    uint32_t attr_size = ff_cursor_u32(&cursor);
    for (uint32_t i = 0; i < count && !cursor.failed; i++) {
        ff_cursor_bytes(&cursor, attr_size);
        uint32_t id_count = ff_cursor_u32(&cursor);
        struct ff_text name = feature_string(&cursor);
        const unsigned char *ids = ff_cursor_bytes(&cursor, (uint64_t)id_count * 8);
        if (cursor.failed)
            return;
        uint64_t id = 0;
        if (id_count)
            memcpy(&id, ids, sizeof id);
        id = file->swapped ? __builtin_bswap64(id) : id;
        uint32_t index = id_count ? attr_index_of_id(file, id) : i;
        if (index < file->attr_count)
            file->attrs[index].name = ff_profile_intern(file->profile, name);
    }
}

/* What uname -m printed on the recording machine. */
static uint16_t machine_of(struct ff_text arch)
{
    if (ff_text_equal(arch, FF_TEXT("x86_64")))
        return EM_X86_64;
    return ff_text_equal(arch, FF_TEXT("aarch64")) || ff_text_equal(arch, FF_TEXT("arm64"))
               ? EM_AARCH64
               : 0;
}

/* Version, clock, and one moment by the wall clock and by that clock. */
static void set_clock(struct ff_perf_file *file, struct ff_cursor cursor)
{
    uint32_t version = ff_cursor_u32(&cursor);
    file->clock = ff_cursor_u32(&cursor);
    file->wall_ns = ff_cursor_u64(&cursor);
    file->clock_ns = ff_cursor_u64(&cursor);
    file->has_clock = version == 1 && !cursor.failed;
}

void ff_perf_file_add_feature(struct ff_perf_file *file, unsigned feature, struct ff_text bytes)
{
    struct ff_cursor cursor = ff_cursor(bytes.at, bytes.size, file->swapped);
    switch (feature) {
    case BUILD_ID:
        add_build_ids(file, bytes);
        break;
    case HOST_NAME:
        file->host = ff_profile_intern(file->profile, feature_string(&cursor));
        break;
    case ARCH:
        file->machine = machine_of(feature_string(&cursor));
        break;
    case EVENT_DESC:
        add_event_names(file, bytes);
        break;
    case SAMPLE_TIME:
        file->first_ns = ff_cursor_u64(&cursor);
        file->last_ns = ff_cursor_u64(&cursor);
        break;
    case CLOCKID:
        file->clock_resolution = ff_cursor_u64(&cursor);
        break;
    case CLOCK_DATA:
        set_clock(file, cursor);
        break;
    default:
        break;
    }
}

/* The bytes of a section, in memory of their own; empty if the file does not hold them all. */
static struct ff_text load_section(struct ff_input *input, struct section section)
{
    struct ff_error ignored = {0};
    bool holds = section.size && section.size <= input->size;
    char *bytes = holds ? ff_alloc((size_t)section.size, 1) : NULL;
    if (bytes && ff_input_at(input, section.offset, bytes, (size_t)section.size, &ignored) == FF_OK)
        return (struct ff_text){bytes, (size_t)section.size};
    ff_free(bytes);
    return (struct ff_text){NULL, 0};
}

/* The bytes of load_section, which belong to whoever asked for them. */
static unsigned char *owned(struct ff_text bytes)
{
    union {
        const char *constant;
        unsigned char *mine;
    } pointer = {bytes.at};
    return pointer.mine;
}

static void release_section(struct ff_text bytes)
{
    ff_free(owned(bytes));
}

static struct section cursor_section(struct ff_cursor *cursor)
{
    struct section section;
    section.offset = ff_cursor_u64(cursor);
    section.size = ff_cursor_u64(cursor);
    return section;
}

/* Entries of an attribute and the place of its ids. They may stand before or after the data. */
static enum ff_status read_attrs(struct ff_perf_file *file, struct ff_input *input,
                                 struct section section, uint64_t entry_size)
{
    struct ff_text bytes = load_section(input, section);
    enum ff_status status = FF_OK;
    if (entry_size < ATTR_SIZE_MIN + 16 || !bytes.size)
        status = damaged(file, 16, "the header points to no event attributes");
    for (size_t at = 0; status == FF_OK && entry_size <= bytes.size - at;
         at += (size_t)entry_size) {
        struct ff_text attr = ff_text_slice(bytes, at, at + (size_t)entry_size - 16);
        struct ff_cursor cursor = ff_cursor(attr.at + attr.size, 16, file->swapped);
        struct ff_text ids = load_section(input, cursor_section(&cursor));
        if (file->swapped) {
            ff_perf_swap_attr(owned(attr), attr.size);
            ff_perf_swap_words(owned(ids), ids.size);
        }
        status = ff_perf_file_add_attr(file, attr, ids);
        release_section(ids);
    }
    release_section(bytes);
    return status;
}

/* One section entry per set bit, in ascending order, directly behind the data. */
static void read_features(struct ff_perf_file *file, struct ff_input *input,
                          const unsigned char *bits)
{
    uint64_t at = file->promised_end;
    for (unsigned feature = 0; feature < FEATURE_BITS; feature++) {
        if (!(bits[feature / 8] >> feature % 8 & 1))
            continue;
        struct ff_text entry = load_section(input, (struct section){at, 16});
        struct ff_cursor cursor = ff_cursor(entry.at, entry.size, file->swapped);
        struct section section = cursor_section(&cursor);
        struct ff_text bytes = load_section(input, section);
        file->features_cut += !entry.size || (section.size && !bytes.size);
        ff_perf_file_add_feature(file, feature, bytes);
        release_section(bytes);
        release_section(entry);
        at += 16;
    }
}

static enum ff_status open_file_mode(struct ff_perf_file *file, struct ff_input *input)
{
    unsigned char header[HEADER_SIZE];
    struct ff_error *error = &file->profile->error;
    enum ff_status status = ff_input_load(input, error);
    if (status == FF_OK)
        status = ff_input_at(input, 0, header, sizeof header, error);
    if (status != FF_OK)
        return status;
    struct ff_cursor cursor = ff_cursor(header + 16, sizeof header - 16, file->swapped);
    uint64_t entry_size = ff_cursor_u64(&cursor);
    struct section attrs = cursor_section(&cursor);
    struct section data = cursor_section(&cursor);
    if (data.offset < HEADER_SIZE || data.offset > input->size ||
        data.size > UINT64_MAX - data.offset)
        return damaged(file, 40, "the header points to data outside the file");
    file->killed = data.size == 0;
    file->data_start = data.offset;
    file->promised_end = file->killed ? input->size : data.offset + data.size;
    file->data_end = file->promised_end < input->size ? file->promised_end : input->size;
    status = read_attrs(file, input, attrs, entry_size);
    if (file->swapped)
        ff_perf_swap_words(header + 72, FEATURE_BITS / 8);
    if (status == FF_OK && !file->killed && file->promised_end <= input->size)
        read_features(file, input, header + 72);
    return status == FF_OK ? ff_input_seek(input, file->data_start, error) : status;
}

enum ff_status ff_perf_file_open(struct ff_perf_file *file, struct ff_profile *profile,
                                 struct ff_input *input)
{
    *file = (struct ff_perf_file){.profile = profile, .name = input->name};
    struct ff_text head;
    enum ff_status status = ff_input_peek(input, PIPE_HEADER_SIZE, &head, &profile->error);
    if (status != FF_OK)
        return status;
    if (head.size < PIPE_HEADER_SIZE)
        return damaged(file, head.size, "the header ends early");
    uint64_t size;
    memcpy(&size, head.at + 8, sizeof size);
    file->swapped = size > UINT32_MAX; /* not by the magic: version 1 has no order in it */
    size = file->swapped ? __builtin_bswap64(size) : size;
    if (size != PIPE_HEADER_SIZE)
        return size == HEADER_SIZE ? open_file_mode(file, input)
                                   : damaged(file, 8, "the header size is neither 16 nor 104");
    file->pipe = true;
    file->data_start = PIPE_HEADER_SIZE;
    file->data_end = file->promised_end = input->size;
    return ff_input_bytes(input, PIPE_HEADER_SIZE, &head, &profile->error);
}

void ff_perf_file_release(struct ff_perf_file *file)
{
    ff_free(file->attrs);
    ff_free(file->ids);
    ff_free(file->build_ids);
    ff_map_release(&file->id_map);
}

uint32_t ff_perf_attr_name(struct ff_profile *profile, const struct ff_perf_attr *attr)
{
    static const char *const types[] = {"hardware", "software", "tracepoint", "cache", "raw"};
    char text[64];
    const char *known = ff_perf_name_of(attr->type, attr->config);
    if (known)
        return ff_profile_intern(profile, ff_text(known));
    snprintf(text, sizeof text, "%s 0x%llx", attr->type < 5 ? types[attr->type] : "event",
             (unsigned long long)attr->config);
    return ff_profile_intern(profile, ff_text(text));
}
