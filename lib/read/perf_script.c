/* SPDX-License-Identifier: MIT
 *
 * Perf script text to samples. The hard thing is speed without shape: a line costs one look-up of
 * its bytes, which tells what the same bytes meant before; only heads, which have a time, and new
 * lines are parsed.
 */
#include "read/perf_script.h"
#include "profile/moment.h"
#include "read/perf_script_stack.h"
#include "read/perf_script_who.h"

#define PIECE ((size_t)1 << 20)

struct script {
    struct ff_profile *profile;
    struct ff_input *input;
    const struct ff_script_options *options;
    struct ff_script_stack stack; /* of the sample at hand */
    struct ff_script_who who;
    uint32_t source;

    /* The sample at hand. */
    struct ff_sample sample;
    bool open, selected;
    bool blank;     /* a blank line stood behind the head, before any frame */
    bool open_line; /* the line at hand has no end: it may be cut */

    bool no_bodies; /* samples are not parted by blank lines */
    bool untimed;   /* the head of the sample at hand had no time */

    uint64_t first_ns, last_ns;
    uint64_t line_number, bad_line; /* the first line that is nothing */
    uint64_t counts[FF_LEDGER_COUNT];
};

static void count(struct script *script, enum ff_ledger_id id, uint64_t amount)
{
    script->counts[id] += amount;
}

static void bad_line(struct script *script)
{
    if (!script->counts[FF_LEDGER_SCRIPT_LINES]++)
        script->bad_line = script->line_number;
}

static bool is_selected(const struct script *script, const struct ff_script_head *head)
{
    const struct ff_selection *selection = script->options->selection;
    bool cpu = selection->cpu_count == 0;
    for (uint32_t i = 0; i < selection->cpu_count; i++)
        cpu |= head->has_cpu && selection->cpus[i] == head->cpu;
    return cpu && (!selection->window.given || (head->time_ns >= selection->window.start &&
                                                head->time_ns <= selection->window.end));
}

/* Adds the sample at hand to the profile, where NEAR is the row that it is expected to go to. */
static uint32_t put_sample(struct script *script, uint32_t stack, uint32_t address_words,
                           uint32_t near)
{
    script->open = false;
    script->sample.stack = stack;
    script->sample.state = stack ? FF_STATE_RECORDED : FF_STATE_NO_FRAMES;
    count(script, FF_LEDGER_NO_FRAMES, !stack);
    count(script, FF_LEDGER_ADDRESS_WORDS, address_words);
    return ff_sample_add_near(script->profile, near, script->sample);
}

static void end_sample(struct script *script)
{
    if (!script->open)
        return;
    script->open = false;
    if (!script->selected) {
        count(script, FF_LEDGER_NOT_SELECTED, 1);
        return;
    }
    struct ff_script_node node = ff_script_stack_end(&script->stack);
    put_sample(script, node.stack, node.address_words, 0);
}

/* "PERF_RECORD_MMAP2 1/2: ...": what --show-mmap-events and its kin print among the samples. */
static bool is_record(const struct ff_script_head *head)
{
    return ff_text_starts(head->event, FF_TEXT("PERF_RECORD_")) ||
           ff_text_starts(head->payload, FF_TEXT("PERF_RECORD_"));
}

static void begin_sample(struct script *script, const struct ff_script_head *head)
{
    struct ff_script_frame frame;
    end_sample(script);
    count(script, FF_LEDGER_SAMPLES, 1);
    script->open = true;
    script->selected = is_selected(script, head);
    script->blank = false;
    script->untimed = !head->has_time;
    ff_script_stack_begin(&script->stack);
    if (!script->selected)
        return;
    if (head->has_time) {
        script->first_ns =
            script->first_ns && script->first_ns < head->time_ns ? script->first_ns : head->time_ns;
        script->last_ns = head->time_ns > script->last_ns ? head->time_ns : script->last_ns;
    }
    script->sample = (struct ff_sample){.event = ff_script_who_event(&script->who, head),
                                        .thread = ff_script_who_thread(&script->who, head),
                                        .count = FF_COUNT_ONE,
                                        .weight = head->has_period ? head->period : 1};
    if (head->has_time)
        script->sample.moments = ff_moment_add(script->profile, script->source, head->time_ns);
    /* Without -g the one frame stands on the same line. */
    if (head->payload.size && head->payload.at[head->payload.size - 1] == ')' &&
        ff_script_frame(head->payload, false, &frame))
        ff_script_stack_line(&script->stack, head->payload);
}

/* Whether a cut line may be used as a head: one whose event was whole before. */
static bool is_whole(const struct script *script, const struct ff_script_head *head)
{
    return !script->open_line || ff_script_who_knows(&script->who, head->event);
}

static void take_head(struct script *script, const struct ff_script_head *head)
{
    if (is_record(head)) {
        end_sample(script);
        count(script, FF_LEDGER_LINES_UNUSED, 1);
    } else if (!is_whole(script, head)) {
        end_sample(script);
        bad_line(script);
    } else {
        begin_sample(script, head);
    }
}

static void take_blank(struct script *script)
{
    /* Some filters leave a blank line between a head and its frames. */
    if (script->open && !script->blank && !script->stack.line_count)
        script->blank = true;
    else
        end_sample(script);
}

/* A line that is not known to be below a head. */
static void take_first_line(struct script *script, struct ff_text line)
{
    struct ff_script_head head;
    if (ff_script_timed_head(line, &head))
        take_head(script, &head);
    else if (line.at[0] == '#')
        count(script, FF_LEDGER_LINES_UNUSED, 1);
    else if (script->blank && ff_script_stack_line(&script->stack, line))
        script->blank = false;
    else if (ff_script_head(line, &head))
        take_head(script, &head);
    else
        bad_line(script);
}

/* A head right below a sample, where no blank line parts them. One without a time is as weak as its
 * event and ids, and expected only behind its like. */
static bool is_next_head(const struct script *script, struct ff_text line,
                         struct ff_script_head *head)
{
    if (line.at[0] == '\t')
        return false;
    return ff_script_timed_head(line, head) ||
           (script->untimed && ff_script_head(line, head) && head->has_tid &&
            (head->event.size || head->pid));
}

static void take_line(struct script *script, struct ff_text line)
{
    struct ff_script_head head;
    script->line_number++;
    if (line.size && line.at[line.size - 1] == '\r')
        line.size--;
    if (!ff_text_trim(line).size) {
        take_blank(script);
    } else if (!script->open || script->blank) {
        take_first_line(script, line);
    } else if (!script->selected) {
        if (ff_script_timed_head(line, &head))
            take_head(script, &head);
    } else if (is_next_head(script, line, &head)) {
        script->no_bodies = true; /* without -g there is no blank line between samples */
        take_head(script, &head);
    } else if (!ff_script_stack_line(&script->stack, line)) {
        bad_line(script);
    }
}

/* Whether a head was just read, and nothing yet of its frames. */
static bool expects_body(const struct script *script)
{
    return script->open && script->selected && !script->blank && !script->no_bodies &&
           !script->stack.line_count;
}

/* Takes all lines below the head at once, up to a blank line; false if they must be taken singly. */
static bool take_body(struct script *script, struct ff_text body)
{
    struct ff_script_body *row = ff_script_stack_body(&script->stack, body);
    if (!row)
        return false;
    row->sample = put_sample(script, row->stack, row->address_words, row->sample);
    script->line_number += row->line_count + 1;
    return true;
}

/* Takes the whole lines of a piece; returns how many bytes they are. */
static size_t take_lines(struct script *script, struct ff_text piece)
{
    size_t used = 0, blank = 0;
    while (used < piece.size) {
        const char *start = piece.at + used;
        const char *end = memchr(start, '\n', piece.size - used);
        if (!end)
            break;
        take_line(script, (struct ff_text){start, (size_t)(end - start)});
        used += (size_t)(end - start) + 1;
        if (!expects_body(script) || used >= piece.size || piece.at[used] == '\n')
            continue;
        blank = blank < used ? ff_script_blank_line(piece, used) : blank;
        if (blank < piece.size && take_body(script, ff_text_slice(piece, used, blank)))
            used = blank + 2;
    }
    return used;
}

/* Whether the file prints addresses: one is enough, since a perf prints all of its frames alike. Looks
 * no further than the first piece; later surprises are kept frame by frame. */
static bool prints_addresses(struct ff_text piece)
{
    while (piece.at && piece.size) {
        struct ff_script_frame frame;
        struct ff_text line = ff_text_cut(&piece, '\n');
        if (line.size && (line.at[0] == '\t' || line.at[0] == ' ') &&
            ff_script_frame(line, false, &frame) && frame.dso.size && frame.dso.at[0] == '/' &&
            frame.dso.size > 1 && frame.dso.at[1] != '/' &&
            !ff_text_ends(frame.dso, FF_TEXT(".map")) && ff_script_is_address(frame.address))
            return true;
    }
    return false;
}

static enum ff_status read_lines(struct script *script)
{
    struct ff_input *input = script->input;
    struct ff_error *error = &script->profile->error;
    size_t want = PIECE;
    for (;;) {
        struct ff_text view;
        enum ff_status status = ff_input_peek(input, want, &view, error);
        if (status != FF_OK)
            return status;
        if (!input->offset) {
            script->stack.frames.addresses = prints_addresses(view);
            if (ff_text_starts(view, FF_TEXT("\xef\xbb\xbf")))
                ff_input_bytes(input, 3, &view, error);
        }
        status = ff_input_peek(input, want, &view, error);
        bool last = view.size < want;
        size_t used = status == FF_OK ? take_lines(script, view) : 0;
        if (last && used < view.size) {
            script->open_line = true;
            count(script, FF_LEDGER_LINE_OPEN, 1);
            take_line(script, ff_text_from(view, used));
            used = view.size;
        }
        if (status == FF_OK)
            status = ff_input_bytes(input, used, &view, error);
        if (status != FF_OK || last)
            return status;
        want = used ? PIECE : want * 2;
    }
}

static enum ff_status check_window(struct script *script)
{
    const struct ff_window *window = &script->options->selection->window;
    return window->given && window->percent
               ? ff_error_set(&script->profile->error, FF_USAGE,
                              "%s: --time in percent needs to know how long the recording is, and "
                              "perf script text does not say; give seconds",
                              script->input->name)
               : FF_OK;
}

static void release(struct script *script)
{
    struct ff_profile *profile = script->profile;
    const struct ff_script_stack *stack = &script->stack;
    profile->out_of_memory |= stack->failed | stack->frames.failed | stack->frames.texts.failed |
                              stack->bodies.failed | script->who.texts.failed |
                              script->who.events.failed | script->who.tids.failed;
    ff_script_stack_release(&script->stack);
    ff_script_who_release(&script->who);
}

static enum ff_status finish(struct script *script, enum ff_status status)
{
    struct ff_profile *profile = script->profile;
    struct ff_source *source = &profile->sources.at[script->source];
    source->start_ns = script->first_ns;
    source->end_ns = script->last_ns;
    count(script, FF_LEDGER_LINES, script->line_number);
    ff_moments_settle(profile);
    for (unsigned id = 0; id < FF_LEDGER_COUNT; id++)
        ff_ledger_add(profile, script->source, id, script->counts[id]);
    if (status == FF_OK && script->counts[FF_LEDGER_SCRIPT_LINES])
        status = ff_error_set(
            &profile->error, FF_BAD_INPUT,
            "%s: line %llu: found neither the head of a sample nor a frame of one; %llu of %llu "
            "lines are left out",
            script->input->name, (unsigned long long)script->bad_line,
            (unsigned long long)script->counts[FF_LEDGER_SCRIPT_LINES],
            (unsigned long long)script->line_number);
    release(script);
    return status == FF_OK ? ff_profile_status(profile) : status;
}

enum ff_status ff_perf_script_read(struct ff_profile *profile, struct ff_input *input,
                                   struct ff_text name, const struct ff_script_options *options)
{
    struct script script = {.profile = profile, .input = input, .options = options};
    script.stack.frames.profile = profile;
    enum ff_status status = check_window(&script);
    if (status != FF_OK)
        return status;
    script.source = ff_source_add(profile, (struct ff_source){
                                               .name = ff_profile_intern(profile, name),
                                               .tool = FF_TOOL_PERF,
                                           });
    script.who = (struct ff_script_who){.profile = profile, .source = script.source};
    status = read_lines(&script);
    if (script.open && options->no_open_sample) {
        script.open = false;
        count(&script, FF_LEDGER_OPEN_SAMPLE, 1);
    }
    end_sample(&script);
    return finish(&script, status);
}
