/* SPDX-License-Identifier: MIT
 *
 * The boxes of a flame graph that others drew, as text has them.
 */
#ifndef FF_READ_SVG_BOXES_H
#define FF_READ_SVG_BOXES_H

#include "base/memory.h"
#include "base/text.h"

struct ff_svg_box {
    struct ff_text name; /* as it stands in the file, escaped */
    uint64_t count;
    double x, width, y; /* x, width: exact counts (inferno), pixels or percent: all in one unit */
    uint32_t depth;     /* rows from the root's; set by the reader */
    uint32_t parent;    /* index; UINT32_MAX: none */
};

struct ff_svg_boxes {
    struct ff_svg_box *at;
    uint32_t count, capacity;
    struct ff_text unit; /* of the counts: "samples" */
    double slack;        /* differences of places below this one are rounding */
    bool failed;         /* memory is out */
};

/* Adds every "<title>NAME (COUNT UNIT, PERCENT%)</title><rect .../>" of TEXT. Names and unit are views. */
void ff_svg_boxes_find(struct ff_svg_boxes *boxes, struct ff_text text);

#endif
