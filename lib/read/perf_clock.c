/* SPDX-License-Identifier: MIT
 *
 * What a recording says of its clock to facts. Nothing is hard here.
 */
#include "read/perf_clock.h"

#include <time.h>

/* As perf script --header calls them. */
static const char *name_of(uint32_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
        return "realtime";
    case CLOCK_MONOTONIC:
        return "monotonic";
    case 4: /* CLOCK_MONOTONIC_RAW of Linux */
        return "monotonic_raw";
    case 7: /* CLOCK_BOOTTIME */
        return "boottime";
    case 11: /* CLOCK_TAI */
        return "tai";
    default:
        return "unknown";
    }
}

static void add_time(struct ff_profile *profile, uint32_t source, const char *name, uint64_t value)
{
    ff_fact_add(profile, (struct ff_fact){.source = source,
                                          .name = ff_profile_intern(profile, ff_text(name)),
                                          .value = value,
                                          .unit = ff_profile_intern(profile, FF_TEXT("ns"))});
}

void ff_perf_clock_facts(struct ff_profile *profile, uint32_t source,
                         const struct ff_perf_file *file)
{
    if (file->clock_resolution)
        add_time(profile, source, "clock-resolution", file->clock_resolution);
    if (!file->has_clock)
        return;
    ff_fact_add(profile, (struct ff_fact){
                             .source = source,
                             .name = ff_profile_intern(profile, FF_TEXT("clock")),
                             .text = ff_profile_intern(profile, ff_text(name_of(file->clock)))});
    add_time(profile, source, "clock-time", file->clock_ns);
    add_time(profile, source, "wall-time", file->wall_ns);
}
