/* SPDX-License-Identifier: MIT
 *
 * From a path to its reader. Nothing is hard here: format.c knows what a file is.
 */
#include "read/read.h"
#include "profile/stream.h"
#include "read/about.h"
#include "read/backtrace.h"
#include "read/chrometrace.h"
#include "read/folded.h"
#include "read/format.h"
#include "read/perf.h"
#include "read/perf_script.h"
#include "read/pyspy_dump.h"
#include "read/side.h"
#include "read/svg.h"
#include "read/tachyon_dump.h"
#include "read/pyspy_json.h"
#include "read/speedscope.h"

#include <stdio.h>
#include <sys/stat.h>

/* Only recordings know when and where a sample was taken (the times of chrometrace are in a clock of
 * its own). What cannot be asked of a main input is
 * refused; beside a recording, a py-spy file is taken whole and that is noted. */
static enum ff_status check_window(struct ff_profile *profile, const struct ff_input *input,
                                   enum ff_format format, const struct ff_selection *selection)
{
    if (!selection->window.given && !selection->cpu_count)
        return FF_OK;
    if (format == FF_FORMAT_STREAM || format == FF_FORMAT_FOLDED || format == FF_FORMAT_SVG)
        return ff_error_set(&profile->error, FF_USAGE,
                            "%s: --time and --cpu need the recording itself: %s has no times; give "
                            "them to the tool that reads the recording",
                            input->name, ff_format_name(format));
    if (format >= FF_FORMAT_PY_SPY_RAW && format <= FF_FORMAT_SPEEDSCOPE)
        ff_ledger_add(profile, 0, FF_LEDGER_NO_TIMES, 1);
    return FF_OK;
}

const struct ff_side_format *ff_read_side_format(enum ff_format format)
{
    switch (format) {
    case FF_FORMAT_TOP:
        return &ff_side_top;
    case FF_FORMAT_PIDSTAT:
        return &ff_side_pidstat;
    case FF_FORMAT_STAT:
        return &ff_side_stat;
    case FF_FORMAT_COMMS:
        return &ff_side_comms;
    case FF_FORMAT_THREADS:
        return &ff_side_thread_list;
    case FF_FORMAT_MAPS:
        return &ff_side_maps;
    case FF_FORMAT_DMON:
        return &ff_side_dmon;
    case FF_FORMAT_GPU_QUERY:
        return &ff_side_gpu_query;
    case FF_FORMAT_GPU_TABLE:
        return &ff_side_gpu_table;
    case FF_FORMAT_LOG:
        return &ff_side_log;
    case FF_FORMAT_MANIFEST:
        return &ff_side_manifest;
    default:
        return NULL;
    }
}

/* What the user tells decides where the content leaves a choice. A GIL that nobody ever held leaves an
 * empty file: that is an answer, not a mistake. */
static enum ff_format told_format(enum ff_format format, struct ff_text name,
                                  const struct ff_about *about)
{
    bool stacks = format == FF_FORMAT_FOLDED || format == FF_FORMAT_PY_SPY_RAW ||
                  format == FF_FORMAT_TEXT || format == FF_FORMAT_EMPTY;
    if (about && stacks && about->tool == FF_TOOL_PY_SPY)
        return FF_FORMAT_PY_SPY_RAW;
    if (about && stacks && about->tool == FF_TOOL_FOLDED)
        return FF_FORMAT_FOLDED;
    return format == FF_FORMAT_EMPTY && ff_text_ends(name, FF_TEXT(".raw")) ? FF_FORMAT_PY_SPY_RAW
                                                                            : format;
}

/* The base name; of a packed file the name that it had before, so that all is as if it were unpacked. */
static struct ff_text name_of(struct ff_profile *profile, const struct ff_input *input)
{
    static const char *const suffixes[] = {".gz", ".zst", ".zstd", ".xz"};
    struct ff_text name = ff_text_base_name(ff_text(input->name));
    for (size_t i = 0; input->unpack && i < sizeof suffixes / sizeof *suffixes; i++) {
        struct ff_text suffix = ff_text(suffixes[i]);
        if (name.size > suffix.size && ff_text_ends(name, suffix))
            return ff_profile_text(
                profile,
                ff_profile_intern(profile, ff_text_slice(name, 0, name.size - suffix.size)));
    }
    return name;
}

static enum ff_status read_format(struct ff_profile *profile, struct ff_input *input,
                                  enum ff_format format, const struct ff_read_options *options,
                                  const char *folder)
{
    struct ff_text name = folder ? ff_text_base_name(ff_text(folder)) : name_of(profile, input);
    format = told_format(format, name, options->about);
    enum ff_status status = check_window(profile, input, format, options->selection);
    if (status != FF_OK)
        return status;
    switch (format) {
    case FF_FORMAT_STREAM:
        return ff_stream_read(profile, input);
    case FF_FORMAT_PERF_DATA:
    case FF_FORMAT_PERF_PIPE:
    case FF_FORMAT_PERF_SWAPPED:
    case FF_FORMAT_PERF_V1:
        return ff_perf_read(profile, input, name,
                            &(struct ff_perf_options){
                                .selection = options->selection,
                                .unwinder = options->unwinder,
                                .no_stitching = options->no_stitching,
                                .lenders = options->lenders,
                                .lender_count = options->lender_count,
                                .folder = folder,
                                .threads = options->threads,
                            });
    case FF_FORMAT_PERF_SCRIPT:
        return ff_perf_script_read(profile, input, name,
                                   &(struct ff_script_options){
                                       .selection = options->selection,
                                       .no_open_sample = options->no_open_sample,
                                   });
    case FF_FORMAT_PY_SPY_RAW:
    case FF_FORMAT_PY_SPY_DIFF:
    case FF_FORMAT_FOLDED:
    case FF_FORMAT_FOLDED_DIFF:
    case FF_FORMAT_TACHYON:
    case FF_FORMAT_AUSTIN:
        return ff_folded_read(profile, input, name.at, format);
    case FF_FORMAT_PY_SPY_DUMP:
        return ff_pyspy_dump_read(profile, input, name.at);
    case FF_FORMAT_SVG:
        return ff_svg_read(profile, input, name.at);
    case FF_FORMAT_TACHYON_DUMP:
        return ff_tachyon_dump_read(profile, input, name.at);
    case FF_FORMAT_GDB:
        return ff_backtrace_read(profile, input, name.at);
    case FF_FORMAT_PY_SPY_JSON:
        return ff_pyspy_json_read(profile, input, name.at);
    case FF_FORMAT_SPEEDSCOPE:
        return ff_speedscope_read(profile, input, name.at);
    case FF_FORMAT_CHROMETRACE:
        return ff_chrometrace_read(profile, input, name.at);
    default:
        if (ff_read_side_format(format))
            return ff_side_read(profile, input, name.at, ff_read_side_format(format), options->pid);
        return ff_format_refuse(input, format, &profile->error);
    }
}

/* A folder of `perf record --threads` is read as its file "data"; *folder is then PATH. */
const char *ff_read_path(const char *path, char *buffer, size_t size, const char **folder)
{
    struct stat info;
    *folder = NULL;
    if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return path;
    int used = snprintf(buffer, size, "%s/data.0", path);
    if (used < 0 || (size_t)used >= size || stat(buffer, &info) != 0)
        return path;
    buffer[used - 2] = '\0';
    *folder = path;
    return buffer;
}

enum ff_status ff_read(struct ff_profile *profile, const char *path,
                       const struct ff_read_options *options)
{
    char buffer[4096];
    const char *folder;
    struct ff_input input;
    enum ff_format format = FF_FORMAT_BINARY;
    enum ff_status status =
        ff_input_open(&input, ff_read_path(path, buffer, sizeof buffer, &folder), &profile->error);
    if (status != FF_OK)
        return status;
    input.progress = options->progress;
    status = ff_format_recognise(&input, &format, &profile->error);
    uint32_t first = profile->sources.count;
    if (status == FF_OK)
        status = read_format(profile, &input, format, options, folder);
    for (uint32_t i = first; options->about && i < profile->sources.count; i++)
        ff_about_apply(profile, i, options->about, true);
    /* Damaged packing explains what a reader then found. */
    struct ff_error packing = {0};
    if (ff_input_check(&input, &packing) != FF_OK) {
        profile->error = packing;
        status = packing.status;
    }
    ff_input_close(&input);
    return status;
}
