/* SPDX-License-Identifier: MIT
 *
 * The root element, the styles of both pages, and the lines on top. The hard thing: colours stand in
 * attributes for pages that forbid styles, so only what differs in the dark is a rule.
 */
#include "draw/picture.h"

#include "draw/escape.h"
#include "draw/number.h"

static void put_style(struct ff_picture *picture)
{
    ff_picture_put(picture,
                   "<style>\n"
                   ".ff .b{cursor:pointer}\n"
                   ".ff .b:hover rect.f,.ff .b:focus rect.f{stroke:#000;stroke-width:2}\n"
                   ".ff .b:focus{outline:none}\n"
                   ".ff .above{opacity:.55}\n"
                   ".ff .match rect.f{fill:#f0f !important}\n"
                   ".ff .key{cursor:pointer}\n"
                   "@media (prefers-color-scheme:dark){\n"
                   ".ff .page{fill:#14181d}.ff text{fill:#e4e8ec}.ff .quiet{fill:#98a2ad}\n"
                   ".ff .b text{fill:#101418}\n"
                   ".ff .b:hover rect.f,.ff .b:focus rect.f{stroke:#fff}\n");
    for (uint32_t color = 0; color < FF_COLOR_COUNT; color++) {
        struct ff_color row = ff_color_get(color);
        if (!picture->used[color])
            continue;
        ff_output_format(picture->output, ".ff .c%u{fill:#%06x}", (unsigned)color,
                         (unsigned)row.dark);
        if (row.white_ink)
            ff_output_format(picture->output, ".ff .b .c%u~text{fill:#e4e8ec}", (unsigned)color);
        ff_picture_put(picture, "\n");
    }
    ff_picture_put(picture, "}\n</style>\n");
}

static struct ff_text title_of(const struct ff_picture *picture)
{
    return picture->options->title.size ? picture->options->title : FF_TEXT("Flame graph");
}

/* " · 38.7 % WHAT", unless there is none. */
static void put_part(struct ff_picture *picture, uint64_t part, const char *what)
{
    if (!part)
        return;
    ff_picture_put(picture, " \xc2\xb7 ");
    ff_number_fixed(picture->output, ff_number_share(part, picture->tree->sample_count, 1000), 1);
    ff_picture_put(picture, what);
}

/* "1,234 samples of cpu-clock · 8 threads · a.perf.data": what a tooltip cannot tell. */
static void put_facts(struct ff_picture *picture)
{
    const struct ff_tree *tree = picture->tree;
    const struct ff_intern *names = &tree->names;
    ff_picture_amount(picture, tree->nodes[0].total);
    if (tree->event) {
        ff_picture_put(picture, " of ");
        ff_escape_fitting(picture->output, ff_intern_text(names, tree->event_name), 60);
    }
    if (tree->one == 1) {
        ff_picture_put(picture, " in ");
        ff_number_amount(picture->output, tree->sample_count, FF_COUNT_ONE);
        ff_picture_put(picture, " samples");
    }
    ff_picture_put(picture, " \xc2\xb7 ");
    ff_picture_number(picture, tree->thread_count);
    ff_picture_put(picture, tree->thread_count == 1 ? " thread" : " threads");
    if (tree->source) {
        ff_picture_put(picture, " \xc2\xb7 ");
        ff_escape_fitting(picture->output, ff_intern_text(names, tree->source_name), 60);
    }
    put_part(picture, tree->sample_count - tree->unwound_count - tree->stitched_count,
             " % of the stacks are cut");
    put_part(picture, tree->stitched_count, " % are stitched");
}

void ff_picture_head(struct ff_picture *picture)
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
    put_facts(picture);
    ff_picture_put(picture, "</desc>\n");
    put_style(picture);
    ff_picture_put(
        picture,
        "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" stroke=\"#000\" stroke-opacity=\".28\" "
        "stroke-width=\"2\"/></pattern></defs>\n<rect class=\"page\" width=\"100%\" "
        "height=\"100%\" fill=\"#fff\"/>\n"
        "<g font-family=\"system-ui,'Segoe UI',Helvetica,Arial,sans-serif\" fill=\"#14181d\">\n"
        "<text x=\"10\" y=\"27\" font-size=\"18\" font-weight=\"600\">");
    ff_escape_fitting(picture->output, title_of(picture), picture->inner / 12);
    ff_picture_put(
        picture,
        "</text>\n<text class=\"quiet\" x=\"10\" y=\"45\" font-size=\"12\" fill=\"#5b6570\">");
    put_facts(picture);
    ff_picture_put(picture, "</text>\n");
    if (picture->options->subtitle.size) {
        ff_picture_put(
            picture, "<text class=\"quiet\" x=\"10\" y=\"61\" font-size=\"12\" fill=\"#5b6570\">");
        ff_escape_fitting(picture->output, picture->options->subtitle, picture->inner / 7);
        ff_picture_put(picture, "</text>\n");
    }
    ff_picture_put(picture, "</g>\n");
}
