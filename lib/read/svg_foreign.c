/* SPDX-License-Identifier: MIT
 *
 * Boxes of flamegraph.pl, inferno, py-spy and async-profiler to stacks. The hard thing is what such a
 * picture does not hold: boxes that were too narrow. Self time stands at the left of a box, so a gap
 * elsewhere is what was pruned.
 */
#include <stdlib.h>

#include "base/output.h"
#include "profile/ledger.h"
#include "read/svg.h"
#include "read/svg_boxes.h"

struct reader {
    struct ff_profile *profile;
    struct ff_svg_boxes boxes;
    uint64_t *inner; /* by box: the counts of the boxes on it */
    double *end;     /* by box: where the last box on it ends; below its x: none yet */
    uint32_t *stacks;
    uint32_t source, event, thread;
    uint64_t orphans;
    double pruned;
};

static int compare_rows(const void *a, const void *b)
{
    const struct ff_svg_box *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->x < y->x ? -1 : x->x > y->x;
}

static int compare_places(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static bool is_root(const struct ff_svg_box *box)
{
    return ff_text_equal(box->name, FF_TEXT("all"));
}

/* The row of the widest box, "all" before others, the lowest row before higher ones. */
static double root_row(const struct ff_svg_boxes *boxes)
{
    const struct ff_svg_box *root = &boxes->at[0];
    for (uint32_t i = 1; i < boxes->count; i++) {
        const struct ff_svg_box *box = &boxes->at[i];
        bool wider = box->width > root->width + boxes->slack;
        bool equal = box->width >= root->width - boxes->slack;
        if (wider || (equal && is_root(box) && !is_root(root)) ||
            (equal && is_root(box) == is_root(root) && box->y > root->y))
            root = box;
    }
    return root->y;
}

/* Rows by their distance from the root's, whether it stands on top or at the bottom. */
static bool set_depths(struct ff_svg_boxes *boxes)
{
    double row = root_row(boxes), *rows = ff_alloc(boxes->count, sizeof *rows);
    uint32_t count = 0;
    if (!rows)
        return false;
    for (uint32_t i = 0; i < boxes->count; i++)
        rows[i] = boxes->at[i].y > row ? boxes->at[i].y - row : row - boxes->at[i].y;
    for (uint32_t i = 0; i < boxes->count; i++)
        boxes->at[i].width += boxes->at[i].x; /* its end, until the tree stands */
    double *sorted = ff_alloc(boxes->count, sizeof *sorted);
    if (sorted) {
        memcpy(sorted, rows, boxes->count * sizeof *rows);
        qsort(sorted, boxes->count, sizeof *sorted, compare_places);
        for (uint32_t i = 0; i < boxes->count; i++) {
            if (!count || sorted[i] > sorted[count - 1] + 0.5)
                sorted[count++] = sorted[i];
        }
        for (uint32_t i = 0; i < boxes->count; i++) {
            uint32_t low = 0, high = count;
            while (high - low > 1) {
                uint32_t middle = low + (high - low) / 2;
                if (sorted[middle] <= rows[i])
                    low = middle;
                else
                    high = middle;
            }
            boxes->at[i].depth = low;
        }
        qsort(boxes->at, boxes->count, sizeof *boxes->at, compare_rows);
    }
    ff_free(sorted);
    ff_free(rows);
    return sorted != NULL;
}

/* The box of [from, to), a row sorted by x, on which the middle of BOX stands. */
static uint32_t parent_of(const struct ff_svg_boxes *boxes, uint32_t from, uint32_t to,
                          const struct ff_svg_box *box)
{
    double middle = (box->x + box->width) / 2;
    uint32_t low = from, high = to;
    while (high > low && high - low > 1) {
        uint32_t at = low + (high - low) / 2;
        if (boxes->at[at].x <= middle)
            low = at;
        else
            high = at;
    }
    bool stands = from < to && boxes->at[low].x - boxes->slack <= box->x &&
                  boxes->at[low].width + boxes->slack >= box->width;
    return stands ? low : UINT32_MAX;
}

/* Finds what each box stands on, and the gaps behind and between boxes. */
static void set_parents(struct reader *reader)
{
    struct ff_svg_boxes *boxes = &reader->boxes;
    uint32_t below = 0, row = 0;
    for (uint32_t i = 0; i < boxes->count; i++) {
        struct ff_svg_box *box = &boxes->at[i];
        reader->end[i] = box->x - 1;
        if (i && box->depth != boxes->at[i - 1].depth) {
            below = row;
            row = i;
        }
        if (!box->depth)
            continue;
        box->parent = parent_of(boxes, below, row, box);
        if (box->parent == UINT32_MAX) {
            reader->orphans++;
            continue;
        }
        double *end = &reader->end[box->parent];
        if (*end >= boxes->at[box->parent].x && box->x - *end > boxes->slack)
            reader->pruned += box->x - *end;
        *end = box->width;
        reader->inner[box->parent] += box->count;
    }
    for (uint32_t i = 0; i < boxes->count; i++) {
        double rest = boxes->at[i].width - reader->end[i];
        if (reader->end[i] >= boxes->at[i].x && rest > boxes->slack)
            reader->pruned += rest;
    }
}

/* "&lt;" and its kin to what they mean; others stay. */
static uint32_t name_of(struct reader *reader, struct ff_text text)
{
    static const struct {
        const char *entity;
        char character;
    } entities[] = {{"&lt;", '<'},   {"&gt;", '>'},    {"&amp;", '&'},  {"&quot;", '"'},
                    {"&#39;", '\''}, {"&apos;", '\''}, {"&#x27;", '\''}};
    struct ff_output plain;
    ff_output_memory(&plain);
    while (text.size) {
        size_t size = 1;
        char character = text.at[0];
        for (size_t i = 0; character == '&' && i < sizeof entities / sizeof *entities; i++) {
            if (!ff_text_starts(text, ff_text(entities[i].entity)))
                continue;
            size = strlen(entities[i].entity);
            character = entities[i].character;
            break;
        }
        ff_output_byte(&plain, character);
        text = ff_text_from(text, size);
    }
    uint32_t id = ff_profile_intern(reader->profile, (struct ff_text){plain.buffer, plain.used});
    reader->profile->out_of_memory |= plain.out_of_memory;
    ff_output_close(&plain, &reader->profile->error);
    return id;
}

/* Each box is a stack; what no box on it takes ends there. */
static void add_samples(struct reader *reader)
{
    struct ff_profile *profile = reader->profile;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < reader->boxes.count; i++) {
        const struct ff_svg_box *box = &reader->boxes.at[i];
        uint64_t self = box->count > reader->inner[i] ? box->count - reader->inner[i] : 0;
        uint32_t below = box->parent == UINT32_MAX ? 0 : reader->stacks[box->parent];
        if (box->depth && box->parent == UINT32_MAX)
            continue;
        reader->stacks[i] = below;
        if (box->depth || !is_root(box)) {
            struct ff_frame frame = {.kind = FF_FRAME_TEXT, .symbol = name_of(reader, box->name)};
            reader->stacks[i] = ff_stack_push(profile, below, ff_frame_add(profile, frame));
        }
        if (!self)
            continue;
        uint64_t whole = self < UINT64_MAX / FF_COUNT_ONE ? self : UINT64_MAX / FF_COUNT_ONE;
        ff_ledger_add(profile, reader->source, FF_LEDGER_SATURATED, whole != self);
        sum += whole;
        ff_sample_add(profile,
                      (struct ff_sample){
                          .event = reader->event,
                          .thread = reader->thread,
                          .stack = reader->stacks[i],
                          .state = reader->stacks[i] ? FF_STATE_RECORDED : FF_STATE_NO_FRAMES,
                          .count = whole * FF_COUNT_ONE,
                          .weight = whole,
                      });
    }
    ff_ledger_add(profile, reader->source, FF_LEDGER_SAMPLES, sum);
}

static void add_source(struct reader *reader, const char *name)
{
    struct ff_profile *profile = reader->profile;
    struct ff_text unit = reader->boxes.unit;
    uint32_t word = ff_profile_intern(profile, unit.size ? unit : FF_TEXT("samples"));
    reader->source = ff_source_add(
        profile, (struct ff_source){.name = ff_profile_intern(profile, ff_text(name))});
    reader->event = ff_event_add(profile, (struct ff_event){reader->source, word, word});
    uint32_t process = ff_process_add(profile, (struct ff_process){.source = reader->source});
    reader->thread = ff_thread_add(profile, (struct ff_thread){.process = process});
}

/* The pruned places in counts, by the scale of the root. */
static void write_ledger(struct reader *reader)
{
    const struct ff_svg_box *root = &reader->boxes.at[0];
    double width = root->width - root->x;
    double counts = width > 0 ? reader->pruned / width * (double)root->count : 0;
    ff_ledger_add(reader->profile, reader->source, FF_LEDGER_BOXES, reader->boxes.count);
    ff_ledger_add(reader->profile, reader->source, FF_LEDGER_BOXES_ORPHAN, reader->orphans);
    ff_ledger_add(reader->profile, reader->source, FF_LEDGER_BOXES_PRUNED,
                  counts < 1e18 ? (uint64_t)(counts + 0.5) : 0);
}

static void rebuild(struct reader *reader, const char *name)
{
    uint32_t count = reader->boxes.count;
    reader->inner = ff_alloc(count, sizeof *reader->inner);
    reader->end = ff_alloc(count, sizeof *reader->end);
    reader->stacks = ff_alloc(count, sizeof *reader->stacks);
    if (!reader->inner || !reader->end || !reader->stacks || !set_depths(&reader->boxes)) {
        reader->profile->out_of_memory = true;
        return;
    }
    add_source(reader, name);
    set_parents(reader);
    add_samples(reader);
    write_ledger(reader);
}

enum ff_status ff_svg_foreign_read(struct ff_profile *profile, struct ff_input *input,
                                   const char *name)
{
    struct reader reader = {.profile = profile};
    struct ff_text text;
    enum ff_status status = ff_input_load(input, &profile->error);
    if (status == FF_OK)
        status = ff_input_peek(input, (size_t)input->size, &text, &profile->error);
    if (status != FF_OK)
        return status;
    ff_svg_boxes_find(&reader.boxes, text);
    profile->out_of_memory |= reader.boxes.failed;
    if (reader.boxes.count && !reader.boxes.failed)
        rebuild(&reader, name);
    bool empty = !reader.boxes.count;
    ff_free(reader.boxes.at);
    ff_free(reader.inner);
    ff_free(reader.end);
    ff_free(reader.stacks);
    status = ff_profile_status(profile);
    if (status == FF_OK && empty)
        return ff_error_set(&profile->error, FF_UNSUPPORTED,
                            "%s: found an SVG without boxes 'name (COUNT samples, PERCENT%%)', "
                            "expected a flame graph; give the folded text or recording that it "
                            "was drawn from",
                            input->name);
    return status;
}
