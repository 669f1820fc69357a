/* SPDX-License-Identifier: MIT
 *
 * A laid-out tree to markup; no other file writes any. The hard thing: the picture must say all by
 * itself (in an img tag no script runs and no tooltip shows) and give the script what it needs.
 */
#include "draw/svg.h"

#include "draw/escape.h"
#include "draw/layout.h"
#include "draw/legend.h"
#include "draw/number.h"

extern const char ff_text_viewer_js[];
extern const unsigned long ff_text_viewer_js_size;

/* All lengths are in pixels. A column is a little wider than 0.6 em, the advance of the usual
 * monospace fonts, in 1/100 pixel. */
enum {
    MARGIN = 10,
    ROW = 17,
    BOX = 16,
    FONT = 11,
    COLUMN = 671,
    PADDING = 4,
    LEGEND_ROW = 17,
    FOOT = 40
};

#define MONOSPACE "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"

struct svg {
    struct ff_tree *tree;
    struct ff_output *output;
    const struct ff_svg_options *options;
    struct ff_layout layout;
    struct ff_legend legend;
    uint32_t width, inner; /* of the picture; between the margins */
    uint32_t legend_columns, legend_top, top, bottom, height;
    bool used[FF_COLOR_COUNT];
};

static void put(struct svg *svg, const char *markup)
{
    ff_output_string(svg->output, markup);
}

static void put_number(struct svg *svg, uint64_t value)
{
    ff_output_decimal(svg->output, value);
}

/* name="VALUE" for a value in pixels, and in 1/100 pixel. */
static void put_pixels(struct svg *svg, const char *name, uint64_t value)
{
    ff_output_format(svg->output, " %s=\"%llu\"", name, (unsigned long long)value);
}

static void put_fixed(struct svg *svg, const char *name, uint64_t value)
{
    ff_output_format(svg->output, " %s=\"", name);
    ff_number_fixed(svg->output, value, 2);
    put(svg, "\"");
}

/* class and fill: the class for the dark page, the fill for pages that forbid styles. */
static void put_color(struct svg *svg, uint32_t color)
{
    ff_output_format(svg->output, " class=\"c%u\" fill=\"#%06x\"", (unsigned)color,
                     (unsigned)ff_color_get(color).light);
}

static void measure(struct svg *svg)
{
    uint32_t widest = 0;
    for (uint32_t i = 0; i < svg->legend.count; i++) {
        size_t size = svg->legend.rows[i].name.size;
        if (size > widest)
            widest = size < 28 ? (uint32_t)size : 28;
    }
    svg->legend_columns = svg->inner / ((widest + 12) * COLUMN / 100);
    if (!svg->legend_columns)
        svg->legend_columns = 1;
    uint32_t legend_rows = (svg->legend.count + svg->legend_columns - 1) / svg->legend_columns;
    svg->legend_top = svg->options->subtitle.size ? 70 : 54;
    svg->top = svg->legend_top + 8;
    if (legend_rows)
        svg->top += 20 + legend_rows * LEGEND_ROW;
    svg->bottom = svg->top + svg->layout.row_count * ROW;
    svg->height = svg->bottom + FOOT;
}

static void mark_colors(struct svg *svg)
{
    for (uint32_t i = 0; i < svg->layout.count; i++)
        svg->used[ff_legend_color(&svg->legend, svg->tree, svg->layout.boxes[i].node)] = true;
    for (uint32_t i = 0; i < svg->legend.count; i++)
        svg->used[svg->legend.rows[i].color] = true;
}

static void put_style(struct svg *svg)
{
    put(svg, "<style>\n"
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
        if (!svg->used[color])
            continue;
        ff_output_format(svg->output, ".ff .c%u{fill:#%06x}", (unsigned)color, (unsigned)row.dark);
        if (row.white_ink)
            ff_output_format(svg->output, ".ff .b .c%u~text{fill:#e4e8ec}", (unsigned)color);
        put(svg, "\n");
    }
    put(svg, "}\n</style>\n");
}

/* "1,234 samples" */
static void put_amount(struct svg *svg, uint64_t amount)
{
    const struct ff_tree *tree = svg->tree;
    struct ff_text unit = ff_intern_text(&tree->names, tree->unit);
    if (amount == tree->one && ff_text_equal(unit, FF_TEXT("samples")))
        unit = FF_TEXT("sample");
    ff_number_amount(svg->output, amount, tree->one);
    put(svg, " ");
    ff_escape_text(svg->output, unit);
}

static struct ff_text title_of(const struct svg *svg)
{
    return svg->options->title.size ? svg->options->title : FF_TEXT("Flame graph");
}

/* " · 38.7 % WHAT", unless there is none. */
static void put_part(struct svg *svg, uint64_t part, const char *what)
{
    if (!part)
        return;
    put(svg, " \xc2\xb7 ");
    ff_number_fixed(svg->output, ff_number_share(part, svg->tree->sample_count, 1000), 1);
    put(svg, what);
}

/* "1,234 samples of cpu-clock · 8 threads · a.perf.data": what a tooltip cannot tell. */
static void put_facts(struct svg *svg)
{
    const struct ff_tree *tree = svg->tree;
    const struct ff_intern *names = &tree->names;
    put_amount(svg, tree->nodes[0].total);
    if (tree->event) {
        put(svg, " of ");
        ff_escape_fitting(svg->output, ff_intern_text(names, tree->event_name), 60);
    }
    if (tree->one == 1) {
        put(svg, " in ");
        ff_number_amount(svg->output, tree->sample_count, FF_COUNT_ONE);
        put(svg, " samples");
    }
    put(svg, " \xc2\xb7 ");
    put_number(svg, tree->thread_count);
    put(svg, tree->thread_count == 1 ? " thread" : " threads");
    if (tree->source) {
        put(svg, " \xc2\xb7 ");
        ff_escape_fitting(svg->output, ff_intern_text(names, tree->source_name), 60);
    }
    put_part(svg, tree->sample_count - tree->unwound_count - tree->stitched_count,
             " % of the stacks are cut");
    put_part(svg, tree->stitched_count, " % are stitched");
}

static void put_head(struct svg *svg)
{
    put(svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ff\" version=\"1.1\"");
    put_pixels(svg, "width", svg->width);
    put_pixels(svg, "height", svg->height);
    ff_output_format(svg->output, " viewBox=\"0 0 %u %u\"", (unsigned)svg->width,
                     (unsigned)svg->height);
    put_pixels(svg, "data-inverted", svg->options->inverted);
    put_pixels(svg, "data-left-out", svg->layout.left_out);
    put(svg, ">\n<title>");
    ff_escape_text(svg->output, title_of(svg));
    put(svg, "</title>\n<desc>");
    put_facts(svg);
    put(svg, "</desc>\n");
    put_style(svg);
    put(svg,
        "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" stroke=\"#000\" stroke-opacity=\".28\" "
        "stroke-width=\"2\"/></pattern></defs>\n<rect class=\"page\" width=\"100%\" "
        "height=\"100%\" fill=\"#fff\"/>\n"
        "<g font-family=\"system-ui,'Segoe UI',Helvetica,Arial,sans-serif\" fill=\"#14181d\">\n"
        "<text x=\"10\" y=\"27\" font-size=\"18\" font-weight=\"600\">");
    ff_escape_fitting(svg->output, title_of(svg), svg->inner / 12);
    put(svg, "</text>\n<text class=\"quiet\" x=\"10\" y=\"45\" font-size=\"12\" fill=\"#5b6570\">");
    put_facts(svg);
    put(svg, "</text>\n");
    if (svg->options->subtitle.size) {
        put(svg, "<text class=\"quiet\" x=\"10\" y=\"61\" font-size=\"12\" fill=\"#5b6570\">");
        ff_escape_fitting(svg->output, svg->options->subtitle, svg->inner / 7);
        put(svg, "</text>\n");
    }
    put(svg, "</g>\n");
}

/* One bar in which each colour has its share of the whole. */
static void put_bar(struct svg *svg)
{
    uint32_t tenths = 0;
    for (uint32_t i = 0; i < svg->legend.count; i++) {
        const struct ff_legend_row *row = &svg->legend.rows[i];
        uint64_t left = (uint64_t)tenths * svg->inner / 10;
        tenths += row->tenths;
        put(svg, "<rect");
        put_color(svg, row->color);
        put_fixed(svg, "x", MARGIN * 100 + left);
        put_pixels(svg, "y", svg->legend_top);
        put_fixed(svg, "width", (uint64_t)tenths * svg->inner / 10 - left);
        put(svg, " height=\"10\"/>\n");
    }
}

static void put_key(struct svg *svg, uint32_t i)
{
    const struct ff_legend_row *row = &svg->legend.rows[i];
    uint32_t column = i % svg->legend_columns, line = i / svg->legend_columns;
    uint32_t x = MARGIN + column * (svg->inner / svg->legend_columns);
    uint32_t y = svg->legend_top + 18 + line * LEGEND_ROW;
    ff_output_format(svg->output, "<g class=\"key\" data-color=\"c%u\"><rect",
                     (unsigned)row->color);
    put_color(svg, row->color);
    put_pixels(svg, "x", x);
    put_pixels(svg, "y", y);
    put(svg, " width=\"11\" height=\"11\" rx=\"2\"/><text");
    put_pixels(svg, "x", x + 16);
    put_pixels(svg, "y", y + 10);
    put(svg, ">");
    if (row->tenths) {
        ff_number_fixed(svg->output, row->tenths, 1);
        put(svg, " % ");
    } else {
        put(svg, "&lt;0.1 % ");
    }
    ff_escape_fitting(svg->output, row->name, 28);
    put(svg, "</text></g>\n");
}

static void put_legend(struct svg *svg)
{
    if (!svg->legend.count)
        return;
    put_bar(svg);
    ff_output_format(svg->output,
                     "<g font-family=\"" MONOSPACE "\" font-size=\"%d\" "
                     "fill=\"#14181d\">\n",
                     FONT);
    for (uint32_t i = 0; i < svg->legend.count; i++)
        put_key(svg, i);
    put(svg, "</g>\n");
}

/* "name (1,234 samples, 12.34 %)": the tooltip, from which the script also takes the name. */
static void put_tooltip(struct svg *svg, uint32_t n)
{
    const struct ff_tree *tree = svg->tree;
    put(svg, "<title>");
    ff_escape_text(svg->output, ff_node_name(tree, n));
    put(svg, " (");
    put_amount(svg, tree->nodes[n].total);
    put(svg, ", ");
    ff_number_fixed(svg->output, ff_number_share(tree->nodes[n].total, tree->nodes[0].total, 10000),
                    2);
    put(svg, " %)</title>");
}

/* Under a thread's name: what its samples are, as a thin bar that stretches with the box. */
static void put_strip(struct svg *svg, const struct ff_node *node)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < node->share_count; i++) {
        const struct ff_share *share = &svg->tree->shares[node->share_first + i];
        uint64_t left = ff_number_share(sum, node->total, 10000);
        sum += share->amount;
        uint64_t right = ff_number_share(sum, node->total, 10000);
        if (left == right)
            continue;
        put(svg, "<rect");
        put_color(svg, ff_color_of_bucket(ff_intern_text(&svg->tree->names,
                                                         svg->tree->buckets[share->bucket].name)));
        put(svg, " x=\"");
        ff_number_fixed(svg->output, left, 2);
        put(svg, "%\" width=\"");
        ff_number_fixed(svg->output, right - left, 2);
        put(svg, "%\" y=\"14\" height=\"2\"/>");
    }
}

static void put_box(struct svg *svg, const struct ff_box *box)
{
    const struct ff_tree *tree = svg->tree;
    const struct ff_node *node = &tree->nodes[box->node];
    uint32_t row = svg->options->inverted ? node->depth : svg->layout.row_count - 1 - node->depth;
    uint32_t columns = box->width > PADDING * 200 ? (box->width - PADDING * 200) / COLUMN : 0;
    put(svg, "<svg class=\"b\"");
    put_fixed(svg, "x", MARGIN * 100 + box->x);
    put_pixels(svg, "y", svg->top + row * ROW);
    /* Wide boxes leave a gap to their neighbour; narrow ones need every bit of their width. */
    put_fixed(svg, "width", box->width > 200 ? box->width - 50 : box->width);
    put_pixels(svg, "height", BOX);
    put_pixels(svg, "data-d", node->depth);
    put(svg, " data-s=\"");
    ff_number_data(svg->output, box->start, tree->one);
    put(svg, "\" data-n=\"");
    ff_number_data(svg->output, node->total, tree->one);
    put(svg, "\">");
    put_tooltip(svg, box->node);
    uint32_t color = ff_legend_color(&svg->legend, tree, box->node);
    ff_output_format(svg->output, "<rect class=\"f c%u\" fill=\"#%06x\"", (unsigned)color,
                     (unsigned)ff_color_get(color).light);
    put(svg, " width=\"100%\" height=\"100%\" rx=\"2\"/>");
    if (node->how != FF_HOW_RECORDED) /* inferred: the pattern stands in the head */
        put(svg, "<rect fill=\"url(#hatch)\" width=\"100%\" height=\"100%\" rx=\"2\"/>");
    if (svg->legend.mode == FF_COLOR_BUCKET && node->kind <= FF_NODE_ROOT && box->width > 2000)
        put_strip(svg, node);
    if (columns >= 3) {
        put(svg, "<text x=\"4\" y=\"12\">");
        ff_escape_fitting(svg->output, ff_node_name(tree, box->node), columns);
        put(svg, "</text>");
    }
    put(svg, "</svg>\n");
}

static void put_foot(struct svg *svg)
{
    ff_output_format(svg->output,
                     "<g class=\"quiet\" font-family=\"" MONOSPACE "\" font-size=\"%d\" "
                     "fill=\"#5b6570\">\n<text class=\"quiet details\" x=\"10\" y=\"%u\">",
                     FONT, (unsigned)svg->bottom + 16);
    if (!svg->tree->nodes[0].total)
        put(svg, "No samples.");
    put(svg, "</text>\n");
    ff_output_format(svg->output, "<text class=\"quiet\" x=\"10\" y=\"%u\">",
                     (unsigned)svg->bottom + 32);
    ff_number_grouped(svg->output, svg->layout.count);
    put(svg, " of ");
    ff_number_grouped(svg->output, svg->tree->node_count);
    put(svg, svg->layout.left_out ? " boxes are drawn, the largest ones.</text>\n</g>\n"
                                  : " boxes are drawn.</text>\n</g>\n");
}

static void put_picture(struct svg *svg)
{
    put_head(svg);
    put_legend(svg);
    ff_output_format(svg->output,
                     "<g class=\"boxes\" font-family=\"" MONOSPACE "\" "
                     "font-size=\"%d\" fill=\"#101418\">\n",
                     FONT);
    for (uint32_t i = 0; i < svg->layout.count; i++)
        put_box(svg, &svg->layout.boxes[i]);
    put(svg, "</g>\n");
    put_foot(svg);
    put(svg, "<script>");
    ff_escape_script(svg->output, (struct ff_text){ff_text_viewer_js, ff_text_viewer_js_size});
    put(svg, "</script>\n</svg>\n");
}

enum ff_status ff_svg_write(struct ff_tree *tree, struct ff_output *output,
                            const struct ff_svg_options *options)
{
    struct svg svg = {.tree = tree, .output = output, .options = options};
    svg.width = options->width ? options->width : 1200;
    if (svg.width < 300 || svg.width > 10000)
        return ff_error_set(&tree->error, FF_USAGE,
                            "a picture %lu pixels wide is not possible; use 300 to 10000",
                            (unsigned long)svg.width);
    svg.inner = svg.width - 2 * MARGIN;
    struct ff_layout_options layout = {.width = svg.inner * 100,
                                       .min_width = options->min_width ? options->min_width : 30};
    bool done = ff_layout_make(&svg.layout, tree, &layout) &&
                ff_legend_make(&svg.legend, tree, options->color);
    if (done) {
        measure(&svg);
        mark_colors(&svg);
        put_picture(&svg);
    }
    ff_layout_release(&svg.layout);
    ff_legend_release(&svg.legend);
    return done ? FF_OK : ff_error_set(&tree->error, FF_NO_MEMORY, "out of memory while drawing");
}
