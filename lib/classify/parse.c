/* SPDX-License-Identifier: MIT
 *
 * From rule text to the tables of rules.h. The hard thing is that every mistake is told with its
 * column, and that a typo never becomes a pattern: alternatives need a '|' between them.
 */
#include "classify/scan.h"
#include "profile/kinds.h"

static const struct {
    const char *word;
    enum ff_term_type type;
} term_words[] = {
    {"any", FF_TERM_ANY},       {"leaf", FF_TERM_LEAF},           {"user", FF_TERM_USER},
    {"root", FF_TERM_ROOT},     {"innermost", FF_TERM_INNERMOST}, {"outermost", FF_TERM_OUTERMOST},
    {"thread", FF_TERM_THREAD}, {"comm", FF_TERM_COMM},           {"name", FF_TERM_NAME},
    {"role", FF_TERM_ROLE},     {"state", FF_TERM_STATE},
};

/* FRAMES { ("under" | "called" "by") FRAMES } */
static enum ff_status path(struct ff_scan *scan, struct ff_term *term)
{
    bool direct = false;
    for (;;) {
        if (term->step_count == FF_TERM_STEPS)
            return ff_scan_fail(scan, "at most 8 steps in one path");
        struct ff_rule_step *step = &term->steps[term->step_count++];
        step->direct = direct;
        enum ff_status status = ff_scan_group(scan, false, &step->group);
        if (status)
            return status;
        direct = ff_scan_at(scan, "called");
        if (!direct && !ff_scan_at(scan, "under"))
            return FF_OK;
        if ((status = ff_scan_next(scan)))
            return status;
        if (!direct)
            continue;
        if (!ff_scan_at(scan, "by"))
            return ff_scan_fail(scan, "'by' after 'called'");
        if ((status = ff_scan_next(scan)))
            return status;
    }
}

/* ["not"] FRAMES "is" FRAMES */
static enum ff_status edge(struct ff_scan *scan, struct ff_term *term)
{
    enum ff_status status = FF_OK;
    term->step_count = 2;
    term->complement = ff_scan_at(scan, "not");
    if (term->complement && (status = ff_scan_next(scan)))
        return status;
    if ((status = ff_scan_group(scan, false, &term->steps[0].group)))
        return status;
    if (!ff_scan_at(scan, "is"))
        return ff_scan_fail(scan, "'is', or '|' between alternatives");
    if ((status = ff_scan_next(scan)))
        return status;
    return ff_scan_group(scan, false, &term->steps[1].group);
}

/* STATE { "|" STATE } */
static enum ff_status states(struct ff_scan *scan, struct ff_term *term)
{
    for (;;) {
        int state = ff_state_parse(scan->word.text);
        if (ff_scan_at_end(scan) || state < 0)
            return ff_scan_fail(scan,
                                "a stack state (recorded, complete, not-unwound, no-frames ...)");
        term->states |= 1u << state;
        enum ff_status status = ff_scan_next(scan);
        if (status || !ff_scan_at(scan, "|"))
            return status;
        if ((status = ff_scan_next(scan)))
            return status;
    }
}

static enum ff_status term_body(struct ff_scan *scan, struct ff_term *term)
{
    switch (term->type) {
    case FF_TERM_INNERMOST:
    case FF_TERM_OUTERMOST:
        return edge(scan, term);
    case FF_TERM_THREAD:
    case FF_TERM_COMM:
    case FF_TERM_NAME:
    case FF_TERM_ROLE:
        term->step_count = 1;
        return ff_scan_group(scan, true, &term->steps[0].group);
    case FF_TERM_STATE:
        return states(scan, term);
    default:
        return path(scan, term);
    }
}

/* ["not"] [TYPE] BODY; without a type word it is a path from any frame. */
static enum ff_status term(struct ff_scan *scan)
{
    struct ff_term row = {.type = FF_TERM_ANY};
    enum ff_status status = FF_OK;
    row.negated = ff_scan_at(scan, "not");
    if (row.negated && (status = ff_scan_next(scan)))
        return status;
    for (size_t i = 0; i < sizeof term_words / sizeof *term_words; i++) {
        if (!ff_scan_at(scan, term_words[i].word))
            continue;
        row.type = term_words[i].type;
        status = ff_scan_next(scan);
        break;
    }
    if (status || (status = term_body(scan, &row)))
        return status;
    uint32_t id = FF_RULES_ADD(scan->rules, terms);
    if (!scan->rules->out_of_memory)
        scan->rules->terms.at[id] = row;
    return FF_OK;
}

static uint32_t bucket_find(const struct ff_rules *rules, struct ff_text name)
{
    uint32_t id = ff_intern_find(&rules->texts, name);
    for (uint32_t i = 1; id && i < rules->buckets.count; i++) {
        if (rules->buckets.at[i].name == id)
            return i;
    }
    return 0;
}

static bool is_name(struct ff_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.at[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    return text.size > 0;
}

/* BUCKET: TERM { "," TERM } */
static enum ff_status rule(struct ff_scan *scan)
{
    struct ff_rules *rules = scan->rules;
    struct ff_rule row = {.first = rules->terms.count, .line = (uint32_t)scan->line};
    struct ff_word *word = &scan->word;
    if (word->quoted || !ff_text_ends(word->text, FF_TEXT(":")))
        return ff_scan_fail(scan, "'set', 'bucket' or 'BUCKET:'");
    word->text.size--;
    if (word->text.size && word->text.at[0] == '+')
        return ff_scan_fail(scan, "a bucket; tags are not known to this version");
    row.bucket = bucket_find(rules, word->text);
    if (!row.bucket)
        return ff_scan_fail(scan,
                            "a declared bucket; add a line 'bucket NAME \"DESCRIPTION\"' above");
    enum ff_status status;
    do {
        if ((status = ff_scan_next(scan)) || (status = term(scan)))
            return status;
    } while (ff_scan_at(scan, ","));
    if (!ff_scan_at_end(scan))
        return ff_scan_fail(scan, "'|', 'under', 'called by', ',' or the end of the line");
    row.term_count = rules->terms.count - row.first;
    row.file = ff_scan_intern(scan, ff_text(scan->name));
    row.text = ff_scan_intern(scan, ff_text_trim(scan->text));
    uint32_t id = FF_RULES_ADD(rules, rules);
    if (!rules->out_of_memory)
        rules->rules.at[id] = row;
    return FF_OK;
}

/* "bucket" NAME ["DESCRIPTION"]; the first description stays. */
static enum ff_status bucket(struct ff_scan *scan)
{
    struct ff_rules *rules = scan->rules;
    enum ff_status status = ff_scan_next(scan);
    if (status)
        return status;
    if (!is_name(scan->word.text))
        return ff_scan_fail(scan, "a bucket name of a-z, 0-9 and _");
    uint32_t id = bucket_find(rules, scan->word.text);
    if (!id) {
        id = FF_RULES_ADD(rules, buckets);
        rules->buckets.at[id].name = ff_scan_intern(scan, scan->word.text);
    }
    if ((status = ff_scan_next(scan)) || ff_scan_at_end(scan))
        return status;
    if (!scan->word.quoted)
        return ff_scan_fail(scan, "a description in double quotes");
    if (!rules->buckets.at[id].description)
        rules->buckets.at[id].description = ff_scan_intern(scan, scan->word.text);
    if ((status = ff_scan_next(scan)))
        return status;
    return ff_scan_at_end(scan) ? FF_OK : ff_scan_fail(scan, "the end of the line");
}

/* The patterns of a set, blank-separated, to the end of the line. */
static enum ff_status set_patterns(struct ff_scan *scan)
{
    struct ff_rules *rules = scan->rules;
    struct ff_set *set = &scan->sets.at[scan->open_set];
    uint32_t first = rules->member_count;
    struct ff_group before = rules->groups.at[set->group];
    for (uint32_t i = 0; i < before.count; i++)
        ff_group_member(rules, rules->members[before.first + i]);
    if (ff_scan_at_end(scan))
        return ff_scan_fail(scan, "a frame pattern or a set");
    while (!ff_scan_at_end(scan)) {
        enum ff_status status = FF_OK;
        if (ff_scan_at_keyword(scan))
            return ff_scan_fail(scan,
                                "a frame pattern (patterns of a set are separated by blanks)");
        if ((status = ff_scan_member(scan, first, false)) || (status = ff_scan_next(scan)))
            return status;
    }
    set->group = ff_group_close(rules, first);
    return FF_OK;
}

/* "set" NAME "=" PATTERN...; indented lines go on with it. */
static enum ff_status set(struct ff_scan *scan)
{
    enum ff_status status = ff_scan_next(scan);
    if (status)
        return status;
    if (!is_name(scan->word.text))
        return ff_scan_fail(scan, "a set name of a-z, 0-9 and _");
    if (ff_scan_set(scan, scan->word.text))
        return ff_scan_fail(scan, "a name that no set above has");
    uint32_t name = ff_scan_intern(scan, scan->word.text);
    if ((status = ff_scan_next(scan)))
        return status;
    if (!ff_scan_at(scan, "="))
        return ff_scan_fail(scan, "'=' after the name of the set");
    if ((status = ff_scan_next(scan)))
        return status;
    scan->open_set = FF_RULES_ADD_TO(scan, sets, scan->rules->out_of_memory);
    if (scan->rules->out_of_memory)
        return FF_NO_MEMORY;
    scan->sets.at[scan->open_set] = (struct ff_set){.name = name};
    if ((status = set_patterns(scan)))
        return status;
    ff_map_add(&scan->set_map, name, scan->open_set);
    return FF_OK;
}

static enum ff_status line(struct ff_scan *scan)
{
    bool indented = scan->text.size && ff_scan_is_blank(scan->text.at[0]);
    scan->at = 0;
    enum ff_status status = ff_scan_next(scan);
    if (status || ff_scan_at_end(scan))
        return status;
    if (indented && !scan->open_set)
        return ff_scan_fail(scan, "no blank before it: only a set goes on in the next line");
    if (indented)
        return set_patterns(scan);
    scan->open_set = 0;
    if (ff_scan_at(scan, "set"))
        return set(scan);
    return ff_scan_at(scan, "bucket") ? bucket(scan) : rule(scan);
}

enum ff_status ff_rules_parse(struct ff_rules *rules, const char *name, struct ff_text text)
{
    struct ff_scan scan = {.rules = rules, .name = name};
    enum ff_status status = FF_OK;
    rules->error = (struct ff_error){0};
    FF_RULES_ADD_TO(&scan, sets, rules->out_of_memory);
    while (text.size && !status && !rules->out_of_memory) {
        scan.text = ff_text_cut(&text, '\n');
        if (ff_text_ends(scan.text, FF_TEXT("\r")))
            scan.text.size--;
        scan.line++;
        status = line(&scan);
    }
    ff_free(scan.sets.at);
    ff_map_release(&scan.set_map);
    if (rules->out_of_memory || rules->texts.failed)
        return ff_error_set(&rules->error, FF_NO_MEMORY, "%s: out of memory", name);
    return status;
}
