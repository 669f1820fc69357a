/* SPDX-License-Identifier: MIT
 *
 * The few forms of markup that all parts of a picture are made of. Nothing is hard: whatever comes from
 * outside is escaped by the parts through draw/escape.h.
 */
#include "draw/picture.h"

#include "draw/escape.h"
#include "draw/number.h"

void ff_picture_put(struct ff_picture *picture, const char *markup)
{
    ff_output_string(picture->output, markup);
}

void ff_picture_number(struct ff_picture *picture, uint64_t value)
{
    ff_output_decimal(picture->output, value);
}

void ff_picture_pixels(struct ff_picture *picture, const char *name, uint64_t value)
{
    ff_output_format(picture->output, " %s=\"%llu\"", name, (unsigned long long)value);
}

void ff_picture_fixed(struct ff_picture *picture, const char *name, uint64_t value)
{
    ff_output_format(picture->output, " %s=\"", name);
    ff_number_fixed(picture->output, value, 2);
    ff_picture_put(picture, "\"");
}

void ff_picture_color(struct ff_picture *picture, uint32_t color)
{
    ff_output_format(picture->output, " class=\"c%u\" fill=\"#%06x\"", (unsigned)color,
                     (unsigned)ff_color_get(color).light);
}

void ff_picture_amount(struct ff_picture *picture, uint64_t amount)
{
    const struct ff_tree *tree = picture->tree;
    struct ff_text unit = ff_intern_text(&tree->names, tree->unit);
    if (amount == tree->one && ff_text_equal(unit, FF_TEXT("samples")))
        unit = FF_TEXT("sample");
    ff_number_amount(picture->output, amount, tree->one);
    ff_picture_put(picture, " ");
    ff_escape_text(picture->output, unit);
}
