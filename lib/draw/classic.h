/* SPDX-License-Identifier: MIT
 *
 * The colours that flame graphs have had since 2011: formulas of the FlameGraph scripts, by name of the
 * palette and of the function. https://github.com/brendangregg/FlameGraph
 */
#ifndef FF_DRAW_CLASSIC_H
#define FF_DRAW_CLASSIC_H

#include "base/text.h"

#define FF_CLASSIC_TABLE(X)                                                                        \
    X(FF_CLASSIC_HOT, "hot")                                                                       \
    X(FF_CLASSIC_MEM, "mem")                                                                       \
    X(FF_CLASSIC_IO, "io")                                                                         \
    X(FF_CLASSIC_WAKEUP, "wakeup")                                                                 \
    X(FF_CLASSIC_CHAIN, "chain")                                                                   \
    X(FF_CLASSIC_JAVA, "java")                                                                     \
    X(FF_CLASSIC_JS, "js")                                                                         \
    X(FF_CLASSIC_PERL, "perl")                                                                     \
    X(FF_CLASSIC_RED, "red")                                                                       \
    X(FF_CLASSIC_GREEN, "green")                                                                   \
    X(FF_CLASSIC_BLUE, "blue")                                                                     \
    X(FF_CLASSIC_AQUA, "aqua")                                                                     \
    X(FF_CLASSIC_YELLOW, "yellow")                                                                 \
    X(FF_CLASSIC_PURPLE, "purple")                                                                 \
    X(FF_CLASSIC_ORANGE, "orange")

enum ff_classic {
#define X(name, word) name,
    FF_CLASSIC_TABLE(X)
#undef X
        FF_CLASSIC_COUNT
};

int ff_classic_parse(struct ff_text word); /* the constant, or -1 */

/* 0xrrggbb of a function. The name has its annotation (_[k], _[j], _[i], _[w]), by which some palettes
 * go. HASHED: by the first letters, so that related names have related colours; else by the sum of all
 * bytes, seeding the drand48 generator. */
uint32_t ff_classic_color(enum ff_classic palette, struct ff_text name, bool hashed);

/* Of a difference: red for more, blue for less, the stronger the nearer to MOST. */
uint32_t ff_classic_difference(double delta, double most);

#endif
