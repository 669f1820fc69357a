/* SPDX-License-Identifier: MIT
 *
 * Stream to profile. The hard thing: ids belong to one `flamefold` line; each table keeps a
 * translation from the stream's ids to the profile's, and an id that was never defined is an error
 * that names its line.
 */
#include "profile/moment.h"
#include "profile/stream.h"

#define FIELDS_MAX 16

/* translation.ids[number in the stream] = id in the profile */
struct translation {
    uint32_t *ids;
    uint32_t count, capacity;
};

struct reader {
    struct ff_profile *profile;
    struct ff_input *input;
    struct translation sources, events, modules, processes, threads, frames, stacks;
    struct ff_text fields[FIELDS_MAX]; /* fields[0] is the kind */
    uint32_t field_count;
    char *unescaped; /* scratch of one line */
    uint32_t unescaped_capacity;
    bool open;   /* a stream was begun and not ended */
    bool failed; /* the line at hand has an error; the message is set */
};

static void fail(struct reader *reader, const char *found, const char *expected)
{
    if (!reader->failed)
        ff_error_set(&reader->profile->error, FF_BAD_INPUT, "%s: line %llu: found %s, expected %s",
                     reader->input->name, (unsigned long long)reader->input->line, found, expected);
    reader->failed = true;
}

static struct ff_text field(struct reader *reader, uint32_t index)
{
    if (index < reader->field_count)
        return reader->fields[index];
    fail(reader, "too few fields", "one more");
    return FF_TEXT("");
}

static uint64_t field_number(struct reader *reader, uint32_t index, uint64_t most)
{
    uint64_t value = 0;
    if (!ff_text_decimal(field(reader, index), &value) || value > most) {
        fail(reader, "a field that is no number or too large", "a decimal number");
        return 0;
    }
    return value;
}

static uint64_t field_hex(struct reader *reader, uint32_t index)
{
    uint64_t value = 0;
    if (!ff_text_hex(field(reader, index), &value))
        fail(reader, "a field that is no hexadecimal number", "one without 0x");
    return value;
}

static uint8_t field_word(struct reader *reader, uint32_t index, int (*parse)(struct ff_text))
{
    int value = parse(field(reader, index));
    if (value < 0) {
        fail(reader, "an unknown word", "one of docs/formats.md");
        return 0;
    }
    return (uint8_t)value;
}

/* "\t", "\n", "\r", "\\" back to one byte; the id of the text. */
static uint32_t field_text(struct reader *reader, uint32_t index)
{
    struct ff_text text = field(reader, index);
    if (ff_text_find(text, '\\') < 0)
        return ff_profile_intern(reader->profile, text);
    reader->unescaped = ff_grow(reader->unescaped, &reader->unescaped_capacity, text.size, 1,
                                &reader->profile->out_of_memory);
    size_t used = 0;
    for (size_t i = 0; i < text.size && used < reader->unescaped_capacity; i++) {
        char c = text.at[i];
        if (c == '\\' && i + 1 < text.size) {
            c = text.at[++i];
            c = c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
        }
        reader->unescaped[used++] = c;
    }
    return ff_profile_intern(reader->profile, (struct ff_text){reader->unescaped, used});
}

/* A field that is left out where it is empty. */
static uint32_t late_text(struct reader *reader, uint32_t index)
{
    return index < reader->field_count ? field_text(reader, index) : 0;
}

static uint32_t field_id(struct reader *reader, uint32_t index,
                         const struct translation *translation)
{
    uint64_t number = field_number(reader, index, UINT32_MAX);
    if (number == 0)
        return 0;
    if (number > translation->count) {
        fail(reader, "an id that no line before defines", "a defined id");
        return 0;
    }
    return translation->ids[number];
}

/* Field 1 is the row's own id: it must be the next one. */
static void define(struct reader *reader, struct translation *translation, uint32_t id)
{
    if (field_number(reader, 1, UINT32_MAX) != (uint64_t)translation->count + 1)
        fail(reader, "an id out of order", "the next one of its kind");
    if (reader->failed)
        return;
    translation->ids =
        ff_grow(translation->ids, &translation->capacity, (uint64_t)translation->count + 2,
                sizeof *translation->ids, &reader->profile->out_of_memory);
    if (translation->count + 1 < translation->capacity)
        translation->ids[++translation->count] = id;
}

/* A field that was added to its kind later: 0 in a stream of before. */
static uint64_t field_late(struct reader *reader, uint32_t index)
{
    return index < reader->field_count ? field_number(reader, index, UINT64_MAX) : 0;
}

static void read_source(struct reader *reader)
{
    struct ff_source row = {
        .name = field_text(reader, 2),
        .tool = field_word(reader, 3, ff_tool_parse),
        .population = field_word(reader, 4, ff_population_parse),
        .host = field_text(reader, 5),
        .rate = field_number(reader, 6, UINT64_MAX),
        .start_ns = field_number(reader, 7, UINT64_MAX),
        .end_ns = field_number(reader, 8, UINT64_MAX),
        .duration_ns = field_late(reader, 9),
        .errors = field_late(reader, 10),
        .window_ns = field_late(reader, 11),
    };
    if (!reader->failed)
        define(reader, &reader->sources, ff_source_add(reader->profile, row));
}

static void read_event(struct reader *reader)
{
    struct ff_event row = {
        .source = field_id(reader, 2, &reader->sources),
        .name = field_text(reader, 3),
        .unit = field_text(reader, 4),
    };
    if (!reader->failed)
        define(reader, &reader->events, ff_event_add(reader->profile, row));
}

static void read_module(struct reader *reader)
{
    struct ff_module row = {
        .kind = field_word(reader, 2, ff_module_parse),
        .path = field_text(reader, 3),
        .build_id = field_text(reader, 4),
        .pid = (uint32_t)field_number(reader, 5, UINT32_MAX),
        .anchor = field_hex(reader, 6),
        .inode = field_number(reader, 7, UINT64_MAX),
        .generation = (uint32_t)field_number(reader, 8, UINT32_MAX),
    };
    if (!reader->failed)
        define(reader, &reader->modules, ff_module_add(reader->profile, row));
}

static void read_process(struct reader *reader)
{
    struct ff_process row = {
        .source = field_id(reader, 2, &reader->sources),
        .pid = (uint32_t)field_number(reader, 3, UINT32_MAX),
        .generation = (uint32_t)field_number(reader, 4, UINT32_MAX),
    };
    if (!reader->failed)
        define(reader, &reader->processes, ff_process_add(reader->profile, row));
}

static void read_thread(struct reader *reader)
{
    struct ff_thread row = {
        .process = field_id(reader, 2, &reader->processes),
        .tid = (uint32_t)field_number(reader, 3, UINT32_MAX),
        .generation = (uint32_t)field_number(reader, 4, UINT32_MAX),
        .comm = field_text(reader, 5),
        .name = field_text(reader, 6),
        .role = field_text(reader, 7),
    };
    if (!reader->failed)
        define(reader, &reader->threads, ff_thread_add(reader->profile, row));
}

static void read_frame(struct reader *reader)
{
    struct ff_frame row = {
        .kind = field_word(reader, 2, ff_frame_parse),
        .named = field_word(reader, 3, ff_named_parse),
        .how = field_word(reader, 4, ff_how_parse),
        .module = field_id(reader, 5, &reader->modules),
        .place = field_hex(reader, 6),
        .function = field_hex(reader, 7),
        .symbol = field_text(reader, 8),
        .file = field_text(reader, 9),
        .line = (uint32_t)field_number(reader, 10, UINT32_MAX),
    };
    if (reader->field_count > 11)
        row.entry = field_word(reader, 11, ff_entry_parse);
    if (reader->field_count > 12)
        row.site = field_hex(reader, 12);
    if (!reader->failed)
        define(reader, &reader->frames, ff_frame_add(reader->profile, row));
}

static void read_stack(struct reader *reader)
{
    uint32_t parent = field_id(reader, 2, &reader->stacks);
    uint32_t frame = field_id(reader, 3, &reader->frames);
    if (!reader->failed && !frame)
        fail(reader, "a stack without a frame", "the id of a frame");
    if (!reader->failed)
        define(reader, &reader->stacks, ff_stack_push(reader->profile, parent, frame));
}

static void read_sample(struct reader *reader)
{
    struct ff_sample row = {
        .event = field_id(reader, 1, &reader->events),
        .thread = field_id(reader, 2, &reader->threads),
        .stack = field_id(reader, 3, &reader->stacks),
        .state = field_word(reader, 4, ff_state_parse),
        .bucket = field_text(reader, 5),
        .weight = field_number(reader, 8, UINT64_MAX),
        .tags = late_text(reader, 9),
        .spread = field_late(reader, 10),
    };
    if (reader->field_count > 11 &&
        !ff_moments_parse(reader->profile, ff_sample_source(reader->profile, &row),
                          reader->fields[11], &row.moments))
        fail(reader, "times that are none", "window*count,...");
    row.count = field_number(reader, 6, UINT64_MAX / FF_COUNT_ONE - 1) * FF_COUNT_ONE +
                field_number(reader, 7, FF_COUNT_ONE - 1);
    if (!reader->failed && !row.event)
        fail(reader, "a sample without an event", "the id of an event");
    if (!reader->failed)
        ff_sample_add(reader->profile, row);
}

static void read_depth(struct reader *reader)
{
    struct ff_depth row = {
        .source = field_id(reader, 1, &reader->sources),
        .complete = ff_text_equal(field(reader, 2), FF_TEXT("complete")),
        .size_kib = (uint32_t)field_number(reader, 3, UINT32_MAX),
        .count = field_number(reader, 4, UINT64_MAX),
    };
    if (!reader->failed && !row.complete && !ff_text_equal(field(reader, 2), FF_TEXT("cut")))
        fail(reader, "an unknown word", "complete or cut");
    if (!reader->failed)
        ff_depth_add(reader->profile, row);
}

static void read_cut(struct reader *reader)
{
    struct ff_cut row = {
        .source = field_id(reader, 1, &reader->sources),
        .frame = field_id(reader, 2, &reader->frames),
        .count = field_number(reader, 3, UINT64_MAX),
        .least = field_number(reader, 4, UINT64_MAX),
        .most = field_number(reader, 5, UINT64_MAX),
    };
    if (!reader->failed)
        ff_cut_add(reader->profile, row);
}

static void read_fact(struct reader *reader)
{
    struct ff_fact row = {
        .source = field_id(reader, 1, &reader->sources),
        .thread = field_id(reader, 2, &reader->threads),
        .name = field_text(reader, 3),
        .subject = field_text(reader, 4),
        .value = field_number(reader, 5, UINT64_MAX),
        .unit = field_text(reader, 6),
        .text = field_text(reader, 7),
    };
    if (!reader->failed)
        ff_fact_add(reader->profile, row);
}

static void read_ledger(struct reader *reader)
{
    struct ff_ledger_entry row = {
        .source = field_id(reader, 1, &reader->sources),
        .grade = field_word(reader, 2, ff_grade_parse),
        .unit = field_text(reader, 3),
        .name = field_text(reader, 4),
        .count = field_number(reader, 5, UINT64_MAX),
    };
    row.inherited = row.count;
    if (!reader->failed)
        ff_ledger_add_entry(reader->profile, row);
}

static void end_stream(struct reader *reader)
{
    reader->sources.count = reader->events.count = reader->modules.count = 0;
    reader->processes.count = reader->threads.count = 0;
    reader->frames.count = reader->stacks.count = 0;
    reader->open = false;
}

static void cut_stream(struct reader *reader)
{
    if (reader->open)
        ff_ledger_add(reader->profile, 0, FF_LEDGER_STREAM_CUT, 1);
    end_stream(reader);
}

static void begin_stream(struct reader *reader)
{
    uint64_t version = 0;
    struct ff_text head = reader->fields[0];
    cut_stream(reader);
    if (!ff_text_decimal(ff_text_from(head, sizeof "flamefold " - 1), &version))
        fail(reader, "a first line without a version", "flamefold 1");
    else if (version != FF_STREAM_VERSION)
        fail(reader, "a stream of another version", "version 1; use a newer flamefold");
    reader->open = !reader->failed;
}

static const struct {
    const char *kind;
    void (*read)(struct reader *reader);
} kinds[] = {
    {"sample", read_sample}, {"stack", read_stack},     {"frame", read_frame},
    {"thread", read_thread}, {"process", read_process}, {"module", read_module},
    {"event", read_event},   {"source", read_source},   {"ledger", read_ledger},
    {"depth", read_depth},   {"cut", read_cut},         {"fact", read_fact},
    {"end", end_stream},
};

static void split(struct reader *reader, struct ff_text line)
{
    reader->field_count = 0;
    while (line.at && reader->field_count < FIELDS_MAX)
        reader->fields[reader->field_count++] = ff_text_cut(&line, '\t');
}

static void read_line(struct reader *reader, struct ff_text line)
{
    split(reader, line);
    if (ff_text_starts(line, FF_TEXT("flamefold "))) {
        begin_stream(reader);
        return;
    }
    if (!reader->open) {
        fail(reader, "a line outside a stream", "flamefold 1");
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (ff_text_equal(reader->fields[0], ff_text(kinds[i].kind))) {
            kinds[i].read(reader);
            return;
        }
    }
    ff_extra_add(reader->profile, line);
}

static void reader_release(struct reader *reader)
{
    struct translation *all[] = {&reader->sources,   &reader->events,  &reader->modules,
                                 &reader->processes, &reader->threads, &reader->frames,
                                 &reader->stacks};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ff_free(all[i]->ids);
    ff_free(reader->unescaped);
}

enum ff_status ff_stream_read(struct ff_profile *profile, struct ff_input *input)
{
    struct reader reader = {.profile = profile, .input = input};
    struct ff_text line;
    enum ff_status status = FF_OK;
    while (!reader.failed && (status = ff_input_line(input, &line, &profile->error)) == FF_OK)
        read_line(&reader, line);
    cut_stream(&reader);
    reader_release(&reader);
    if (reader.failed)
        return FF_BAD_INPUT;
    return status == FF_END ? ff_profile_status(profile) : status;
}
