/* SPDX-License-Identifier: MIT
 *
 * The lines around the panels: room for what the pointer is on, how much of the tree is drawn, where
 * stacks are cut, and who drew it.
 */
#include "draw/picture.h"

#include "draw/escape.h"
#include "draw/fit.h"

/* Directly below the boxes. */
void ff_picture_notes(struct ff_picture *picture)
{
    ff_output_format(picture->output,
                     "<g class=\"quiet\" font-family=\"" FF_SANS "\" font-size=\"%d\" "
                     "fill=\"#4f5963\">\n<text class=\"quiet details\" x=\"%d\" y=\"%u\"></text>\n",
                     FF_FONT, FF_MARGIN, (unsigned)picture->bottom + 16);
    ff_picture_lines(picture, &picture->cuts, picture->bottom + 16 + FF_LINE, true);
    ff_picture_put(picture, "</g>\n");
}

void ff_picture_foot(struct ff_picture *picture)
{
    ff_output_format(
        picture->output,
        "<text class=\"quiet\" font-family=\"" FF_SANS "\" font-size=\"%d\" "
        "fill=\"#4f5963\" text-anchor=\"end\" x=\"%u\" y=\"%u\">flamefold " FF_VERSION "</text>\n",
        FF_FONT, (unsigned)(picture->width - FF_MARGIN), (unsigned)picture->height - 9);
}
