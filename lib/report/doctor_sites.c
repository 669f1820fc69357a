/* SPDX-License-Identifier: MIT
 *
 * The facts on call sites to lines. What was not found is said as well: then no Python frame of this
 * source is known by its site.
 */
#include "report/doctor_sites.h"

/* The value of the source's fact with this name; 0: there is none. */
static uint64_t value_of(const struct ff_health *health, struct ff_text name)
{
    const struct ff_profile *profile = health->profile;
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact *row = &profile->facts.at[i];
        if (row->source == health->source &&
            ff_text_equal(ff_profile_text(profile, row->name), name))
            return row->value;
    }
    return 0;
}

void ff_doctor_sites(const struct ff_health *health, struct ff_output *output)
{
    unsigned long long calls = value_of(health, FF_TEXT("site-observations"));
    unsigned long long offset = value_of(health, FF_TEXT("site-offset"));
    unsigned long long in_register = value_of(health, FF_TEXT("site-register"));
    unsigned long long values = value_of(health, FF_TEXT("site-values"));
    if (!calls)
        return;
    ff_output_format(
        output, "\n  Call sites of Python, from %llu calls of its evaluation loop\n    ", calls);
    if (offset)
        ff_output_format(output, "found: the word at SP + 0x%llx, %llu values\n", offset, values);
    else if (in_register)
        ff_output_format(output, "found: DWARF register %llu, %llu values\n", in_register, values);
    else if (calls < 200)
        ff_output_string(output, "not found: fewer than 200 calls decide nothing\n");
    else
        ff_output_string(output, "not found: no word of the loop's frame or of its registers "
                                 "tells its calls apart\n");
}
