/* SPDX-License-Identifier: MIT
 *
 * Profile to stream: one line a row, in the order of profile/order.h. The hard thing is there; here
 * only the escapes keep a name from becoming a line.
 */
#include "profile/moment.h"
#include "profile/order.h"
#include "profile/stream.h"

struct writer {
    struct ff_profile *profile;
    struct ff_output *output;
    struct ff_order order;
};

static void put_number(struct writer *writer, uint64_t value)
{
    ff_output_byte(writer->output, '\t');
    ff_output_decimal(writer->output, value);
}

static void put_hex(struct writer *writer, uint64_t value)
{
    ff_output_byte(writer->output, '\t');
    ff_output_hex(writer->output, value);
}

static void put_word(struct writer *writer, const char *word)
{
    ff_output_byte(writer->output, '\t');
    ff_output_string(writer->output, word);
}

static void put_text(struct writer *writer, uint32_t id)
{
    struct ff_text text = ff_profile_text(writer->profile, id);
    size_t plain = 0; /* written up to here */
    ff_output_byte(writer->output, '\t');
    for (size_t i = 0; i < text.size; i++) {
        char c = text.at[i];
        const char *escaped = c == '\t'   ? "\\t"
                              : c == '\n' ? "\\n"
                              : c == '\r' ? "\\r"
                              : c == '\\' ? "\\\\"
                                          : NULL;
        if (!escaped)
            continue;
        ff_output_text(writer->output, ff_text_slice(text, plain, i));
        ff_output_string(writer->output, escaped);
        plain = i + 1;
    }
    ff_output_text(writer->output, ff_text_from(text, plain));
}

static void write_heads(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    for (uint32_t id = 1; id < profile->sources.count; id++) {
        const struct ff_source *row = &profile->sources.at[id];
        ff_output_string(writer->output, "source");
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
        ff_output_byte(writer->output, '\n');
    }
    for (uint32_t i = 1; i <= writer->order.events.count; i++) {
        const struct ff_event *row = &profile->events.at[writer->order.events.old[i]];
        ff_output_string(writer->output, "event");
        put_number(writer, i);
        put_number(writer, row->source);
        put_text(writer, row->name);
        put_text(writer, row->unit);
        ff_output_byte(writer->output, '\n');
    }
    for (uint32_t i = 1; i <= writer->order.modules.count; i++) {
        const struct ff_module *row = &profile->modules.at[writer->order.modules.old[i]];
        ff_output_string(writer->output, "module");
        put_number(writer, i);
        put_word(writer, ff_module_word(row->kind));
        put_text(writer, row->path);
        put_text(writer, row->build_id);
        put_number(writer, row->pid);
        put_hex(writer, row->anchor);
        put_number(writer, row->inode);
        put_number(writer, row->generation);
        ff_output_byte(writer->output, '\n');
    }
}

static void write_threads(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    for (uint32_t i = 1; i <= writer->order.processes.count; i++) {
        const struct ff_process *row = &profile->processes.at[writer->order.processes.old[i]];
        ff_output_string(writer->output, "process");
        put_number(writer, i);
        put_number(writer, row->source);
        put_number(writer, row->pid);
        put_number(writer, row->generation);
        ff_output_byte(writer->output, '\n');
    }
    for (uint32_t i = 1; i <= writer->order.threads.count; i++) {
        const struct ff_thread *row = &profile->threads.at[writer->order.threads.old[i]];
        ff_output_string(writer->output, "thread");
        put_number(writer, i);
        put_number(writer, writer->order.processes.number[row->process]);
        put_number(writer, row->tid);
        put_number(writer, row->generation);
        put_text(writer, row->comm);
        put_text(writer, row->name);
        put_text(writer, row->role);
        ff_output_byte(writer->output, '\n');
    }
}

static void write_stacks(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    for (uint32_t i = 1; i <= writer->order.frames.count; i++) {
        const struct ff_frame *row = &profile->frames.at[writer->order.frames.old[i]];
        ff_output_string(writer->output, "frame");
        put_number(writer, i);
        put_word(writer, ff_frame_word(row->kind));
        put_word(writer, ff_named_word(row->named));
        put_word(writer, ff_how_word(row->how));
        put_number(writer, writer->order.modules.number[row->module]);
        put_hex(writer, writer->order.by_name ? 0 : row->place);
        put_hex(writer, row->function);
        put_text(writer, row->symbol);
        put_text(writer, row->file);
        put_number(writer, row->line);
        bool site = row->site && !writer->order.by_name;
        if (row->entry || site)
            put_word(writer, ff_entry_word(row->entry));
        if (site)
            put_hex(writer, row->site);
        ff_output_byte(writer->output, '\n');
    }
    for (uint32_t i = 1; i <= writer->order.stacks.count; i++) {
        const struct ff_stack *row = &profile->stacks.at[writer->order.stacks.old[i]];
        ff_output_string(writer->output, "stack");
        put_number(writer, i);
        put_number(writer, writer->order.stacks.number[row->parent]);
        put_number(writer, writer->order.frames.number[row->frame]);
        ff_output_byte(writer->output, '\n');
    }
}

static void write_depths(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    for (uint32_t i = 1; i <= writer->order.depths.count; i++) {
        const struct ff_depth *row = &profile->depths.at[writer->order.depths.old[i]];
        ff_output_string(writer->output, "depth");
        put_number(writer, row->source);
        put_word(writer, row->complete ? "complete" : "cut");
        put_number(writer, row->size_kib);
        put_number(writer, row->count);
        ff_output_byte(writer->output, '\n');
    }
    for (uint32_t i = 1; i <= writer->order.cuts.count; i++) {
        const struct ff_cut *row = &profile->cuts.at[writer->order.cuts.old[i]];
        ff_output_string(writer->output, "cut");
        put_number(writer, row->source);
        put_number(writer, writer->order.frames.number[row->frame]);
        put_number(writer, row->count);
        put_number(writer, row->least);
        put_number(writer, row->most);
        ff_output_byte(writer->output, '\n');
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
    struct ff_sample *joined = ff_alloc((size_t)writer->order.samples.count + 1, sizeof *joined);
    profile->out_of_memory |= !joined;
    for (uint32_t id = 1; joined && id < profile->samples.count; id++) {
        const struct ff_sample *row = &profile->samples.at[id];
        struct ff_sample *sum = &joined[writer->order.samples.number[id]];
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
    struct ff_sample *joined = join_samples(writer);
    for (uint32_t i = 1; joined && i <= writer->order.samples.count; i++) {
        const struct ff_sample *row = &joined[i];
        ff_output_string(writer->output, "sample");
        put_number(writer, writer->order.events.number[row->event]);
        put_number(writer, writer->order.threads.number[row->thread]);
        put_number(writer, writer->order.stacks.number[row->stack]);
        put_word(writer, ff_state_word(row->state));
        put_text(writer, row->bucket);
        put_number(writer, row->count / FF_COUNT_ONE);
        put_number(writer, row->count % FF_COUNT_ONE);
        put_number(writer, row->weight);
        put_text(writer, row->tags);
        put_number(writer, row->spread);
        ff_output_byte(writer->output, '\t');
        ff_moments_write(profile, row, writer->output);
        ff_output_byte(writer->output, '\n');
    }
    profile->moments.count = moment_count; /* forgets the joined rows' */
    ff_free(joined);
}

static void write_facts(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact *row = &profile->facts.at[i];
        ff_output_string(writer->output, "fact");
        put_number(writer, row->source);
        put_number(writer, writer->order.threads.number[row->thread]);
        put_text(writer, row->name);
        put_text(writer, row->subject);
        put_number(writer, row->value);
        put_text(writer, row->unit);
        put_text(writer, row->text);
        ff_output_byte(writer->output, '\n');
    }
}

static void write_tail(struct writer *writer)
{
    const struct ff_profile *profile = writer->profile;
    const struct ff_numbering *ledger = &writer->order.ledger;
    for (uint32_t i = 1; i <= ledger->count; i++) {
        const struct ff_ledger_entry *row = &profile->ledger.at[ledger->old[i]];
        if (!row->count)
            continue;
        ff_output_string(writer->output, "ledger");
        put_number(writer, row->source);
        put_word(writer, ff_grade_word(row->grade));
        put_text(writer, row->unit);
        put_text(writer, row->name);
        put_number(writer, row->count);
        ff_output_byte(writer->output, '\n');
    }
    for (uint32_t i = 1; i < profile->extras.count; i++) {
        ff_output_text(writer->output, ff_profile_text(profile, profile->extras.at[i].text));
        ff_output_byte(writer->output, '\n');
    }
    ff_output_string(writer->output, "end\n");
}

void ff_stream_write_order(const struct ff_order *order, struct ff_output *output)
{
    struct writer writer = {.profile = order->profile, .output = output, .order = *order};
    ff_output_format(output, "flamefold %d\n", FF_STREAM_VERSION);
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
    ff_moments_settle(profile);
    if (ff_order_init(&order, profile, false) == FF_OK)
        ff_stream_write_order(&order, output);
    ff_order_release(&order);
    return ff_profile_status(profile);
}
