/* SPDX-License-Identifier: MIT
 *
 * Names of events. Nothing is hard here but the colon: "cycles:u" has a modifier, "sched:sched_switch"
 * is a tracepoint.
 */
#include "read/perf_names.h"

/* enum perf_hw_id and enum perf_sw_ids, linux include/uapi/linux/perf_event.h */
static const char *const hardware_names[] = {
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
};
static const char *const software_names[] = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

#define COUNT(names) (sizeof(names) / sizeof *(names))

const char *ff_perf_name_of(uint32_t type, uint64_t config)
{
    uint64_t index = config & 0xffffffff; /* the upper half is a hybrid PMU's type */
    if (type == 0 && index < COUNT(hardware_names))
        return hardware_names[index];
    return type == 1 && index < COUNT(software_names) ? software_names[index] : NULL;
}

static bool is_modifier(struct ff_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (!strchr("ukhGHpPISDWebR", text.at[i]))
            return false;
    }
    return true;
}

struct ff_text ff_perf_name_plain(struct ff_text name)
{
    ptrdiff_t colon = ff_text_find_last(name, ':');
    if (colon > 0 && is_modifier(ff_text_from(name, (size_t)colon + 1)))
        name.size = (size_t)colon;
    return name;
}

static bool is_blocked(struct ff_text plain)
{
    return ff_text_equal(plain, FF_TEXT("offcpu-time"));
}

struct ff_text ff_perf_name_unit(struct ff_text name)
{
    struct ff_text plain = ff_perf_name_plain(name);
    if (ff_text_equal(plain, FF_TEXT("cpu-clock")) || ff_text_equal(plain, FF_TEXT("task-clock")) ||
        is_blocked(plain))
        return FF_TEXT("ns");
    for (size_t i = 0; i < COUNT(hardware_names); i++) {
        if (ff_text_equal(plain, ff_text(hardware_names[i])))
            return plain;
    }
    return FF_TEXT("events");
}

enum ff_population ff_perf_name_population(struct ff_text name)
{
    struct ff_text plain = ff_perf_name_plain(name);
    if (is_blocked(plain))
        return FF_POPULATION_BLOCKED;
    /* A PMU's event is `cpu/cycles/u`. */
    bool tracepoint = ff_text_find(plain, ':') > 0 && ff_text_find(plain, '/') < 0;
    return tracepoint ? FF_POPULATION_EVENTS : FF_POPULATION_ON_CPU;
}
