/* SPDX-License-Identifier: MIT
 *
 * Samples to the lines of other tools. The hard thing is that lines are their keys: two stacks that
 * they print alike are one, so each is spelled out before it is counted.
 */
#include "fold/compat.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/memory.h"
#include "fold/compat_name.h"

enum ff_status ff_compat_parse(struct ff_compat_options *options, struct ff_text words,
                               struct ff_error *error)
{
    struct ff_text tool = ff_text_cut(&words, ',');
    options->inferno = ff_text_equal(tool, FF_TEXT("inferno"));
    if (!options->inferno && !ff_text_equal(tool, FF_TEXT("perl")))
        return ff_error_set(error, FF_USAGE, "'%.*s' is no tool to be like; use perl or inferno",
                            FF_TEXT_ARGS(tool));
    while (words.at) {
        struct ff_text word = ff_text_cut(&words, ',');
        bool all = ff_text_equal(word, FF_TEXT("all"));
        struct ff_compat_options before = *options;
        options->pid |= ff_text_equal(word, FF_TEXT("pid"));
        options->tid |= ff_text_equal(word, FF_TEXT("tid"));
        options->kernel |= all || ff_text_equal(word, FF_TEXT("kernel"));
        options->jit |= all || ff_text_equal(word, FF_TEXT("jit"));
        options->addresses |= ff_text_equal(word, FF_TEXT("addrs"));
        if (!all && memcmp(&before, options, sizeof before) == 0)
            return ff_error_set(error, FF_USAGE,
                                "'%.*s' is no option of --compat, or stands there twice; use pid, "
                                "tid, kernel, jit, all or addrs",
                                FF_TEXT_ARGS(word));
    }
    return FF_OK;
}

struct writer {
    struct ff_profile *profile;
    const struct ff_compat_options *options;
    struct ff_intern lines;
    uint64_t *weights; /* by line */
    uint32_t weight_capacity;
    uint32_t *frames; /* scratch: the stack at hand, leaf first */
    uint32_t frame_capacity;
    struct ff_output text; /* scratch */
    bool two_ids;          /* the recording told processes from threads */
    bool failed;
};

static uint32_t first_event(const struct ff_profile *profile, uint32_t source)
{
    uint32_t event = 1;
    while (event < profile->events.count && profile->events.at[event].source != source)
        event++;
    return event < profile->events.count ? event : 0;
}

/* Inferno takes events for one whose names are equal up to the first colon. */
static bool is_event(const struct writer *writer, uint32_t event, uint32_t wanted)
{
    const struct ff_event *a = &writer->profile->events.at[event];
    const struct ff_event *b = &writer->profile->events.at[wanted];
    if (event == wanted || !writer->options->inferno || a->source != b->source)
        return event == wanted;
    struct ff_text left = ff_profile_text(writer->profile, a->name);
    struct ff_text right = ff_profile_text(writer->profile, b->name);
    return ff_text_equal(ff_text_cut(&left, ':'), ff_text_cut(&right, ':'));
}

static void put_root(struct writer *writer, const struct ff_thread *thread)
{
    struct ff_output *text = &writer->text;
    struct ff_text comm = ff_profile_text(writer->profile, thread->comm);
    for (size_t i = 0; i < comm.size; i++)
        ff_output_byte(text, comm.at[i] == ' ' ? '_' : comm.at[i]);
    if (!writer->options->pid && !writer->options->tid)
        return;
    ff_output_byte(text, '-');
    if (writer->two_ids)
        ff_output_decimal(text, writer->profile->processes.at[thread->process].pid);
    else
        ff_output_byte(text, '?');
    if (!writer->options->tid)
        return;
    ff_output_byte(text, '/');
    ff_output_decimal(text, thread->tid);
}

/* Collects the frames of a stack; returns how many. */
static uint32_t collect(struct writer *writer, uint32_t stack)
{
    const struct ff_profile *profile = writer->profile;
    uint32_t count = 0;
    for (; stack; stack = profile->stacks.at[stack].parent) {
        writer->frames = ff_grow(writer->frames, &writer->frame_capacity, (uint64_t)count + 1,
                                 sizeof *writer->frames, &writer->failed);
        if (count == writer->frame_capacity)
            return count;
        writer->frames[count++] = profile->stacks.at[stack].frame;
    }
    return count;
}

/* The address as it was printed: a caller's place is one less, the first frame's and that of the first
 * one below the kernel are not. */
static uint64_t address_of(const struct writer *writer, uint32_t at)
{
    const struct ff_profile *profile = writer->profile;
    const struct ff_frame *frame = &profile->frames.at[writer->frames[at]];
    bool exact = at == 0 || (frame->kind != FF_FRAME_KERNEL &&
                             profile->frames.at[writer->frames[at - 1]].kind == FF_FRAME_KERNEL);
    return frame->place + (frame->place && !exact);
}

static void put_stack(struct writer *writer, const struct ff_sample *sample)
{
    const struct ff_thread *thread = &writer->profile->threads.at[sample->thread];
    bool java = ff_text_starts(ff_profile_text(writer->profile, thread->comm), FF_TEXT("java"));
    uint32_t count = collect(writer, sample->stack);
    writer->text.used = 0;
    put_root(writer, thread);
    while (count-- > 0)
        ff_compat_put_frame(&writer->text, writer->profile, writer->options, writer->frames[count],
                            address_of(writer, count), java);
}

static void add_sample(struct writer *writer, const struct ff_sample *sample)
{
    if (!sample->stack && writer->options->inferno)
        return;
    put_stack(writer, sample);
    uint32_t line =
        ff_intern(&writer->lines, (struct ff_text){writer->text.buffer, writer->text.used});
    if (line >= writer->weight_capacity)
        writer->weights = ff_grow(writer->weights, &writer->weight_capacity, (uint64_t)line + 1,
                                  sizeof *writer->weights, &writer->failed);
    if (line < writer->weight_capacity)
        writer->weights[line] +=
            sample->weight ? sample->weight : sample->count / FF_COUNT_ONE; /* a period of 0 is 1 */
}

struct line {
    struct ff_text text;
    uint64_t weight;
};

static int compare_lines(const void *a, const void *b)
{
    const struct line *left = a, *right = b;
    return ff_text_compare(left->text, right->text);
}

static void write_lines(struct writer *writer, struct ff_output *output)
{
    struct line *lines = ff_alloc(writer->lines.count, sizeof *lines);
    uint32_t count = 0;
    writer->failed |= !lines;
    for (uint32_t i = 0; lines && i < writer->lines.count && i < writer->weight_capacity; i++) {
        if (writer->weights[i])
            lines[count++] = (struct line){ff_intern_text(&writer->lines, i), writer->weights[i]};
    }
    if (count)
        qsort(lines, count, sizeof *lines, compare_lines);
    for (uint32_t i = 0; i < count; i++) {
        ff_output_text(output, lines[i].text);
        ff_output_byte(output, ' ');
        ff_output_decimal(output, lines[i].weight);
        ff_output_byte(output, '\n');
    }
    ff_free(lines);
}

enum ff_status ff_compat_write(struct ff_profile *profile, const struct ff_compat_options *options,
                               struct ff_output *output)
{
    struct writer writer = {.profile = profile, .options = options};
    uint32_t event = options->event ? options->event : first_event(profile, options->source);
    ff_output_memory(&writer.text);
    for (uint32_t i = 1; i < profile->processes.count; i++)
        writer.two_ids |=
            profile->processes.at[i].source == options->source && profile->processes.at[i].pid;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        if (is_event(&writer, profile->samples.at[i].event, event))
            add_sample(&writer, &profile->samples.at[i]);
    }
    write_lines(&writer, output);
    writer.failed |= writer.lines.failed | writer.text.out_of_memory;
    ff_intern_release(&writer.lines);
    ff_free(writer.weights);
    ff_free(writer.frames);
    ff_output_close(&writer.text, &profile->error);
    return writer.failed
               ? ff_error_set(&profile->error, FF_NO_MEMORY, "out of memory while folding")
               : FF_OK;
}
