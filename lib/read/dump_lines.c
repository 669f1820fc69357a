/* SPDX-License-Identifier: MIT
 *
 * Lines of dumps, which were often copied from a terminal: escape sequences stand between the words.
 */
#include "read/dump_lines.h"
#include "read/pyspy.h"

static struct ff_text without_colours(struct ff_dump_lines *lines, struct ff_text line)
{
    if (ff_text_find(line, '\033') < 0)
        return line;
    lines->plain =
        ff_grow(lines->plain, &lines->plain_capacity, line.size, 1, &lines->profile->out_of_memory);
    if (lines->plain_capacity < line.size)
        return line;
    return (struct ff_text){lines->plain, ff_pyspy_strip_colours(line, lines->plain)};
}

enum ff_status ff_dump_lines_next(struct ff_dump_lines *lines, struct ff_text *line)
{
    uint64_t start = lines->input->offset;
    enum ff_status status = ff_input_line(lines->input, line, &lines->profile->error);
    if (status != FF_OK)
        return status;
    lines->open_end = lines->input->offset - start == line->size;
    lines->count++;
    *line = without_colours(lines, *line);
    return FF_OK;
}

void ff_dump_lines_bad(struct ff_dump_lines *lines)
{
    if (!lines->bad++)
        lines->first_bad = lines->input->line;
}

enum ff_status ff_dump_lines_finish(struct ff_dump_lines *lines, uint32_t source,
                                    enum ff_status status, const char *what)
{
    struct ff_profile *profile = lines->profile;
    ff_ledger_add(profile, source, FF_LEDGER_LINES, lines->count);
    ff_ledger_add(profile, source, FF_LEDGER_LINES_UNUSED, lines->unused);
    ff_ledger_add(profile, source, FF_LEDGER_LINES_BAD, lines->bad);
    ff_ledger_add(profile, source, FF_LEDGER_LINE_OPEN, lines->open_end);
    ff_free(lines->plain);
    if (status != FF_END)
        return status;
    status = ff_profile_status(profile);
    if (status == FF_OK && lines->bad)
        status = ff_error_set(&profile->error, FF_BAD_INPUT,
                              "%s: line %llu: found no part of %s; %llu of %llu lines are left out",
                              lines->input->name, (unsigned long long)lines->first_bad, what,
                              (unsigned long long)lines->bad, (unsigned long long)lines->count);
    return status;
}
