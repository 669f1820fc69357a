/* SPDX-License-Identifier: MIT
 *
 * Moments to text and back. The hard thing: it stands in every sample line, so it must be short:
 * windows are counted from the source's first, and a count of one is not written.
 */
#include "profile/moment.h"

static uint64_t width_of(const struct ff_source *source)
{
    return source->window_ns ? source->window_ns : 1;
}

void ff_moments_write(const struct ff_profile *profile, const struct ff_sample *sample,
                      struct ff_output *output)
{
    const struct ff_source *source = &profile->sources.at[ff_sample_source(profile, sample)];
    uint64_t width = width_of(source), first = source->start_ns / width;
    for (uint32_t i = sample->moments; i; i = profile->moments.at[i].next) {
        const struct ff_moment *row = &profile->moments.at[i];
        if (i != sample->moments)
            ff_output_byte(output, ',');
        ff_output_decimal(output, row->time_ns / width - first);
        if (row->count == FF_COUNT_ONE)
            continue;
        ff_output_byte(output, '*');
        ff_output_decimal(output, row->count / FF_COUNT_ONE);
        if (row->count % FF_COUNT_ONE == 0)
            continue;
        ff_output_byte(output, '+');
        ff_output_decimal(output, row->count % FF_COUNT_ONE);
    }
}

static bool parse_one(struct ff_text item, uint64_t *window, uint64_t *count)
{
    struct ff_text many = item, number = ff_text_cut(&many, '*'), parts = many;
    struct ff_text whole = ff_text_cut(&parts, '+');
    uint64_t ones = 1, rest = 0;
    bool good = ff_text_decimal(number, window);
    if (many.at)
        good = good && ff_text_decimal(whole, &ones) && ones < UINT64_MAX / FF_COUNT_ONE;
    if (many.at && parts.at)
        good = good && ff_text_decimal(parts, &rest) && rest < FF_COUNT_ONE;
    *count = ones * FF_COUNT_ONE + rest;
    return good;
}

bool ff_moments_parse(struct ff_profile *profile, uint32_t source, struct ff_text text,
                      uint32_t *chain)
{
    uint64_t width = width_of(&profile->sources.at[source]);
    uint64_t first = profile->sources.at[source].start_ns / width, window, count;
    uint32_t last = 0;
    *chain = 0;
    while (text.size) {
        if (!parse_one(ff_text_cut(&text, ','), &window, &count)) {
            *chain = 0;
            return false;
        }
        uint32_t one = ff_moment_add_count(profile, (first + window) * width, count);
        if (one)
            *(last ? &profile->moments.at[last].next : chain) = one;
        last = one ? one : last;
    }
    return true;
}
