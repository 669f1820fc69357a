/* SPDX-License-Identifier: MIT
 *
 * What the colours mean, with their shares. The hard thing is the same width for long and short names.
 */
#include "draw/picture.h"

#include "draw/escape.h"
#include "draw/number.h"

/* One bar in which each colour has its share of the whole. */
static void put_bar(struct ff_picture *picture)
{
    uint32_t tenths = 0;
    for (uint32_t i = 0; i < picture->legend.count; i++) {
        const struct ff_legend_row *row = &picture->legend.rows[i];
        uint64_t left = (uint64_t)tenths * picture->inner / 10;
        tenths += row->tenths;
        ff_picture_put(picture, "<rect");
        ff_picture_color(picture, row->color);
        ff_picture_fixed(picture, "x", FF_MARGIN * 100 + left);
        ff_picture_pixels(picture, "y", picture->legend_top);
        ff_picture_fixed(picture, "width", (uint64_t)tenths * picture->inner / 10 - left);
        ff_picture_put(picture, " height=\"10\"/>\n");
    }
}

static void put_key(struct ff_picture *picture, uint32_t i)
{
    const struct ff_legend_row *row = &picture->legend.rows[i];
    uint32_t column = i % picture->legend_columns, line = i / picture->legend_columns;
    uint32_t x = FF_MARGIN + column * (picture->inner / picture->legend_columns);
    uint32_t y = picture->legend_top + 18 + line * FF_LEGEND_ROW;
    ff_output_format(picture->output, "<g class=\"key\" data-color=\"c%u\"><rect",
                     (unsigned)row->color);
    ff_picture_color(picture, row->color);
    ff_picture_pixels(picture, "x", x);
    ff_picture_pixels(picture, "y", y);
    ff_picture_put(picture, " width=\"11\" height=\"11\" rx=\"2\"/><text");
    ff_picture_pixels(picture, "x", x + 16);
    ff_picture_pixels(picture, "y", y + 10);
    ff_picture_put(picture, ">");
    if (row->tenths) {
        ff_number_fixed(picture->output, row->tenths, 1);
        ff_picture_put(picture, " % ");
    } else {
        ff_picture_put(picture, "&lt;0.1 % ");
    }
    ff_escape_fitting(picture->output, row->name, 28);
    ff_picture_put(picture, "</text></g>\n");
}

void ff_picture_legend(struct ff_picture *picture)
{
    if (!picture->legend.count)
        return;
    put_bar(picture);
    ff_output_format(picture->output,
                     "<g font-family=\"" FF_MONOSPACE "\" font-size=\"%d\" "
                     "fill=\"#14181d\">\n",
                     FF_FONT);
    for (uint32_t i = 0; i < picture->legend.count; i++)
        put_key(picture, i);
    ff_picture_put(picture, "</g>\n");
}
