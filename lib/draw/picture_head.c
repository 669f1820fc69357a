/* SPDX-License-Identifier: MIT
 *
 * The root element, the styles of both pages, and the lines on top. The hard thing: colours stand in
 * attributes for pages that forbid styles, so only what differs in the dark or in a narrow place is a
 * rule.
 */
#include "draw/picture.h"

#include "draw/escape.h"
#include "draw/fit.h"

static void put_dark_colors(struct ff_picture *picture)
{
    for (uint32_t color = 0; color < FF_COLOR_COUNT; color++) {
        struct ff_color row = ff_color_get(color);
        if (!picture->used[color])
            continue;
        ff_output_format(picture->output, ".ff .c%u{fill:#%06x}", (unsigned)color,
                         (unsigned)row.dark);
        if (row.white_ink)
            ff_output_format(picture->output, ".ff .b .c%u~text{fill:#f0f3f6}", (unsigned)color);
        ff_picture_put(picture, "\n");
    }
}

static void put_style(struct ff_picture *picture)
{
    ff_picture_put(picture,
                   "<style>\n"
                   ".ff .n{display:none}\n"
                   ".ff .b{cursor:pointer}\n"
                   ".ff .b:hover rect.f,.ff .b:focus rect.f{stroke:#000;stroke-width:2}\n"
                   ".ff .b:focus{outline:none}\n"
                   ".ff .above{opacity:.55}\n"
                   ".ff .match rect.f{fill:#f0f !important}\n"
                   ".ff .key{cursor:pointer}\n"
                   "@media screen and (prefers-color-scheme:dark){\n"
                   ".ff .page{fill:#14181d}.ff text{fill:#e4e8ec}.ff .quiet,.ff .quiet text"
                   "{fill:#a3adb8}\n"
                   ".ff .b text{fill:#0b0e11}.ff .i text{fill:#fff}\n"
                   ".ff .b:hover rect.f,.ff .b:focus rect.f{stroke:#fff}\n");
    put_dark_colors(picture);
    ff_output_format(picture->output,
                     "}\n@media (max-width:%upx){\n"
                     ".ff:not(.live) text{font-size:%dpx}.ff:not(.live) .title{font-size:%dpx}\n"
                     ".ff:not(.live) .w{display:none}.ff:not(.live) .n{display:inline}\n}\n"
                     "</style>\n",
                     (unsigned)(picture->width * 2 / 3), FF_FONT_NARROW, FF_TITLE_NARROW);
}

static struct ff_text title_of(const struct ff_picture *picture)
{
    return picture->options->title.size ? picture->options->title : FF_TEXT("Flame graph");
}

static void put_root(struct ff_picture *picture)
{
    ff_picture_put(picture,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ff\" version=\"1.1\"");
    ff_picture_pixels(picture, "width", picture->width);
    ff_picture_pixels(picture, "height", picture->height);
    ff_output_format(picture->output, " viewBox=\"0 0 %u %u\"", (unsigned)picture->width,
                     (unsigned)picture->height);
    ff_picture_pixels(picture, "data-inverted", picture->options->inverted);
    ff_picture_pixels(picture, "data-left-out", picture->layout.left_out);
    ff_picture_put(picture, ">\n<title>");
    ff_escape_text(picture->output, title_of(picture));
    ff_picture_put(picture, "</title>\n<desc>");
    ff_escape_text(picture->output, (struct ff_text){picture->facts.buffer, picture->facts.used});
    ff_picture_put(picture, "</desc>\n");
}

void ff_picture_head(struct ff_picture *picture)
{
    uint32_t y = 48;
    put_root(picture);
    put_style(picture);
    ff_picture_put(
        picture,
        "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" stroke=\"#000\" stroke-opacity=\".28\" "
        "stroke-width=\"2\"/></pattern></defs>\n<rect class=\"page\" width=\"100%\" "
        "height=\"100%\" fill=\"#fff\"/>\n<g font-family=\"" FF_SANS "\" fill=\"#14181d\">\n");
    ff_output_format(picture->output,
                     "<text class=\"title\" x=\"%d\" y=\"27\" font-size=\"%d\" "
                     "font-weight=\"600\">",
                     FF_MARGIN, FF_TITLE);
    ff_fit_line(picture->output, title_of(picture), picture->inner * 100 / FF_TITLE_NARROW);
    ff_output_format(picture->output,
                     "</text>\n<g class=\"quiet\" font-size=\"%d\" "
                     "fill=\"#4f5963\">\n",
                     FF_FONT);
    ff_picture_lines(picture, &picture->facts, y, true);
    y += picture->fact_lines * FF_LINE;
    if (picture->options->subtitle.size) {
        ff_output_format(picture->output, "<text x=\"%d\" y=\"%u\">", FF_MARGIN, (unsigned)y);
        ff_fit_line(picture->output, picture->options->subtitle,
                    picture->inner * 100 / FF_FONT_NARROW);
        ff_picture_put(picture, "</text>\n");
    }
    ff_picture_put(picture, "</g>\n</g>\n");
}
