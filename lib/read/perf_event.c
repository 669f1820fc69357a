/* SPDX-License-Identifier: MIT
 *
 * Attributes to events of the profile. Nothing is hard here, but the names say what the attributes do not:
 * that an event is time off the CPU.
 */
#include "read/perf_event.h"
#include "read/perf_names.h"

/* Tracepoints and breakpoints count what happens; all other events sample threads on a CPU. */
static enum ff_population population_of(const struct ff_perf_attr *attr)
{
    return attr->type == FF_PERF_TYPE_TRACEPOINT || attr->type == FF_PERF_TYPE_BREAKPOINT
               ? FF_POPULATION_EVENTS
               : FF_POPULATION_ON_CPU;
}

uint32_t ff_perf_event_row(struct ff_perf_apply *apply, struct ff_perf_attr *attr)
{
    if (attr->event)
        return attr->event;
    struct ff_event event = {.source = apply->source, .name = attr->name};
    uint32_t plain = ff_perf_attr_name(apply->profile, attr);
    struct ff_text name = ff_profile_text(apply->profile, attr->name);
    bool blocked = ff_perf_name_population(name) == FF_POPULATION_BLOCKED;
    struct ff_text unit =
        ff_perf_name_unit(blocked ? name : ff_profile_text(apply->profile, plain));
    if (!event.name)
        event.name = plain;
    event.unit = attr->type == 0 ? plain : ff_profile_intern(apply->profile, unit);
    apply->switches |= ff_text_equal(name, FF_TEXT("sched:sched_switch"));
    if (blocked) {
        event.source = ff_perf_blocked_source(&apply->blocked, apply->source);
        return attr->event = ff_event_add(apply->profile, event);
    }
    struct ff_source *source = &apply->profile->sources.at[apply->source];
    if (attr->flags & FF_PERF_ATTR_FREQUENCY)
        source->rate = attr->period;
    if (source->population != FF_POPULATION_ON_CPU)
        source->population = (uint8_t)population_of(attr);
    attr->event = ff_event_add(apply->profile, event);
    return attr->event;
}
