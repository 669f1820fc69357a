/* SPDX-License-Identifier: MIT
 *
 * Boxes to the markup that flamegraph.pl writes. The hard thing is the rounding: its numbers are doubles
 * that pass through text, so a width is the difference of two rounded places.
 */
#include "draw/perl.h"

#include <stdio.h>
#include <stdlib.h>

#include "draw/escape.h"
#include "draw/number.h"
#include "draw/perl_lines.h"

enum { PAD = 10 };

struct perl {
    const struct ff_perl_options *options;
    struct ff_perl_map *map;
    struct ff_output *output;
    struct ff_perl_lines lines;
    struct ff_perl_boxes boxes;
    double font_size, font_width, factor;
    double top, bottom, image_height; /* pads and all */
    double total, scale;              /* of the x axis; pixels of one count */
    uint32_t width, height;
};

static struct ff_text or_default(struct ff_text text, const char *word)
{
    return text.size ? text : ff_text(word);
}

static void put(struct perl *perl, const char *markup)
{
    ff_output_string(perl->output, markup);
}

/* As printf's "%.*f" has it: whatever is near a tie is left to printf. */
static void put_fixed(struct perl *perl, double value, unsigned digits)
{
    double scaled = value * (digits == 2 ? 100 : 10), cut = (double)(int64_t)scaled;
    double part = scaled - cut;
    if (!(value >= 0 && value < 1e9) || (part > 0.4999 && part < 0.5001)) {
        ff_output_format(perl->output, "%.*f", (int)digits, value);
        return;
    }
    ff_number_fixed(perl->output, (uint64_t)cut + (part > 0.5), digits);
}

/* As "%.15g" has it. */
static void put_plain(struct perl *perl, double value)
{
    if (value >= 0 && value < 1e15 && value == (double)(uint64_t)value)
        ff_output_decimal(perl->output, (uint64_t)value);
    else
        ff_output_format(perl->output, "%.15g", value);
}

static void put_text(struct perl *perl, const char *id, double x, double y, struct ff_text text,
                     const char *extra)
{
    ff_output_format(perl->output, "<text %s%s%s x=\"%.2f\" y=\"%.15g\" %s>", id ? "id=\"" : "",
                     id ? id : "", id ? "\"" : "", x, y, extra);
    ff_escape_text(perl->output, text);
    put(perl, "</text>\n");
}

/* What is left of a number that went through "%.1f". */
static double rounded(double value)
{
    char text[400];
    double scaled = value * 10, cut = (double)(int64_t)scaled, part = scaled - cut;
    if (value >= 0 && value < 1e9 && !(part > 0.4999 && part < 0.5001))
        return (cut + (part > 0.5)) / 10;
    snprintf(text, sizeof text, "%.1f", value);
    return strtod(text, NULL);
}

static void put_rectangle(struct perl *perl, double x1, double y1, double x2, double y2)
{
    put(perl, "<rect x=\"");
    put_fixed(perl, x1, 1);
    put(perl, "\" y=\"");
    put_plain(perl, y1);
    put(perl, "\" width=\"");
    put_fixed(perl, rounded(x2) - rounded(x1), 1);
    put(perl, "\" height=\"");
    put_fixed(perl, y2 - y1, 1);
    put(perl, "\" ");
}

/* Gradients of the background, and the palettes that have one of their own. */
static bool find_background(const struct ff_perl_options *options, char start[8], char stop[8])
{
    static const char *const known[][3] = {{"yellow", "#eeeeee", "#eeeeb0"},
                                           {"blue", "#eeeeee", "#e0e0ff"},
                                           {"green", "#eef2ee", "#e0ffe0"},
                                           {"grey", "#f8f8f8", "#e8e8e8"}};
    static const uint8_t by_palette[FF_CLASSIC_COUNT] = {
        [FF_CLASSIC_MEM] = 2,    [FF_CLASSIC_IO] = 1,     [FF_CLASSIC_WAKEUP] = 1,
        [FF_CLASSIC_CHAIN] = 1,  [FF_CLASSIC_RED] = 3,    [FF_CLASSIC_GREEN] = 3,
        [FF_CLASSIC_BLUE] = 3,   [FF_CLASSIC_AQUA] = 3,   [FF_CLASSIC_YELLOW] = 3,
        [FF_CLASSIC_PURPLE] = 3, [FF_CLASSIC_ORANGE] = 3,
    };
    struct ff_text wanted = or_default(options->background, known[by_palette[options->palette]][0]);
    uint64_t value;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!ff_text_equal(wanted, ff_text(known[i][0])))
            continue;
        memcpy(start, known[i][1], 8);
        memcpy(stop, known[i][2], 8);
        return true;
    }
    if (wanted.size != 7 || wanted.at[0] != '#' || !ff_text_hex(ff_text_from(wanted, 1), &value))
        return false;
    memcpy(start, wanted.at, 7);
    start[7] = '\0';
    memcpy(stop, start, 8);
    return true;
}

static void put_head(struct perl *perl)
{
    struct ff_output *output = perl->output;
    ff_output_format(output,
                     "<?xml version=\"1.0\" standalone=\"no\"?>\n<svg version=\"1.1\" width=\"%u\" "
                     "height=\"%.15g\" viewBox=\"0 0 %u %.15g\" "
                     "xmlns=\"http://www.w3.org/2000/svg\">\n",
                     (unsigned)perl->width, perl->image_height, (unsigned)perl->width,
                     perl->image_height);
    if (perl->options->notes.size) {
        put(perl, "<!-- NOTES: ");
        ff_escape_comment(output, perl->options->notes);
        put(perl, " -->\n");
    }
}

static struct ff_text title_of(const struct ff_perl_options *options)
{
    if (options->title.size)
        return options->title;
    if (options->flame_chart)
        return FF_TEXT("Flame Chart");
    return options->inverted ? FF_TEXT("Icicle Graph") : FF_TEXT("Flame Graph");
}

static void put_page(struct perl *perl)
{
    const struct ff_perl_options *options = perl->options;
    char start[8], stop[8];
    find_background(options, start, stop);
    ff_output_format(perl->output,
                     "<defs><linearGradient id=\"background\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\">"
                     "<stop stop-color=\"%s\" offset=\"5%%\"/><stop stop-color=\"%s\" "
                     "offset=\"95%%\"/></linearGradient></defs>\n<g font-family=\"",
                     start, stop);
    ff_escape_text(perl->output, or_default(options->font_type, "Verdana"));
    ff_output_format(perl->output, "\" font-size=\"%.15g\" fill=\"rgb(0,0,0)\">\n",
                     perl->font_size);
    put_rectangle(perl, 0, 0, perl->width, perl->image_height);
    put(perl, "fill=\"url(#background)\"/>\n");
    char large[64];
    snprintf(large, sizeof large, "text-anchor=\"middle\" font-size=\"%.15g\"",
             perl->font_size + 5);
    put_text(perl, "title", perl->width / 2, perl->font_size * 2, title_of(options), large);
    if (options->subtitle.size)
        put_text(perl, "subtitle", perl->width / 2, perl->font_size * 4, options->subtitle,
                 "text-anchor=\"middle\"");
}

static struct ff_text without_mark(struct ff_text name)
{
    static const char *const marks[] = {"_[k]", "_[w]", "_[i]", "_[j]"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (ff_text_ends(name, ff_text(marks[i])))
            return ff_text_slice(name, 0, name.size - 4);
    }
    return name;
}

/* "name (1,234 samples, 12.34%)" */
static void put_title(struct perl *perl, const struct ff_perl_box *box, bool is_root)
{
    struct ff_output *output = perl->output;
    char number[400] = "";
    double samples = (box->end - box->start) * perl->factor, whole = perl->total * perl->factor;
    if (!(samples >= 0 && samples < 1e15 && samples == (double)(uint64_t)samples)) {
        snprintf(number, sizeof number, "%.0f", samples);
        samples = strtod(number, NULL);
    }
    put(perl, "<title>");
    ff_escape_text(output, is_root ? FF_TEXT("all") : without_mark(box->name));
    put(perl, " (");
    if (samples >= 0 && samples < 1e18)
        ff_number_grouped(output, (uint64_t)samples);
    else
        put(perl, number);
    put(perl, " ");
    ff_escape_text(output, or_default(perl->options->count_name, "samples"));
    if (is_root) {
        put(perl, ", 100%)</title>");
        return;
    }
    put(perl, ", ");
    put_fixed(perl, 100 * samples / whole, 2);
    put(perl, "%");
    if (box->differs) {
        double delta = perl->options->negated ? 0 - box->delta : box->delta;
        ff_output_format(output, delta > 0 ? "; +%.2f%%" : "; %.2f%%", 100 * delta / whole);
    }
    put(perl, ")</title>");
}

static uint32_t color_of(struct perl *perl, const struct ff_perl_box *box)
{
    const struct ff_perl_options *options = perl->options;
    if (ff_text_equal(box->name, FF_TEXT("--")))
        return 0xa0a0a0;
    if (ff_text_equal(box->name, FF_TEXT("-")))
        return 0xc8c8c8;
    if (box->differs)
        return ff_classic_difference(options->negated ? -box->delta : box->delta, perl->lines.most);
    uint32_t color = ff_classic_color(options->palette, box->name, options->hashed);
    return perl->map ? ff_perl_map_color(perl->map, box->name, color) : color;
}

/* As many bytes as fit, the last two as dots; never a part of a character. */
static void put_name(struct perl *perl, const struct ff_perl_box *box, double x1, double x2,
                     double y)
{
    struct ff_text name = without_mark(box->name);
    double room = (x2 - x1) / (perl->font_size * perl->font_width);
    size_t columns = room < 1e9 ? (size_t)room : 1000000000;
    put(perl, "<text x=\"");
    put_fixed(perl, x1 + 3, 2);
    put(perl, "\" y=\"");
    put_plain(perl, y);
    put(perl, "\">");
    if (columns >= 3 && columns < name.size) {
        name.size = columns - 2;
        while (name.size && ((unsigned char)name.at[name.size] & 0xc0) == 0x80)
            name.size--;
        ff_escape_text(perl->output, name);
        put(perl, "..");
    } else if (columns >= 3) {
        ff_escape_text(perl->output, name);
    }
    put(perl, "</text>\n</g>\n");
}

static void put_box(struct perl *perl, const struct ff_perl_box *box)
{
    bool is_root = !box->name.size && !box->depth;
    struct ff_perl_box shown = *box;
    if (is_root)
        shown.end = perl->total;
    double x1 = PAD + shown.start * perl->scale, x2 = PAD + shown.end * perl->scale;
    double row = (double)box->depth * perl->height;
    double y1 = perl->image_height - perl->bottom - row - perl->height + 1;
    double y2 = perl->image_height - perl->bottom - row;
    if (perl->options->inverted) {
        y1 = perl->top + row;
        y2 = perl->top + row + perl->height - 1;
    }
    uint32_t color = color_of(perl, &shown);
    put(perl, "<g>\n");
    put_title(perl, &shown, is_root);
    put_rectangle(perl, x1, y1, x2, y2);
    put(perl, "fill=\"rgb(");
    ff_output_decimal(perl->output, color >> 16);
    put(perl, ",");
    ff_output_decimal(perl->output, color >> 8 & 255);
    put(perl, ",");
    ff_output_decimal(perl->output, color & 255);
    put(perl, ")\" rx=\"2\" ry=\"2\"/>\n");
    put_name(perl, &shown, x1, x2, 3 + (y1 + y2) / 2);
}

static void put_frames(struct perl *perl)
{
    perl->image_height = (double)(perl->boxes.depth + 1) * perl->height + perl->top + perl->bottom;
    if (perl->options->subtitle.size)
        perl->image_height += perl->font_size * 2;
    put_head(perl);
    put_page(perl);
    put(perl, "<g id=\"frames\">\n");
    for (uint32_t i = 0; i < perl->boxes.count; i++)
        put_box(perl, &perl->boxes.at[i]);
    put(perl, "</g>\n</g>\n</svg>\n");
}

/* For those who automate: a picture that says so. */
static void put_nothing(struct perl *perl)
{
    perl->image_height = perl->font_size * 5;
    put_head(perl);
    put_text(perl, NULL, perl->width / 2, perl->font_size * 2,
             FF_TEXT("ERROR: no stack with a count in the input."), "");
    put(perl, "</svg>\n");
}

static double least_of(const struct perl *perl)
{
    double least = perl->options->min_given ? perl->options->min_width : 0.1;
    if (perl->options->min_percent)
        return perl->total * least / 100;
    return least / perl->scale;
}

static enum ff_status draw(struct perl *perl, struct ff_error *error)
{
    if (!(perl->lines.total > 0)) {
        put_nothing(perl);
        return ff_error_set(error, FF_BAD_INPUT,
                            "found no stack with a count, expected lines 'frame;frame COUNT'");
    }
    perl->total =
        perl->options->total > perl->lines.total ? perl->options->total : perl->lines.total;
    perl->scale = (perl->width - 2.0 * PAD) / perl->total;
    ff_perl_boxes_make(&perl->boxes, &perl->lines, least_of(perl));
    if (!perl->boxes.failed)
        put_frames(perl);
    return FF_OK;
}

enum ff_status ff_perl_write(const struct ff_text *texts, uint32_t text_count,
                             const struct ff_perl_options *options, struct ff_perl_map *map,
                             struct ff_output *output, struct ff_perl_result *result,
                             struct ff_error *error)
{
    struct perl perl = {.options = options, .map = map, .output = output};
    char start[8], stop[8];
    *result = (struct ff_perl_result){0};
    perl.width = options->width ? options->width : 1200;
    perl.height = options->height ? options->height : 16;
    perl.font_size = options->font_size > 0 ? options->font_size : 12;
    perl.font_width = options->font_width > 0 ? options->font_width : 0.59;
    perl.factor = options->factor > 0 ? options->factor : 1;
    perl.top = perl.font_size * 3;
    perl.bottom = perl.font_size * 2 + PAD;
    if (!find_background(options, start, stop))
        return ff_error_set(error, FF_USAGE,
                            "'%.*s' is no background; expected yellow, blue, green, grey or "
                            "#rrggbb",
                            FF_TEXT_ARGS(options->background));
    ff_perl_lines_read(&perl.lines, texts, text_count, options, result);
    enum ff_status status = perl.lines.failed ? FF_OK : draw(&perl, error);
    result->boxes = perl.boxes.count;
    bool failed = perl.lines.failed || perl.boxes.failed || (map && map->failed);
    ff_free(perl.boxes.at);
    ff_perl_lines_release(&perl.lines);
    return failed ? ff_error_set(error, FF_NO_MEMORY, "out of memory while drawing") : status;
}
