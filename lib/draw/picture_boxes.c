/* SPDX-License-Identifier: MIT
 *
 * One element for each box of the layout, with its tooltip, its text and what the script needs.
 * The hard thing is the text: it must fit whatever font shows it.
 */
#include "draw/picture.h"

#include "draw/escape.h"
#include "draw/number.h"

/* "name (1,234 samples, 12.34 %)": the tooltip, from which the script also takes the name. */
static void put_tooltip(struct ff_picture *picture, uint32_t n)
{
    const struct ff_tree *tree = picture->tree;
    ff_picture_put(picture, "<title>");
    ff_escape_text(picture->output, ff_node_name(tree, n));
    ff_picture_put(picture, " (");
    ff_picture_amount(picture, tree->nodes[n].total);
    ff_picture_put(picture, ", ");
    ff_number_fixed(picture->output,
                    ff_number_share(tree->nodes[n].total, tree->nodes[0].total, 10000), 2);
    ff_picture_put(picture, " %)</title>");
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
        ff_picture_color(picture,
                         ff_color_of_bucket(ff_intern_text(
                             &picture->tree->names, picture->tree->buckets[share->bucket].name)));
        ff_picture_put(picture, " x=\"");
        ff_number_fixed(picture->output, left, 2);
        ff_picture_put(picture, "%\" width=\"");
        ff_number_fixed(picture->output, right - left, 2);
        ff_picture_put(picture, "%\" y=\"14\" height=\"2\"/>");
    }
}

static void put_box(struct ff_picture *picture, const struct ff_box *box)
{
    const struct ff_tree *tree = picture->tree;
    const struct ff_node *node = &tree->nodes[box->node];
    uint32_t row =
        picture->options->inverted ? node->depth : picture->layout.row_count - 1 - node->depth;
    uint32_t columns =
        box->width > FF_PADDING * 200 ? (box->width - FF_PADDING * 200) / FF_COLUMN : 0;
    ff_picture_put(picture, "<svg class=\"b\"");
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
    put_tooltip(picture, box->node);
    uint32_t color = ff_legend_color(&picture->legend, tree, box->node);
    ff_output_format(picture->output, "<rect class=\"f c%u\" fill=\"#%06x\"", (unsigned)color,
                     (unsigned)ff_color_get(color).light);
    ff_picture_put(picture, " width=\"100%\" height=\"100%\" rx=\"2\"/>");
    if (node->how != FF_HOW_RECORDED) /* inferred: the pattern stands in the head */
        ff_picture_put(picture,
                       "<rect fill=\"url(#hatch)\" width=\"100%\" height=\"100%\" rx=\"2\"/>");
    if (picture->legend.mode == FF_COLOR_BUCKET && node->kind <= FF_NODE_ROOT && box->width > 2000)
        put_strip(picture, node);
    if (columns >= 3) {
        ff_picture_put(picture, "<text x=\"4\" y=\"12\">");
        ff_escape_fitting(picture->output, ff_node_name(tree, box->node), columns);
        ff_picture_put(picture, "</text>");
    }
    ff_picture_put(picture, "</svg>\n");
}

void ff_picture_boxes(struct ff_picture *picture)
{
    ff_picture_put(picture, "<g class=\"boxes\" font-family=\"" FF_MONOSPACE "\"");
    ff_output_format(picture->output, " font-size=\"%d\" fill=\"#101418\">\n", FF_FONT);
    for (uint32_t i = 0; i < picture->layout.count; i++)
        put_box(picture, &picture->layout.boxes[i]);
    ff_picture_put(picture, "</g>\n");
}
