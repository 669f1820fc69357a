/* SPDX-License-Identifier: MIT
 *
 * A tree to a picture: what goes where, and the order of its parts. The hard thing: the picture must
 * say all by itself (in an img tag no script runs and no tooltip shows) and give the script what it
 * needs.
 */
#include "draw/svg.h"

#include "draw/escape.h"
#include "draw/packed.h"
#include "draw/picture.h"

extern const char ff_text_viewer_js[];
extern const unsigned long ff_text_viewer_js_size;

static void measure(struct ff_picture *picture)
{
    picture->fact_lines = ff_picture_lines(picture, &picture->facts, 0, false);
    picture->cut_lines = ff_picture_lines(picture, &picture->cuts, 0, false);
    ff_picture_measure_legend(picture);
    picture->legend_top =
        38 + (picture->fact_lines + (picture->options->subtitle.size > 0)) * FF_LINE;
    picture->top = picture->legend_top + 4;
    if (picture->key_count) {
        uint32_t keys = picture->key_count + picture->legend_columns - 1;
        uint32_t lines = keys / picture->legend_columns;
        lines += picture->key_count < picture->legend.count;
        picture->top += 20 + lines * FF_LINE;
    }
    picture->timeline_top = picture->top;
    picture->top += ff_picture_timeline_height(picture);
    picture->bottom = picture->top + picture->layout.row_count * FF_ROW;
    picture->panel_top = picture->bottom + (1 + picture->cut_lines) * FF_LINE + 10;
    picture->height = picture->panel_top + ff_picture_panel_height(picture) + 28;
}

static void mark(struct ff_picture *picture, uint32_t color)
{
    if (color < FF_COLOR_COUNT)
        picture->used[color] = true;
}

static void mark_colors(struct ff_picture *picture)
{
    const struct ff_tree *tree = picture->tree;
    const struct ff_legend *legend = &picture->legend;
    for (uint32_t i = 0; i < picture->layout.count; i++)
        mark(picture, ff_legend_color(legend, tree, picture->layout.boxes[i].node));
    for (uint32_t i = 0; i < legend->count; i++)
        mark(picture, legend->rows[i].color);
    for (uint32_t i = 0; i < tree->bucket_count; i++)
        mark(picture, ff_legend_bucket(legend, tree, i));
    for (uint32_t i = 0; i < picture->ranking.count && i < FF_PANEL_ROWS; i++)
        mark(picture, ff_legend_color(legend, tree, picture->ranking.rows[i].node));
}

/* The script comes last: it finds the whole picture in place. */
static enum ff_status put_live_life(struct ff_picture *picture)
{
    const struct ff_svg_options *options = picture->options;
    if (!options->profile)
        return FF_OK;
    enum ff_status status = ff_packed_write(picture->tree, options->profile, options->fold,
                                            &picture->legend, picture->output);
    ff_picture_put(picture, "<script>");
    ff_escape_script(picture->output, (struct ff_text){ff_text_viewer_js, ff_text_viewer_js_size});
    ff_picture_put(picture, "</script>\n");
    return status;
}

static enum ff_status put_picture(struct ff_picture *picture)
{
    ff_picture_head(picture);
    ff_picture_legend(picture);
    if (!ff_picture_timeline(picture))
        return ff_error_set(&picture->tree->error, FF_NO_MEMORY, "out of memory while drawing");
    ff_picture_boxes(picture);
    ff_picture_notes(picture);
    ff_picture_panels(picture);
    ff_picture_foot(picture);
    enum ff_status status = put_live_life(picture);
    ff_picture_put(picture, "</svg>\n");
    return status;
}

enum ff_status ff_svg_write(struct ff_tree *tree, struct ff_output *output,
                            const struct ff_svg_options *options)
{
    struct ff_picture picture = {.tree = tree, .output = output, .options = options};
    picture.width = options->width ? options->width : 1200;
    if (picture.width < 300 || picture.width > 10000)
        return ff_error_set(&tree->error, FF_USAGE,
                            "a picture %lu pixels wide is not possible; use 300 to 10000",
                            (unsigned long)picture.width);
    picture.inner = picture.width - 2 * FF_MARGIN;
    ff_output_memory(&picture.facts);
    ff_output_memory(&picture.cuts);
    struct ff_layout_options layout = {.width = picture.inner * 100,
                                       .min_width = options->min_width ? options->min_width : 30};
    enum ff_status status = FF_NO_MEMORY;
    bool done = ff_layout_make(&picture.layout, tree, &layout) &&
                ff_legend_make(&picture.legend, tree, options) &&
                ff_ranking_make(&picture.ranking, tree);
    if (done) {
        ff_picture_collect(&picture);
        measure(&picture);
        mark_colors(&picture);
        status = put_picture(&picture);
    }
    ff_layout_release(&picture.layout);
    ff_legend_release(&picture.legend);
    ff_ranking_release(&picture.ranking);
    ff_output_close(&picture.facts, &tree->error);
    ff_output_close(&picture.cuts, &tree->error);
    return done ? status : ff_error_set(&tree->error, FF_NO_MEMORY, "out of memory while drawing");
}
