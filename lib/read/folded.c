/* SPDX-License-Identifier: MIT
 *
 * Lines `frame;frame;... count` into samples. The hard thing is speed with nothing escaped: each
 * frame text costs one look-up, which finds the frame that the same text meant before; only a new
 * text is parsed. Roots (processes and threads of py-spy) are cut off and looked up as one text.
 */
#include "read/folded.h"

#include "read/pyspy.h"

struct folded {
    struct ff_profile *profile;
    struct ff_input *input;
    bool py_spy;
    uint32_t source, event;
    uint32_t no_thread; /* the thread of lines without a root; 0 = not made yet */

    struct ff_intern frame_texts; /* text -> index into frames */
    struct folded_frame *frames;
    uint32_t frame_capacity;
    struct ff_intern root_texts; /* text -> index into threads */
    uint32_t *threads;           /* rows of profile->threads; 0 = not made yet */
    uint32_t thread_capacity;
    struct ff_pyspy_threads known;

    uint64_t lines, unused, bad, joined, bare, no_frames;
    uint64_t samples, sample_parts; /* sum of the counts: whole ones, and 1 / FF_COUNT_ONE */
    uint64_t first_bad;             /* line number */
    bool open_end;                  /* the last line has no line end */
    bool fractions;
};

struct folded_frame {
    uint32_t id;   /* row of profile->frames; 0 = not made yet */
    uint32_t leaf; /* the same as innermost frame: a bare address is no return address there */
    bool bare;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ".25" in units of 1 / FF_COUNT_ONE; digits beyond the 13th cannot matter. */
static bool fraction_parse(struct ff_text digits, uint64_t *units)
{
    uint64_t value = 0, scale = 1;
    for (size_t i = 0; i < digits.size; i++) {
        unsigned digit = (unsigned)(unsigned char)digits.at[i] - '0';
        if (digit > 9)
            return false;
        if (scale < UINT64_C(10000000000000)) {
            value = value * 10 + digit;
            scale *= 10;
        }
    }
    /* scale <= 10^13 < 2^44: the product fits. */
    *units = (value * FF_COUNT_ONE + scale / 2) / scale;
    return true;
}

static bool count_parse(struct folded *folded, struct ff_text text, uint64_t *units)
{
    uint64_t whole, part = 0;
    ptrdiff_t dot = ff_text_find(text, '.');
    if (dot >= 0) {
        if (!fraction_parse(ff_text_from(text, (size_t)dot + 1), &part))
            return false;
        folded->fractions = true;
        text.size = (size_t)dot;
    }
    if (!ff_text_decimal(text, &whole))
        return false;
    if (whole >= UINT64_MAX / FF_COUNT_ONE) {
        ff_ledger_add(folded->profile, folded->source, FF_LEDGER_SATURATED, 1);
        *units = UINT64_MAX / FF_COUNT_ONE * FF_COUNT_ONE;
        return true;
    }
    *units = whole * FF_COUNT_ONE + part;
    return true;
}

/* Cuts the count off the end of LINE. Trailing blanks are forgiven; a line that is only a number
 * has no stack, but one that begins with a blank has an empty one (py-spy writes those). */
static bool cut_count(struct folded *folded, struct ff_text *line, uint64_t *units)
{
    size_t end = line->size;
    while (end && is_blank(line->at[end - 1]))
        end--;
    size_t start = end;
    while (start && !is_blank(line->at[start - 1]))
        start--;
    if (!start || !count_parse(folded, ff_text_slice(*line, start, end), units))
        return false;
    line->size = start - 1;
    return true;
}

/* How many '[' of TEXT are not closed in it. */
static int open_brackets(struct ff_text text)
{
    int open = 0;
    for (size_t i = 0; i < text.size; i++)
        open += (text.at[i] == '[') - (text.at[i] == ']');
    return open;
}

/* How many bytes of REST the next frame takes. A ';' is part of a Rust array type ("[u8; 32]"), and
 * not the end of a frame, where a '[' is open and a blank follows and a ']' before the next ';'. */
static size_t frame_size(struct folded *folded, struct ff_text rest)
{
    int open = 0;
    size_t from = 0;
    for (;;) {
        ptrdiff_t found = ff_text_find(ff_text_from(rest, from), ';');
        if (found < 0)
            return rest.size;
        size_t end = from + (size_t)found;
        if (end + 1 >= rest.size || rest.at[end + 1] != ' ')
            return end;
        struct ff_text behind = ff_text_from(rest, end + 1);
        behind = ff_text_cut(&behind, ';');
        open += open_brackets(ff_text_slice(rest, from, end));
        if (open <= 0 || ff_text_find(behind, ']') < 0)
            return end;
        folded->joined++;
        from = end + 1;
    }
}

static uint32_t text_frame(struct ff_profile *profile, struct ff_text text)
{
    struct ff_frame frame = {.kind = FF_FRAME_TEXT};
    if (ff_text_ends(text, FF_TEXT("_[k]"))) {
        text.size -= 4;
        frame.kind = FF_FRAME_KERNEL;
        frame.named = FF_NAMED_RECORDED;
    }
    frame.symbol = ff_profile_intern(profile, text);
    return ff_frame_add(profile, frame);
}

static void make_frame(struct folded *folded, struct folded_frame *frame, struct ff_text text)
{
    if (!folded->py_spy) {
        frame->id = frame->leaf = text_frame(folded->profile, text);
        return;
    }
    struct ff_pyspy_frame parts = ff_pyspy_frame_parse(text);
    frame->id = frame->leaf = ff_pyspy_frame_add(folded->profile, &parts);
    frame->bare = ff_pyspy_frame_is_bare(folded->profile, frame->id);
    if (frame->bare) {
        parts.leaf = true;
        frame->leaf = ff_pyspy_frame_add(folded->profile, &parts);
    }
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
        make_frame(folded, frame, text);
    }
    return frame;
}

static uint32_t process_row(struct folded *folded, uint32_t pid)
{
    return ff_process_add(folded->profile,
                          (struct ff_process){.source = folded->source, .pid = pid});
}

/* Adds the thread that the root frames at the start of a line tell. */
static uint32_t thread_of_root(struct folded *folded, struct ff_text root, uint32_t key)
{
    uint32_t pid = 0, tid = 0;
    struct ff_text name = FF_TEXT("");
    size_t size;
    while ((size = ff_pyspy_process_root(root, &pid)))
        root = ff_text_from(root, size + 1);
    bool named = ff_pyspy_thread_root(root, &tid, &name) > 0;
    return ff_pyspy_thread_add(&folded->known, folded->profile, process_row(folded, pid), tid,
                               ff_profile_intern(folded->profile, name), named ? key : 0);
}

/* Size of all root frames of a line without the ';' behind them. */
static size_t root_size(struct ff_text line)
{
    struct ff_text name;
    uint32_t number;
    size_t total = 0, size;
    while ((size = ff_pyspy_process_root(ff_text_from(line, total), &number)))
        total += size + 1;
    size = ff_pyspy_thread_root(ff_text_from(line, total), &number, &name);
    if (size)
        return total + size;
    return total ? total - 1 : 0;
}

/* Cuts the roots off LINE and returns their thread. */
static uint32_t cut_thread(struct folded *folded, struct ff_text *line)
{
    size_t size = folded->py_spy ? root_size(*line) : 0;
    if (!size) {
        if (!folded->no_thread)
            folded->no_thread = ff_thread_add(
                folded->profile, (struct ff_thread){.process = process_row(folded, 0)});
        return folded->no_thread;
    }
    struct ff_text root = ff_text_slice(*line, 0, size);
    *line = ff_text_from(*line, size + 1);
    uint32_t key = ff_intern(&folded->root_texts, root);
    if (key >= folded->thread_capacity)
        folded->threads = ff_grow(folded->threads, &folded->thread_capacity, (uint64_t)key + 1,
                                  sizeof *folded->threads, &folded->profile->out_of_memory);
    if (key >= folded->thread_capacity)
        return 0;
    if (!folded->threads[key])
        folded->threads[key] = thread_of_root(folded, root, key);
    return folded->threads[key];
}

static void read_stack(struct folded *folded, struct ff_text line, uint64_t units)
{
    uint32_t stack = 0, bare = 0;
    uint32_t thread = cut_thread(folded, &line);
    bool empty = !line.size;
    while (line.size) {
        size_t size = frame_size(folded, line);
        const struct folded_frame *frame = frame_of(folded, ff_text_slice(line, 0, size));
        bool leaf = size >= line.size;
        stack = ff_stack_push(folded->profile, stack, leaf ? frame->leaf : frame->id);
        bare += frame->bare;
        line = ff_text_from(line, size + 1);
    }
    uint64_t whole = units / FF_COUNT_ONE;
    folded->bare += bare * whole;
    folded->no_frames += empty ? whole : 0;
    folded->samples += whole;
    folded->sample_parts += units % FF_COUNT_ONE;
    ff_sample_add(folded->profile, (struct ff_sample){
                                       .event = folded->event,
                                       .thread = thread,
                                       .stack = stack,
                                       .state = empty ? FF_STATE_NO_FRAMES : FF_STATE_RECORDED,
                                       .count = units,
                                       .weight = whole,
                                   });
}

static void read_line(struct folded *folded, struct ff_text line)
{
    uint64_t units;
    folded->lines++;
    if (folded->lines == 1 && ff_text_starts(line, FF_TEXT("\xef\xbb\xbf")))
        line = ff_text_from(line, 3);
    if (!ff_text_trim(line).size || line.at[0] == '#') {
        folded->unused++;
    } else if (cut_count(folded, &line, &units)) {
        read_stack(folded, line, units);
    } else if (!folded->bad++) {
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
    uint32_t source = folded->source;
    ff_ledger_add(profile, source, FF_LEDGER_LINES, folded->lines);
    ff_ledger_add(profile, source, FF_LEDGER_SAMPLES,
                  folded->samples + folded->sample_parts / FF_COUNT_ONE);
    ff_ledger_add(profile, source, FF_LEDGER_LINES_UNUSED, folded->unused);
    ff_ledger_add(profile, source, FF_LEDGER_LINES_BAD, folded->bad);
    ff_ledger_add(profile, source, FF_LEDGER_FRAMES_JOINED, folded->joined);
    ff_ledger_add(profile, source, FF_LEDGER_BARE_ADDRESSES, folded->bare);
    ff_ledger_add(profile, source, FF_LEDGER_NO_FRAMES, folded->no_frames);
    ff_ledger_add(profile, source, FF_LEDGER_LINE_OPEN, folded->open_end);
}

static void add_source(struct folded *folded, const char *name)
{
    struct ff_profile *profile = folded->profile;
    struct ff_source source = {.name = ff_profile_intern(profile, ff_text(name)),
                               .tool = FF_TOOL_FOLDED};
    if (folded->py_spy) {
        source.tool = FF_TOOL_PY_SPY;
        source.population = (uint8_t)ff_pyspy_guess_population(ff_text(name));
    }
    folded->source = ff_source_add(profile, source);
    folded->event = ff_event_add(
        profile, (struct ff_event){.source = folded->source,
                                   .name = ff_profile_intern(profile, FF_TEXT("samples")),
                                   .unit = ff_profile_intern(profile, FF_TEXT("samples"))});
    if (folded->py_spy)
        ff_ledger_add(profile, folded->source, FF_LEDGER_POPULATION_GUESSED, 1);
}

static enum ff_status finish(struct folded *folded)
{
    struct ff_profile *profile = folded->profile;
    profile->out_of_memory |= folded->frame_texts.failed || folded->root_texts.failed;
    enum ff_status status = ff_profile_status(profile);
    if (status == FF_OK && folded->bad)
        status = ff_error_set(&profile->error, FF_BAD_INPUT,
                              "%s: line %llu: found no count at the end, expected 'frame;frame "
                              "COUNT'; %llu of %llu lines are left out",
                              folded->input->name, (unsigned long long)folded->first_bad,
                              (unsigned long long)folded->bad, (unsigned long long)folded->lines);
    return status;
}

enum ff_status ff_folded_read(struct ff_profile *profile, struct ff_input *input, const char *name,
                              enum ff_format format)
{
    struct folded folded = {
        .profile = profile, .input = input, .py_spy = format == FF_FORMAT_PY_SPY_RAW};
    uint32_t first_sample = profile->samples.count;
    struct ff_text line;
    enum ff_status status;
    add_source(&folded, name);
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
    ff_pyspy_threads_release(&folded.known);
    ff_intern_release(&folded.frame_texts);
    ff_intern_release(&folded.root_texts);
    ff_free(folded.frames);
    ff_free(folded.threads);
    return status;
}
