/* SPDX-License-Identifier: MIT
 *
 * The lines below the boxes: room for what the pointer is on, and how much of the tree is drawn.
 */
#include "draw/picture.h"

#include "draw/number.h"

void ff_picture_foot(struct ff_picture *picture)
{
    ff_output_format(picture->output,
                     "<g class=\"quiet\" font-family=\"" FF_MONOSPACE "\" font-size=\"%d\" "
                     "fill=\"#5b6570\">\n<text class=\"quiet details\" x=\"10\" y=\"%u\">",
                     FF_FONT, (unsigned)picture->bottom + 16);
    if (!picture->tree->nodes[0].total)
        ff_picture_put(picture, "No samples.");
    ff_picture_put(picture, "</text>\n");
    ff_output_format(picture->output, "<text class=\"quiet\" x=\"10\" y=\"%u\">",
                     (unsigned)picture->bottom + 32);
    ff_number_grouped(picture->output, picture->layout.count);
    ff_picture_put(picture, " of ");
    ff_number_grouped(picture->output, picture->tree->node_count);
    ff_picture_put(picture, picture->layout.left_out
                                ? " boxes are drawn, the largest ones.</text>\n</g>\n"
                                : " boxes are drawn.</text>\n</g>\n");
}
