/* SPDX-License-Identifier: MIT
 *
 * The text that `perf script` prints, in any of its -F forms that say what they show, and that of
 * simpleperf's report_sample.py.
 */
#ifndef FF_READ_PERF_SCRIPT_H
#define FF_READ_PERF_SCRIPT_H

#include "base/input.h"
#include "profile/select.h"

struct ff_script_options {
    const struct ff_selection *selection; /* borrowed */
    bool no_open_sample; /* a last sample without a blank line behind it is left out, as
                            stackcollapse-perf.pl does */
};

/* Adds the text as a source called NAME. Lines that say nothing it knows are counted, and make it
 * FF_BAD_INPUT when there are any: what could be read is kept. */
enum ff_status ff_perf_script_read(struct ff_profile *profile, struct ff_input *input,
                                   struct ff_text name, const struct ff_script_options *options);

#endif
