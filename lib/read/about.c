/* SPDX-License-Identifier: MIT
 *
 * Words about an input into the fields of its source. The hard thing is who is right: what the user
 * tells of a file counts more than a log, and anything more than a guess from the name.
 */
#include "read/about.h"

#include "read/side.h"

static enum ff_status wrong(struct ff_error *error, struct ff_text word, const char *expected)
{
    return ff_error_set(error, FF_USAGE, "found '%.*s', expected %s", FF_TEXT_ARGS(word), expected);
}

/* py-spy's own words besides ours. */
static int population_of(struct ff_text word)
{
    if (ff_text_equal(word, FF_TEXT("gil")))
        return FF_POPULATION_GIL_HELD;
    if (ff_text_equal(word, FF_TEXT("idle")))
        return FF_POPULATION_ALL;
    return ff_population_parse(word);
}

static enum ff_status parse_pair(struct ff_text pair, struct ff_about *about,
                                 struct ff_error *error)
{
    struct ff_text value = pair;
    struct ff_text key = ff_text_cut(&value, '=');
    if (!value.at)
        return wrong(error, pair, "NAME=VALUE");
    if (ff_text_equal(key, FF_TEXT("population"))) {
        int population = population_of(value);
        if (population < 0)
            return wrong(error, value, "a population: gil, idle, runnable, on-cpu, all, blocked");
        about->population = (enum ff_population)population;
        about->has_population = true;
    } else if (ff_text_equal(key, FF_TEXT("rate"))) {
        about->has_rate = ff_text_decimal(value, &about->rate) && about->rate;
        return about->has_rate ? FF_OK : wrong(error, value, "samples a second");
    } else if (ff_text_equal(key, FF_TEXT("seconds"))) {
        about->has_duration =
            ff_side_scaled(value, 1000000000, &about->duration_ns) && about->duration_ns;
        return about->has_duration ? FF_OK : wrong(error, value, "seconds of the recording");
    } else if (ff_text_equal(key, FF_TEXT("errors"))) {
        about->has_errors = ff_text_decimal(value, &about->errors);
        return about->has_errors ? FF_OK : wrong(error, value, "a count of failed samples");
    } else {
        return wrong(error, key, "population, rate, seconds or errors");
    }
    return FF_OK;
}

enum ff_status ff_about_parse(struct ff_text text, struct ff_about *about, struct ff_error *error)
{
    *about = (struct ff_about){0};
    struct ff_text rest = text;
    struct ff_text word = ff_text_trim(ff_text_cut(&rest, ','));
    int tool = ff_tool_parse(word);
    if (tool != FF_TOOL_PY_SPY && tool != FF_TOOL_FOLDED)
        return wrong(error, word, "py-spy or folded");
    about->tool = (enum ff_tool)tool;
    while (rest.at) {
        enum ff_status status = parse_pair(ff_text_trim(ff_text_cut(&rest, ',')), about, error);
        if (status != FF_OK)
            return status;
    }
    return FF_OK;
}

void ff_about_apply(struct ff_profile *profile, uint32_t source, const struct ff_about *about,
                    bool over)
{
    struct ff_source *row = &profile->sources.at[source];
    bool guessed = row->population == FF_POPULATION_UNKNOWN ||
                   ff_ledger_count(profile, source, FF_LEDGER_POPULATION_GUESSED);
    if (about->has_population && (over || guessed)) {
        row->population = (uint8_t)about->population;
        ff_ledger_clear_source(profile, source, FF_LEDGER_POPULATION_GUESSED);
    }
    if (about->has_rate && (over || !row->rate))
        row->rate = about->rate;
    if (about->has_duration && (over || !row->duration_ns))
        row->duration_ns = about->duration_ns;
    if (about->has_errors && (over || !row->errors))
        row->errors = about->errors;
}

/* A value that one or several facts tell. */
struct told {
    uint64_t value;
    bool has, differs;
};

static struct told told_by(const struct ff_profile *profile, enum ff_tool tool, uint32_t subject,
                           const char *name)
{
    struct told told = {0};
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact *fact = &profile->facts.at[i];
        if (profile->sources.at[fact->source].tool != tool || fact->subject != subject ||
            !ff_text_equal(ff_profile_text(profile, fact->name), ff_text(name)))
            continue;
        uint64_t value = fact->text ? fact->text : fact->value;
        told.differs |= told.has && told.value != value;
        told.value = value;
        told.has = true;
    }
    return told;
}

static bool use(struct ff_profile *profile, uint32_t source, struct told told, uint64_t *value)
{
    if (told.differs)
        ff_ledger_add(profile, source, FF_LEDGER_TOLD_TWICE, 1);
    *value = told.value;
    return told.has && !told.differs;
}

static void settle_source(struct ff_profile *profile, uint32_t source, uint32_t name,
                          enum ff_tool tool)
{
    struct ff_about about = {0};
    uint64_t word = 0;
    about.has_rate =
        use(profile, source, told_by(profile, tool, name, "sampling-rate"), &about.rate);
    about.has_duration =
        use(profile, source, told_by(profile, tool, name, "sampling-time"), &about.duration_ns);
    about.has_errors =
        use(profile, source, told_by(profile, tool, name, "sampling-errors"), &about.errors);
    if (use(profile, source, told_by(profile, tool, name, "told-population"), &word)) {
        int population = population_of(ff_profile_text(profile, (uint32_t)word));
        about.has_population = population >= 0;
        about.population = population < 0 ? FF_POPULATION_UNKNOWN : (enum ff_population)population;
    }
    ff_about_apply(profile, source, &about, false);
}

/* A log that was cut names no file: then it is that of its own name. */
static uint32_t stem_of(struct ff_profile *profile, uint32_t name)
{
    struct ff_text text = ff_profile_text(profile, name);
    ptrdiff_t dot = ff_text_find_last(text, '.');
    return dot > 0 ? ff_profile_intern(profile, ff_text_slice(text, 0, (size_t)dot)) : name;
}

/* Whether a manifest or log may speak of it. */
static bool is_told_of(const struct ff_source *source)
{
    return source->tool == FF_TOOL_PY_SPY || source->tool == FF_TOOL_FOLDED;
}

/* A misspelt name in a manifest tells nothing of any input. */
static void count_unused(struct ff_profile *profile)
{
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact *fact = &profile->facts.at[i];
        bool found = profile->sources.at[fact->source].tool != FF_TOOL_MANIFEST ||
                     !ff_text_equal(ff_profile_text(profile, fact->name), FF_TEXT("told-tool"));
        for (uint32_t source = 1; source < profile->sources.count && !found; source++)
            found = is_told_of(&profile->sources.at[source]) &&
                    profile->sources.at[source].name == fact->subject;
        if (!found)
            ff_ledger_add(profile, fact->source, FF_LEDGER_TOLD_OF_NONE, 1);
    }
}

void ff_about_settle(struct ff_profile *profile)
{
    bool any = false;
    for (uint32_t i = 1; i < profile->sources.count && !any; i++)
        any = profile->sources.at[i].tool == FF_TOOL_MANIFEST ||
              profile->sources.at[i].tool == FF_TOOL_LOG;
    if (!any)
        return;
    ff_ledger_clear(profile, FF_LEDGER_TOLD_TWICE);
    ff_ledger_clear(profile, FF_LEDGER_TOLD_OF_NONE);
    count_unused(profile);
    for (uint32_t i = 1; i < profile->sources.count; i++) {
        if (!is_told_of(&profile->sources.at[i]))
            continue;
        uint32_t name = profile->sources.at[i].name;
        settle_source(profile, i, name, FF_TOOL_MANIFEST);
        settle_source(profile, i, name, FF_TOOL_LOG);
        settle_source(profile, i, stem_of(profile, name), FF_TOOL_LOG);
    }
}
