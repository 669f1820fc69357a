/* SPDX-License-Identifier: MIT
 *
 * From a path to its reader. Nothing is hard here: format.c knows what a file is.
 */
#include "read/read.h"
#include "profile/stream.h"
#include "read/folded.h"
#include "read/format.h"
#include "read/perf.h"
#include "read/pyspy_dump.h"

static enum ff_status read_format(struct ff_profile *profile, struct ff_input *input,
                                  enum ff_format format, const struct ff_selection *selection)
{
    struct ff_text name = ff_text_base_name(ff_text(input->name));
    switch (format) {
    case FF_FORMAT_STREAM:
        return ff_stream_read(profile, input);
    case FF_FORMAT_PERF_DATA:
    case FF_FORMAT_PERF_PIPE:
        return ff_perf_read(profile, input, name, selection);
    case FF_FORMAT_PY_SPY_RAW:
    case FF_FORMAT_FOLDED:
        return ff_folded_read(profile, input, name.at, format);
    case FF_FORMAT_PY_SPY_DUMP:
        return ff_pyspy_dump_read(profile, input, name.at);
    default:
        return ff_format_refuse(input, format, &profile->error);
    }
}

enum ff_status ff_read(struct ff_profile *profile, const char *path,
                       const struct ff_selection *selection)
{
    struct ff_input input;
    enum ff_format format = FF_FORMAT_BINARY;
    enum ff_status status = ff_input_open(&input, path, &profile->error);
    if (status != FF_OK)
        return status;
    status = ff_format_recognise(&input, &format, &profile->error);
    if (status == FF_OK)
        status = read_format(profile, &input, format, selection);
    ff_input_close(&input);
    return status;
}
