/* SPDX-License-Identifier: MIT
 *
 * From pieces of names to patterns. The hard thing is choosing the piece: patterns share their first
 * bytes (cuLaunch*, at::native::*), so of a pattern's pieces the one is taken that the fewest
 * patterns before it have.
 */
#include "classify/index.h"

#define PIECE       4
#define CHAIN_LIMIT 8 /* longer chains are not told apart when a piece is chosen */

enum part { SYMBOL, MODULE };

static uint64_t whole_key(struct ff_text name)
{
    return ff_hash_bytes(name.at, name.size, 1) | 1;
}

static uint64_t piece_key(const char *at, size_t size, enum part part)
{
    uint32_t bytes = 0;
    memcpy(&bytes, at, size);
    return ff_hash_mix((uint64_t)part << 8 | size, bytes) << 1;
}

/* The first pattern of a key; 0: none. */
static uint32_t chain_of(const struct ff_index *index, uint64_t key)
{
    struct ff_probe probe;
    uint32_t id = ff_map_first(&index->map, key, &probe);
    while (id && index->keys[id] != key)
        id = ff_map_next(&index->map, &probe);
    return id;
}

static uint32_t chain_length(const struct ff_index *index, uint64_t key)
{
    uint32_t length = 0;
    for (uint32_t id = chain_of(index, key); id && length < CHAIN_LIMIT; id = index->next[id])
        length++;
    return length;
}

static void put(struct ff_index *index, uint32_t pattern, uint64_t key)
{
    uint32_t first = chain_of(index, key);
    index->keys[pattern] = key;
    if (first) {
        index->next[pattern] = index->next[first];
        index->next[first] = pattern;
    } else {
        ff_map_add(&index->map, key, pattern);
    }
}

/* The longest run without a star; the first one at a tie. */
static struct ff_text longest_run(struct ff_text glob)
{
    struct ff_text best = {NULL, 0};
    while (glob.at) {
        struct ff_text run = ff_text_cut(&glob, '*');
        if (run.size > best.size)
            best = run;
    }
    return best;
}

/* Puts the pattern under a piece of GLOB; false if that has none. */
static bool put_piece(struct ff_index *index, uint32_t pattern, struct ff_text glob, enum part part)
{
    struct ff_text run = longest_run(glob);
    size_t size = run.size < PIECE ? run.size : PIECE;
    uint32_t least = UINT32_MAX;
    uint64_t best = 0;
    for (size_t at = 0; size && at + size <= run.size; at++) {
        uint64_t key = piece_key(run.at + at, size, part);
        uint32_t length = chain_length(index, key);
        if (length < least) {
            least = length;
            best = key;
        }
    }
    if (!size)
        return false;
    index->sizes[part] |= (uint8_t)(1u << size);
    put(index, pattern, best);
    return true;
}

static void put_pattern(struct ff_index *index, uint32_t id)
{
    const struct ff_pattern *pattern = &index->rules->patterns.at[id];
    struct ff_text symbol = ff_rules_text(index->rules, pattern->symbol);
    struct ff_text module = ff_rules_text(index->rules, pattern->module);
    if (ff_text_find(symbol, '*') < 0) {
        put(index, id, whole_key(symbol));
    } else if (!put_piece(index, id, symbol, SYMBOL) &&
               (pattern->any_module || !put_piece(index, id, module, MODULE))) {
        index->next[id] = index->always;
        index->always = id;
    }
}

bool ff_index_init(struct ff_index *index, const struct ff_rules *rules)
{
    *index = (struct ff_index){.rules = rules};
    index->keys = ff_alloc(rules->patterns.count, sizeof *index->keys);
    index->next = ff_alloc(rules->patterns.count, sizeof *index->next);
    index->seen = ff_alloc(rules->patterns.count, sizeof *index->seen);
    index->found = ff_alloc(rules->patterns.count, sizeof *index->found);
    if (!index->keys || !index->next || !index->seen || !index->found)
        return false;
    for (uint32_t id = 1; id < rules->patterns.count; id++)
        put_pattern(index, id);
    return !index->map.failed;
}

void ff_index_release(struct ff_index *index)
{
    ff_map_release(&index->map);
    ff_free(index->keys);
    ff_free(index->next);
    ff_free(index->seen);
    ff_free(index->found);
    *index = (struct ff_index){0};
}

static bool fits(const struct ff_rules *rules, const struct ff_pattern *pattern,
                 const struct ff_look *look)
{
    return pattern->kinds >> look->kind & 1 && pattern->hows >> look->how & 1 &&
           ff_text_glob(look->symbol, ff_rules_text(rules, pattern->symbol)) &&
           (pattern->any_module ||
            ff_text_glob(look->module, ff_rules_text(rules, pattern->module)));
}

static void try_chain(struct ff_index *index, uint32_t id, const struct ff_look *look,
                      uint32_t *count)
{
    for (; id; id = index->next[id]) {
        if (index->seen[id] == index->asked)
            continue;
        index->seen[id] = index->asked;
        if (fits(index->rules, &index->rules->patterns.at[id], look))
            index->found[(*count)++] = id;
    }
}

static void try_pieces(struct ff_index *index, struct ff_text name, enum part part,
                       const struct ff_look *look, uint32_t *count)
{
    for (size_t size = 1; size <= PIECE; size++) {
        if (!(index->sizes[part] >> size & 1))
            continue;
        for (size_t at = 0; at + size <= name.size; at++)
            try_chain(index, chain_of(index, piece_key(name.at + at, size, part)), look, count);
    }
}

const uint32_t *ff_index_find(struct ff_index *index, const struct ff_look *look, uint32_t *count)
{
    *count = 0;
    index->asked++;
    try_chain(index, chain_of(index, whole_key(look->symbol)), look, count);
    try_pieces(index, look->symbol, SYMBOL, look, count);
    try_pieces(index, look->module, MODULE, look, count);
    try_chain(index, index->always, look, count);
    return index->found;
}
