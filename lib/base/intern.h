/* SPDX-License-Identifier: MIT
 *
 * Text to id, each text stored once. Id 0 is the empty text and always exists.
 */
#ifndef FF_BASE_INTERN_H
#define FF_BASE_INTERN_H

#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"

struct ff_intern {
    struct ff_text *texts; /* by id; bytes live in the arena and end in a NUL of their own */
    uint32_t count, capacity;
    struct ff_map map;
    struct ff_arena arena;
    bool failed; /* memory ran out; the ids given since may be 0 */
};

uint32_t ff_intern(struct ff_intern *intern, struct ff_text text);
uint32_t ff_intern_find(const struct ff_intern *intern, struct ff_text text); /* 0 when absent */
void ff_intern_release(struct ff_intern *intern);

/* The text of an id. Lives as long as the table; text.at[text.size] is NUL. An id that was never
 * given yields the empty text. */
static inline struct ff_text ff_intern_text(const struct ff_intern *intern, uint32_t id)
{
    return id && id < intern->count ? intern->texts[id] : FF_TEXT("");
}

#endif
