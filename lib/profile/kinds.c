/* SPDX-License-Identifier: MIT
 *
 * Words of the closed vocabularies, both ways, generated from the tables in kinds.h.
 */
#include "profile/kinds.h"

static int word_index(const char *const *words, int count, struct ff_text word)
{
    for (int i = 0; i < count; i++) {
        if (ff_text_equal(ff_text(words[i]), word))
            return i;
    }
    return -1;
}

#define X(name, word) word,
#define VOCABULARY(type, noun, table, count)                                                       \
    static const char *const noun##_words[] = {table(X)};                                          \
    const char *ff_##noun##_word(enum type value)                                                  \
    {                                                                                              \
        return (unsigned)value < count ? noun##_words[value] : "?";                                \
    }                                                                                              \
    int ff_##noun##_parse(struct ff_text word)                                                     \
    {                                                                                              \
        return word_index(noun##_words, count, word);                                              \
    }

VOCABULARY(ff_tool, tool, FF_TOOL_TABLE, FF_TOOL_COUNT)
VOCABULARY(ff_population, population, FF_POPULATION_TABLE, FF_POPULATION_COUNT)
VOCABULARY(ff_module_kind, module, FF_MODULE_TABLE, FF_MODULE_COUNT)
VOCABULARY(ff_frame_kind, frame, FF_FRAME_TABLE, FF_FRAME_COUNT)
VOCABULARY(ff_how, how, FF_HOW_TABLE, FF_HOW_COUNT)
VOCABULARY(ff_entry_kind, entry, FF_ENTRY_TABLE, FF_ENTRY_COUNT)
VOCABULARY(ff_named, named, FF_NAMED_TABLE, FF_NAMED_COUNT)
VOCABULARY(ff_state, state, FF_STATE_TABLE, FF_STATE_COUNT)
