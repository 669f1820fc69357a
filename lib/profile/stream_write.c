/* SPDX-License-Identifier: MIT
 *
 * Profile to the rows of the stream, in the order of profile/order.h. The hard thing is there.
 */
#include "profile/moment.h"
#include "profile/order.h"
#include "profile/stream.h"

struct writer {
    struct ff_profile *profile;
    struct ff_rows *rows;
    const struct ff_order *order;
};

static void begin(struct writer *writer, const char *kind)
{
    writer->rows->begin(writer->rows, kind);
}

static void end(struct writer *writer)
{
    writer->rows->end(writer->rows);
}

static void put_number(struct writer *writer, uint64_t value)
{
    writer->rows->number(writer->rows, value);
}

static void put_hex(struct writer *writer, uint64_t value)
{
    writer->rows->hex(writer->rows, value);
}

static void put_word(struct writer *writer, const char *word)
{
    ff_rows_word(writer->rows, word);
}

static void put_text(struct writer *writer, uint32_t id)
{
    ff_rows_escape(writer->rows, ff_profile_text(writer->profile, id));
}

static void put_moments(struct writer *writer, const struct ff_sample *sample)
{
    struct ff_output *scratch = &writer->rows->scratch;
    scratch->used = 0;
    ff_moments_write(writer->profile, sample, scratch);
    writer->rows->text(writer->rows, scratch->used
                                         ? (struct ff_text){scratch->buffer, scratch->used}
                                         : FF_TEXT(""));
}

static void write_heads(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    for (uint32_t id = 1; id < profile->sources.count; id++) {
        const struct ff_source *row = &profile->sources.at[id];
        begin(writer, "source");
        put_number(writer, id);
        put_text(writer, row->name);
        put_word(writer, ff_tool_word(row->tool));
        put_word(writer, ff_population_word(row->population));
        put_text(writer, row->host);
        put_number(writer, row->rate);
        put_number(writer, row->start_ns);
        put_number(writer, row->end_ns);
        put_number(writer, row->duration_ns);
        put_number(writer, row->errors);
        put_number(writer, row->window_ns);
        end(writer);
    }
    for (uint32_t i = 1; i <= writer->order->events.count; i++) {
        const struct ff_event *row = &profile->events.at[writer->order->events.old[i]];
        begin(writer, "event");
        put_number(writer, i);
        put_number(writer, row->source);
        put_text(writer, row->name);
        put_text(writer, row->unit);
        end(writer);
    }
    for (uint32_t i = 1; i <= writer->order->modules.count; i++) {
        const struct ff_module *row = &profile->modules.at[writer->order->modules.old[i]];
        begin(writer, "module");
        put_number(writer, i);
        put_word(writer, ff_module_word(row->kind));
        put_text(writer, row->path);
        put_text(writer, row->build_id);
        put_number(writer, row->pid);
        put_hex(writer, row->anchor);
        put_number(writer, row->inode);
        put_number(writer, row->generation);
        end(writer);
    }
}

static void write_threads(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    for (uint32_t i = 1; i <= writer->order->processes.count; i++) {
        const struct ff_process *row = &profile->processes.at[writer->order->processes.old[i]];
        begin(writer, "process");
        put_number(writer, i);
        put_number(writer, row->source);
        put_number(writer, row->pid);
        put_number(writer, row->generation);
        end(writer);
    }
    for (uint32_t i = 1; i <= writer->order->threads.count; i++) {
        const struct ff_thread *row = &profile->threads.at[writer->order->threads.old[i]];
        begin(writer, "thread");
        put_number(writer, i);
        put_number(writer, writer->order->processes.number[row->process]);
        put_number(writer, row->tid);
        put_number(writer, row->generation);
        put_text(writer, row->comm);
        put_text(writer, row->name);
        put_text(writer, row->role);
        end(writer);
    }
}

static void write_stacks(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    for (uint32_t i = 1; i <= writer->order->frames.count; i++) {
        const struct ff_frame *row = &profile->frames.at[writer->order->frames.old[i]];
        begin(writer, "frame");
        put_number(writer, i);
        put_word(writer, ff_frame_word(row->kind));
        put_word(writer, ff_named_word(row->named));
        put_word(writer, ff_how_word(row->how));
        put_number(writer, writer->order->modules.number[row->module]);
        put_hex(writer, writer->order->by_name ? 0 : row->place);
        put_hex(writer, row->function);
        put_text(writer, row->symbol);
        put_text(writer, row->file);
        put_number(writer, row->line);
        bool site = row->site && !writer->order->by_name;
        if (row->entry || site)
            put_word(writer, ff_entry_word(row->entry));
        if (site)
            put_hex(writer, row->site);
        end(writer);
    }
    for (uint32_t i = 1; i <= writer->order->stacks.count; i++) {
        const struct ff_stack *row = &profile->stacks.at[writer->order->stacks.old[i]];
        begin(writer, "stack");
        put_number(writer, i);
        put_number(writer, writer->order->stacks.number[row->parent]);
        put_number(writer, writer->order->frames.number[row->frame]);
        end(writer);
    }
}

static void write_depths(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    for (uint32_t i = 1; i <= writer->order->depths.count; i++) {
        const struct ff_depth *row = &profile->depths.at[writer->order->depths.old[i]];
        begin(writer, "depth");
        put_number(writer, row->source);
        put_word(writer, row->complete ? "complete" : "cut");
        put_number(writer, row->size_kib);
        put_number(writer, row->count);
        end(writer);
    }
    for (uint32_t i = 1; i <= writer->order->cuts.count; i++) {
        const struct ff_cut *row = &profile->cuts.at[writer->order->cuts.old[i]];
        begin(writer, "cut");
        put_number(writer, row->source);
        put_number(writer, writer->order->frames.number[row->frame]);
        put_number(writer, row->count);
        put_number(writer, row->least);
        put_number(writer, row->most);
        end(writer);
    }
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* A row for each number: what the rows of that number say together. */
static struct ff_sample *join_samples(struct writer *writer)
{
    struct ff_profile *profile = writer->profile;
    struct ff_sample *joined = ff_alloc((size_t)writer->order->samples.count + 1, sizeof *joined);
    profile->out_of_memory |= !joined;
    for (uint32_t id = 1; joined && id < profile->samples.count; id++) {
        const struct ff_sample *row = &profile->samples.at[id];
        struct ff_sample *sum = &joined[writer->order->samples.number[id]];
        if (!sum->event) {
            *sum = *row;
            continue;
        }
        sum->count = sum_of(sum->count, row->count);
        sum->weight = sum_of(sum->weight, row->weight);
        sum->spread = sum_of(sum->spread, row->spread);
        sum->moments = ff_moments_merge(profile, sum->moments, row->moments);
    }
    return joined;
}

static void write_samples(struct writer *writer)
{
    struct ff_profile *profile = writer->profile;
    uint32_t moment_count = profile->moments.count;
    const struct ff_numbering *order = &writer->order->samples;
    bool joins = order->count + 1 < profile->samples.count;
    struct ff_sample *joined = joins ? join_samples(writer) : NULL;
    uint32_t count = joins && !joined ? 0 : order->count;
    for (uint32_t i = 1; i <= count; i++) {
        const struct ff_sample *row = joins ? &joined[i] : &profile->samples.at[order->old[i]];
        begin(writer, "sample");
        put_number(writer, writer->order->events.number[row->event]);
        put_number(writer, writer->order->threads.number[row->thread]);
        put_number(writer, writer->order->stacks.number[row->stack]);
        put_word(writer, ff_state_word(row->state));
        put_text(writer, row->bucket);
        put_number(writer, row->count / FF_COUNT_ONE);
        put_number(writer, row->count % FF_COUNT_ONE);
        put_number(writer, row->weight);
        put_text(writer, row->tags);
        put_number(writer, row->spread);
        put_moments(writer, row);
        end(writer);
    }
    profile->moments.count = moment_count; /* forgets the joined rows' */
    ff_free(joined);
}

static void write_facts(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact *row = &profile->facts.at[i];
        begin(writer, "fact");
        put_number(writer, row->source);
        put_number(writer, writer->order->threads.number[row->thread]);
        put_text(writer, row->name);
        put_text(writer, row->subject);
        put_number(writer, row->value);
        put_text(writer, row->unit);
        put_text(writer, row->text);
        end(writer);
    }
}

static void write_tail(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    const struct ff_numbering *ledger = &writer->order->ledger;
    for (uint32_t i = 1; i <= ledger->count; i++) {
        const struct ff_ledger_entry *row = &profile->ledger.at[ledger->old[i]];
        if (!row->count)
            continue;
        begin(writer, "ledger");
        put_number(writer, row->source);
        put_word(writer, ff_grade_word(row->grade));
        put_text(writer, row->unit);
        put_text(writer, row->name);
        put_number(writer, row->count);
        end(writer);
    }
    for (uint32_t i = 1; i < profile->extras.count; i++) {
        writer->rows->line(writer->rows, ff_profile_text(profile, profile->extras.at[i].text));
    }
    begin(writer, "end");
    end(writer);
}

void ff_stream_write_order(const struct ff_order *order, struct ff_rows *rows)
{
    struct writer writer = {.profile = order->profile, .rows = rows, .order = order};
    rows->scratch.used = 0;
    ff_output_format(&rows->scratch, "flamefold %d", FF_STREAM_VERSION);
    rows->line(rows, (struct ff_text){rows->scratch.buffer, rows->scratch.used});
    write_heads(&writer);
    write_threads(&writer);
    write_stacks(&writer);
    write_samples(&writer);
    write_depths(&writer);
    write_facts(&writer);
    write_tail(&writer);
}

enum ff_status ff_stream_write(struct ff_profile *profile, struct ff_output *output)
{
    struct ff_order order;
    struct ff_rows_lines lines;
    ff_rows_lines_init(&lines, output);
    ff_moments_settle(profile);
    if (ff_order_init(&order, profile, false) == FF_OK)
        ff_stream_write_order(&order, &lines.rows);
    ff_order_release(&order);
    profile->out_of_memory |= !ff_rows_lines_release(&lines);
    return ff_profile_status(profile);
}
