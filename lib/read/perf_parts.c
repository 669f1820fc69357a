/* SPDX-License-Identifier: MIT
 *
 * How many threads, and the way back into one profile. The hard thing is that a sample means what the
 * records before it say: so every thread reads all of them, close behind each other and through one
 * mapping, and only the samples are shared out.
 */
#include "read/perf_parts.h"
#include "base/threads.h"

/* Whether the first records, up to a sample, are plain. */
static bool is_plain(struct ff_text records)
{
    while (records.size >= sizeof(struct ff_perf_header)) {
        struct ff_perf_header header = ff_perf_header(records.at);
        if (header.type == FF_PERF_SAMPLE)
            return true;
        if (header.type == FF_PERF_COMPRESSED || header.type == FF_PERF_COMPRESSED2 ||
            header.type == FF_PERF_AUXTRACE || header.size < sizeof header ||
            header.size > records.size)
            return false;
        records = ff_text_from(records, header.size);
    }
    return false;
}

static unsigned part_count(const struct ff_perf_options *options, uint64_t bytes)
{
    uint64_t least = options->part_bytes ? options->part_bytes : FF_PERF_PART_BYTES;
    uint64_t count = options->threads ? options->threads : ff_threads_available();
    if (count > bytes / least)
        count = bytes / least;
    if (count > FF_PERF_PARTS_MAX)
        count = FF_PERF_PARTS_MAX;
    return count ? (unsigned)count : 1;
}

struct ff_perf_share ff_perf_parts_share(struct ff_perf_parts *parts, unsigned number)
{
    return (struct ff_perf_share){.claims = &parts->claims,
                                  .number = number,
                                  .count = parts->options.in_turn ? parts->count : 0};
}

void ff_perf_parts_plan(struct ff_perf_parts *parts, const struct ff_input *input, uint64_t start,
                        uint64_t end, const struct ff_perf_options *options)
{
    *parts = (struct ff_perf_parts){.count = 1, .options = *options};
    if (!input->mapped || options->part || options->lender || start >= end || end > input->size ||
        !options->unwinder || !ff_unwinder_splits(options->unwinder) ||
        !is_plain((struct ff_text){input->buffer + start, (size_t)(end - start)}))
        return;
    parts->count = part_count(options, end - start);
}

static void read_part(void *context, unsigned number)
{
    struct ff_perf_parts *parts = context;
    if (number + 1 == parts->count) {
        parts->read_last(parts->context);
        return;
    }
    struct ff_perf_part *part = &parts->at[number];
    struct ff_perf_options options = parts->options;
    options.part = part;
    options.unwinder = part->unwinder;
    options.lender_count = 0;
    if (part->status == FF_OK)
        part->status = ff_perf_read(part->profile, &part->input, parts->name, &options);
}

/* What a part needs, before any thread runs. */
static void begin(struct ff_perf_parts *parts, unsigned number, const struct ff_input *input)
{
    struct ff_perf_part *part = &parts->at[number];
    part->share = ff_perf_parts_share(parts, number);
    part->profile = ff_profile_new();
    part->unwinder =
        part->profile ? ff_unwinder_copy(parts->options.unwinder, part->profile) : NULL;
    if (!part->unwinder) {
        part->status = FF_NO_MEMORY;
        return;
    }
    part->profile->exact_times = parts->exact_times;
    part->status = ff_input_share(&part->input, input, &part->profile->error);
}

void ff_perf_parts_read(struct ff_perf_parts *parts, const struct ff_input *input,
                        void (*read_last)(void *context), void *context)
{
    parts->read_last = read_last;
    parts->context = context;
    for (unsigned i = 0; i + 1 < parts->count; i++)
        begin(parts, i, input);
    ff_threads_run(parts->count, read_part, parts);
}

static void join(struct ff_perf_part *part, struct ff_perf_apply *last)
{
    struct ff_append maps;
    ff_append(last->profile, last->source, part->profile, &maps);
    if (!maps.failed)
        ff_stitcher_append(&last->stitcher, &part->stitcher, &maps);
    ff_append_release(&maps);
    for (unsigned id = 0; id < FF_LEDGER_COUNT; id++)
        last->sample_counts[id] += part->sample_counts[id];
}

enum ff_status ff_perf_parts_join(struct ff_perf_parts *parts, struct ff_perf_apply *last)
{
    enum ff_status status = FF_OK;
    for (unsigned i = 0; i + 1 < parts->count; i++) {
        struct ff_perf_part *part = &parts->at[i];
        bool damaged = part->status == FF_BAD_INPUT; /* the last part meets the same damage */
        if (part->status == FF_OK || damaged)
            join(part, last);
        else if (status == FF_OK)
            status = ff_error_set(&last->profile->error, part->status, "%s",
                                  part->profile && part->profile->error.message[0]
                                      ? part->profile->error.message
                                      : "out of memory");
        ff_stitcher_release(&part->stitcher);
        ff_unwinder_free(part->unwinder);
        ff_profile_free(part->profile);
        ff_input_close(&part->input);
    }
    return status;
}
