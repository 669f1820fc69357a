/* SPDX-License-Identifier: MIT
 *
 * The way of a perf.data file: records out of the file, out of zstd, into the order of time, into
 * the profile. The hard thing: whatever is damaged, everything whole before it is delivered, and
 * everything that is not is counted.
 */
#include "read/perf.h"
#include "read/perf_names.h"
#include "read/perf_parts.h"
#include "read/perf_sites.h"
#include "read/perf_reader.h"

#include <stdio.h>
#include <sys/stat.h>

static enum ff_status no_span(struct ff_perf_reader *reader)
{
    return ff_error_set(&reader->profile->error, FF_USAGE,
                        "%s: --time in percent needs to know how long the recording is, and a pipe "
                        "cannot be read twice; give the file itself, or seconds",
                        reader->input->name);
}

/* Percent to ns: from what the file says of itself, else by reading it once for its times. */
static enum ff_status find_window(struct ff_perf_reader *reader)
{
    struct ff_window window = reader->apply.selection->window;
    struct ff_perf_file *file = &reader->file;
    reader->apply.window = window;
    if (!window.given || !window.percent)
        return FF_OK;
    if (!file->last_ns) {
        if (file->pipe)
            return no_span(reader);
        reader->only_times = true;
        ff_perf_walk(reader);
        reader->only_times = false;
        file->first_ns = reader->apply.first_ns;
        file->last_ns = reader->apply.last_ns;
        ff_perf_zstd_release(&reader->zstd);
        memset(reader->apply.counts, 0, sizeof reader->apply.counts);
        memset(reader->apply.sample_counts, 0, sizeof reader->apply.sample_counts);
        reader->skip = 0;
        if (reader->status == FF_OK)
            reader->status =
                ff_input_seek(reader->input, file->data_start, &reader->profile->error);
    }
    double span = (double)(file->last_ns - file->first_ns) / 100000;
    reader->apply.window.start = file->first_ns + (uint64_t)(span * (double)window.start);
    if (window.end < 100000)
        reader->apply.window.end = file->first_ns + (uint64_t)(span * (double)window.end);
    else
        reader->apply.window.end = UINT64_MAX;
    return reader->status;
}

/* In pipe mode build-ids come last: they are given to the modules that the samples made. */
static void add_late_build_ids(struct ff_perf_reader *reader, uint32_t first_module)
{
    struct ff_profile *profile = reader->profile;
    for (uint32_t i = first_module; reader->file.pipe && i < profile->modules.count; i++) {
        if (!profile->modules.at[i].build_id)
            profile->modules.at[i].build_id =
                ff_perf_file_build_id(&reader->file, profile->modules.at[i].path);
    }
}

static void release(struct ff_perf_reader *reader)
{
    ff_perf_order_release(&reader->order);
    ff_perf_zstd_release(&reader->zstd);
    ff_perf_file_release(&reader->file);
    ff_free(reader->scratch);
}

/* Stack dumps make most of their file, and most of each is never looked at. */
static bool has_dumps(const struct ff_perf_file *file)
{
    for (uint32_t i = 0; i < file->attr_count; i++) {
        if (file->attrs[i].sample_type & FF_PERF_STACK_USER)
            return true;
    }
    return false;
}

/* Whether a sample depends on those before it, or its bytes on who reads them: then one thread must. */
static bool is_sequential(const struct ff_perf_file *file)
{
    bool depends = file->swapped;
    for (uint32_t i = 0; i < file->attr_count; i++) {
        struct ff_text name = ff_profile_text(file->profile, file->attrs[i].name);
        depends |= file->attrs[i].flags & FF_PERF_ATTR_DEFER ||
                   ff_perf_name_population(name) == FF_POPULATION_BLOCKED ||
                   ff_text_equal(name, FF_TEXT("sched:sched_switch"));
    }
    return depends;
}

/* One more file of records, without a header, and with a zstd stream of its own. */
static void read_more(struct ff_perf_reader *reader, struct ff_input *input)
{
    struct ff_input *first = reader->input;
    ff_perf_zstd_release(&reader->zstd);
    reader->input = input;
    reader->skip = 0;
    reader->file.data_end = input->size;
    reader->file.promised_end = UINT64_MAX;
    reader->file.killed = false;
    reader->file.features_cut = 0;
    ff_perf_walk(reader);
    reader->input = first;
}

/* The records of `perf record --threads`: one file for each of its threads. */
static void read_folder(struct ff_perf_reader *reader)
{
    char path[4096];
    struct stat info;
    for (unsigned i = 0; reader->status == FF_OK; i++) {
        struct ff_input input;
        int used = snprintf(path, sizeof path, "%s/data.%u", reader->folder, i);
        if (used < 0 || (size_t)used >= sizeof path || stat(path, &info) != 0)
            break;
        ff_perf_reader_fail(reader, ff_input_open(&input, path, &reader->profile->error));
        if (reader->status != FF_OK)
            break;
        read_more(reader, &input);
        ff_input_close(&input);
    }
}

static void read_all(void *context)
{
    struct ff_perf_reader *reader = context;
    ff_perf_walk(reader);
    if (reader->folder)
        read_folder(reader);
    if (reader->status != FF_END)
        ff_perf_order_round(&reader->order, true, ff_perf_apply_record, &reader->apply);
    else
        reader->status = FF_OK;
}

/* Reads what is this thread's, and has others read the rest. */
static void read_parts(struct ff_perf_reader *reader, struct ff_text name,
                       const struct ff_perf_options *options)
{
    struct ff_perf_parts parts;
    struct ff_perf_options alone = *options;
    alone.threads = is_sequential(&reader->file) ? 1 : options->threads;
    ff_perf_parts_plan(&parts, reader->input, reader->file.data_start, reader->file.data_end,
                       &alone);
    parts.name = name;
    parts.exact_times = reader->profile->exact_times;
    if (options->part)
        reader->apply.share = options->part->share;
    else if (parts.count > 1)
        reader->apply.share = ff_perf_parts_share(&parts, parts.count - 1);
    ff_perf_parts_read(&parts, reader->input, read_all, reader);
    ff_perf_reader_fail(reader, ff_perf_parts_join(&parts, &reader->apply));
}

enum ff_status ff_perf_read(struct ff_profile *profile, struct ff_input *input, struct ff_text name,
                            const struct ff_perf_options *options)
{
    struct ff_perf_reader reader = {.profile = profile, .input = input, .folder = options->folder};
    uint32_t first_module = profile->modules.count;
    struct ff_site_slot slot = {0};
    reader.status = ff_perf_file_open(&reader.file, profile, input);
    if (reader.status == FF_OK) {
        ff_perf_apply_init(&reader.apply, &reader.file, name, options->selection);
        reader.apply.unwinder = options->unwinder;
        reader.apply.no_stitching = options->no_stitching;
        reader.apply.lender = options->lender;
        reader.apply.part = options->part;
        reader.apply.finder = options->finder;
        if (has_dumps(&reader.file)) {
            if (!is_sequential(&reader.file))
                ff_input_map(input);
            reader.apply.lenders = options->lenders;
            reader.apply.lender_count = options->no_stitching ? 0 : options->lender_count;
        }
        if (input->mapped && options->unwinder && !options->part && !options->finder)
            slot = ff_perf_sites_find(input, name, options);
        ff_perf_reader_fail(&reader, find_window(&reader));
        read_parts(&reader, name, options);
        add_late_build_ids(&reader, first_module);
        ff_perf_reader_count(&reader, FF_LEDGER_ORDER, reader.order.late);
        profile->out_of_memory |= reader.order.failed;
        ff_perf_sites_note(profile, reader.apply.source, slot);
        ff_perf_reader_fail(&reader, ff_perf_apply_finish(&reader.apply));
    }
    release(&reader);
    return reader.status == FF_OK ? ff_profile_status(profile) : reader.status;
}
