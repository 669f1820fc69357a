/* SPDX-License-Identifier: MIT
 *
 * speedscope's samples to ours. The hard thing is order: py-spy writes the samples before the frames
 * that they cite, and a profile's weights behind its samples. So stacks of frame numbers are kept in
 * a prefix tree of their own, samples as one number each, until the text ends.
 */
#include "read/speedscope.h"

#include "read/json.h"
#include "read/pyspy.h"
#include "read/speedscope_words.h"

enum key {
    KEY_PROFILES = 1,
    KEY_SHARED,
    KEY_FRAMES,
    KEY_NAME,
    KEY_FILE,
    KEY_LINE,
    KEY_TYPE,
    KEY_UNIT,
    KEY_SAMPLES,
    KEY_WEIGHTS,
    KEY_EXPORTER,
};

static const struct ff_text keys[] = {
    FF_JSON_KEY("profiles"), FF_JSON_KEY("shared"),  FF_JSON_KEY("frames"),   FF_JSON_KEY("name"),
    FF_JSON_KEY("file"),     FF_JSON_KEY("line"),    FF_JSON_KEY("type"),     FF_JSON_KEY("unit"),
    FF_JSON_KEY("samples"),  FF_JSON_KEY("weights"), FF_JSON_KEY("exporter"),
};

/* Where in the text we are, and what encloses it. */
enum place {
    PLACE_OUTSIDE,
    PLACE_ROOT,
    PLACE_SHARED,
    PLACE_FRAMES,
    PLACE_FRAME,
    PLACE_PROFILES,
    PLACE_PROFILE,
    PLACE_SAMPLES,
    PLACE_SAMPLE,
    PLACE_WEIGHTS,
};

static const struct step {
    enum place from, to;
    uint32_t key; /* 0: any, as in an array */
    bool is_array;
} steps[] = {
    {PLACE_OUTSIDE, PLACE_ROOT, 0, false},
    {PLACE_ROOT, PLACE_SHARED, KEY_SHARED, false},
    {PLACE_SHARED, PLACE_FRAMES, KEY_FRAMES, true},
    {PLACE_FRAMES, PLACE_FRAME, 0, false},
    {PLACE_ROOT, PLACE_PROFILES, KEY_PROFILES, true},
    {PLACE_PROFILES, PLACE_PROFILE, 0, false},
    {PLACE_PROFILE, PLACE_SAMPLES, KEY_SAMPLES, true},
    {PLACE_SAMPLES, PLACE_SAMPLE, 0, true},
    {PLACE_PROFILE, PLACE_WEIGHTS, KEY_WEIGHTS, true},
};

struct frame {
    uint32_t name, file, line;
};

/* A stack of frame numbers: the prefix tree; node 0 is empty. */
struct node {
    uint32_t parent, frame;
    uint32_t stack; /* of the profile, when the text has ended */
    uint32_t bare;  /* bare addresses in it */
};

struct sample {
    uint32_t node;
    uint32_t thread;
    uint64_t weight;
};

struct scope {
    struct ff_profile *profile;
    enum place place;
    struct frame *frames;
    struct node *nodes;
    struct sample *samples;
    uint32_t frame_count, frame_capacity, node_count, node_capacity, sample_count, sample_capacity;
    struct ff_map node_map;
    struct ff_pyspy_threads known;
    /* Of the profile at hand. */
    uint32_t name, node, first, weights; /* first: its first sample; weights: how many came */
    unsigned digits;                     /* of the unit below a whole one: 9 for seconds in ns */
    bool sampled;
    /* Of all. */
    uint32_t source, event, unit, interval; /* interval: 0 none yet, 1 one, 2 several */
    uint32_t threads;
    uint64_t interval_ns, bad, unread, bare, no_frames;
};

static bool on_open(void *context, uint32_t key, bool is_array)
{
    struct scope *scope = context;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct step *step = &steps[i];
        if (step->from != scope->place || step->is_array != is_array ||
            (step->key && step->key != key))
            continue;
        scope->place = step->to;
        if (scope->place == PLACE_PROFILE) {
            scope->name = scope->weights = 0;
            scope->first = scope->sample_count;
            scope->sampled = true;
        } else if (scope->place == PLACE_SAMPLE) {
            scope->node = 0;
        } else if (scope->place == PLACE_FRAME) {
            scope->frames =
                ff_grow(scope->frames, &scope->frame_capacity, (uint64_t)scope->frame_count + 1,
                        sizeof *scope->frames, &scope->profile->out_of_memory);
            if (scope->frame_count >= scope->frame_capacity)
                return false;
            scope->frames[scope->frame_count] = (struct frame){0};
        }
        return true;
    }
    return false;
}

static void end_sample(struct scope *scope)
{
    scope->samples =
        ff_grow(scope->samples, &scope->sample_capacity, (uint64_t)scope->sample_count + 1,
                sizeof *scope->samples, &scope->profile->out_of_memory);
    if (scope->sample_count < scope->sample_capacity)
        scope->samples[scope->sample_count++] = (struct sample){.node = scope->node};
}

static uint32_t thread_row(struct scope *scope)
{
    uint32_t pid, tid;
    struct ff_text name;
    ff_speedscope_name(ff_profile_text(scope->profile, scope->name), &pid, &tid, &name);
    uint32_t process =
        ff_process_add(scope->profile, (struct ff_process){.source = scope->source, .pid = pid});
    return ff_pyspy_thread_add(&scope->known, scope->profile, process, tid,
                               ff_profile_intern(scope->profile, name), tid ? 0 : ++scope->threads);
}

static void end_profile(struct scope *scope)
{
    if (!scope->sampled) {
        scope->unread++;
        scope->sample_count = scope->first;
        return;
    }
    uint32_t thread = thread_row(scope);
    for (uint32_t i = scope->first; i < scope->sample_count; i++)
        scope->samples[i].thread = thread;
}

static void on_close(void *context, bool is_array)
{
    struct scope *scope = context;
    (void)is_array;
    if (scope->place == PLACE_SAMPLE)
        end_sample(scope);
    else if (scope->place == PLACE_FRAME)
        scope->frame_count++;
    else if (scope->place == PLACE_PROFILE)
        end_profile(scope);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].to == scope->place) {
            scope->place = steps[i].from;
            return;
        }
    }
}

/* The node below the one at hand. */
static void push_node(struct scope *scope, uint64_t frame)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(scope->node, frame);
    if (frame > UINT32_MAX) {
        scope->bad++;
        return;
    }
    for (uint32_t i = ff_map_first(&scope->node_map, hash, &probe); i;
         i = ff_map_next(&scope->node_map, &probe)) {
        if (scope->nodes[i].parent == scope->node && scope->nodes[i].frame == frame) {
            scope->node = i;
            return;
        }
    }
    uint32_t id = scope->node_count ? scope->node_count : 1;
    scope->nodes = ff_grow(scope->nodes, &scope->node_capacity, (uint64_t)id + 1,
                           sizeof *scope->nodes, &scope->profile->out_of_memory);
    if (id >= scope->node_capacity)
        return;
    scope->nodes[id] = (struct node){.parent = scope->node, .frame = (uint32_t)frame};
    ff_map_add(&scope->node_map, hash, id);
    scope->node_count = id + 1;
    scope->node = id;
}

static void add_weight(struct scope *scope, struct ff_text text)
{
    uint64_t weight = 0, index = (uint64_t)scope->first + scope->weights++;
    if (!ff_json_scaled(text, scope->digits, &weight))
        scope->bad++;
    if (index < scope->sample_count)
        scope->samples[index].weight = weight;
    if (scope->interval < 2)
        scope->interval = scope->interval && weight != scope->interval_ns ? 2 : 1;
    scope->interval_ns = weight;
}

/* The unit stands before the weights in all known files. */
static void set_unit(struct scope *scope, struct ff_text word)
{
    scope->unit =
        ff_profile_intern(scope->profile, ff_text(ff_speedscope_unit(word, &scope->digits)));
}

static void profile_value(struct scope *scope, uint32_t key, struct ff_text text)
{
    if (key == KEY_NAME)
        scope->name = ff_profile_intern(scope->profile, text);
    else if (key == KEY_TYPE)
        scope->sampled = ff_text_equal(text, FF_TEXT("sampled"));
    else if (key == KEY_UNIT)
        set_unit(scope, text);
}

static void frame_value(struct scope *scope, uint32_t key, enum ff_json_type type,
                        struct ff_text text)
{
    struct frame *frame = &scope->frames[scope->frame_count];
    uint64_t line = key == KEY_LINE && type == FF_JSON_NUMBER ? ff_json_whole(text) : 0;
    if (key == KEY_LINE)
        frame->line = line <= UINT32_MAX ? (uint32_t)line : 0;
    else if (key == KEY_NAME && type == FF_JSON_STRING)
        frame->name = ff_profile_intern(scope->profile, text);
    else if (key == KEY_FILE && type == FF_JSON_STRING)
        frame->file = ff_profile_intern(scope->profile, text);
}

static void on_value(void *context, uint32_t key, enum ff_json_type type, struct ff_text text)
{
    struct scope *scope = context;
    uint64_t number;
    if (scope->place == PLACE_SAMPLE)
        push_node(scope, ff_text_decimal(text, &number) ? number : UINT64_MAX);
    else if (scope->place == PLACE_WEIGHTS)
        add_weight(scope, text);
    else if (scope->place == PLACE_FRAME)
        frame_value(scope, key, type, text);
    else if (scope->place == PLACE_PROFILE && type == FF_JSON_STRING)
        profile_value(scope, key, text);
    else if (scope->place == PLACE_ROOT && key == KEY_EXPORTER &&
             ff_text_starts(text, FF_TEXT("py-spy")))
        scope->profile->sources.at[scope->source].tool = FF_TOOL_PY_SPY;
}

/* Frames of the text to frames of the profile, as callers or as innermost. */
static uint32_t *make_frames(struct scope *scope, bool leaf)
{
    uint32_t *rows = ff_alloc(scope->frame_count, sizeof *rows);
    scope->profile->out_of_memory |= !rows;
    for (uint32_t i = 0; rows && i < scope->frame_count; i++) {
        const struct frame *frame = &scope->frames[i];
        struct ff_pyspy_frame parts = {.name = ff_profile_text(scope->profile, frame->name),
                                       .file = ff_profile_text(scope->profile, frame->file),
                                       .line = frame->line,
                                       .leaf = leaf};
        rows[i] = ff_pyspy_frame_add(scope->profile, &parts);
    }
    return rows;
}

/* A cut file holds samples whose thread or frames did not come any more. */
static bool is_whole(const struct scope *scope, const struct sample *sample)
{
    for (uint32_t node = sample->node; node; node = scope->nodes[node].parent) {
        if (scope->nodes[node].frame >= scope->frame_count)
            return false;
    }
    return sample->thread != 0;
}

/* py-spy's outermost frames are processes (-s) and the thread (-t), which the profile's name tells. */
static bool is_root(const struct scope *scope, const struct node *node)
{
    const struct frame *frame = &scope->frames[node->frame];
    struct ff_text thread, name = ff_profile_text(scope->profile, frame->name);
    uint32_t id;
    return !frame->file && !frame->line && name.size && !scope->nodes[node->parent].stack &&
           (ff_pyspy_process_root(name, &id) == name.size ||
            ff_pyspy_thread_root(name, &id, &thread));
}

static void add_sample(struct scope *scope, const struct sample *sample, const uint32_t *leaves)
{
    const struct node *node = scope->node_count ? &scope->nodes[sample->node] : NULL;
    uint32_t stack = sample->node ? node->stack : 0;
    scope->bare += sample->node ? node->bare : 0;
    scope->no_frames += !stack;
    if (stack && leaves[node->frame] != scope->profile->stacks.at[stack].frame)
        stack = ff_stack_push(scope->profile, scope->profile->stacks.at[stack].parent,
                              leaves[node->frame]);
    ff_sample_add(scope->profile,
                  (struct ff_sample){.event = scope->event,
                                     .thread = sample->thread,
                                     .stack = stack,
                                     .state = stack ? FF_STATE_RECORDED : FF_STATE_NO_FRAMES,
                                     .count = FF_COUNT_ONE,
                                     .weight = sample->weight});
}

/* The text has ended: now frames are known. Returns how many samples could not be used. */
static uint64_t hand_over(struct scope *scope)
{
    uint64_t cut = 0;
    uint32_t *frames = make_frames(scope, false), *leaves = make_frames(scope, true);
    for (uint32_t i = 1; frames && leaves && i < scope->node_count; i++) {
        struct node *node = &scope->nodes[i];
        if (node->frame >= scope->frame_count)
            continue;
        if (is_root(scope, node)) {
            node->stack = 0; /* the profile's name has the pid */
        } else {
            node->stack = ff_stack_push(scope->profile, scope->nodes[node->parent].stack,
                                        frames[node->frame]);
            node->bare = scope->nodes[node->parent].bare +
                         ff_pyspy_frame_is_bare(scope->profile, frames[node->frame]);
        }
    }
    for (uint32_t i = 0; frames && leaves && i < scope->sample_count; i++) {
        if (is_whole(scope, &scope->samples[i]))
            add_sample(scope, &scope->samples[i], leaves);
        else
            cut++;
    }
    ff_free(frames);
    ff_free(leaves);
    return cut;
}

static void begin(struct scope *scope, const char *name)
{
    struct ff_profile *profile = scope->profile;
    scope->source = ff_source_add(
        profile,
        (struct ff_source){.name = ff_profile_intern(profile, ff_text(name)),
                           .population = (uint8_t)ff_pyspy_guess_population(ff_text(name))});
    scope->event = ff_event_add(
        profile, (struct ff_event){.source = scope->source,
                                   .name = ff_profile_intern(profile, FF_TEXT("samples"))});
    ff_ledger_add(profile, scope->source, FF_LEDGER_POPULATION_GUESSED, 1);
    set_unit(scope, FF_TEXT(""));
}

static void finish(struct scope *scope, bool whole)
{
    struct ff_profile *profile = scope->profile;
    bool time = ff_text_equal(ff_profile_text(profile, scope->unit), FF_TEXT("ns"));
    profile->events.at[scope->event].unit = scope->unit;
    if (time && scope->interval == 1 && scope->interval_ns)
        profile->sources.at[scope->source].rate =
            (UINT64_C(1000000000) + scope->interval_ns / 2) / scope->interval_ns;
    ff_ledger_add(profile, scope->source, FF_LEDGER_SAMPLES, scope->sample_count);
    ff_ledger_add(profile, scope->source, FF_LEDGER_SAMPLES_CUT, hand_over(scope));
    ff_ledger_add(profile, scope->source, FF_LEDGER_BARE_ADDRESSES, scope->bare);
    ff_ledger_add(profile, scope->source, FF_LEDGER_NO_FRAMES, scope->no_frames);
    ff_ledger_add(profile, scope->source, FF_LEDGER_JSON_CUT, !whole);
    ff_ledger_add(profile, scope->source, FF_LEDGER_EVENTS_BAD, scope->bad);
    ff_ledger_add(profile, scope->source, FF_LEDGER_PROFILES_UNREAD, scope->unread);
    profile->out_of_memory |= scope->node_map.failed;
    ff_free(scope->frames);
    ff_free(scope->nodes);
    ff_free(scope->samples);
    ff_map_release(&scope->node_map);
    ff_pyspy_threads_release(&scope->known);
}

enum ff_status ff_speedscope_read(struct ff_profile *profile, struct ff_input *input,
                                  const char *name)
{
    struct scope scope = {.profile = profile};
    struct ff_json_reader reader = {
        .keys = keys,
        .key_count = sizeof keys / sizeof *keys,
        .open = on_open,
        .close = on_close,
        .value = on_value,
        .context = &scope,
    };
    begin(&scope, name);
    enum ff_status status = ff_json_read(input, &reader, &profile->error);
    finish(&scope, status == FF_OK);
    return status == FF_OK ? ff_profile_status(profile) : status;
}
