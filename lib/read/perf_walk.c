/* SPDX-License-Identifier: MIT
 *
 * Bytes to records: out of the file, out of zstd, out of the other byte order. The hard thing: records
 * straddle pieces and compressed records, and some have a payload behind them that is no record.
 */
#include "read/perf_reader.h"
#include "read/perf_sites.h"
#include "read/perf_swap.h"

#include <stdio.h>

#define PIECE        ((size_t)1 << 20)
#define HEADER_BYTES 8u
#define AHEAD        4u
#define SCRATCH_SIZE ((size_t)UINT16_MAX + 1)

static void add_attr(struct ff_perf_reader *reader, struct ff_text record)
{
    uint32_t size = 0;
    if (record.size >= HEADER_BYTES + 8)
        memcpy(&size, record.at + HEADER_BYTES + 4, sizeof size);
    if (size > record.size - HEADER_BYTES) {
        ff_perf_reader_count(reader, FF_LEDGER_RECORDS_BAD, 1);
        return;
    }
    struct ff_text body = ff_text_from(record, HEADER_BYTES);
    ff_perf_reader_fail(reader, ff_perf_file_add_attr(&reader->file,
                                                      ff_text_slice(body, 0, size ? size : 64),
                                                      ff_text_from(body, size ? size : 64)));
}

/* u64 feature, bytes. An empty one ends the list and bears the number of a feature to come. */
static void add_feature(struct ff_perf_reader *reader, struct ff_text record)
{
    uint64_t feature;
    if (record.size <= HEADER_BYTES + sizeof feature)
        return;
    memcpy(&feature, record.at + HEADER_BYTES, sizeof feature);
    ff_perf_file_add_feature(&reader->file, feature < 256 ? (unsigned)feature : 255,
                             ff_text_from(record, HEADER_BYTES + sizeof feature));
}

/* u64 kind (2 = name), u64 id, NUL-terminated text. */
static void update_event(struct ff_perf_reader *reader, struct ff_text record)
{
    uint64_t kind, id;
    if (record.size < HEADER_BYTES + 16)
        return;
    memcpy(&kind, record.at + HEADER_BYTES, sizeof kind);
    memcpy(&id, record.at + HEADER_BYTES + 8, sizeof id);
    struct ff_text name = ff_text_from(record, HEADER_BYTES + 16);
    ptrdiff_t nul = ff_text_find(name, '\0');
    if (kind == 2)
        ff_perf_file_set_name(&reader->file, id,
                              ff_text_slice(name, 0, nul < 0 ? name.size : (size_t)nul));
}

static void walk(struct ff_perf_reader *reader, struct ff_text *bytes);

/* Where a record stands, for messages: "offset 49104", or that it came out of zstd. */
static const char *place_of(const struct ff_perf_reader *reader, const char *at, char *text,
                            size_t size)
{
    uint64_t number = reader->apply.counts[FF_LEDGER_RECORDS];
    if (reader->view && !reader->file.swapped)
        snprintf(text, size, "offset %llu",
                 (unsigned long long)(reader->input->offset + (uint64_t)(at - reader->view)));
    else
        snprintf(text, size, "after record %llu", (unsigned long long)number);
    return text;
}

/* A compressed record: its payload continues the one stream of records in the file. */
static void decompress(struct ff_perf_reader *reader, struct ff_text record)
{
    struct ff_text payload = ff_text_from(record, HEADER_BYTES);
    if (ff_perf_header(record.at).type == FF_PERF_COMPRESSED2) {
        uint64_t size = 0;
        if (payload.size >= sizeof size)
            memcpy(&size, payload.at, sizeof size);
        payload = ff_text_from(payload, sizeof size);
        payload.size = size < payload.size ? (size_t)size : payload.size;
    }
    ff_perf_zstd_begin(&reader->zstd, payload);
    struct ff_error why = {0};
    enum ff_status status;
    const char *view = reader->view;
    reader->view = NULL;
    while ((status = ff_perf_zstd_step(&reader->zstd, &why)) == FF_OK && reader->status == FF_OK) {
        struct ff_text ready = {reader->zstd.bytes, reader->zstd.used};
        walk(reader, &ready);
        ff_perf_zstd_take(&reader->zstd, reader->zstd.used - ready.size);
    }
    reader->view = view;
    char place[64];
    if (status != FF_END && status != FF_OK)
        ff_perf_reader_fail(
            reader, ff_error_set(&reader->profile->error, status,
                                 "%s: %s: %s; what stands before it is kept", reader->input->name,
                                 place_of(reader, record.at, place, sizeof place), why.message));
}

/* Records of the recorder itself: they have no time and count where they stand. */
static void apply_tool_record(struct ff_perf_reader *reader, struct ff_text record)
{
    uint32_t type = ff_perf_header(record.at).type, payload = 0;
    if (record.size >= HEADER_BYTES + sizeof payload)
        memcpy(&payload, record.at + HEADER_BYTES, sizeof payload);
    switch (type) {
    case FF_PERF_ATTR:
        add_attr(reader, record);
        break;
    case FF_PERF_FEATURE:
        add_feature(reader, record);
        break;
    case FF_PERF_EVENT_UPDATE:
        update_event(reader, record);
        break;
    case FF_PERF_BUILD_ID:
        ff_perf_file_add_build_id(&reader->file, record);
        break;
    case FF_PERF_FINISHED_ROUND:
        if (reader->folder) /* the files are merged at the end */
            break;
        ff_perf_order_round(&reader->order, false, ff_perf_apply_record, &reader->apply);
        break;
    case FF_PERF_TRACING_DATA:
    case FF_PERF_AUXTRACE: /* `payload` bytes follow the record, outside its size */
        reader->skip = type == FF_PERF_AUXTRACE ? payload : ((uint64_t)payload + 7) & ~7ull;
        ff_perf_reader_count(reader, FF_LEDGER_RECORDS_UNUSED, 1);
        break;
    case FF_PERF_COMPRESSED:
    case FF_PERF_COMPRESSED2:
        ff_perf_reader_count(reader, FF_LEDGER_COMPRESSED, 1);
        if (reader->view)
            decompress(reader, record);
        else /* no recorder does that, and the buffer is the one that is being read */
            ff_perf_reader_fail(
                reader, ff_error_set(&reader->profile->error, FF_BAD_INPUT,
                                     "%s: found a compressed record inside of compressed data; "
                                     "what stands before it is kept",
                                     reader->input->name));
        break;
    default:
        ff_perf_reader_count(
            reader,
            type <= FF_PERF_TOOL_LAST ? FF_LEDGER_RECORDS_UNUSED : FF_LEDGER_RECORDS_UNKNOWN, 1);
        break;
    }
}

static void take_record(struct ff_perf_reader *reader, struct ff_text record)
{
    uint64_t time_ns = ff_perf_record_time(&reader->file, record);
    uint32_t type = ff_perf_header(record.at).type;
    ff_perf_reader_count(reader, FF_LEDGER_RECORDS, 1);
    if (reader->only_times && type <= FF_PERF_KERNEL_LAST) {
        if (type == FF_PERF_SAMPLE)
            ff_perf_apply_time(&reader->apply, time_ns);
    } else if (type > FF_PERF_KERNEL_LAST) {
        apply_tool_record(reader, record);
    } else if (!time_ns) { /* made up by the recorder at its start, or a file without times */
        ff_perf_apply_record(&reader->apply, record);
    } else if (reader->input->mapped && reader->view && !reader->file.swapped) {
        ff_perf_order_add_stable(&reader->order, time_ns, record);
    } else {
        ff_perf_order_add(&reader->order, time_ns, record);
    }
}

static struct ff_perf_header header_of(const struct ff_perf_reader *reader, const char *record)
{
    struct ff_perf_header header = ff_perf_header(record);
    if (reader->file.swapped) {
        header.type = __builtin_bswap32(header.type);
        header.misc = __builtin_bswap16(header.misc);
        header.size = __builtin_bswap16(header.size);
    }
    return header;
}

/* The record in this machine's byte order; a copy, which lives until the next one, if it was not. */
static struct ff_text in_order(struct ff_perf_reader *reader, struct ff_text record)
{
    if (!reader->file.swapped)
        return record;
    if (!reader->scratch)
        reader->scratch = ff_alloc(2 * SCRATCH_SIZE, 1);
    if (!reader->scratch) {
        reader->profile->out_of_memory = true;
        return record;
    }
    /* A compressed record stays while those inside of it are read. */
    char *copy = reader->scratch + (reader->view ? 0 : SCRATCH_SIZE);
    memcpy(copy, record.at, record.size);
    ff_perf_swap_record(&reader->file, (unsigned char *)copy, record.size);
    return (struct ff_text){copy, record.size};
}

/* Samples that are enough to find call sites in, or to see that there are none. */
#define LOOK_SAMPLES 200u

static bool is_done(const struct ff_perf_reader *reader)
{
    const struct ff_site_finder *finder = reader->apply.finder;
    return finder && (finder->count >= FF_SITE_ENOUGH ||
                      reader->apply.sample_counts[FF_LEDGER_SAMPLES] >= LOOK_SAMPLES);
}

/* Takes the whole records off the front of *bytes, and the payload that follows some. */
static void walk(struct ff_perf_reader *reader, struct ff_text *bytes)
{
    while (reader->status == FF_OK && bytes->size) {
        if (reader->skip) {
            size_t part = reader->skip < bytes->size ? (size_t)reader->skip : bytes->size;
            reader->skip -= part;
            *bytes = ff_text_from(*bytes, part);
            continue;
        }
        if (bytes->size < HEADER_BYTES)
            return;
        struct ff_perf_header header = header_of(reader, bytes->at);
        if (header.size < HEADER_BYTES) {
            char place[64];
            ff_perf_reader_fail(
                reader,
                ff_error_set(&reader->profile->error, FF_BAD_INPUT,
                             "%s: %s: found a record (type %u) of size %u, expected at "
                             "least 8; what stands before it is kept",
                             reader->input->name, place_of(reader, bytes->at, place, sizeof place),
                             header.type, header.size));
            return;
        }
        if (header.size > bytes->size)
            return;
        /* Most records are as large as the one before; the next ones are not in the cache. */
        __builtin_prefetch(bytes->at + AHEAD * header.size);
        take_record(reader, in_order(reader, ff_text_slice(*bytes, 0, header.size)));
        if (is_done(reader))
            reader->status = FF_END;
        *bytes = ff_text_from(*bytes, header.size);
    }
}

void ff_perf_walk(struct ff_perf_reader *reader)
{
    struct ff_error *error = &reader->profile->error;
    while (reader->status == FF_OK && reader->input->offset < reader->file.data_end) {
        struct ff_text view;
        uint64_t left = reader->file.data_end - reader->input->offset;
        ff_perf_reader_fail(
            reader,
            ff_input_peek(reader->input, left < PIECE ? (size_t)left : PIECE, &view, error));
        struct ff_text rest = view;
        reader->view = view.at;
        walk(reader, &rest);
        size_t used = view.size - rest.size;
        if (!used) { /* the rest is no whole record */
            ff_perf_reader_count(reader, FF_LEDGER_BYTES_CUT, view.size);
            break;
        }
        ff_perf_reader_fail(reader, ff_input_bytes(reader->input, used, &view, error));
    }
    if (reader->file.promised_end != UINT64_MAX)
        ff_perf_reader_count(reader, FF_LEDGER_BYTES_MISSING,
                             reader->file.promised_end - reader->file.data_end);
    if (reader->file.pipe)
        ff_perf_reader_count(reader, FF_LEDGER_BYTES_MISSING, reader->skip);
    ff_perf_reader_count(reader, FF_LEDGER_BYTES_CUT, reader->zstd.used);
    ff_perf_reader_count(reader, FF_LEDGER_KILLED, reader->file.killed);
    ff_perf_reader_count(reader, FF_LEDGER_FEATURES_CUT, reader->file.features_cut);
}
