/* SPDX-License-Identifier: MIT
 *
 * From the terms of a rule to rows of rules.h. The hard thing is that a typo never becomes a pattern:
 * alternatives need a '|' between them, and what is left of a line must be a keyword.
 */
#include "classify/scan.h"
#include "profile/kinds.h"

static const struct {
    const char *word;
    enum ff_term_type type;
} term_words[] = {
    {"any", FF_TERM_ANY},
    {"leaf", FF_TERM_LEAF},
    {"user", FF_TERM_USER},
    {"root", FF_TERM_ROOT},
    {"innermost", FF_TERM_INNERMOST},
    {"outermost", FF_TERM_OUTERMOST},
    {"thread", FF_TERM_THREAD},
    {"comm", FF_TERM_COMM},
    {"name", FF_TERM_NAME},
    {"role", FF_TERM_ROLE},
    {"state", FF_TERM_STATE},
    {"how", FF_TERM_HOW},
    {"population", FF_TERM_POPULATION},
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
        if (term->type == FF_TERM_ROOT)
            return ff_scan_fail(scan, "the end of the term: nothing is outside of the root");
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

/* WORD { "|" WORD } of a closed vocabulary, as bits. */
static enum ff_status words(struct ff_scan *scan, int (*parse)(struct ff_text),
                            const char *expected, uint32_t *bits)
{
    for (;;) {
        int word = parse(scan->word.text);
        if (ff_scan_at_end(scan) || word < 0)
            return ff_scan_fail(scan, expected);
        *bits |= 1u << word;
        enum ff_status status = ff_scan_next(scan);
        if (status || !ff_scan_at(scan, "|"))
            return status;
        if ((status = ff_scan_next(scan)))
            return status;
    }
}

/* A path of one step: any frame that is known so. */
static enum ff_status how(struct ff_scan *scan, struct ff_term *term)
{
    struct ff_pattern pattern = {.kinds = UINT8_MAX, .any_module = true};
    enum ff_status status =
        words(scan, ff_how_parse, "how a frame is known (recorded, exact ...)", &pattern.hows);
    uint32_t first = scan->rules->member_count;
    if (status)
        return status;
    pattern.symbol = ff_scan_intern(scan, FF_TEXT("*"));
    ff_group_member(scan->rules, ff_pattern_add(scan->rules, pattern));
    term->type = FF_TERM_ANY;
    term->step_count = 1;
    term->steps[0].group = ff_group_close(scan->rules, first);
    return FF_OK;
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
        return words(scan, ff_state_parse, "a stack state (recorded, complete, not-unwound ...)",
                     &term->words);
    case FF_TERM_POPULATION:
        return words(scan, ff_population_parse, "a population (on-cpu, runnable, gil-held ...)",
                     &term->words);
    case FF_TERM_HOW:
        return how(scan, term);
    default:
        return path(scan, term);
    }
}

enum ff_status ff_scan_term(struct ff_scan *scan)
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
