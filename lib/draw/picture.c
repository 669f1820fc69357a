/* SPDX-License-Identifier: MIT
 *
 * The few forms of markup that all parts of a picture are made of. The hard thing is text that fits at
 * both sizes in which a page may show the picture.
 */
#include "draw/picture.h"

#include "draw/escape.h"
#include "draw/fit.h"
#include "draw/number.h"

void ff_picture_put(struct ff_picture *picture, const char *markup)
{
    ff_output_string(picture->output, markup);
}

void ff_picture_pixels(struct ff_picture *picture, const char *name, uint64_t value)
{
    ff_output_byte(picture->output, ' ');
    ff_output_string(picture->output, name);
    ff_output_string(picture->output, "=\"");
    ff_output_decimal(picture->output, value);
    ff_output_byte(picture->output, '"');
}

void ff_picture_fixed(struct ff_picture *picture, const char *name, uint64_t value)
{
    ff_output_byte(picture->output, ' ');
    ff_output_string(picture->output, name);
    ff_output_string(picture->output, "=\"");
    ff_number_short(picture->output, value);
    ff_output_byte(picture->output, '"');
}

void ff_picture_color(struct ff_picture *picture, const char *class, uint32_t color)
{
    ff_output_string(picture->output, " class=\"");
    ff_output_string(picture->output, class);
    if (color < FF_COLOR_COUNT) {
        ff_output_string(picture->output, *class ? " c" : "c");
        ff_output_decimal(picture->output, color);
    }
    ff_output_format(picture->output, "\" fill=\"#%06x\"", (unsigned)ff_color_get(color).light);
}

void ff_picture_amount(const struct ff_tree *tree, struct ff_output *output, uint64_t amount)
{
    struct ff_text unit = ff_intern_text(&tree->names, tree->unit);
    if (tree->one == 1 && ff_text_equal(unit, FF_TEXT("ns"))) {
        ff_number_time(output, amount);
        return;
    }
    if (amount == tree->one && ff_text_equal(unit, FF_TEXT("samples")))
        unit = FF_TEXT("sample");
    ff_number_amount(output, amount, tree->one);
    ff_output_byte(output, ' ');
    ff_output_text(output, unit);
}

void ff_picture_percent(struct ff_output *output, uint64_t part, uint64_t whole)
{
    uint64_t tenths = (ff_number_share(part, whole, 2000) + 1) / 2;
    if (part && !tenths) {
        ff_output_string(output, "<0.1 %");
        return;
    }
    ff_number_fixed(output, tenths, 1);
    ff_output_string(output, " %");
}

void ff_picture_percent_at(struct ff_picture *picture, uint32_t x, uint32_t y, uint64_t part,
                           uint64_t whole)
{
    struct ff_output text;
    struct ff_error ignored = {0};
    ff_output_memory(&text);
    ff_picture_percent(&text, part, whole);
    ff_picture_put(picture, "<text");
    ff_picture_pixels(picture, "x", x);
    ff_picture_pixels(picture, "y", y);
    ff_picture_put(picture, " text-anchor=\"end\">");
    ff_escape_text(picture->output, (struct ff_text){text.buffer, text.used});
    ff_picture_put(picture, "</text>");
    ff_output_close(&text, &ignored);
}

/* Less than this of a cut name says nothing. */
#define FEWEST 6

/* One text element; START has the class "w" or "n" where there are two, of which a page shows one. */
static void put_name(struct ff_picture *picture, const char *start, uint32_t x, uint32_t y,
                     struct ff_text name, uint32_t columns)
{
    if (columns < FEWEST && !ff_fit_fits(name, columns))
        return;
    ff_picture_put(picture, start);
    ff_picture_pixels(picture, "x", x);
    ff_picture_pixels(picture, "y", y);
    ff_output_byte(picture->output, '>');
    ff_fit_name(picture->output, name, columns);
    ff_picture_put(picture, "</text>");
}

void ff_picture_name(struct ff_picture *picture, uint32_t x, uint32_t y, struct ff_text name,
                     uint32_t width)
{
    uint32_t wide = width / ff_fit_column(FF_FONT), narrow = width / ff_fit_column(FF_FONT_NARROW);
    if (ff_fit_fits(name, narrow)) {
        put_name(picture, "<text", x, y, name, narrow);
        return;
    }
    put_name(picture, "<text class=\"w\"", x, y, name, wide);
    put_name(picture, "<text class=\"n\" display=\"none\"", x, y + 1, name, narrow);
}

/* The width of " · " in ff_fit_sans. */
#define SEPARATOR 108

static void put_line(struct ff_picture *picture, struct ff_text pieces, uint32_t y, uint64_t limit)
{
    ff_output_format(picture->output, "<text x=\"%d\" y=\"%u\">", FF_MARGIN, (unsigned)y);
    for (bool first = true; pieces.size; first = false) {
        struct ff_text piece = ff_text_cut(&pieces, '\n');
        if (!first)
            ff_picture_put(picture, " \xc2\xb7 ");
        ff_fit_line(picture->output, piece, limit);
    }
    ff_picture_put(picture, "</text>\n");
}

uint32_t ff_picture_lines(struct ff_picture *picture, const struct ff_output *pieces, uint32_t y,
                          bool drawn)
{
    struct ff_text rest = {pieces->buffer, pieces->used};
    uint64_t limit = (uint64_t)picture->inner * 100 / FF_FONT_NARROW;
    uint32_t lines = 0;
    while (rest.size && lines < FF_FACT_LINES) {
        struct ff_text line = {rest.at, 0};
        uint64_t width = 0;
        while (rest.size) {
            ptrdiff_t end = ff_text_find(rest, '\n');
            uint64_t more = ff_fit_sans(ff_text_slice(rest, 0, (size_t)end));
            if (line.size && width + SEPARATOR + more > limit)
                break;
            width += more + (line.size ? SEPARATOR : 0);
            line.size += (size_t)end + 1;
            rest = ff_text_from(rest, (size_t)end + 1);
        }
        line.size--;
        if (drawn)
            put_line(picture, line, y + lines * FF_LINE, limit);
        lines++;
    }
    return lines;
}
