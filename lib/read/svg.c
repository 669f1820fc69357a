/* SPDX-License-Identifier: MIT
 *
 * Whose picture it is decides how it is read.
 */
#include "read/svg.h"

#include "read/format.h"

enum ff_status ff_svg_read(struct ff_profile *profile, struct ff_input *input, const char *name)
{
    struct ff_text head;
    enum ff_status status = ff_input_peek(input, FF_FORMAT_HEAD, &head, &profile->error);
    if (status != FF_OK)
        return status;
    if (ff_text_find_text(head, FF_TEXT(" class=\"ff\"")) >= 0)
        return ff_svg_packed_read(profile, input);
    return ff_svg_foreign_read(profile, input, name);
}
