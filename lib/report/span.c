/* SPDX-License-Identifier: MIT
 *
 * A source's times as text. No hard thing here.
 */
#include "report/span.h"

void ff_span_put(struct ff_output *output, const struct ff_source *source)
{
    if (source->end_ns > source->start_ns) {
        uint64_t tenths = (source->end_ns - source->start_ns + 50000000) / 100000000;
        ff_output_format(output, " in %llu.%llu s", (unsigned long long)tenths / 10,
                         (unsigned long long)tenths % 10);
    }
    if (source->rate)
        ff_output_format(output, " at %llu Hz", (unsigned long long)source->rate);
    ff_output_byte(output, '\n');
}
