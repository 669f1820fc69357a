/* SPDX-License-Identifier: MIT
 *
 * From a line of rule text to words and frame groups. The hard thing: a name may hold nearly every
 * character, so punctuation only counts where a blank sets it off.
 */
#include "classify/scan.h"
#include "profile/kinds.h"

#define GROUP_LIMIT 1024
#define ALL_KINDS   ((1u << FF_FRAME_COUNT) - 1)

enum ff_status ff_scan_fail(struct ff_scan *scan, const char *expected)
{
    struct ff_word *word = &scan->word;
    if (!word->text.size && !word->quoted)
        return ff_error_set(&scan->rules->error, FF_BAD_INPUT,
                            "%s: line %llu, column %zu: found the end of the line, expected %s",
                            scan->name, (unsigned long long)scan->line, word->column, expected);
    return ff_error_set(&scan->rules->error, FF_BAD_INPUT,
                        "%s: line %llu, column %zu: found '%.*s', expected %s", scan->name,
                        (unsigned long long)scan->line, word->column, FF_TEXT_ARGS(word->text),
                        expected);
}

bool ff_scan_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t word_end(struct ff_text line, size_t at)
{
    size_t end = at;
    while (end < line.size && !ff_scan_is_blank(line.at[end]))
        end++;
    /* A comma ends a term; inside a word, as in "f<a,b>", it belongs to the name. */
    return end > at + 1 && line.at[end - 1] == ',' ? end - 1 : end;
}

/* Goes to the next word. */
enum ff_status ff_scan_next(struct ff_scan *scan)
{
    struct ff_text line = scan->text;
    while (scan->at < line.size && ff_scan_is_blank(line.at[scan->at]))
        scan->at++;
    size_t start = scan->at;
    scan->word = (struct ff_word){{line.at + start, 0}, start + 1, false};
    if (start == line.size || line.at[start] == '#') {
        scan->at = line.size;
        return FF_OK;
    }
    if (line.at[start] != '"') {
        scan->at = word_end(line, start);
        scan->word.text = ff_text_slice(line, start, scan->at);
        return FF_OK;
    }
    ptrdiff_t end = ff_text_find(ff_text_from(line, start + 1), '"');
    scan->word.text = ff_text_from(line, start);
    if (end < 0)
        return ff_scan_fail(scan, "a closing '\"' on the same line");
    scan->word =
        (struct ff_word){ff_text_slice(line, start + 1, start + 1 + (size_t)end), start + 1, true};
    scan->at = start + (size_t)end + 2;
    return FF_OK;
}

bool ff_scan_at_end(const struct ff_scan *scan)
{
    return !scan->word.text.size && !scan->word.quoted;
}

bool ff_scan_at(const struct ff_scan *scan, const char *word)
{
    return !scan->word.quoted && ff_text_equal(scan->word.text, ff_text(word));
}

/* Whether the word is the punctuation or a keyword that can follow frames. */
bool ff_scan_at_keyword(const struct ff_scan *scan)
{
    static const char *const words[] = {",", "|", "under", "called", "by", "is", "not", ":"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ff_scan_at(scan, words[i]))
            return true;
    }
    return false;
}

uint32_t ff_scan_intern(struct ff_scan *scan, struct ff_text text)
{
    uint32_t id = ff_intern(&scan->rules->texts, text);
    scan->rules->out_of_memory |= scan->rules->texts.failed;
    return id;
}

/* [kind:][module!]symbol */
static struct ff_pattern frame_pattern(struct ff_scan *scan)
{
    struct ff_text text = scan->word.text;
    struct ff_pattern pattern = {.kinds = ALL_KINDS, .hows = UINT32_MAX, .any_module = true};
    ptrdiff_t colon = ff_text_find(text, ':');
    bool single = colon >= 0 && (size_t)colon + 1 < text.size && text.at[colon + 1] != ':';
    int kind = single ? ff_frame_parse(ff_text_slice(text, 0, (size_t)colon)) : -1;
    if (kind >= 0) {
        pattern.kinds = (uint8_t)(1u << kind);
        /* What was inlined is native code, too. */
        if (kind == FF_FRAME_NATIVE)
            pattern.kinds |= 1u << FF_FRAME_INLINED;
        text = ff_text_from(text, (size_t)colon + 1);
    }
    ptrdiff_t mark = ff_text_find(text, '!');
    if (mark >= 0) {
        pattern.any_module = false;
        pattern.module = ff_scan_intern(scan, ff_text_slice(text, 0, (size_t)mark));
        text = ff_text_from(text, (size_t)mark + 1);
    }
    pattern.symbol = ff_scan_intern(scan, text);
    return pattern;
}

uint32_t ff_scan_set(const struct ff_scan *scan, struct ff_text name)
{
    uint32_t id = ff_intern_find(&scan->rules->texts, name);
    struct ff_probe probe;
    for (uint32_t set = ff_map_first(&scan->set_map, id, &probe); set && id;
         set = ff_map_next(&scan->set_map, &probe)) {
        if (scan->sets.at[set].name == id)
            return set;
    }
    return 0;
}

/* Adds what the word stands for to the group that begins at member FIRST. */
enum ff_status ff_scan_member(struct ff_scan *scan, uint32_t first, bool plain)
{
    struct ff_rules *rules = scan->rules;
    struct ff_text text = scan->word.text;
    if (!scan->word.quoted && ff_text_find(text, '|') >= 0)
        return ff_scan_fail(scan, "blanks around '|' (a name with a '|' goes in double quotes)");
    if (!plain && !scan->word.quoted && text.size && text.at[0] == '$') {
        uint32_t set = ff_scan_set(scan, ff_text_from(text, 1));
        if (!set)
            return ff_scan_fail(scan,
                                "a set that was defined above; add a line 'set NAME = PATTERNS'");
        struct ff_group group = rules->groups.at[scan->sets.at[set].group];
        scan->sets.at[set].used = true;
        for (uint32_t i = 0; i < group.count; i++)
            ff_group_member(rules, rules->members[group.first + i]);
    } else {
        struct ff_pattern pattern = {.kinds = ALL_KINDS, .hows = UINT32_MAX, .any_module = true};
        if (plain)
            pattern.symbol = ff_scan_intern(scan, text);
        else
            pattern = frame_pattern(scan);
        ff_group_member(rules, ff_pattern_add(rules, pattern));
    }
    if (rules->member_count - first > GROUP_LIMIT)
        return ff_scan_fail(scan, "at most 1024 patterns in one group");
    return FF_OK;
}

/* WORD { "|" WORD }: frame patterns and sets, or PLAIN globs. */
enum ff_status ff_scan_group(struct ff_scan *scan, bool plain, uint32_t *group)
{
    uint32_t first = scan->rules->member_count;
    for (;;) {
        if (ff_scan_at_end(scan) || ff_scan_at_keyword(scan))
            return ff_scan_fail(scan, plain ? "a name" : "a frame pattern or a set");
        enum ff_status status = ff_scan_member(scan, first, plain);
        if (status || (status = ff_scan_next(scan)))
            return status;
        if (!ff_scan_at(scan, "|"))
            break;
        if ((status = ff_scan_next(scan)))
            return status;
    }
    *group = ff_group_close(scan->rules, first);
    return FF_OK;
}
