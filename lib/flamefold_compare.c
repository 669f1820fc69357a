/* SPDX-License-Identifier: MIT
 *
 * Which two inputs a picture compares where nobody has said it. Nothing is hard: the reader of folded text
 * names the two columns.
 */
#include "flamefold_handle.h"

void flamefold_compare_columns(const struct ff_profile *profile, struct flamefold_view *view)
{
    if (profile->sources.count != 3 || view->source || view->before)
        return;
    struct ff_text first = ff_profile_text(profile, profile->sources.at[1].name);
    struct ff_text second = ff_profile_text(profile, profile->sources.at[2].name);
    if (!ff_text_ends(first, FF_TEXT(":1")) || !ff_text_ends(second, FF_TEXT(":2")) ||
        !ff_text_equal(ff_text_slice(first, 0, first.size - 1),
                       ff_text_slice(second, 0, second.size - 1)))
        return;
    view->before = first.at;
    view->source = second.at;
}
