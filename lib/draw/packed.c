/* SPDX-License-Identifier: MIT
 *
 * What the viewer cannot find out by itself: names as folded text prints them, colours, and how the
 * picture was asked for. All as rows, like the stream before them.
 */
#include "draw/packed.h"

#include <stdlib.h>

#include "base/memory.h"
#include "draw/columns.h"
#include "fold/label.h"
#include "profile/moment.h"
#include "profile/stream.h"

struct packed {
    struct ff_tree *tree;
    struct ff_profile *profile;
    const struct ff_fold_options *options;
    const struct ff_legend *legend;
    struct ff_order order;
    struct ff_labels labels;
    struct ff_columns *columns;
    struct ff_rows *rows; /* of the columns */
    bool used[FF_COLOR_COUNT];
    uint32_t *plain; /* colours that have no such number, in order of use */
    uint32_t plain_count, plain_capacity;
    bool failed;
};

static void begin(struct packed *packed, const char *kind)
{
    packed->rows->begin(packed->rows, kind);
}

static void end(struct packed *packed)
{
    packed->rows->end(packed->rows);
}

static void put_number(struct packed *packed, uint64_t value)
{
    packed->rows->number(packed->rows, value);
}

static void put_label(struct packed *packed, uint32_t label)
{
    ff_rows_escape(packed->rows, ff_intern_text(&packed->tree->names, label));
}

static void put_color(struct packed *packed, uint32_t color)
{
    put_number(packed, color);
    if (color < FF_COLOR_COUNT) {
        packed->used[color] = true;
        return;
    }
    packed->plain =
        ff_grow(packed->plain, &packed->plain_capacity, (uint64_t)packed->plain_count + 1,
                sizeof *packed->plain, &packed->failed);
    if (!packed->failed)
        packed->plain[packed->plain_count++] = color;
}

/* As --by has them: "process,thread". */
static void put_roots(struct packed *packed)
{
    static const char *const words[] = {
#define X(name, word) word,
        FF_ROOT_TABLE(X)
#undef X
    };
    const struct ff_fold_options *options = packed->options;
    struct ff_output *scratch = &packed->rows->scratch;
    scratch->used = 0;
    for (uint32_t i = 0; i < options->root_count; i++) {
        ff_output_string(scratch, i ? "," : "");
        ff_output_string(scratch, words[options->roots[i]]);
    }
    if (!options->root_count)
        ff_output_string(scratch, words[FF_ROOT_COMM]);
    packed->rows->text(packed->rows, (struct ff_text){scratch->buffer, scratch->used});
}

/* view: event, roots, weights (0, 1), colours (bucket, kind, name), event to compare with (0: none) */
static void put_view(struct packed *packed)
{
    static const char *const modes[] = {"bucket", "kind", "name", "name"};
    const struct ff_fold_options *options = packed->options;
    begin(packed, "view");
    put_number(packed, packed->order.events.number[packed->tree->event]);
    put_roots(packed);
    put_number(packed, options->weights);
    ff_rows_word(packed->rows, modes[packed->legend->mode]);
    put_number(packed, packed->order.events.number[packed->legend->before_event]);
    end(packed);
}

/* view-frame: label, colour of a box that no bucket owns; one for each frame of the stream */
static void put_frames(struct packed *packed)
{
    for (uint32_t i = 1; i <= packed->order.frames.count; i++) {
        uint32_t id = packed->order.frames.old[i];
        const struct ff_frame *frame = &packed->profile->frames.at[id];
        struct ff_node node = {
            .kind = FF_NODE_FRAME,
            .name = ff_label_frame(&packed->labels, id),
            .how = frame->how,
            .frame_kind = frame->kind,
            .module_kind = packed->profile->modules.at[frame->module].kind,
        };
        begin(packed, "view-frame");
        put_label(packed, node.name);
        put_color(packed, ff_legend_color_unowned(packed->legend, packed->tree, &node));
        end(packed);
    }
}

/* view-thread: what stands for it as comm, thread, role, process; one for each thread */
static void put_threads(struct packed *packed)
{
    static const uint8_t roots[] = {FF_ROOT_COMM, FF_ROOT_THREAD, FF_ROOT_ROLE, FF_ROOT_PROCESS};
    for (uint32_t i = 1; i <= packed->order.threads.count; i++) {
        struct ff_sample sample = {.thread = packed->order.threads.old[i]};
        const struct ff_thread *thread = &packed->profile->threads.at[sample.thread];
        begin(packed, "view-thread");
        for (size_t k = 0; k < sizeof roots; k++) {
            bool nameless = roots[k] == FF_ROOT_COMM && !thread->comm && !thread->name;
            put_label(packed, nameless ? 0 : ff_label_root(&packed->labels, roots[k], &sample));
        }
        end(packed);
    }
}

/* view-bucket: name, colour; view-node: a word for all, root, marker, and its colour */
static void put_buckets(struct packed *packed)
{
    for (uint32_t i = 0; i < packed->tree->bucket_count; i++) {
        uint32_t name = packed->tree->buckets[i].name;
        begin(packed, "view-bucket");
        put_label(packed, name);
        put_color(packed, ff_legend_bucket(packed->legend, packed->tree, i));
        end(packed);
    }
    static const char *const words[] = {"all", "root", "marker"};
    for (uint8_t kind = FF_NODE_ALL; kind < FF_NODE_FRAME; kind++) {
        struct ff_node node = {.kind = kind};
        begin(packed, "view-node");
        ff_rows_word(packed->rows, words[kind]);
        put_color(packed, ff_legend_color_unowned(packed->legend, packed->tree, &node));
        end(packed);
    }
}

static void define_color(struct packed *packed, uint32_t color)
{
    struct ff_color row = ff_color_get(color);
    begin(packed, "view-color");
    put_number(packed, color);
    put_number(packed, row.light);
    put_number(packed, row.dark);
    put_number(packed, row.white_ink);
    put_number(packed, row.light_white_ink);
    end(packed);
}

static int compare_colors(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* view-color: number, on a light page, on a dark one, whether text on it is white there, and here */
static void put_colors(struct packed *packed)
{
    for (uint32_t color = 0; color < FF_COLOR_COUNT; color++) {
        if (packed->used[color])
            define_color(packed, color);
    }
    if (packed->plain_count)
        qsort(packed->plain, packed->plain_count, sizeof *packed->plain, compare_colors);
    for (uint32_t i = 0; i < packed->plain_count; i++) {
        if (!i || packed->plain[i] != packed->plain[i - 1])
            define_color(packed, packed->plain[i]);
    }
}

static bool collect(struct packed *packed)
{
    packed->columns = ff_columns_new();
    if (!packed->columns)
        return false;
    packed->rows = ff_columns_rows(packed->columns);
    ff_moments_settle(packed->profile);
    if (ff_order_init(&packed->order, packed->profile, true) != FF_OK ||
        !ff_labels_init(&packed->labels, packed->tree, packed->profile, packed->options))
        return false;
    ff_stream_write_order(&packed->order, packed->rows);
    put_view(packed);
    put_frames(packed);
    put_threads(packed);
    put_buckets(packed);
    put_colors(packed);
    return !packed->failed && !packed->tree->names.failed;
}

static bool write_packed(struct packed *packed, struct ff_output *output)
{
    bool done = collect(packed);
    ff_order_release(&packed->order);
    ff_labels_release(&packed->labels);
    struct ff_deflate *deflate = done ? ff_deflate_new(output) : NULL;
    done = deflate && ff_columns_write(packed->columns, deflate);
    return ff_deflate_close(deflate) && done;
}

enum ff_status ff_packed_write(struct ff_tree *tree, struct ff_profile *profile,
                               const struct ff_fold_options *options,
                               const struct ff_legend *legend, struct ff_output *output)
{
    struct packed packed = {.tree = tree, .profile = profile, .options = options, .legend = legend};
    bool done = write_packed(&packed, output) && ff_profile_status(profile) == FF_OK;
    ff_columns_free(packed.columns);
    ff_free(packed.plain);
    return done ? FF_OK : ff_error_set(&tree->error, FF_NO_MEMORY, "out of memory while packing");
}
