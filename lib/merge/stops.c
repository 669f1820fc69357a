/* SPDX-License-Identifier: MIT
 *
 * Dumps to pairs of dumps, their threads to pairs of stacks. The hard thing is to know that two files
 * are of one stop: they hold no time, so each must be the only one that fits the other.
 */
#include "merge/stops.h"
#include "merge/interleave.h"

enum side { SIDE_NONE, SIDE_NATIVE, SIDE_PYTHON };

struct stops {
    struct ff_profile *profile;
    struct ff_error *note;
    struct ff_stops_counts *counts;
    struct ff_parts parts;
    struct ff_interleave interleave;
    struct ff_map by_tid; /* threads of backtraces */
    uint8_t *side;        /* by source: enum side */
    uint32_t *sample;     /* by thread: its sample; 0 = none */
    bool *several;        /* by process: a thread has several samples */
    uint32_t *votes;   /* by process of a backtrace: threads that it shares with the dump at hand */
    uint32_t *partner; /* by process: the other side's; 0 = none */
    bool *rival;       /* by process of a backtrace: several dumps fit it */
};

static uint8_t side_of(const struct stops *stops, uint32_t process)
{
    return stops->side[stops->profile->processes.at[process].source];
}

static bool stack_has(const struct stops *stops, uint32_t stack, enum ff_part part)
{
    for (; stack; stack = stops->profile->stacks.at[stack].parent) {
        if (stops->parts.of[stops->profile->stacks.at[stack].frame] == part)
            return true;
    }
    return false;
}

static enum side side_of_tool(uint8_t tool)
{
    if (tool == FF_TOOL_GDB || tool == FF_TOOL_EU_STACK)
        return SIDE_NATIVE;
    return tool == FF_TOOL_PY_SPY || tool == FF_TOOL_TACHYON ? SIDE_PYTHON : SIDE_NONE;
}

/* A dump with native frames is merged already, as is a backtrace with Python frames. */
static bool find_sides(struct stops *stops)
{
    const struct ff_profile *profile = stops->profile;
    bool native = false, python = false;
    for (uint32_t i = 1; i < profile->sources.count; i++) {
        if (profile->sources.at[i].population == FF_POPULATION_DUMP)
            stops->side[i] = (uint8_t)side_of_tool(profile->sources.at[i].tool);
    }
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        uint8_t *side = &stops->side[ff_sample_source(profile, sample)];
        bool merged = *side == SIDE_NATIVE ? stack_has(stops, sample->stack, FF_PART_PYTHON)
                                           : stack_has(stops, sample->stack, FF_PART_NATIVE) ||
                                                 stack_has(stops, sample->stack, FF_PART_SYSTEM);
        *side = merged ? SIDE_NONE : *side;
    }
    for (uint32_t i = 1; i < profile->sources.count; i++) {
        native |= stops->side[i] == SIDE_NATIVE;
        python |= stops->side[i] == SIDE_PYTHON;
    }
    return native && python;
}

static void find_threads(struct stops *stops)
{
    struct ff_profile *profile = stops->profile;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        uint32_t process = profile->threads.at[sample->thread].process;
        if (side_of(stops, process) == SIDE_NONE)
            continue;
        stops->several[process] |= stops->sample[sample->thread] || sample->count > FF_COUNT_ONE;
        stops->sample[sample->thread] = i;
    }
    for (uint32_t i = 1; i < profile->threads.count; i++) {
        const struct ff_thread *thread = &profile->threads.at[i];
        if (thread->tid && stops->sample[i] && side_of(stops, thread->process) == SIDE_NATIVE)
            ff_map_add(&stops->by_tid, ff_hash_mix(0, thread->tid), i);
    }
    profile->out_of_memory |= stops->by_tid.failed;
}

/* The next thread of a backtrace with the tid of THREAD, 0 for none; PROBE is begun where BEGIN. */
static uint32_t next_twin(const struct stops *stops, uint32_t thread, bool begin,
                          struct ff_probe *probe)
{
    uint32_t tid = stops->profile->threads.at[thread].tid;
    if (!tid)
        return 0;
    uint32_t id = begin ? ff_map_first(&stops->by_tid, ff_hash_mix(0, tid), probe)
                        : ff_map_next(&stops->by_tid, probe);
    while (id && stops->profile->threads.at[id].tid != tid)
        id = ff_map_next(&stops->by_tid, probe);
    return id;
}

static void refuse(struct stops *stops, uint32_t process, const char *reason)
{
    const struct ff_profile *profile = stops->profile;
    uint32_t source = profile->processes.at[process].source;
    if (stops->note && stops->note->status == FF_OK)
        ff_error_set(stops->note, FF_BAD_INPUT, "%.*s: not paired with a backtrace: %s",
                     FF_TEXT_ARGS(ff_profile_text(profile, profile->sources.at[source].name)),
                     reason);
}

/* Counts for every backtrace how many threads of the dump it has; returns how many there are. */
static uint32_t count_votes(struct stops *stops, uint32_t process)
{
    const struct ff_profile *profile = stops->profile;
    uint32_t threads = 0;
    memset(stops->votes, 0, profile->processes.count * sizeof *stops->votes);
    for (uint32_t t = 1; t < profile->threads.count; t++) {
        struct ff_probe probe;
        if (profile->threads.at[t].process != process || !profile->threads.at[t].tid)
            continue;
        threads++;
        for (uint32_t n = next_twin(stops, t, true, &probe); n;
             n = next_twin(stops, t, false, &probe))
            stops->votes[profile->threads.at[n].process]++;
    }
    return threads;
}

static void find_partner(struct stops *stops, uint32_t process)
{
    const struct ff_profile *profile = stops->profile;
    uint32_t pid = profile->processes.at[process].pid, fits = 0, best = 0;
    uint32_t threads = count_votes(stops, process);
    bool same_pid = false, other_pid = false;
    for (uint32_t n = 1; n < profile->processes.count; n++) {
        uint32_t other = profile->processes.at[n].pid;
        if (side_of(stops, n) != SIDE_NATIVE)
            continue;
        if (pid && other && pid != other) {
            other_pid = true;
            continue;
        }
        same_pid |= pid && pid == other;
        if (!stops->votes[n] || (uint64_t)stops->votes[n] * 2 < threads)
            continue;
        fits++;
        best = n;
    }
    if (fits > 1)
        refuse(stops, process, "several fit it, and none tells the time; give one stop at a time");
    else if (!fits)
        refuse(stops, process,
               same_pid    ? "the process with its pid has other threads: it is of another run"
               : other_pid ? "there is none of its process; give that of the same stop"
                           : "none has half of its threads; give that of the same stop");
    else if (stops->partner[best])
        stops->rival[best] = true;
    else
        stops->partner[process] = best;
    if (fits == 1 && !stops->rival[best])
        stops->partner[best] = process;
}

static void name_thread(struct ff_profile *profile, uint32_t native, uint32_t python)
{
    struct ff_thread *row = &profile->threads.at[native];
    if (!profile->threads.at[python].name)
        return;
    row->name = profile->threads.at[python].name;
    row->role = ff_role_of(profile, row->name);
}

static void pair_threads(struct stops *stops, uint32_t native, uint32_t python)
{
    struct ff_profile *profile = stops->profile;
    struct ff_sample *sample = &profile->samples.at[stops->sample[native]];
    uint32_t of_python =
        stops->sample[python] ? profile->samples.at[stops->sample[python]].stack : 0;
    uint32_t merged;
    name_thread(profile, native, python);
    enum ff_interleaved result = ff_interleave_stacks(&stops->interleave, sample->stack, of_python,
                                                      sample->state == FF_STATE_COMPLETE, &merged);
    sample->stack = merged;
    if (result == FF_INTERLEAVED_APART)
        stops->counts->apart++;
    else if (result != FF_INTERLEAVED_NOT)
        stops->counts->paired++;
    stops->counts->in_flight += result == FF_INTERLEAVED_IN_FLIGHT;
    stops->counts->no_root += result == FF_INTERLEAVED_NO_ROOT;
}

static void pair_process(struct stops *stops, uint32_t process)
{
    const struct ff_profile *profile = stops->profile;
    uint32_t native = stops->partner[process];
    if (stops->rival[native]) {
        refuse(stops, process, "another dump fits the same one; give one stop at a time");
        return;
    }
    if (stops->several[process] || stops->several[native]) {
        refuse(stops, process, "a thread stands in a file twice; give one stop at a time");
        return;
    }
    stops->counts->joined = true;
    for (uint32_t t = 1; t < profile->threads.count; t++) {
        struct ff_probe probe;
        if (profile->threads.at[t].process != process)
            continue;
        for (uint32_t n = next_twin(stops, t, true, &probe); n;
             n = next_twin(stops, t, false, &probe)) {
            if (profile->threads.at[n].process == native)
                pair_threads(stops, n, t);
        }
    }
}

static void pair_all(struct stops *stops)
{
    uint32_t processes = stops->profile->processes.count;
    if (!find_sides(stops))
        return;
    find_threads(stops);
    for (uint32_t p = 1; p < processes; p++) {
        if (side_of(stops, p) == SIDE_PYTHON)
            find_partner(stops, p);
    }
    for (uint32_t p = 1; p < processes; p++) {
        if (side_of(stops, p) == SIDE_PYTHON && stops->partner[p])
            pair_process(stops, p);
    }
    stops->profile->out_of_memory |= stops->interleave.failed;
    ff_sample_rebuild(stops->profile);
}

enum ff_status ff_merge_stops(struct ff_profile *profile, struct ff_stops_options options,
                              struct ff_stops_counts *counts, struct ff_error *note)
{
    uint32_t processes = profile->processes.count;
    struct stops stops = {.profile = profile,
                          .note = note,
                          .counts = counts,
                          .interleave = {.profile = profile,
                                         .parts = &stops.parts,
                                         .one_to_one = options.one_to_one,
                                         .plumbing = options.plumbing},
                          .side = ff_alloc(profile->sources.count, sizeof *stops.side),
                          .sample = ff_alloc(profile->threads.count, sizeof *stops.sample),
                          .several = ff_alloc(processes, sizeof *stops.several),
                          .votes = ff_alloc(processes, sizeof *stops.votes),
                          .partner = ff_alloc(processes, sizeof *stops.partner),
                          .rival = ff_alloc(processes, sizeof *stops.rival)};
    bool memory =
        stops.side && stops.sample && stops.several && stops.votes && stops.partner && stops.rival;
    *counts = (struct ff_stops_counts){0};
    profile->out_of_memory |= !memory;
    if (ff_parts_init(&stops.parts, profile) == FF_OK)
        pair_all(&stops);
    ff_parts_release(&stops.parts);
    ff_map_release(&stops.by_tid);
    ff_free(stops.interleave.native.at);
    ff_free(stops.interleave.python.at);
    ff_free(stops.side);
    ff_free(stops.sample);
    ff_free(stops.several);
    ff_free(stops.votes);
    ff_free(stops.partner);
    ff_free(stops.rival);
    return ff_profile_status(profile);
}
