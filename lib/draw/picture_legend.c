/* SPDX-License-Identifier: MIT
 *
 * What the colours mean, with their shares: one bar, and a key for each colour. The hard thing is one
 * grid for long and short names.
 */
#include "draw/picture.h"

#include "draw/escape.h"
#include "draw/fit.h"
#include "draw/number.h"

/* A swatch of 12 pixels, the percentage, the name. */
enum { PERCENT_END = 90, NAME_START = 98 };

void ff_picture_measure_legend(struct ff_picture *picture)
{
    uint32_t widest = 0;
    for (uint32_t i = 0; i < picture->legend.count; i++) {
        uint64_t columns = ff_fit_columns(picture->legend.rows[i].name);
        if (columns > widest)
            widest = columns < 26 ? (uint32_t)columns : 26;
    }
    widest = NAME_START + 16 + widest * ff_fit_column(FF_FONT_NARROW) / 100;
    picture->legend_columns = picture->inner / widest;
    if (!picture->legend_columns)
        picture->legend_columns = 1;
    picture->key_count = picture->legend.count < FF_KEYS ? picture->legend.count : FF_KEYS;
}

/* One bar in which each colour has its share of the whole. */
static void put_bar(struct ff_picture *picture)
{
    uint32_t tenths = 0;
    for (uint32_t i = 0; i < picture->legend.count; i++) {
        const struct ff_legend_row *row = &picture->legend.rows[i];
        uint64_t left = (uint64_t)tenths * picture->inner / 10;
        tenths += row->tenths;
        if (!row->tenths)
            continue;
        ff_picture_put(picture, "<rect");
        ff_picture_color(picture, "", row->color);
        ff_picture_fixed(picture, "x", FF_MARGIN * 100 + left);
        ff_picture_pixels(picture, "y", picture->legend_top);
        ff_picture_fixed(picture, "width", (uint64_t)tenths * picture->inner / 10 - left);
        ff_picture_put(picture, " height=\"12\"/>\n");
    }
}

static void put_key(struct ff_picture *picture, uint32_t i)
{
    const struct ff_legend_row *row = &picture->legend.rows[i];
    uint32_t column = i % picture->legend_columns, line = i / picture->legend_columns;
    uint32_t width = picture->inner / picture->legend_columns;
    uint32_t x = FF_MARGIN + column * width;
    uint32_t y = picture->legend_top + 18 + line * FF_LINE;
    ff_output_format(picture->output, "<g class=\"key\" data-color=\"c%u\"><rect",
                     (unsigned)row->color);
    ff_picture_color(picture, "", row->color);
    ff_picture_pixels(picture, "x", x);
    ff_picture_pixels(picture, "y", y + 1);
    ff_picture_put(picture, " width=\"13\" height=\"13\" rx=\"2\"/>");
    ff_picture_percent_at(picture, x + PERCENT_END, y + 13, row->amount,
                          picture->tree->nodes[0].total);
    ff_picture_name(picture, x + NAME_START, y + 13, row->name, (width - NAME_START - 4) * 100);
    ff_picture_put(picture, "</g>\n");
}

/* What has no key of its own. */
static void put_rest(struct ff_picture *picture)
{
    uint64_t amount = 0;
    for (uint32_t i = picture->key_count; i < picture->legend.count; i++)
        amount += picture->legend.rows[i].amount;
    uint32_t y =
        picture->legend_top + 18 +
        (picture->key_count + picture->legend_columns - 1) / picture->legend_columns * FF_LINE;
    ff_picture_percent_at(picture, FF_MARGIN + PERCENT_END, y + 13, amount,
                          picture->tree->nodes[0].total);
    ff_output_format(picture->output, "<text x=\"%d\" y=\"%u\">%u more</text>\n",
                     FF_MARGIN + NAME_START, (unsigned)y + 13,
                     (unsigned)(picture->legend.count - picture->key_count));
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
    for (uint32_t i = 0; i < picture->key_count; i++)
        put_key(picture, i);
    if (picture->key_count < picture->legend.count)
        put_rest(picture);
    ff_picture_put(picture, "</g>\n");
}
