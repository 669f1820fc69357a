/* SPDX-License-Identifier: MIT
 *
 * Many patterns against one name: which of the rules' patterns does a frame, or a thread's name, fit?
 *
 * A pattern is tried only on names that hold a piece of it: the whole name if it has no '*', else
 * four bytes of its longest piece between two stars, of the symbol or else of the module.
 */
#ifndef FF_CLASSIFY_INDEX_H
#define FF_CLASSIFY_INDEX_H

#include "classify/rules.h"

/* What a pattern sees of a frame. */
struct ff_look {
    uint8_t kind, how;
    struct ff_text module, symbol;
};

struct ff_index {
    const struct ff_rules *rules;
    struct ff_map map; /* by the hash of a key, to the first pattern that has it */
    uint64_t *keys;    /* by pattern */
    uint32_t *next;    /* by pattern: another one with this key */
    uint32_t *seen;    /* by pattern: the number of the question that met it last */
    uint32_t *found;
    uint32_t asked, always; /* patterns without a piece begin at `always` */
    uint8_t sizes[2];       /* bit n: pieces of n bytes, of symbols and of modules */
    bool failed;
};

/* False when memory is out; the index still must be released. RULES are borrowed. */
bool ff_index_init(struct ff_index *index, const struct ff_rules *rules);
void ff_index_release(struct ff_index *index);

/* The patterns that LOOK fits, *count of them; they live until the next question. */
const uint32_t *ff_index_find(struct ff_index *index, const struct ff_look *look, uint32_t *count);

#endif
