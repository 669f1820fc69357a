/* SPDX-License-Identifier: MIT
 *
 * py-spy's dump text into one sample a thread. The hard thing: names and values are printed raw, so
 * a local variable may hold line breaks and lines that look like anything. Behind a line of locals,
 * a line that is no part of the dump is taken for more of that value.
 */
#include "read/pyspy_dump.h"

#include "read/pyspy.h"

struct dump {
    struct ff_profile *profile;
    struct ff_input *input;
    uint32_t source, event;
    uint32_t process;  /* 0 = no head was seen yet */
    uint32_t thread;   /* whose frames are being read; 0 = none */
    uint32_t pthreads; /* threads without an OS thread id so far */
    bool in_locals;
    struct ff_pyspy_threads known;

    uint32_t *frames; /* of the thread, leaf first */
    uint32_t frame_count, frame_capacity;
    char *plain; /* a line without its colours */
    uint32_t plain_capacity;

    uint64_t lines, unused, bad, bare, no_frames, samples, states;
    uint64_t first_bad; /* line number */
};

static struct ff_text without_colours(struct dump *dump, struct ff_text line)
{
    if (ff_text_find(line, '\033') < 0)
        return line;
    dump->plain =
        ff_grow(dump->plain, &dump->plain_capacity, line.size, 1, &dump->profile->out_of_memory);
    if (dump->plain_capacity < line.size)
        return line;
    return (struct ff_text){dump->plain, ff_pyspy_strip_colours(line, dump->plain)};
}

/* Hands out the sample of the thread whose frames were read. */
static void end_thread(struct dump *dump)
{
    uint32_t stack = 0, bare = 0;
    if (!dump->thread)
        return;
    for (uint32_t i = dump->frame_count; i-- > 0;) {
        stack = ff_stack_push(dump->profile, stack, dump->frames[i]);
        bare += ff_pyspy_frame_is_bare(dump->profile, dump->frames[i]);
    }
    dump->bare += bare;
    dump->samples++;
    dump->no_frames += !dump->frame_count;
    ff_sample_add(dump->profile,
                  (struct ff_sample){
                      .event = dump->event,
                      .thread = dump->thread,
                      .stack = stack,
                      .state = dump->frame_count ? FF_STATE_RECORDED : FF_STATE_NO_FRAMES,
                      .count = FF_COUNT_ONE,
                      .weight = 1,
                  });
    dump->thread = 0;
    dump->frame_count = 0;
    dump->in_locals = false;
}

/* "Process 27110: python train.py" */
static bool process_line(struct dump *dump, struct ff_text line)
{
    uint64_t pid;
    if (!ff_text_starts(line, FF_TEXT("Process ")))
        return false;
    struct ff_text rest = ff_text_from(line, 8);
    if (!ff_text_decimal(ff_text_cut(&rest, ':'), &pid) || pid > UINT32_MAX)
        return false;
    end_thread(dump);
    dump->process = ff_process_add(
        dump->profile, (struct ff_process){.source = dump->source, .pid = (uint32_t)pid});
    dump->unused++;
    return true;
}

/* Takes ` (STATE)` off the front of TEXT; only py-spy's own words are one. */
static bool cut_state(struct ff_text *text)
{
    static const char *const states[] = {" (idle)", " (active)", " (active+gil)", " (gil)"};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        struct ff_text state = ff_text(states[i]);
        if (ff_text_starts(*text, state)) {
            *text = ff_text_from(*text, state.size);
            return true;
        }
    }
    return false;
}

/* `Thread 27303 (active): "target-0"`; state and name may be missing. */
static bool thread_line(struct dump *dump, struct ff_text line)
{
    uint32_t tid;
    struct ff_text name = FF_TEXT("");
    if (!ff_text_starts(line, FF_TEXT("Thread ")))
        return false;
    struct ff_text rest = ff_text_from(line, 7);
    size_t size = 0;
    while (size < rest.size && rest.at[size] != ' ' && rest.at[size] != ':')
        size++;
    if (!ff_pyspy_tid_parse(ff_text_slice(rest, 0, size), &tid))
        return false;
    rest = ff_text_from(rest, size);
    bool state = cut_state(&rest);
    if (rest.size >= 4 && ff_text_starts(rest, FF_TEXT(": \"")) &&
        ff_text_ends(rest, FF_TEXT("\"")))
        name = ff_text_slice(rest, 3, rest.size - 1);
    else if (rest.size)
        return false;
    end_thread(dump);
    if (!dump->process)
        dump->process = ff_process_add(dump->profile, (struct ff_process){.source = dump->source});
    dump->states += state;
    dump->thread =
        ff_pyspy_thread_add(&dump->known, dump->profile, dump->process, tid,
                            ff_profile_intern(dump->profile, name), tid ? 0 : ++dump->pthreads);
    return true;
}

/* Four blanks and a frame. One that opens a parenthesis and does not close it was cut. */
static bool frame_line(struct dump *dump, struct ff_text line)
{
    if (!dump->thread || line.size < 5 || !ff_text_starts(line, FF_TEXT("    ")) ||
        line.at[4] == ' ')
        return false;
    if (ff_text_find_text(line, FF_TEXT(" (")) >= 0 && !ff_text_ends(line, FF_TEXT(")")))
        return false;
    dump->in_locals = false;
    dump->frames = ff_grow(dump->frames, &dump->frame_capacity, (uint64_t)dump->frame_count + 1,
                           sizeof *dump->frames, &dump->profile->out_of_memory);
    if (dump->frame_count < dump->frame_capacity)
        dump->frames[dump->frame_count++] =
            ff_pyspy_frame_add(dump->profile, ff_text_from(line, 4));
    return true;
}

/* The parts of a dump that hold no stack. */
static bool is_head(struct ff_text line)
{
    static const char *const heads[] = {"Python v", "Parent Process ", "Signal ", "-----"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (ff_text_starts(line, ff_text(heads[i])))
            return true;
    }
    return !line.size;
}

static bool locals_line(struct dump *dump, struct ff_text line)
{
    if (dump->frame_count && ff_text_starts(line, FF_TEXT("        ")))
        dump->in_locals = true;
    return dump->in_locals;
}

static void read_line(struct dump *dump, struct ff_text line)
{
    dump->lines++;
    line = without_colours(dump, line);
    if (process_line(dump, line) || thread_line(dump, line) || frame_line(dump, line))
        return;
    if (is_head(line) || locals_line(dump, line))
        dump->unused++;
    else if (!dump->bad++)
        dump->first_bad = dump->input->line;
}

static void add_source(struct dump *dump, const char *name)
{
    struct ff_profile *profile = dump->profile;
    dump->source =
        ff_source_add(profile, (struct ff_source){.name = ff_profile_intern(profile, ff_text(name)),
                                                  .tool = FF_TOOL_PY_SPY,
                                                  .population = FF_POPULATION_DUMP});
    dump->event = ff_event_add(
        profile, (struct ff_event){.source = dump->source,
                                   .name = ff_profile_intern(profile, FF_TEXT("dump")),
                                   .unit = ff_profile_intern(profile, FF_TEXT("threads"))});
}

static void write_ledger(const struct dump *dump)
{
    ff_ledger_add(dump->profile, dump->source, FF_LEDGER_LINES, dump->lines);
    ff_ledger_add(dump->profile, dump->source, FF_LEDGER_SAMPLES, dump->samples);
    ff_ledger_add(dump->profile, dump->source, FF_LEDGER_LINES_UNUSED, dump->unused);
    ff_ledger_add(dump->profile, dump->source, FF_LEDGER_LINES_BAD, dump->bad);
    ff_ledger_add(dump->profile, dump->source, FF_LEDGER_STATES_UNUSED, dump->states);
    ff_ledger_add(dump->profile, dump->source, FF_LEDGER_BARE_ADDRESSES, dump->bare);
    ff_ledger_add(dump->profile, dump->source, FF_LEDGER_NO_FRAMES, dump->no_frames);
}

static enum ff_status finish(struct dump *dump)
{
    enum ff_status status = ff_profile_status(dump->profile);
    if (status == FF_OK && dump->bad)
        status = ff_error_set(&dump->profile->error, FF_BAD_INPUT,
                              "%s: line %llu: found no part of a py-spy dump, expected a thread or "
                              "a frame; %llu of %llu lines are left out",
                              dump->input->name, (unsigned long long)dump->first_bad,
                              (unsigned long long)dump->bad, (unsigned long long)dump->lines);
    return status;
}

enum ff_status ff_pyspy_dump_read(struct ff_profile *profile, struct ff_input *input,
                                  const char *name)
{
    struct dump dump = {.profile = profile, .input = input};
    struct ff_text line;
    enum ff_status status;
    add_source(&dump, name);
    while ((status = ff_input_line(input, &line, &profile->error)) == FF_OK)
        read_line(&dump, line);
    end_thread(&dump);
    write_ledger(&dump);
    if (status == FF_END)
        status = finish(&dump);
    ff_pyspy_threads_release(&dump.known);
    ff_free(dump.frames);
    ff_free(dump.plain);
    return status;
}
