/* SPDX-License-Identifier: MIT
 *
 * `nvidia-smi dmon` and `nvidia-smi --query-gpu=... --format=csv` into facts of GPUs. The hard
 * thing: a query need not print which GPU a row is of. All rows are kept, also those of zeros that
 * the sampler prints beside a busy GPU: what they mean is for the report to decide.
 */
#include "read/nvidia.h"

#include <stdio.h>

/* Columns of dmon and of queries whose fact is not just "gpu-" and their title. */
static const struct {
    const char *title, *fact;
} names[] = {
    {"sm", "gpu-util"},
    {"utilization.gpu", "gpu-util"},
    {"mem", "gpu-memory-util"},
    {"utilization.memory", "gpu-memory-util"},
    {"enc", "gpu-encoder-util"},
    {"utilization.encoder", "gpu-encoder-util"},
    {"dec", "gpu-decoder-util"},
    {"utilization.decoder", "gpu-decoder-util"},
    {"jpg", "gpu-jpeg-util"},
    {"utilization.jpeg", "gpu-jpeg-util"},
    {"ofa", "gpu-optical-flow-util"},
    {"utilization.ofa", "gpu-optical-flow-util"},
    {"pwr", "gpu-power"},
    {"power.draw", "gpu-power"},
    {"power.limit", "gpu-power-limit"},
    {"gtemp", "gpu-temperature"},
    {"temp", "gpu-temperature"},
    {"temperature.gpu", "gpu-temperature"},
    {"mtemp", "gpu-memory-temperature"},
    {"temperature.memory", "gpu-memory-temperature"},
    {"mclk", "gpu-memory-clock"},
    {"clocks.mem", "gpu-memory-clock"},
    {"clocks.current.memory", "gpu-memory-clock"},
    {"pclk", "gpu-clock"},
    {"clocks.sm", "gpu-clock"},
    {"clocks.current.sm", "gpu-clock"},
    {"fb", "gpu-memory-used"},
    {"memory.used", "gpu-memory-used"},
    {"memory.total", "gpu-memory-total"},
    {"memory.free", "gpu-memory-free"},
    {"bar1", "gpu-bar1-used"},
    {"ccpm", "gpu-protected-memory-used"},
    {"rxpci", "gpu-pcie-receive"},
    {"txpci", "gpu-pcie-send"},
    {"pstate", "gpu-pstate"},
    {"name", "gpu-name"},
    {"gpu_name", "gpu-name"},
};

/* Units as nvidia-smi prints them, and ours: value * scale. Its MB are MiB. */
static const struct {
    const char *printed, *unit;
    uint64_t scale, multiply;
} units[] = {
    {"%", "ppm", 10000, 1},
    {"W", "mW", 1000, 1},
    {"C", "C", 1, 1},
    {"MHz", "MHz", 1, 1},
    {"MB", "bytes", 1, 1 << 20},
    {"MiB", "bytes", 1, 1 << 20},
    {"MB/s", "bytes/s", 1, 1 << 20},
};

uint32_t ff_nvidia_fact_name(struct ff_profile *profile, struct ff_text title)
{
    char text[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (ff_text_equal(title, ff_text(names[i].title)))
            return ff_profile_intern(profile, ff_text(names[i].fact));
    }
    snprintf(text, sizeof text, "gpu-%.*s", (int)(title.size < 100 ? title.size : 100), title.at);
    return ff_profile_intern(profile, ff_text(text));
}

bool ff_nvidia_is_missing(struct ff_text cell)
{
    return ff_text_equal(cell, FF_TEXT("-")) || ff_text_equal(cell, FF_TEXT("N/A")) ||
           (cell.size && cell.at[0] == '[');
}

void ff_nvidia_cell(struct ff_side *side, uint32_t subject, uint32_t name, struct ff_text cell,
                    struct ff_text printed_unit)
{
    struct ff_profile *profile = side->profile;
    struct ff_fact fact = {.source = side->source, .name = name, .subject = subject};
    if (!cell.size || ff_nvidia_is_missing(cell)) {
        side->cells_missing++;
        return;
    }
    for (size_t i = 0; printed_unit.size && i < sizeof units / sizeof *units; i++) {
        if (!ff_text_equal(printed_unit, ff_text(units[i].printed)))
            continue;
        if (!ff_side_scaled(cell, units[i].scale, &fact.value) ||
            fact.value > UINT64_MAX / units[i].multiply) {
            side->cells_bad++;
            return;
        }
        fact.value *= units[i].multiply;
        fact.unit = ff_profile_intern(profile, ff_text(units[i].unit));
        ff_fact_add(profile, fact);
        return;
    }
    if (ff_text_decimal(cell, &fact.value))
        fact.unit =
            ff_profile_intern(profile, printed_unit.size ? printed_unit : FF_TEXT("number"));
    else
        fact.text = ff_profile_intern(profile, cell);
    ff_fact_add(profile, fact);
}

uint32_t ff_nvidia_subject(struct ff_side *side, const char *what, struct ff_text id)
{
    char text[128];
    snprintf(text, sizeof text, "%s %.*s", what, (int)(id.size < 100 ? id.size : 100), id.at);
    return ff_profile_intern(side->profile, ff_text(text));
}

/* Days since 1970 of a date of the Gregorian calendar. */
static uint64_t days_of(uint64_t year, uint64_t month, uint64_t day)
{
    static const uint16_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    uint64_t past = year - 1;
    uint64_t days = past * 365 + past / 4 - past / 100 + past / 400 - 719162;
    return days + before[month - 1] + (leap && month > 2) + day - 1;
}

bool ff_nvidia_time(struct ff_text date, struct ff_text clock, uint64_t *seconds)
{
    uint64_t number, year, month, day, time;
    char digits[8];
    size_t used = 0;
    for (size_t i = 0; i < date.size; i++) {
        if (date.at[i] == '/')
            continue;
        if (used == sizeof digits)
            return false;
        digits[used++] = date.at[i];
    }
    if (used != sizeof digits || !ff_text_decimal((struct ff_text){digits, used}, &number) ||
        !ff_side_clock(clock, &time))
        return false;
    year = number / 10000;
    month = number / 100 % 100;
    day = number % 100;
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    *seconds = days_of(year, month, day) * 86400 + time;
    return true;
}
