/* SPDX-License-Identifier: MIT
 *
 * Looking into a sample's tags, which are one text so that a sample row stays small and comparable.
 */
#include "profile/tags.h"

struct ff_text ff_tags_find(struct ff_text tags, struct ff_text key)
{
    while (tags.size) {
        struct ff_text word = ff_text_cut(&tags, ' '), rest = word;
        if (ff_text_equal(ff_text_cut(&rest, ':'), key))
            return word;
    }
    return FF_TEXT("");
}

bool ff_tags_match(struct ff_text tags, struct ff_text glob)
{
    while (tags.size) {
        if (ff_text_glob(ff_text_cut(&tags, ' '), glob))
            return true;
    }
    return false;
}
