/* SPDX-License-Identifier: MIT
 *
 * From rule text to the tables of rules.h. The hard thing is that every mistake is told with its
 * column, and that a typo never becomes a pattern: alternatives need a '|' between them.
 */
#include "classify/scan.h"

static uint32_t bucket_find(const struct ff_rules *rules, struct ff_text name)
{
    uint32_t id = ff_intern_find(&rules->texts, name);
    for (uint32_t i = 1; id && i < rules->buckets.count; i++) {
        if (rules->buckets.at[i].name == id)
            return i;
    }
    return 0;
}

static uint32_t tag_find(const struct ff_rules *rules, struct ff_text key)
{
    uint32_t id = ff_intern_find(&rules->texts, key);
    for (uint32_t i = 1; id && i < rules->tags.count; i++) {
        if (rules->tags.at[i].name == id)
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

/* What a rule may remember of a stack: see program.h. */
static uint32_t bits_of(const struct ff_rules *rules, const struct ff_rule *row)
{
    uint32_t bits = 0;
    for (uint32_t i = row->first; i < rules->terms.count; i++) {
        const struct ff_term *term = &rules->terms.at[i];
        bits += term->type < FF_TERM_INNERMOST    ? term->step_count
                : term->type == FF_TERM_OUTERMOST ? 2
                                                  : 1;
    }
    return bits;
}

/* "+" KEY [":" VALUE], the colon of the rule taken off. */
static enum ff_status tag_head(struct ff_scan *scan, struct ff_text value, struct ff_rule *row)
{
    struct ff_text key = ff_text_cut(&value, ':');
    row->tag = tag_find(scan->rules, ff_text_from(key, 1));
    if (!row->tag)
        return ff_scan_fail(scan,
                            "'+' and a declared tag; add a line 'tag KEY \"DESCRIPTION\"' above");
    if (value.at && !value.size)
        return ff_scan_fail(scan, "a value between the two colons");
    if (ff_text_equal(value, FF_TEXT("SYMBOL")))
        row->value_from = FF_TAG_SYMBOL;
    else if (ff_text_equal(value, FF_TEXT("MODULE")))
        row->value_from = FF_TAG_MODULE;
    else if (value.size)
        row->value = ff_scan_intern(scan, value);
    return FF_OK;
}

/* "BUCKET:" or "+TAG:" */
static enum ff_status rule_head(struct ff_scan *scan, struct ff_rule *row)
{
    struct ff_text head = scan->word.text;
    if (scan->word.quoted || !ff_text_ends(head, FF_TEXT(":")))
        return ff_scan_fail(scan, "'set', 'bucket', 'tag', 'default', 'BUCKET:' or '+TAG:'");
    scan->word.text.size--;
    head.size--;
    if (head.size && head.at[0] == '+')
        return tag_head(scan, head, row);
    row->bucket = bucket_find(scan->rules, head);
    return row->bucket ? FF_OK
                       : ff_scan_fail(scan, "a declared bucket; add a line 'bucket NAME "
                                            "\"DESCRIPTION\"' above");
}

/* The value of a tag can be a frame only if the first term always names one. */
static bool has_value(const struct ff_rules *rules, const struct ff_rule *row)
{
    const struct ff_term *term = &rules->terms.at[row->first];
    return row->value_from == FF_TAG_TEXT || (!term->negated && term->type <= FF_TERM_OUTERMOST);
}

/* HEAD TERM { "," TERM } */
static enum ff_status rule(struct ff_scan *scan)
{
    struct ff_rules *rules = scan->rules;
    struct ff_rule row = {.first = rules->terms.count, .line = (uint32_t)scan->line};
    enum ff_status status = rule_head(scan, &row);
    if (status)
        return status;
    do {
        if ((status = ff_scan_next(scan)) || (status = ff_scan_term(scan)))
            return status;
        if (!rules->out_of_memory && !has_value(rules, &row))
            return ff_scan_fail(scan, "a first term that names a frame, for the tag's value");
    } while (ff_scan_at(scan, ","));
    if (!ff_scan_at_end(scan))
        return ff_scan_fail(scan, "'|', 'under', 'called by', ',' or the end of the line");
    if (bits_of(rules, &row) > FF_RULE_BITS)
        return ff_scan_fail(scan, "at most 62 steps and terms in one rule");
    row.term_count = rules->terms.count - row.first;
    row.file = ff_scan_intern(scan, ff_text(scan->name));
    row.text = ff_scan_intern(scan, ff_text_trim(scan->text));
    uint32_t id = FF_RULES_ADD(rules, rules);
    if (!rules->out_of_memory)
        rules->rules.at[id] = row;
    return FF_OK;
}

/* [DESCRIPTION], the first one stays. */
static enum ff_status description(struct ff_scan *scan, uint32_t *text)
{
    enum ff_status status = ff_scan_next(scan);
    if (status || ff_scan_at_end(scan))
        return status;
    if (!scan->word.quoted)
        return ff_scan_fail(scan, "a description in double quotes");
    if (!*text)
        *text = ff_scan_intern(scan, scan->word.text);
    if ((status = ff_scan_next(scan)))
        return status;
    return ff_scan_at_end(scan) ? FF_OK : ff_scan_fail(scan, "the end of the line");
}

/* "bucket" NAME ["DESCRIPTION"] */
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
    return description(scan, &rules->buckets.at[id].description);
}

/* "tag" KEY ["DESCRIPTION"] */
static enum ff_status tag(struct ff_scan *scan)
{
    struct ff_rules *rules = scan->rules;
    enum ff_status status = ff_scan_next(scan);
    if (status)
        return status;
    if (!is_name(scan->word.text))
        return ff_scan_fail(scan, "a key of tags, of a-z, 0-9 and _");
    uint32_t id = tag_find(rules, scan->word.text);
    if (!id) {
        id = FF_RULES_ADD(rules, tags);
        rules->tags.at[id].name = ff_scan_intern(scan, scan->word.text);
    }
    return description(scan, &rules->tags.at[id].description);
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
    scan->sets.at[scan->open_set] = (struct ff_set){.name = name, .line = (uint32_t)scan->line};
    if ((status = set_patterns(scan)))
        return status;
    ff_map_add(&scan->set_map, name, scan->open_set);
    return FF_OK;
}

/* "default": the built-in rules are tried here. */
static enum ff_status built_in(struct ff_scan *scan)
{
    enum ff_status status = ff_scan_next(scan);
    if (status)
        return status;
    if (!ff_scan_at_end(scan))
        return ff_scan_fail(scan, "the end of the line");
    if (scan->built_in)
        return ff_scan_fail(scan, "no 'default' inside of the built-in rules");
    struct ff_scan inner = {
        .rules = scan->rules, .name = "default.rules", .built_in = true, .tell = scan->tell};
    return ff_scan_lines(&inner, ff_rules_default());
}

static enum ff_status line(struct ff_scan *scan)
{
    static const struct {
        const char *word;
        enum ff_status (*read)(struct ff_scan *scan);
    } statements[] = {{"set", set}, {"bucket", bucket}, {"tag", tag}, {"default", built_in}};
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
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (ff_scan_at(scan, statements[i].word))
            return statements[i].read(scan);
    }
    return rule(scan);
}

/* What a line with a mistake has added is taken back; its rest is not read. */
static void tell(struct ff_scan *scan, uint32_t terms)
{
    ff_output_format(scan->tell, "%s\n", scan->rules->error.message);
    scan->rules->error = (struct ff_error){0};
    scan->rules->terms.count = terms;
    scan->mistakes++;
}

enum ff_status ff_scan_lines(struct ff_scan *scan, struct ff_text text)
{
    struct ff_rules *rules = scan->rules;
    enum ff_status status = FF_OK;
    FF_RULES_ADD_TO(scan, sets, rules->out_of_memory);
    while (text.size && !status && !rules->out_of_memory) {
        uint32_t terms = rules->terms.count;
        scan->text = ff_text_cut(&text, '\n');
        if (ff_text_ends(scan->text, FF_TEXT("\r")))
            scan->text.size--;
        scan->line++;
        status = line(scan);
        if (status == FF_BAD_INPUT && scan->tell) {
            tell(scan, terms);
            status = FF_OK;
        }
    }
    for (uint32_t i = 1; scan->tell && !scan->built_in && !scan->mistakes && i < scan->sets.count;
         i++) {
        const struct ff_set *row = &scan->sets.at[i];
        if (!row->used)
            ff_output_format(scan->tell, "note: %s: line %u: no rule uses the set '%.*s'\n",
                             scan->name, row->line, FF_TEXT_ARGS(ff_rules_text(rules, row->name)));
    }
    ff_free(scan->sets.at);
    ff_map_release(&scan->set_map);
    return status;
}

enum ff_status ff_rules_parse(struct ff_rules *rules, const char *name, struct ff_text text)
{
    struct ff_scan scan = {.rules = rules, .name = name};
    rules->error = (struct ff_error){0};
    enum ff_status status = ff_scan_lines(&scan, text);
    if (rules->out_of_memory || rules->texts.failed)
        return ff_error_set(&rules->error, FF_NO_MEMORY, "%s: out of memory", name);
    return status;
}
