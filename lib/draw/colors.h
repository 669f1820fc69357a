/* SPDX-License-Identifier: MIT
 *
 * Colours of the user's own: a file of rules that stand before the built-in ones.
 */
#ifndef FF_DRAW_COLORS_H
#define FF_DRAW_COLORS_H

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#define FF_COLORS_TABLE(X)                                                                         \
    X(FF_COLORS_BUCKET, "bucket")                                                                  \
    X(FF_COLORS_KIND, "kind")                                                                      \
    X(FF_COLORS_NAME, "name")

enum ff_colors_of {
#define X(name, word) name,
    FF_COLORS_TABLE(X)
#undef X
        FF_COLORS_OF_COUNT
};

struct ff_colors_rule {
    enum ff_colors_of of;
    struct ff_text glob; /* in the text that was parsed */
    uint32_t color;      /* 0xrrggbb */
};

/* All zero holds no rule. */
struct ff_colors {
    struct ff_colors_rule *rules; /* in the order of the file */
    uint32_t count, capacity;
};

/* Lines "bucket GLOB #rrggbb", "kind GLOB #rrggbb", "name GLOB #rrggbb"; empty ones and those that begin
 * with '#' say nothing. TEXT must live as long as COLORS. FF_BAD_INPUT names NAME and the line;
 * FF_NO_MEMORY. */
enum ff_status ff_colors_parse(struct ff_colors *colors, const char *name, struct ff_text text,
                               struct ff_error *error);
void ff_colors_release(struct ff_colors *colors);

/* The first rule that matches, NULL for none. COLORS may be NULL. */
const struct ff_colors_rule *ff_colors_find(const struct ff_colors *colors, enum ff_colors_of of,
                                            struct ff_text text);

#endif
