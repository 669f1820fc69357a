/* SPDX-License-Identifier: MIT
 *
 * The call tree as a picture.
 */
#include "tool.h"

static const struct tool_option options[] = {
    {'t', "title", "TEXT", "title of the picture", tool_set_title},
    {0, "subtitle", "TEXT", "a line under the title", tool_set_subtitle},
    {0, "width", "PIXELS", "width of the picture (1200)", tool_set_width},
    {0, "inverted", NULL, "callers on top (icicle)", tool_set_inverted},
    {0, "color", "MODE", "colour boxes by bucket, kind or name (bucket)", tool_set_color},
    {0, "before", "FILE", "colour by the difference to this input", tool_set_before},
    {0, "palette", "NAME", "colours of flamegraph.pl: hot, mem, io, java, js, perl, red, ...",
     tool_set_palette},
    {0, "colors", "FILE", "your own colours, see ff-svg(1); with --compat=perl the palette's name",
     tool_set_colors},
    {0, "compat", "TOOL",
     "perl: draw folded text as flamegraph.pl does, with these options:", tool_set_picture_of},
    {0, "height", "PIXELS", "height of a row (16)", tool_set_height},
    {0, "minwidth", "WIDTH", "leave out narrower boxes, in pixels or with % of the total (0.1)",
     tool_set_min_width},
    {0, "fonttype", "FONT", "font (Verdana)", tool_set_font_type},
    {0, "fontsize", "PIXELS", "its size (12)", tool_set_font_size},
    {0, "fontwidth", "PART", "width of a letter in font sizes (0.59)", tool_set_font_width},
    {0, "countname", "TEXT", "what the counts are (samples)", tool_set_count_name},
    {0, "nametype", "TEXT", "what the names are (Function:)", tool_set_name_type},
    {0, "bgcolors", "COLOR", "background: yellow, blue, green, grey or #rrggbb",
     tool_set_background},
    {0, "hash", NULL, "related names get related colours", tool_set_hash},
    {0, "reverse", NULL, "merge stacks from the leaf on", tool_set_reverse},
    {0, "negate", NULL, "difference: blue for more, red for less", tool_set_negate},
    {0, "flamechart", NULL, "keep the order of the lines", tool_set_flame_chart},
    {0, "notes", "TEXT", "a comment in the file", tool_set_notes},
    {0, "total", "COUNT", "the whole, where it is more than the sum", tool_set_total},
    {0, "factor", "NUMBER", "multiply the shown counts", tool_set_factor},
    {0, "cp", NULL, "take colours from palette.map here, and write it", tool_set_palette_map},
    {0},
};

static const struct tool tool = {
    .name = "ff-svg",
    .summary = "Draws a profile as a flame graph: one SVG file that needs nothing else.",
    .arguments = "[FILE...]",
    .options = options,
    .shows_tree = true,
    .selects = true,
    .ends_pipe = true,
    .examples = "  ff-read perf.data | ff-symbolize | ff-classify | ff-svg > flame.svg\n"
                "  # from folded text of any maker\n"
                "  ff-svg --title \"before\" folded.txt -o before.svg\n"
                "  # as flamegraph.pl would draw it\n"
                "  ff-svg --compat=perl --colors java folded.txt > java.svg\n",
};

/* Lines to boxes, without a profile. */
static void draw_as_perl(struct tool_run *run)
{
    static const char *const standard_input[] = {"-"};
    struct flamefold_perl *perl = &run->perl;
    perl->title = run->view.title;
    perl->subtitle = run->view.subtitle;
    perl->width = run->view.width;
    perl->inverted = run->view.inverted;
    perl->palette = run->view.palette ? run->view.palette : run->view.colors;
    if (!tool_check_output(run, run->output))
        return;
    const char *const *files = run->file_count ? (const char *const *)run->files : standard_input;
    unsigned count = run->file_count ? (unsigned)run->file_count : 1;
    tool_step(run, flamefold_perl(run->flamefold, files, count, run->output, perl));
}

int main(int argc, char **argv)
{
    struct tool_run run;
    if (!tool_begin(&run, &tool, argc, argv))
        return tool_end(&run);
    if (run.picture_of) {
        draw_as_perl(&run);
        return tool_end(&run);
    }
    if (run.perl_only) {
        tool_mistake(&run, "without --compat=perl there is no option", run.perl_only);
        return tool_end(&run);
    }
    if (tool_read(&run)) {
        tool_note_source(&run);
        tool_step(&run, flamefold_svg(run.flamefold, run.output, &run.view));
    }
    return tool_end(&run);
}
