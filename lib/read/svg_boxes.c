/* SPDX-License-Identifier: MIT
 *
 * Markup to boxes. The hard thing is what differs between the writers: places are pixels with one decimal
 * (flamegraph.pl, async-profiler), percent (inferno, py-spy), or both and the exact counts beside them.
 */
#include "read/svg_boxes.h"

#include <stdlib.h>

/* The value of an attribute in the tag TAG; empty where it has none. */
static struct ff_text attribute(struct ff_text tag, const char *name)
{
    struct ff_text wanted = ff_text(name);
    for (ptrdiff_t at; (at = ff_text_find_text(tag, wanted)) >= 0;) {
        struct ff_text value = ff_text_from(tag, (size_t)at + wanted.size);
        if (at && (tag.at[at - 1] == ' ' || tag.at[at - 1] == '\n') &&
            ff_text_starts(value, FF_TEXT("=\""))) {
            value = ff_text_from(value, 2);
            return ff_text_cut(&value, '"');
        }
        tag = value;
    }
    return (struct ff_text){tag.at, 0};
}

static bool number_of(struct ff_text text, double *value)
{
    char digits[40], *end;
    if (!text.size || text.size >= sizeof digits)
        return false;
    memcpy(digits, text.at, text.size);
    digits[text.size] = '\0';
    *value = strtod(digits, &end);
    return end != digits && (!*end || strcmp(end, "%") == 0 || strcmp(end, "px") == 0) &&
           *value > -1e15 && *value < 1e15;
}

/* "1,234" */
static bool count_of(struct ff_text text, uint64_t *count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] == ',')
            continue;
        if (text.at[i] < '0' || text.at[i] > '9' || value > UINT64_MAX / 10 - 1)
            return false;
        value = value * 10 + (uint64_t)(text.at[i] - '0');
    }
    *count = value;
    return text.size > 0;
}

/* "NAME (1,234 samples, 12.34%)", maybe "; +1.00%" in it. */
static bool parse_title(struct ff_text title, struct ff_svg_box *box, struct ff_text *unit)
{
    static const struct ff_text opening = {" (", 2};
    ptrdiff_t last = -1;
    for (ptrdiff_t at, from = 0;
         (at = ff_text_find_text(ff_text_from(title, (size_t)from), opening)) >= 0; from = last + 2)
        last = from + at;
    if (last < 0 || !ff_text_ends(title, FF_TEXT("%)")))
        return false;
    struct ff_text rest = ff_text_from(title, (size_t)last + 2);
    box->name = ff_text_slice(title, 0, (size_t)last);
    struct ff_text count = ff_text_cut(&rest, ' ');
    ptrdiff_t comma = ff_text_find_last(rest, ',');
    if (comma < 0 || !count_of(count, &box->count))
        return false;
    *unit = ff_text_slice(rest, 0, (size_t)comma);
    return true;
}

/* The counts themselves, where they are told, else pixels or percent. */
static bool parse_place(struct ff_text tag, struct ff_svg_box *box, bool *exact)
{
    *exact = number_of(attribute(tag, "fg:x"), &box->x) &&
             number_of(attribute(tag, "fg:w"), &box->width);
    return number_of(attribute(tag, "y"), &box->y) &&
           (*exact || (number_of(attribute(tag, "x"), &box->x) &&
                       number_of(attribute(tag, "width"), &box->width)));
}

static void add(struct ff_svg_boxes *boxes, const struct ff_svg_box *box)
{
    boxes->at = ff_grow(boxes->at, &boxes->capacity, (uint64_t)boxes->count + 1, sizeof *boxes->at,
                        &boxes->failed);
    if (!boxes->failed)
        boxes->at[boxes->count++] = *box;
}

void ff_svg_boxes_find(struct ff_svg_boxes *boxes, struct ff_text text)
{
    static const struct ff_text start = {"<title>", 7}, end = {"</title>", 8};
    bool exact = true;
    for (ptrdiff_t at; (at = ff_text_find_text(text, start)) >= 0 && !boxes->failed;) {
        text = ff_text_from(text, (size_t)at + start.size);
        ptrdiff_t size = ff_text_find_text(text, end);
        if (size < 0)
            break;
        struct ff_svg_box box = {.parent = UINT32_MAX};
        struct ff_text title = ff_text_slice(text, 0, (size_t)size), unit;
        text = ff_text_from(text, (size_t)size + end.size);
        struct ff_text tag = ff_text_trim(ff_text_slice(text, 0, 1000));
        if (!ff_text_starts(tag, FF_TEXT("<rect ")) || !parse_title(title, &box, &unit))
            continue;
        bool told;
        if (!parse_place(ff_text_cut(&tag, '>'), &box, &told))
            continue;
        exact &= told;
        boxes->unit = unit;
        add(boxes, &box);
    }
    /* Pixels have one decimal; percent have four, of some thousand pixels. */
    boxes->slack = exact ? 0.5 : 0.15;
}
