/* SPDX-License-Identifier: MIT
 *
 * Stacks to lines, and the lines with most samples. The hard thing is what to leave out: a stack of
 * PyTorch has 80 frames, and a reader wants the call that matters and the line of Python it came from.
 */
#include "report/hottest.h"

#include <stdio.h>

#define WORDS     4  /* innermost ones that are kept */
#define WORD_SIZE 30 /* of a name, in bytes: of a longer one its end is kept */
#define LINE_SIZE 72 /* of a line */

struct line {
    char bytes[LINE_SIZE];
    size_t used;
};

struct walk {
    struct ff_profile *profile;
    uint32_t stack;
    bool kernel; /* nothing but kernel frames: these are shown */
};

static const struct ff_frame *frame_of(const struct walk *walk, uint32_t stack)
{
    return &walk->profile->frames.at[walk->profile->stacks.at[stack].frame];
}

static bool is_shown(const struct walk *walk, const struct ff_frame *frame)
{
    return frame->kind != FF_FRAME_MARKER && (walk->kernel || frame->kind != FF_FRAME_KERNEL);
}

static bool is_nameless(const struct ff_frame *frame)
{
    return !frame->symbol && frame->module && frame->kind != FF_FRAME_PYTHON;
}

static bool is_kernel_only(const struct ff_profile *profile, uint32_t stack)
{
    for (; stack; stack = profile->stacks.at[stack].parent) {
        uint8_t kind = profile->frames.at[profile->stacks.at[stack].frame].kind;
        if (kind != FF_FRAME_KERNEL && kind != FF_FRAME_MARKER)
            return false;
    }
    return true;
}

/* Without what stands in <>; operators keep theirs. */
static void put_name(struct line *word, struct ff_text name)
{
    unsigned depth = 0;
    bool cuts = ff_text_find_text(name, FF_TEXT("operator")) < 0 && name.size && name.at[0] != '<';
    char plain[400];
    size_t used = 0;
    for (size_t i = 0; i < name.size && used < sizeof plain; i++) {
        char byte = name.at[i];
        depth += cuts && byte == '<';
        if (!depth)
            plain[used++] = byte;
        depth -= depth && byte == '>';
    }
    size_t start = used > WORD_SIZE ? used - WORD_SIZE + 2 : 0;
    /* Cut where a part of the name begins, if one is near. */
    for (size_t i = start; start && i < start + 14 && i + 2 < used; i++) {
        if (plain[i] == ':' && plain[i + 1] == ':') {
            start = i + 2;
            break;
        }
    }
    /* What is cut stays whole UTF-8. */
    while (start && start < used && ((unsigned char)plain[start] & 0xc0) == 0x80)
        start++;
    word->used = 0;
    for (size_t i = 0; start && i < 2; i++)
        word->bytes[word->used++] = '.';
    while (start < used)
        word->bytes[word->used++] = plain[start++];
}

/* "libcuda" for libcuda.so.580.159.04. */
static struct ff_text short_module(const struct walk *walk, uint32_t module)
{
    struct ff_text name = ff_module_name(walk->profile, module);
    ptrdiff_t end = ff_text_find_text(name, FF_TEXT(".so"));
    return end > 0 ? ff_text_slice(name, 0, (size_t)end) : name;
}

/* "forward (linear.py:134)": the file without its folders. */
static void put_python(struct walk *walk, const struct ff_frame *frame, struct line *word)
{
    char line[160], tail[24] = "";
    struct ff_text name = ff_profile_text(walk->profile, frame->symbol);
    struct ff_text file = ff_text_base_name(ff_profile_text(walk->profile, frame->file));
    if (frame->line)
        snprintf(tail, sizeof tail, ":%u", frame->line);
    size_t room = name.size < 60 ? name.size : 60;
    snprintf(line, sizeof line, "%.*s (%.*s%s)", (int)room, name.at,
             (int)(file.size < 40 ? file.size : 40), file.at, tail);
    word->used = 0;
    for (size_t i = 0; line[i] && word->used < LINE_SIZE; i++)
        word->bytes[word->used++] = line[i];
    while (word->used == LINE_SIZE && ((unsigned char)word->bytes[word->used - 1] & 0x80))
        word->used--;
}

/* The word at walk->stack: a name, or the library for a run of its nameless functions. Moves behind
 * it, and behind frames that are not shown. */
static void take_word(struct walk *walk, struct line *word)
{
    uint32_t id = walk->profile->stacks.at[walk->stack].frame;
    const struct ff_frame first = walk->profile->frames.at[id];
    if (first.kind == FF_FRAME_PYTHON)
        put_python(walk, &first, word);
    else
        put_name(word, is_nameless(&first)
                           ? short_module(walk, first.module)
                           : ff_profile_text(walk->profile, ff_frame_name(walk->profile, id)));
    do {
        walk->stack = walk->profile->stacks.at[walk->stack].parent;
        const struct ff_frame *frame = walk->stack ? frame_of(walk, walk->stack) : NULL;
        if (frame && is_shown(walk, frame) &&
            !(is_nameless(&first) && is_nameless(frame) && frame->module == first.module))
            return;
    } while (walk->stack);
}

static void skip_hidden(struct walk *walk)
{
    while (walk->stack && !is_shown(walk, frame_of(walk, walk->stack)))
        walk->stack = walk->profile->stacks.at[walk->stack].parent;
}

static bool is_python(const struct walk *walk)
{
    return walk->stack && frame_of(walk, walk->stack)->kind == FF_FRAME_PYTHON;
}

static void add(struct line *line, struct ff_text text)
{
    for (size_t i = 0; i < text.size && line->used < LINE_SIZE; i++)
        line->bytes[line->used++] = text.at[i];
}

static void add_word(struct line *line, const struct line *word)
{
    if (line->used)
        add(line, FF_TEXT(" < "));
    add(line, (struct ff_text){word->bytes, word->used});
}

/* Words from the leaf on as long as there is room, the last of it for the innermost Python frame. */
static void shorten(struct ff_profile *profile, uint32_t stack, struct line *line)
{
    struct walk walk = {profile, stack, is_kernel_only(profile, stack)};
    struct line word, python = {.used = 0};
    line->used = 0;
    skip_hidden(&walk);
    struct walk ahead = walk;
    while (ahead.stack && !is_python(&ahead))
        ahead.stack = profile->stacks.at[ahead.stack].parent;
    uint32_t python_at = ahead.stack;
    if (python_at)
        take_word(&ahead, &python);
    bool passed = !python_at;
    for (unsigned i = 0; walk.stack && i < WORDS; i++) {
        bool is_it = walk.stack == python_at;
        struct walk next = walk;
        take_word(&next, &word);
        size_t reserved = passed || is_it ? 0 : python.used + 9;
        if (line->used + 3 + word.used + reserved > LINE_SIZE && i)
            break;
        passed |= is_it;
        add_word(line, &word);
        walk = next;
    }
    if (!passed) {
        if (walk.stack != python_at)
            add(line, FF_TEXT(" < ..."));
        add_word(line, &python);
    }
}

/* Lines with their sums; a line of two buckets has two rows. */
struct row {
    uint32_t text, bucket;
    uint64_t count;
};

struct rows {
    struct row *at;
    uint32_t count, capacity;
    struct ff_map map;
    bool failed;
};

static void add_row(struct rows *rows, uint32_t text, uint32_t bucket, uint64_t count)
{
    struct ff_probe probe;
    uint64_t hash = ff_hash_mix(text, bucket);
    for (uint32_t id = ff_map_first(&rows->map, hash, &probe); id;
         id = ff_map_next(&rows->map, &probe)) {
        if (rows->at[id].text == text && rows->at[id].bucket == bucket) {
            rows->at[id].count += count;
            return;
        }
    }
    uint32_t id = rows->count ? rows->count : 1;
    rows->at =
        ff_grow(rows->at, &rows->capacity, (uint64_t)id + 1, sizeof *rows->at, &rows->failed);
    if (rows->capacity <= id)
        return;
    rows->at[id] = (struct row){text, bucket, count};
    rows->count = id + 1;
    ff_map_add(&rows->map, hash, id);
}

/* Whether A stands before B: more samples, then by text. */
static bool is_before(const struct ff_profile *profile, const struct ff_hottest_stack *a,
                      const struct ff_hottest_stack *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    return ff_text_compare(ff_profile_text(profile, a->text), ff_profile_text(profile, b->text)) <
           0;
}

static void offer(struct ff_hottest *hottest, uint32_t bucket, struct ff_hottest_stack stack)
{
    struct ff_hottest_stack *best = &hottest->stacks[(size_t)bucket * FF_HOTTEST_STACKS];
    for (unsigned i = 0; i < FF_HOTTEST_STACKS; i++) {
        if (best[i].count && !is_before(hottest->profile, &stack, &best[i]))
            continue;
        struct ff_hottest_stack pushed = best[i];
        best[i] = stack;
        stack = pushed;
        if (!stack.count)
            return;
    }
}

static void choose(struct ff_hottest *hottest, const struct ff_summary *summary,
                   const struct rows *rows)
{
    for (uint32_t i = 1; i < rows->count; i++) {
        for (uint32_t b = 0; b < summary->bucket_count; b++) {
            if (summary->buckets[b].name == rows->at[i].bucket)
                offer(hottest, b, (struct ff_hottest_stack){rows->at[i].text, rows->at[i].count});
        }
    }
}

enum ff_status ff_hottest_init(struct ff_hottest *hottest, struct ff_profile *profile,
                               const struct ff_summary *summary)
{
    struct rows rows = {0};
    *hottest = (struct ff_hottest){.profile = profile};
    hottest->stacks =
        ff_alloc((size_t)summary->bucket_count * FF_HOTTEST_STACKS, sizeof *hottest->stacks);
    uint32_t last = 0, text = 0;
    for (uint32_t i = 1; hottest->stacks && i < profile->samples.count; i++) {
        const struct ff_sample sample = profile->samples.at[i];
        if (sample.event != summary->event || !sample.count || !sample.stack)
            continue;
        if (sample.stack != last) {
            struct line line;
            shorten(profile, sample.stack, &line);
            text = ff_profile_intern(profile, (struct ff_text){line.bytes, line.used});
        }
        last = sample.stack;
        add_row(&rows, text, sample.bucket, sample.count);
    }
    if (hottest->stacks)
        choose(hottest, summary, &rows);
    profile->out_of_memory |= !hottest->stacks || rows.failed || rows.map.failed;
    ff_free(rows.at);
    ff_map_release(&rows.map);
    return ff_profile_status(profile);
}

void ff_hottest_release(struct ff_hottest *hottest)
{
    ff_free(hottest->stacks);
    *hottest = (struct ff_hottest){0};
}
