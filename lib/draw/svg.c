/* SPDX-License-Identifier: MIT
 *
 * A tree to a picture: what goes where, and the order of its parts. The hard thing: the picture must
 * say all by itself (in an img tag no script runs and no tooltip shows) and give the script what it
 * needs.
 */
#include "draw/svg.h"

#include "draw/escape.h"
#include "draw/picture.h"

extern const char ff_text_viewer_js[];
extern const unsigned long ff_text_viewer_js_size;

static void measure(struct ff_picture *picture)
{
    uint32_t widest = 0;
    for (uint32_t i = 0; i < picture->legend.count; i++) {
        size_t size = picture->legend.rows[i].name.size;
        if (size > widest)
            widest = size < 28 ? (uint32_t)size : 28;
    }
    picture->legend_columns = picture->inner / ((widest + 12) * FF_COLUMN / 100);
    if (!picture->legend_columns)
        picture->legend_columns = 1;
    uint32_t legend_rows =
        (picture->legend.count + picture->legend_columns - 1) / picture->legend_columns;
    picture->legend_top = picture->options->subtitle.size ? 70 : 54;
    picture->top = picture->legend_top + 8;
    if (legend_rows)
        picture->top += 20 + legend_rows * FF_LEGEND_ROW;
    picture->bottom = picture->top + picture->layout.row_count * FF_ROW;
    picture->height = picture->bottom + FF_FOOT;
}

static void mark_colors(struct ff_picture *picture)
{
    for (uint32_t i = 0; i < picture->layout.count; i++)
        picture->used[ff_legend_color(&picture->legend, picture->tree,
                                      picture->layout.boxes[i].node)] = true;
    for (uint32_t i = 0; i < picture->legend.count; i++)
        picture->used[picture->legend.rows[i].color] = true;
}

/* The script comes last: it finds the whole picture in place. */
static void put_script(struct ff_picture *picture)
{
    ff_picture_put(picture, "<script>");
    ff_escape_script(picture->output, (struct ff_text){ff_text_viewer_js, ff_text_viewer_js_size});
    ff_picture_put(picture, "</script>\n</svg>\n");
}

static void put_picture(struct ff_picture *picture)
{
    ff_picture_head(picture);
    ff_picture_legend(picture);
    ff_picture_boxes(picture);
    ff_picture_foot(picture);
    put_script(picture);
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
    struct ff_layout_options layout = {.width = picture.inner * 100,
                                       .min_width = options->min_width ? options->min_width : 30};
    bool done = ff_layout_make(&picture.layout, tree, &layout) &&
                ff_legend_make(&picture.legend, tree, options->color);
    if (done) {
        measure(&picture);
        mark_colors(&picture);
        put_picture(&picture);
    }
    ff_layout_release(&picture.layout);
    ff_legend_release(&picture.legend);
    return done ? FF_OK : ff_error_set(&tree->error, FF_NO_MEMORY, "out of memory while drawing");
}
