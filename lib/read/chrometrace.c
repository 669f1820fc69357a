/* SPDX-License-Identifier: MIT
 *
 * Trace events to samples. The hard thing is that the file has changes, not samples: events of one
 * thread and one time stamp are one change, and the stack behind the last of them is what was seen.
 * The open stack is kept by tid alone, as py-spy keeps it: with subprocesses two threads may share
 * one, and then end and begin each other's frames.
 */
#include "read/chrometrace.h"

#include "profile/moment.h"
#include "read/json.h"
#include "read/pyspy.h"

enum key {
    KEY_NAME = 1,
    KEY_PH,
    KEY_PID,
    KEY_TID,
    KEY_TS,
    KEY_ARGS,
    KEY_FILENAME,
    KEY_LINE,
    KEY_TRACE_EVENTS,
};

static const struct ff_text keys[] = {
    FF_JSON_KEY("name"),     FF_JSON_KEY("ph"),   FF_JSON_KEY("pid"),
    FF_JSON_KEY("tid"),      FF_JSON_KEY("ts"),   FF_JSON_KEY("args"),
    FF_JSON_KEY("filename"), FF_JSON_KEY("line"), FF_JSON_KEY("traceEvents"),
};

/* Where in the text we are. */
enum level { LEVEL_OUTSIDE, LEVEL_OBJECT, LEVEL_EVENTS, LEVEL_EVENT, LEVEL_ARGS };

struct event {
    uint32_t name, filename, arg_name; /* texts of the profile */
    uint32_t line;
    char ph;
    uint64_t pid, tid, ts;
};

/* A begun frame: `frame` is 0 for py-spy's root frames, which only name the thread. */
struct slice {
    uint32_t frame, leaf; /* rows of the profile; they differ for bare addresses */
    uint32_t stack, bare; /* up to and with this one; bare addresses in it */
};

struct track {
    uint64_t tid;         /* as the events have it */
    uint32_t pid, os_tid; /* os_tid: 0 not known */
    uint32_t name;        /* of the thread */
    uint32_t row;         /* of the profile's threads; 0 = to be looked up */
    struct slice *slices; /* open frames, root first */
    uint32_t count, capacity;
    bool seen;         /* there was a change, and frames are open behind it */
    uint64_t seen_ts;  /* of the last one */
    uint32_t seen_row; /* its thread */
    uint32_t seen_stack, seen_bare;
};

struct trace {
    struct ff_profile *profile;
    enum level level;
    bool in_object; /* the array is the value of "traceEvents" */
    struct event event;
    uint32_t source, event_row;
    struct track *tracks; /* index 0 unused */
    uint32_t track_count, track_capacity;
    struct ff_map track_map;
    struct ff_pyspy_threads known;
    uint32_t now; /* the track whose change is being read; 0 = none */
    uint64_t now_ts, first_ts, last_ts;
    uint64_t samples, bad, unread, bare, no_frames, cut;
};

static bool on_open(void *context, uint32_t key, bool is_array)
{
    struct trace *trace = context;
    if (trace->level == LEVEL_OUTSIDE) {
        trace->in_object = !is_array;
        trace->level = is_array ? LEVEL_EVENTS : LEVEL_OBJECT;
        return true;
    }
    bool events = trace->level == LEVEL_OBJECT && is_array && key == KEY_TRACE_EVENTS;
    bool event = trace->level == LEVEL_EVENTS && !is_array;
    bool args = trace->level == LEVEL_EVENT && !is_array && key == KEY_ARGS;
    if (event)
        trace->event = (struct event){0};
    if (events || event || args)
        trace->level++;
    return events || event || args;
}

/* The track of a tid, made if need be; index 0, which serves nobody, when memory is out. */
static uint32_t track_of(struct trace *trace, uint64_t tid)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(0, tid);
    for (uint32_t i = ff_map_first(&trace->track_map, hash, &probe); i;
         i = ff_map_next(&trace->track_map, &probe)) {
        if (trace->tracks[i].tid == tid)
            return i;
    }
    uint32_t id = trace->track_count ? trace->track_count : 1;
    trace->tracks = ff_grow(trace->tracks, &trace->track_capacity, (uint64_t)id + 1,
                            sizeof *trace->tracks, &trace->profile->out_of_memory);
    if (id >= trace->track_capacity)
        return 0;
    trace->tracks[id].tid = tid;
    trace->track_count = id + 1;
    ff_map_add(&trace->track_map, hash, id);
    return id;
}

/* The last change of a track, whose end is known now. */
static void hand_over(struct trace *trace, struct track *track, uint64_t end_ts)
{
    uint64_t length = end_ts > track->seen_ts ? end_ts - track->seen_ts : 0;
    if (!track->seen)
        return;
    trace->samples++;
    trace->no_frames += !track->seen_stack;
    trace->bare += track->seen_bare;
    ff_sample_add(
        trace->profile,
        (struct ff_sample){
            .event = trace->event_row,
            .thread = track->seen_row,
            .stack = track->seen_stack,
            .state = track->seen_stack ? FF_STATE_RECORDED : FF_STATE_NO_FRAMES,
            .count = FF_COUNT_ONE,
            .weight = length <= UINT64_MAX / 1000 ? length * 1000 : UINT64_MAX,
            .moments = ff_moment_add(trace->profile, trace->source, track->seen_ts * 1000),
        });
}

static uint32_t thread_row(struct trace *trace, struct track *track, uint32_t index)
{
    if (!track->row) {
        uint32_t process = ff_process_add(
            trace->profile, (struct ff_process){.source = trace->source, .pid = track->pid});
        track->row = ff_pyspy_thread_add(&trace->known, trace->profile, process, track->os_tid,
                                         track->name, track->os_tid ? 0 : index);
    }
    return track->row;
}

/* All events of one change were read: what is open now was seen. */
static void end_change(struct trace *trace)
{
    struct track *track = &trace->tracks[trace->now];
    const struct slice *top = track->count ? &track->slices[track->count - 1] : NULL;
    if (!trace->now)
        return;
    hand_over(trace, track, trace->now_ts);
    uint32_t below = track->count > 1 ? track->slices[track->count - 2].stack : 0;
    track->seen = top != NULL;
    track->seen_ts = trace->now_ts;
    track->seen_row = thread_row(trace, track, trace->now);
    track->seen_stack = !top                      ? 0
                        : top->leaf == top->frame ? top->stack
                                                  : ff_stack_push(trace->profile, below, top->leaf);
    track->seen_bare = top ? top->bare : 0;
    trace->now = 0;
}

/* py-spy's root frames have no file: `thread (27303): target-0`, `process 140:"python worker.py"`. */
static bool is_root(struct track *track, struct ff_profile *profile, const struct event *event)
{
    uint32_t tid = 0, pid = 0;
    struct ff_text name = FF_TEXT(""), text = ff_profile_text(profile, event->name);
    if (event->filename || event->line || (track->count && track->slices[track->count - 1].frame))
        return false;
    if (ff_pyspy_process_root(text, &pid) == text.size && pid) {
        track->row = 0;
        return true;
    }
    if (!ff_pyspy_thread_root(text, &tid, &name))
        return false;
    /* No frame follows in this text: all of it is the name, whatever is in it. */
    if (name.size)
        name = ff_text_from(text, (size_t)(name.at - text.at));
    track->os_tid = tid;
    track->name = ff_profile_intern(profile, name);
    track->row = 0;
    return true;
}

static void begin_slice(struct trace *trace, struct track *track, const struct event *event)
{
    struct ff_profile *profile = trace->profile;
    struct slice slice = {0};
    uint32_t below = track->count ? track->slices[track->count - 1].stack : 0;
    slice.bare = track->count ? track->slices[track->count - 1].bare : 0;
    track->slices = ff_grow(track->slices, &track->capacity, (uint64_t)track->count + 1,
                            sizeof *track->slices, &profile->out_of_memory);
    if (track->count >= track->capacity)
        return;
    if (!is_root(track, profile, event)) {
        struct ff_pyspy_frame parts = {.name = ff_profile_text(profile, event->name),
                                       .file = ff_profile_text(profile, event->filename),
                                       .line = event->line,
                                       .pid = track->pid};
        slice.frame = slice.leaf = ff_pyspy_frame_add(profile, &parts);
        if (ff_pyspy_frame_is_bare(profile, slice.frame)) {
            parts.leaf = true;
            slice.leaf = ff_pyspy_frame_add(profile, &parts);
            slice.bare++;
        }
        below = ff_stack_push(profile, below, slice.frame);
    }
    slice.stack = below;
    track->slices[track->count++] = slice;
}

/* The event at hand begins or ends a frame. */
static void apply(struct trace *trace, const struct event *event)
{
    uint32_t id = track_of(trace, event->tid);
    struct track *track = &trace->tracks[id];
    if (!id)
        return;
    uint32_t pid = event->pid <= UINT32_MAX ? (uint32_t)event->pid : 0;
    if (trace->now && (trace->now != id || trace->now_ts != event->ts || track->pid != pid))
        end_change(trace);
    if (track->pid != pid)
        track->row = 0;
    track->pid = pid;
    trace->now = id;
    trace->now_ts = event->ts;
    if (event->ph == 'B')
        begin_slice(trace, track, event);
    else if (track->count)
        track->count--;
    else
        trace->bad++;
    if (!trace->first_ts || event->ts < trace->first_ts)
        trace->first_ts = event->ts;
    trace->last_ts = event->ts > trace->last_ts ? event->ts : trace->last_ts;
}

/* Newer versions number their threads and name them by an event of their own: `ID: NAME`. */
static void name_track(struct trace *trace, const struct event *event)
{
    struct ff_text text = ff_profile_text(trace->profile, event->arg_name);
    ptrdiff_t colon = ff_text_find_text(text, FF_TEXT(": "));
    struct track *track = &trace->tracks[track_of(trace, event->tid)];
    if (track == trace->tracks ||
        !ff_text_equal(ff_profile_text(trace->profile, event->name), FF_TEXT("thread_name")))
        return;
    track->name =
        ff_profile_intern(trace->profile, colon < 0 ? text : ff_text_from(text, (size_t)colon + 2));
    track->row = 0;
}

static void end_event(struct trace *trace)
{
    const struct event *event = &trace->event;
    if (event->ph == 'B' || event->ph == 'E')
        apply(trace, event);
    else if (event->ph == 'M')
        name_track(trace, event);
    else
        trace->unread++;
}

static void on_close(void *context, bool is_array)
{
    struct trace *trace = context;
    (void)is_array;
    if (trace->level == LEVEL_EVENT)
        end_event(trace);
    if (trace->level == LEVEL_EVENTS && !trace->in_object)
        trace->level = LEVEL_OUTSIDE;
    else if (trace->level)
        trace->level--;
}

static void on_value(void *context, uint32_t key, enum ff_json_type type, struct ff_text text)
{
    struct trace *trace = context;
    struct event *event = &trace->event;
    uint64_t number = type == FF_JSON_NUMBER ? ff_json_whole(text) : 0;
    if (trace->level == LEVEL_EVENT) {
        if (key == KEY_NAME && type == FF_JSON_STRING)
            event->name = ff_profile_intern(trace->profile, text);
        else if (key == KEY_PH && text.size == 1)
            event->ph = text.at[0];
        else if (key == KEY_PID)
            event->pid = number;
        else if (key == KEY_TID)
            event->tid = number;
        else if (key == KEY_TS && !ff_json_scaled(text, 0, &event->ts))
            event->ph = '?';
    } else if (trace->level == LEVEL_ARGS) {
        if (key == KEY_FILENAME && type == FF_JSON_STRING)
            event->filename = ff_profile_intern(trace->profile, text);
        else if (key == KEY_NAME && type == FF_JSON_STRING)
            event->arg_name = ff_profile_intern(trace->profile, text);
        else if (key == KEY_LINE && number <= UINT32_MAX)
            event->line = (uint32_t)number;
    }
}

static void begin(struct trace *trace, const char *name)
{
    struct ff_profile *profile = trace->profile;
    trace->source = ff_source_add(
        profile,
        (struct ff_source){.name = ff_profile_intern(profile, ff_text(name)),
                           .tool = FF_TOOL_PY_SPY,
                           .population = (uint8_t)ff_pyspy_guess_population(ff_text(name))});
    trace->event_row = ff_event_add(
        profile, (struct ff_event){.source = trace->source,
                                   .name = ff_profile_intern(profile, FF_TEXT("changes")),
                                   .unit = ff_profile_intern(profile, FF_TEXT("ns"))});
    ff_ledger_add(profile, trace->source, FF_LEDGER_POPULATION_GUESSED, 1);
    ff_ledger_add(profile, trace->source, FF_LEDGER_OPEN_STACKS, 1);
}

/* A text that ends early may lack events of the last change: what is open then was perhaps never
 * seen so, and the track's stack before it has no end. */
static void end(struct trace *trace, bool whole)
{
    struct ff_source *source = &trace->profile->sources.at[trace->source];
    if (whole)
        end_change(trace);
    else if (trace->now) {
        trace->cut = 1;
        trace->samples++;
    }
    for (uint32_t i = 1; i < trace->track_count; i++)
        hand_over(trace, &trace->tracks[i], trace->last_ts);
    source->start_ns = trace->first_ts * 1000;
    source->end_ns = trace->last_ts * 1000;
    source->duration_ns = source->end_ns - source->start_ns;
    ff_moments_settle(trace->profile);
}

static void finish(struct trace *trace, bool whole)
{
    struct ff_profile *profile = trace->profile;
    ff_ledger_add(profile, trace->source, FF_LEDGER_SAMPLES, trace->samples);
    ff_ledger_add(profile, trace->source, FF_LEDGER_JSON_CUT, !whole);
    ff_ledger_add(profile, trace->source, FF_LEDGER_SAMPLES_CUT, trace->cut);
    ff_ledger_add(profile, trace->source, FF_LEDGER_EVENTS_BAD, trace->bad + trace->unread);
    ff_ledger_add(profile, trace->source, FF_LEDGER_BARE_ADDRESSES, trace->bare);
    ff_ledger_add(profile, trace->source, FF_LEDGER_NO_FRAMES, trace->no_frames);
    for (uint32_t i = 1; i < trace->track_count; i++)
        ff_free(trace->tracks[i].slices);
    profile->out_of_memory |= trace->track_map.failed;
    ff_free(trace->tracks);
    ff_map_release(&trace->track_map);
    ff_pyspy_threads_release(&trace->known);
}

enum ff_status ff_chrometrace_read(struct ff_profile *profile, struct ff_input *input,
                                   const char *name)
{
    struct trace trace = {.profile = profile};
    struct ff_json_reader reader = {
        .keys = keys,
        .key_count = sizeof keys / sizeof *keys,
        .open = on_open,
        .close = on_close,
        .value = on_value,
        .context = &trace,
    };
    trace.tracks =
        ff_grow(NULL, &trace.track_capacity, 8, sizeof *trace.tracks, &profile->out_of_memory);
    if (!trace.tracks)
        return ff_profile_status(profile);
    begin(&trace, name);
    enum ff_status status = ff_json_read(input, &reader, &profile->error);
    end(&trace, status == FF_OK);
    finish(&trace, status == FF_OK);
    return status == FF_OK ? ff_profile_status(profile) : status;
}
