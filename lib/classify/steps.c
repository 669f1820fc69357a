/* SPDX-License-Identifier: MIT
 *
 * Lists of steps, equal ones once: most sorts of frames do the same to the bits, or nothing. The hard
 * thing is what can be left out later: a step that only follows other bits does nothing to a word at rest.
 */
#include "classify/steps.h"

static bool same_list(const struct ff_steps *table, uint32_t id, const struct ff_step_list *list)
{
    const struct ff_step_list *row = &table->lists.at[id];
    if (row->middle - row->first != list->middle - list->first ||
        row->end - row->first != list->end - list->first)
        return false;
    for (uint32_t i = 0; i < list->end - list->first; i++) {
        const struct ff_step *a = &table->steps.at[row->first + i],
                             *b = &table->steps.at[list->first + i];
        if (a->word != b->word || a->clear != b->clear || a->set != b->set)
            return false;
    }
    return true;
}

static void add_step(struct ff_steps *table, struct ff_step step, uint64_t *hash)
{
    if (!step.clear && !step.set)
        return;
    uint32_t at = FF_RULES_ADD_TO(table, steps, table->failed);
    if (!table->failed)
        table->steps.at[at] = step;
    *hash = ff_hash_mix(ff_hash_mix(ff_hash_mix(*hash, step.word), step.clear), step.set);
}

/* Which bits of a word may be set although it is at rest. */
static uint64_t free_bits(const struct ff_program_word *word)
{
    uint64_t frames = word->begin | word->begin_root | (word->initial << 1 & word->follow);
    return frames | ~word->follow;
}

uint32_t ff_steps_take(struct ff_steps *table)
{
    const struct ff_program_word *words = table->program->words;
    struct ff_program_mask *scratch = table->scratch;
    struct ff_step_list list = {.first = table->steps.count};
    uint64_t hash = 0;
    for (uint32_t w = 0; w < table->program->word_count; w++) {
        struct ff_step step = {w, scratch[w].clear, scratch[w].set & free_bits(&words[w])};
        add_step(table, step, &hash);
    }
    list.middle = table->steps.count;
    for (uint32_t w = 0; w < table->program->word_count; w++) {
        add_step(table, (struct ff_step){w, 0, scratch[w].set & ~free_bits(&words[w])}, &hash);
        scratch[w] = (struct ff_program_mask){0};
    }
    list.end = table->steps.count;
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&table->map, hash, &probe); id;
         id = ff_map_next(&table->map, &probe)) {
        if (same_list(table, id, &list)) {
            table->steps.count = list.first;
            return id;
        }
    }
    if (list.first == list.end)
        return 0;
    uint32_t id = FF_RULES_ADD_TO(table, lists, table->failed);
    if (!table->failed)
        table->lists.at[id] = list;
    ff_map_add(&table->map, hash, id);
    table->failed |= table->map.failed;
    return id;
}

bool ff_steps_init(struct ff_steps *table, const struct ff_program *program)
{
    *table = (struct ff_steps){.program = program};
    table->scratch = ff_alloc(program->word_count, sizeof *table->scratch);
    FF_RULES_ADD_TO(table, lists, table->failed);
    return table->scratch && !table->failed;
}

void ff_steps_release(struct ff_steps *table)
{
    ff_map_release(&table->map);
    ff_free(table->steps.at);
    ff_free(table->lists.at);
    ff_free(table->scratch);
    *table = (struct ff_steps){0};
}
