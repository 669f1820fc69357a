/* SPDX-License-Identifier: MIT
 *
 * Below the boxes: what each thread did, and the functions that cost most. The hard thing is the room:
 * side by side in a wide picture, one below the other in a narrow one.
 */
#include "draw/picture.h"

#include "draw/escape.h"
#include "draw/fit.h"
#include "draw/number.h"

enum { GAP = 30, NAME = 200, PERCENT = 80, WIDE = 900 };

static uint32_t rows_of(uint32_t count)
{
    return count > FF_PANEL_ROWS ? FF_PANEL_ROWS : count;
}

/* A headline, the rows, and a line for those that have none. */
static uint32_t height_of(uint32_t count)
{
    return (1 + rows_of(count) + (count > FF_PANEL_ROWS)) * FF_LINE + 8;
}

uint32_t ff_picture_panel_height(const struct ff_picture *picture)
{
    uint32_t threads = height_of(picture->tree->thread_count);
    uint32_t functions = height_of(picture->ranking.count);
    if (!picture->tree->nodes[0].total)
        return 0;
    if (picture->width < WIDE)
        return threads + functions;
    return threads > functions ? threads : functions;
}

static void put_headline(struct ff_picture *picture, uint32_t x, uint32_t y, const char *text)
{
    ff_output_format(picture->output,
                     "<text x=\"%u\" y=\"%u\" font-family=\"" FF_SANS "\" "
                     "font-weight=\"600\">%s</text>\n",
                     (unsigned)x, (unsigned)y + 14, text);
}

static void put_more(struct ff_picture *picture, uint32_t x, uint32_t y, uint32_t count)
{
    if (count <= FF_PANEL_ROWS)
        return;
    ff_output_format(picture->output, "<text class=\"quiet\" x=\"%u\" y=\"%u\" fill=\"#4f5963\">",
                     (unsigned)x, (unsigned)y + 14);
    ff_number_grouped(picture->output, count - FF_PANEL_ROWS);
    ff_picture_put(picture, " more</text>\n");
}

/* One thread: its name, a bar as long as its share of the largest, in the colours of its buckets. */
static void put_thread(struct ff_picture *picture, const struct ff_tree_thread *thread, uint32_t x,
                       uint32_t y, uint32_t width)
{
    const struct ff_tree *tree = picture->tree;
    uint32_t room = (width - NAME - PERCENT) * 100;
    uint64_t largest = tree->threads[0].amount, sum = 0;
    ff_picture_name(picture, x, y + 14, ff_intern_text(&tree->names, thread->name),
                    (NAME - 8) * 100);
    for (uint32_t i = 0; i < thread->share_count; i++) {
        const struct ff_share *share = &tree->thread_shares[thread->share_first + i];
        uint64_t left = ff_number_share(sum, largest, room);
        sum += share->amount;
        uint64_t right = ff_number_share(sum, largest, room);
        if (left == right)
            continue;
        ff_picture_put(picture, "<rect");
        ff_picture_color(picture, "", ff_legend_bucket(&picture->legend, tree, share->bucket));
        ff_picture_fixed(picture, "x", (uint64_t)(x + NAME) * 100 + left);
        ff_picture_pixels(picture, "y", y + 3);
        ff_picture_fixed(picture, "width", right - left);
        ff_picture_put(picture, " height=\"13\"/>");
    }
    ff_picture_percent_at(picture, x + width, y + 14, thread->amount, tree->nodes[0].total);
    ff_picture_put(picture, "\n");
}

static void put_threads(struct ff_picture *picture, uint32_t x, uint32_t y, uint32_t width)
{
    const struct ff_tree *tree = picture->tree;
    put_headline(picture, x, y, "Threads, by bucket");
    for (uint32_t i = 0; i < rows_of(tree->thread_count); i++)
        put_thread(picture, &tree->threads[i], x, y + (1 + i) * FF_LINE, width);
    put_more(picture, x, y + (1 + FF_PANEL_ROWS) * FF_LINE, tree->thread_count);
}

static void put_functions(struct ff_picture *picture, uint32_t x, uint32_t y, uint32_t width)
{
    const struct ff_tree *tree = picture->tree;
    const struct ff_ranking *ranking = &picture->ranking;
    uint64_t all = tree->nodes[0].total;
    put_headline(picture, x, y, "Functions: self, with callees");
    for (uint32_t i = 0; i < rows_of(ranking->count); i++) {
        const struct ff_ranked *row = &ranking->rows[i];
        uint32_t line = y + (1 + i) * FF_LINE;
        ff_picture_percent_at(picture, x + PERCENT - 4, line + 14, row->self, all);
        ff_picture_percent_at(picture, x + 2 * PERCENT, line + 14, row->total, all);
        ff_picture_put(picture, "<rect");
        ff_picture_color(picture, "", ff_legend_color(&picture->legend, tree, row->node));
        ff_picture_pixels(picture, "x", x + 2 * PERCENT + 10);
        ff_picture_pixels(picture, "y", line + 3);
        ff_picture_put(picture, " width=\"4\" height=\"13\"/>");
        ff_picture_name(picture, x + 2 * PERCENT + 20, line + 14,
                        ff_intern_text(&tree->names, row->name), (width - 2 * PERCENT - 20) * 100);
        ff_picture_put(picture, "\n");
    }
    put_more(picture, x + 2 * PERCENT + 20, y + (1 + FF_PANEL_ROWS) * FF_LINE, ranking->count);
}

void ff_picture_panels(struct ff_picture *picture)
{
    bool wide = picture->width >= WIDE;
    uint32_t width = wide ? (picture->inner - GAP) / 2 : picture->inner, y = picture->panel_top;
    if (!picture->tree->nodes[0].total)
        return;
    ff_output_format(picture->output,
                     "<g class=\"panels\" font-family=\"" FF_MONOSPACE "\" font-size=\"%d\" "
                     "fill=\"#14181d\">\n",
                     FF_FONT);
    put_threads(picture, FF_MARGIN, y, width);
    if (wide)
        put_functions(picture, FF_MARGIN + width + GAP, y, width);
    else
        put_functions(picture, FF_MARGIN, y + height_of(picture->tree->thread_count), width);
    ff_picture_put(picture, "</g>\n");
}
