/* SPDX-License-Identifier: MIT
 *
 * Lines `frame;frame;... count` into samples. The hard thing is speed with nothing escaped: each
 * frame text costs one look-up, which finds the frame that the same text meant before; only a new
 * text is parsed (dialect.c). Roots (processes and threads) are cut off and looked up as one text.
 */
#include "read/folded.h"

#include "base/output.h"
#include "read/count.h"
#include "read/dialect.h"
#include "read/folded_last.h"
#include "read/pyspy.h"

/* What one column of counts becomes: a source of its own. */
struct column {
    uint32_t source, event;
    uint32_t no_thread; /* the thread of lines without a root; 0 = not made yet */
    uint32_t *threads;  /* by root_texts: rows of profile->threads; 0 = not made yet */
    uint32_t thread_capacity;
    struct ff_pyspy_threads known;
    uint64_t samples, sample_parts; /* sum of the counts: whole ones, and 1 / FF_COUNT_ONE */
    uint64_t bare, no_frames;
};

struct folded {
    struct ff_profile *profile;
    struct ff_input *input;
    enum ff_dialect dialect;
    struct column columns[2];
    uint32_t column_count; /* 2 in a differential */

    struct ff_intern frame_texts; /* text -> index into frames */
    struct folded_frame *frames;
    uint32_t frame_capacity;
    struct ff_intern root_texts;
    struct ff_folded_last last;

    uint64_t weight_unit; /* austin: ns in a microsecond, or 1 for bytes */
    uint64_t lines, unused, bad, joined, metrics;
    uint64_t first_bad; /* line number */
    bool open_end;      /* the last line has no line end */
    bool fractions;
};

struct folded_frame {
    uint32_t id;   /* row of profile->frames; 0 = not made yet */
    uint32_t leaf; /* the same as innermost frame: a bare address is no return address there */
    bool bare;
};

/* Cuts the counts off the end of LINE, one for each column. */
static bool cut_counts(struct folded *folded, struct ff_text *line, uint64_t units[2])
{
    struct ff_text word;
    for (uint32_t i = folded->column_count; i-- > 0;) {
        if (!ff_count_cut(line, &word))
            return false;
        enum ff_count_kind kind = ff_count_parse(word, &units[i]);
        if (kind == FF_COUNT_NONE)
            return false;
        folded->fractions |= kind == FF_COUNT_FRACTION;
        if (kind == FF_COUNT_FULL)
            ff_ledger_add(folded->profile, folded->columns[i].source, FF_LEDGER_SATURATED, 1);
    }
    return true;
}

static const struct folded_frame *frame_of(struct folded *folded, struct ff_text text)
{
    static const struct folded_frame none;
    uint32_t key = ff_intern(&folded->frame_texts, text);
    if (key >= folded->frame_capacity)
        folded->frames = ff_grow(folded->frames, &folded->frame_capacity, (uint64_t)key + 1,
                                 sizeof *folded->frames, &folded->profile->out_of_memory);
    if (key >= folded->frame_capacity)
        return &none;
    struct folded_frame *frame = &folded->frames[key];
    if (!frame->id) {
        frame->id = frame->leaf = ff_dialect_frame(folded->dialect, folded->profile, text, false);
        frame->bare = folded->dialect && ff_pyspy_frame_is_bare(folded->profile, frame->id);
        if (frame->bare)
            frame->leaf = ff_dialect_frame(folded->dialect, folded->profile, text, true);
    }
    return frame;
}

/* The thread of a line's root; an empty root is none. */
static uint32_t make_thread(struct folded *folded, struct column *column,
                            const struct ff_dialect_root *root, uint32_t key)
{
    struct ff_profile *profile = folded->profile;
    uint32_t process =
        ff_process_add(profile, (struct ff_process){.source = column->source, .pid = root->pid});
    return ff_pyspy_thread_add(&column->known, profile, process, root->tid,
                               ff_profile_intern(profile, root->name), root->thread ? key : 0);
}

static uint32_t thread_of(struct folded *folded, struct column *column, struct ff_text text)
{
    struct ff_dialect_root root = {.name = FF_TEXT("")};
    uint32_t key = ff_intern(&folded->root_texts, text);
    if (!key) {
        if (!column->no_thread)
            column->no_thread = make_thread(folded, column, &root, 0);
        return column->no_thread;
    }
    if (key >= column->thread_capacity)
        column->threads = ff_grow(column->threads, &column->thread_capacity, (uint64_t)key + 1,
                                  sizeof *column->threads, &folded->profile->out_of_memory);
    if (key >= column->thread_capacity)
        return 0;
    if (!column->threads[key]) {
        ff_dialect_root(folded->dialect, text, &root);
        column->threads[key] = make_thread(folded, column, &root, key);
    }
    return column->threads[key];
}

/* A line's stack, and what it is made of. */
struct line_stack {
    uint32_t stack, bare;
    struct ff_text root;
};

static struct line_stack push_stack(struct folded *folded, struct ff_text line)
{
    struct ff_dialect_root root;
    struct line_stack found = {0};
    size_t size = ff_dialect_root(folded->dialect, line, &root);
    folded->joined += ff_text_find(root.name, ';') >= 0;
    found.root = ff_text_slice(line, 0, size);
    line = size ? ff_text_from(line, size + 1) : line;
    /* No ';' so far may be part of a name. */
    bool plain = folded->dialect != FF_DIALECT_AUSTIN;
    for (size_t at = ff_folded_last_take(&folded->last, line, &found.stack, &found.bare), end;
         at < line.size; at = end + 1) {
        struct ff_text rest = ff_text_from(line, at);
        size = ff_dialect_frame_size(folded->dialect, rest, &folded->joined);
        end = at + size;
        const struct folded_frame *frame = frame_of(folded, ff_text_slice(rest, 0, size));
        bool leaf = end >= line.size;
        found.stack = ff_stack_push(folded->profile, found.stack, leaf ? frame->leaf : frame->id);
        found.bare += frame->bare;
        plain = plain && end + 1 < line.size && line.at[end + 1] != ' ';
        if (plain)
            ff_folded_last_note(&folded->last, end, found.stack, found.bare);
    }
    return found;
}

static void add_sample(struct folded *folded, struct column *column, const struct line_stack *stack,
                       uint64_t units, uint64_t weight)
{
    uint64_t whole = units / FF_COUNT_ONE;
    column->bare += stack->bare * whole;
    column->no_frames += stack->stack ? 0 : whole;
    column->samples += whole;
    column->sample_parts += units % FF_COUNT_ONE;
    ff_sample_add(folded->profile,
                  (struct ff_sample){
                      .event = column->event,
                      .thread = thread_of(folded, column, stack->root),
                      .stack = stack->stack,
                      .state = stack->stack ? FF_STATE_RECORDED : FF_STATE_NO_FRAMES,
                      .count = units,
                      .weight = weight,
                  });
}

static bool counted_line(struct folded *folded, struct ff_text line)
{
    uint64_t units[2];
    if (!cut_counts(folded, &line, units))
        return false;
    struct line_stack stack = push_stack(folded, line);
    for (uint32_t i = 0; i < folded->column_count; i++) {
        /* In a differential, 0 says that the stack is not in this profile. */
        if (units[i] || folded->column_count == 1)
            add_sample(folded, &folded->columns[i], &stack, units[i], units[i] / FF_COUNT_ONE);
    }
    return true;
}

/* Austin: each line is one sample, its number the microseconds or bytes since the one before. In full
 * mode there are three: time, whether idle, memory. */
static bool austin_line(struct folded *folded, struct ff_text line)
{
    uint64_t metric;
    struct ff_text word;
    if (!ff_count_cut(&line, &word))
        return false;
    struct ff_text first = ff_text_cut(&word, ',');
    /* Memory may shrink: then nothing was allocated. */
    bool negative = ff_text_starts(first, FF_TEXT("-"));
    if (!ff_text_decimal(ff_text_from(first, negative), &metric))
        return false;
    folded->metrics += word.at ? 2 : 0;
    struct line_stack stack = push_stack(folded, line);
    bool fits = metric <= UINT64_MAX / folded->weight_unit;
    add_sample(folded, &folded->columns[0], &stack, FF_COUNT_ONE,
               negative ? 0
               : fits   ? metric * folded->weight_unit
                        : UINT64_MAX);
    return true;
}

/* "# mode: memory", "# interval: 100", "# duration: 1000000": microseconds. */
static void austin_comment(struct folded *folded, struct ff_text line)
{
    struct ff_profile *profile = folded->profile;
    struct ff_source *source = &profile->sources.at[folded->columns[0].source];
    uint64_t number;
    if (ff_text_equal(line, FF_TEXT("# mode: memory"))) {
        folded->weight_unit = 1;
        profile->events.at[folded->columns[0].event].unit =
            ff_profile_intern(profile, FF_TEXT("bytes"));
    } else if (ff_text_starts(line, FF_TEXT("# interval: ")) &&
               ff_text_decimal(ff_text_from(line, 12), &number) && number) {
        source->rate = 1000000 / number;
    } else if (ff_text_starts(line, FF_TEXT("# duration: ")) &&
               ff_text_decimal(ff_text_from(line, 12), &number) && number < UINT64_MAX / 1000) {
        source->duration_ns = number * 1000;
    }
}

static void read_line(struct folded *folded, struct ff_text line)
{
    bool austin = folded->dialect == FF_DIALECT_AUSTIN;
    folded->lines++;
    if (folded->lines == 1 && ff_text_starts(line, FF_TEXT("\xef\xbb\xbf")))
        line = ff_text_from(line, 3);
    if (!ff_text_trim(line).size || line.at[0] == '#') {
        folded->unused++;
        if (austin)
            austin_comment(folded, line);
    } else if (!(austin ? austin_line(folded, line) : counted_line(folded, line)) &&
               !folded->bad++) {
        folded->first_bad = folded->input->line;
    }
}

/* Fractions add up to whole weights only in the sum. */
static void round_weights(struct folded *folded, uint32_t first)
{
    struct ff_profile *profile = folded->profile;
    for (uint32_t i = first; i < profile->samples.count; i++)
        profile->samples.at[i].weight = profile->samples.at[i].count / FF_COUNT_ONE;
}

static void write_ledger(const struct folded *folded)
{
    struct ff_profile *profile = folded->profile;
    uint32_t source = folded->columns[0].source;
    ff_ledger_add(profile, source, FF_LEDGER_LINES, folded->lines);
    ff_ledger_add(profile, source, FF_LEDGER_LINES_UNUSED, folded->unused);
    ff_ledger_add(profile, source, FF_LEDGER_LINES_BAD, folded->bad);
    ff_ledger_add(profile, source, FF_LEDGER_FRAMES_JOINED, folded->joined);
    ff_ledger_add(profile, source, FF_LEDGER_LINE_OPEN, folded->open_end);
    ff_ledger_add(profile, source, FF_LEDGER_METRICS_UNUSED, folded->metrics);
    for (uint32_t i = 0; i < folded->column_count; i++) {
        const struct column *column = &folded->columns[i];
        ff_ledger_add(profile, column->source, FF_LEDGER_SAMPLES,
                      column->samples + column->sample_parts / FF_COUNT_ONE);
        ff_ledger_add(profile, column->source, FF_LEDGER_BARE_ADDRESSES, column->bare);
        ff_ledger_add(profile, column->source, FF_LEDGER_NO_FRAMES, column->no_frames);
    }
}

/* The two profiles of a differential are NAME:1 and NAME:2. */
static uint32_t source_name(struct folded *folded, const char *name, uint32_t column)
{
    struct ff_output output;
    if (folded->column_count == 1)
        return ff_profile_intern(folded->profile, ff_text(name));
    ff_output_memory(&output);
    ff_output_format(&output, "%s:%u", name, column + 1);
    uint32_t id = ff_profile_intern(folded->profile, (struct ff_text){output.buffer, output.used});
    folded->profile->out_of_memory |= output.out_of_memory;
    ff_output_close(&output, &folded->profile->error);
    return id;
}

static void add_source(struct folded *folded, const char *name, uint32_t index)
{
    struct ff_profile *profile = folded->profile;
    struct column *column = &folded->columns[index];
    const char *unit = folded->dialect == FF_DIALECT_AUSTIN ? "ns" : "samples";
    column->source =
        ff_source_add(profile, (struct ff_source){.name = source_name(folded, name, index),
                                                  .tool = (uint8_t)ff_dialect_tool(folded->dialect),
                                                  .population = (uint8_t)ff_dialect_population(
                                                      folded->dialect, ff_text(name))});
    column->event = ff_event_add(
        profile, (struct ff_event){.source = column->source,
                                   .name = ff_profile_intern(profile, FF_TEXT("samples")),
                                   .unit = ff_profile_intern(profile, ff_text(unit))});
    if (folded->dialect != FF_DIALECT_PLAIN)
        ff_ledger_add(profile, column->source, FF_LEDGER_POPULATION_GUESSED, 1);
}

static enum ff_status finish(struct folded *folded)
{
    struct ff_profile *profile = folded->profile;
    profile->out_of_memory |=
        folded->frame_texts.failed || folded->root_texts.failed || folded->last.failed;
    enum ff_status status = ff_profile_status(profile);
    if (status == FF_OK && folded->bad)
        status = ff_error_set(&profile->error, FF_BAD_INPUT,
                              "%s: line %llu: found no count at the end, expected 'frame;frame "
                              "COUNT'; %llu of %llu lines are left out",
                              folded->input->name, (unsigned long long)folded->first_bad,
                              (unsigned long long)folded->bad, (unsigned long long)folded->lines);
    return status;
}

static enum ff_dialect dialect_of(enum ff_format format)
{
    switch (format) {
    case FF_FORMAT_PY_SPY_RAW:
    case FF_FORMAT_PY_SPY_DIFF:
        return FF_DIALECT_PY_SPY;
    case FF_FORMAT_TACHYON:
        return FF_DIALECT_TACHYON;
    case FF_FORMAT_AUSTIN:
        return FF_DIALECT_AUSTIN;
    default:
        return FF_DIALECT_PLAIN;
    }
}

static void release(struct folded *folded)
{
    for (uint32_t i = 0; i < folded->column_count; i++) {
        ff_pyspy_threads_release(&folded->columns[i].known);
        ff_free(folded->columns[i].threads);
    }
    ff_folded_last_release(&folded->last);
    ff_intern_release(&folded->frame_texts);
    ff_intern_release(&folded->root_texts);
    ff_free(folded->frames);
}

enum ff_status ff_folded_read(struct ff_profile *profile, struct ff_input *input, const char *name,
                              enum ff_format format)
{
    bool differential = format == FF_FORMAT_FOLDED_DIFF || format == FF_FORMAT_PY_SPY_DIFF;
    struct folded folded = {
        .profile = profile,
        .input = input,
        .dialect = dialect_of(format),
        .column_count = differential ? 2 : 1,
        .weight_unit = 1000,
    };
    uint32_t first_sample = profile->samples.count;
    struct ff_text line;
    enum ff_status status;
    for (uint32_t i = 0; i < folded.column_count; i++)
        add_source(&folded, name, i);
    for (;;) {
        uint64_t start = input->offset;
        status = ff_input_line(input, &line, &profile->error);
        if (status != FF_OK)
            break;
        folded.open_end = input->offset - start == line.size;
        read_line(&folded, line);
    }
    if (folded.fractions)
        round_weights(&folded, first_sample);
    write_ledger(&folded);
    if (status == FF_END)
        status = finish(&folded);
    release(&folded);
    return status;
}
