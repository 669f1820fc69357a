/* SPDX-License-Identifier: MIT
 *
 * The words of speedscope files: what py-spy calls a profile, and units. No hard thing here.
 */
#include "read/speedscope_words.h"

#include "read/pyspy.h"

void ff_speedscope_name(struct ff_text text, uint32_t *pid, uint32_t *tid, struct ff_text *name)
{
    uint64_t number;
    struct ff_text rest = text;
    *name = text;
    *pid = *tid = 0;
    if (ff_text_starts(rest, FF_TEXT("Process "))) {
        rest = ff_text_from(rest, 8);
        if (!ff_text_decimal(ff_text_cut(&rest, ' '), &number) || number > UINT32_MAX)
            return;
        *pid = (uint32_t)number;
    }
    if (!ff_text_starts(rest, FF_TEXT("Thread ")))
        return;
    rest = ff_text_from(rest, 7);
    if (!ff_pyspy_tid_parse(ff_text_cut(&rest, ' '), tid))
        return;
    bool quoted = rest.size >= 2 && rest.at[0] == '"' && ff_text_ends(rest, FF_TEXT("\""));
    *name = quoted ? ff_text_slice(rest, 1, rest.size - 1) : rest.at ? rest : FF_TEXT("");
}

const char *ff_speedscope_unit(struct ff_text word, unsigned *digits)
{
    static const struct {
        const char *word;
        unsigned digits;
        const char *unit;
    } units[] = {{"seconds", 9, "ns"},
                 {"milliseconds", 6, "ns"},
                 {"microseconds", 3, "ns"},
                 {"nanoseconds", 0, "ns"},
                 {"bytes", 0, "bytes"}};
    *digits = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (ff_text_equal(word, ff_text(units[i].word))) {
            *digits = units[i].digits;
            return units[i].unit;
        }
    }
    return "samples";
}
