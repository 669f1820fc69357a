/* SPDX-License-Identifier: MIT
 *
 * One element for each box of the layout, with its tooltip, its text and what the script needs. The hard
 * thing is what a hostile profile can do to them: a name of a megabyte in every box.
 */
#include "draw/picture.h"

#include "draw/escape.h"
#include "draw/fit.h"
#include "draw/number.h"

/* Columns of a name in a tooltip: no page shows more. */
#define TOOLTIP 1000

/* "name (1,234 samples, 12.34 %)" */
static void put_tooltip(struct ff_picture *picture, uint32_t n)
{
    const struct ff_tree *tree = picture->tree;
    struct ff_output amount;
    struct ff_error ignored = {0};
    ff_output_memory(&amount);
    ff_picture_amount(tree, &amount, tree->nodes[n].total);
    ff_picture_put(picture, "<title>");
    struct ff_text name = ff_node_name(tree, n);
    if (name.size <= TOOLTIP || ff_fit_fits(name, TOOLTIP))
        ff_escape_text(picture->output, name);
    else
        ff_fit_name(picture->output, name, TOOLTIP);
    ff_picture_put(picture, " (");
    ff_escape_text(picture->output, (struct ff_text){amount.buffer, amount.used});
    ff_picture_put(picture, ", ");
    ff_number_fixed(picture->output,
                    ff_number_share(tree->nodes[n].total, tree->nodes[0].total, 10000), 2);
    ff_picture_put(picture, " %");
    if (picture->legend.difference.before) {
        ff_picture_put(picture, ", before ");
        ff_number_fixed(picture->output,
                        ff_number_share(picture->legend.difference.before[n],
                                        picture->legend.difference.whole, 10000),
                        2);
        ff_picture_put(picture, " %");
    }
    ff_picture_put(picture, ")</title>");
    ff_output_close(&amount, &ignored);
}

/* Under a thread's name: what its samples are, as a thin bar that stretches with the box. */
static void put_strip(struct ff_picture *picture, const struct ff_node *node)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < node->share_count; i++) {
        const struct ff_share *share = &picture->tree->shares[node->share_first + i];
        uint64_t left = ff_number_share(sum, node->total, 10000);
        sum += share->amount;
        uint64_t right = ff_number_share(sum, node->total, 10000);
        if (left == right)
            continue;
        ff_picture_put(picture, "<rect");
        ff_picture_color(picture, "",
                         ff_legend_bucket(&picture->legend, picture->tree, share->bucket));
        ff_picture_put(picture, " x=\"");
        ff_number_short(picture->output, left);
        ff_picture_put(picture, "%\" width=\"");
        ff_number_short(picture->output, right - left);
        ff_picture_put(picture, "%\" y=\"15\" height=\"3\"/>");
    }
}

static void put_frame(struct ff_picture *picture, const struct ff_box *box, uint32_t color)
{
    const struct ff_tree *tree = picture->tree;
    const struct ff_node *node = &tree->nodes[box->node];
    uint32_t row =
        picture->options->inverted ? node->depth : picture->layout.row_count - 1 - node->depth;
    bool white = ff_color_get(color).light_white_ink;
    ff_picture_put(picture, white ? "<svg class=\"b i\" fill=\"#fff\"" : "<svg class=\"b\"");
    ff_picture_fixed(picture, "x", FF_MARGIN * 100 + box->x);
    ff_picture_pixels(picture, "y", picture->top + row * FF_ROW);
    /* Wide boxes leave a gap to their neighbour; narrow ones need every bit of their width. */
    ff_picture_fixed(picture, "width", box->width > 200 ? box->width - 50 : box->width);
    ff_picture_pixels(picture, "height", FF_BOX);
    ff_picture_pixels(picture, "data-d", node->depth);
    ff_picture_put(picture, " data-s=\"");
    ff_number_data(picture->output, box->start, tree->one);
    ff_picture_put(picture, "\" data-n=\"");
    ff_number_data(picture->output, node->total, tree->one);
    ff_picture_put(picture, "\">");
}

static void put_box(struct ff_picture *picture, const struct ff_box *box)
{
    const struct ff_node *node = &picture->tree->nodes[box->node];
    uint32_t color = ff_legend_color(&picture->legend, picture->tree, box->node);
    put_frame(picture, box, color);
    put_tooltip(picture, box->node);
    ff_picture_put(picture, "<rect");
    ff_picture_color(picture, "f", color);
    ff_picture_put(picture, " width=\"100%\" height=\"100%\" rx=\"2\"/>");
    if (node->how != FF_HOW_RECORDED) /* inferred: the pattern stands in the head */
        ff_picture_put(picture,
                       "<rect fill=\"url(#hatch)\" width=\"100%\" height=\"100%\" rx=\"2\"/>");
    if (picture->legend.mode == FF_COLOR_BUCKET && !picture->legend.difference.before &&
        node->kind <= FF_NODE_ROOT && box->width > 2000)
        put_strip(picture, node);
    if (box->width > FF_PADDING * 200)
        ff_picture_name(picture, FF_PADDING, 13, ff_node_name(picture->tree, box->node),
                        box->width - FF_PADDING * 200);
    ff_picture_put(picture, "</svg>\n");
}

void ff_picture_boxes(struct ff_picture *picture)
{
    ff_picture_put(picture, "<g class=\"boxes\" font-family=\"" FF_MONOSPACE "\"");
    ff_output_format(picture->output, " font-size=\"%d\" fill=\"#0b0e11\">\n", FF_FONT);
    for (uint32_t i = 0; i < picture->layout.count; i++)
        put_box(picture, &picture->layout.boxes[i]);
    ff_picture_put(picture, "</g>\n");
}
