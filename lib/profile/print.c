/* SPDX-License-Identifier: MIT
 *
 * Profile to text in the form of perf script. The hard thing: rows are sums, so the block of a row
 * says in a comment how many samples it is, and scripts that read perf script still add up right.
 */
#include "profile/print.h"

#include <stdlib.h>

#include "profile/moment.h"
#include "profile/order.h"

/* One block: a row, or the part of it that was taken at one time. */
struct block {
    uint32_t source, number, row;
    bool timed;
    uint64_t time, count, weight;
};

struct printer {
    struct ff_profile *profile;
    struct ff_output *output;
    struct block *blocks;
    uint32_t count, capacity;
};

static int compare_blocks(const void *left, const void *right)
{
    const struct block *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void add_block(struct printer *printer, struct block block)
{
    printer->blocks = ff_grow(printer->blocks, &printer->capacity, (uint64_t)printer->count + 1,
                              sizeof *printer->blocks, &printer->profile->out_of_memory);
    if (printer->count < printer->capacity)
        printer->blocks[printer->count++] = block;
}

/* With exact times a block for each; the weight is divided evenly, the rest goes to the first. */
static void add_row(struct printer *printer, uint32_t number, uint32_t row)
{
    const struct ff_profile *profile = printer->profile;
    const struct ff_sample *sample = &profile->samples.at[row];
    uint32_t source = ff_sample_source(profile, sample);
    struct block block = {source, number, row, false, 0, sample->count, sample->weight};
    uint64_t whole = sample->count / FF_COUNT_ONE, left = sample->weight;
    if (!sample->moments || !whole || profile->sources.at[source].window_ns != 1) {
        add_block(printer, block);
        return;
    }
    uint64_t each = sample->weight / whole;
    uint32_t first = printer->count;
    for (uint32_t m = sample->moments; m; m = profile->moments.at[m].next) {
        const struct ff_moment *moment = &profile->moments.at[m];
        block.timed = true;
        block.time = moment->time_ns;
        block.count = moment->count;
        block.weight = each * (moment->count / FF_COUNT_ONE);
        left -= block.weight < left ? block.weight : left;
        add_block(printer, block);
    }
    if (first < printer->count)
        printer->blocks[first].weight += left;
}

static void put_text(struct printer *printer, uint32_t id)
{
    struct ff_text text = ff_profile_text(printer->profile, id);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.at[i];
        ff_output_byte(printer->output, c < 0x20 || c == 0x7f ? '?' : (char)c);
    }
}

static bool is_code(const struct ff_frame *frame)
{
    return frame->kind == FF_FRAME_NATIVE || frame->kind == FF_FRAME_KERNEL;
}

/* A caller's place is one byte before where it goes on; perf prints the latter. */
static void put_frame(struct printer *printer, uint32_t id, bool caller)
{
    struct ff_profile *profile = printer->profile;
    struct ff_output *output = printer->output;
    const struct ff_frame frame = profile->frames.at[id];
    const struct ff_module *module = &profile->modules.at[frame.module];
    uint64_t place = frame.place + (is_code(&frame) && caller && frame.place);
    ff_output_format(output, "\t%16llx ", (unsigned long long)place);
    if (frame.kind == FF_FRAME_PYTHON)
        put_text(printer, frame.symbol);
    else
        put_text(printer, ff_frame_name(profile, id));
    ff_output_string(output, " (");
    if (frame.kind == FF_FRAME_PYTHON || frame.kind == FF_FRAME_INLINED) {
        put_text(printer, frame.file);
        if (frame.line)
            ff_output_format(output, ":%u", frame.line);
    } else if (module->kind == FF_MODULE_PERF_MAP) {
        ff_output_format(output, "/tmp/perf-%u.map", module->pid);
    } else if (frame.module) {
        put_text(printer, module->path);
    } else {
        ff_output_string(output, "[unknown]");
    }
    ff_output_string(output, ")\n");
}

/* The first frame of the kernel's and of the user's part is no caller. */
static void put_stack(struct printer *printer, uint32_t stack)
{
    const struct ff_profile *profile = printer->profile;
    int inner = -1;
    for (; stack; stack = profile->stacks.at[stack].parent) {
        uint32_t frame = profile->stacks.at[stack].frame;
        const struct ff_frame *row = &profile->frames.at[frame];
        put_frame(printer, frame, row->kind == inner);
        if (is_code(row))
            inner = row->kind;
    }
}

static void put_block(struct printer *printer, const struct block *block)
{
    const struct ff_profile *profile = printer->profile;
    struct ff_output *output = printer->output;
    const struct ff_sample *sample = &profile->samples.at[block->row];
    const struct ff_thread *thread = &profile->threads.at[sample->thread];
    ff_output_string(output, "# ");
    put_text(printer, profile->sources.at[block->source].name);
    ff_output_format(output, ": %llu", (unsigned long long)(block->count / FF_COUNT_ONE));
    if (block->count % FF_COUNT_ONE)
        ff_output_format(output, " + %llu/%llu", (unsigned long long)(block->count % FF_COUNT_ONE),
                         (unsigned long long)FF_COUNT_ONE);
    ff_output_format(output, " samples, %s", ff_state_word(sample->state));
    if (thread->name) {
        ff_output_string(output, ", thread ");
        put_text(printer, thread->name);
    }
    if (sample->bucket) {
        ff_output_string(output, ", bucket ");
        put_text(printer, sample->bucket);
    }
    ff_output_byte(output, '\n');
    put_text(printer, thread->comm);
    ff_output_format(output, "%s %u/%u ", thread->comm ? "" : "-",
                     profile->processes.at[thread->process].pid, thread->tid);
    if (block->timed)
        ff_output_format(output, "%llu.%09llu: ", (unsigned long long)(block->time / 1000000000),
                         (unsigned long long)(block->time % 1000000000));
    ff_output_format(output, "%llu ", (unsigned long long)block->weight);
    put_text(printer, profile->events.at[sample->event].name);
    ff_output_string(output, ": \n");
    put_stack(printer, sample->stack);
    ff_output_byte(output, '\n');
}

enum ff_status ff_print(struct ff_profile *profile, struct ff_output *output)
{
    struct printer printer = {.profile = profile, .output = output};
    struct ff_order order;
    ff_moments_settle(profile);
    if (ff_order_init(&order, profile, false) == FF_OK) {
        for (uint32_t i = 1; i <= order.samples.count; i++)
            add_row(&printer, i, order.samples.old[i]);
        if (printer.count)
            qsort(printer.blocks, printer.count, sizeof *printer.blocks, compare_blocks);
        for (uint32_t i = 0; i < printer.count; i++)
            put_block(&printer, &printer.blocks[i]);
    }
    ff_order_release(&order);
    ff_free(printer.blocks);
    return ff_profile_status(profile);
}
