/* SPDX-License-Identifier: MIT
 *
 * Names into columns. The hard thing is that a name may be UTF-8: what is cut must stay whole.
 */
#include "report/cell.h"

void ff_cell_put(struct ff_output *output, struct ff_text text, size_t width, bool pad)
{
    size_t used = 0, at = 0;
    for (; at < text.size; at++) {
        unsigned char byte = (unsigned char)text.at[at];
        bool begins = (byte & 0xc0) != 0x80; /* not inside a UTF-8 sequence */
        if (begins && used == width)
            break;
        used += begins;
        ff_output_byte(output, byte < ' ' || byte == 0x7f ? '?' : (char)byte);
    }
    for (; pad && used < width; used++)
        ff_output_byte(output, ' ');
}
