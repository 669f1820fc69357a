/* SPDX-License-Identifier: MIT
 *
 * What py-spy and `perf record` print while they record, and manifests, into facts about the inputs
 * that they name.
 */
#include "read/about.h"
#include "read/side.h"

#define SECOND UINT64_C(1000000000)

static struct ff_text between(struct ff_text line, const char *before, const char *after)
{
    ptrdiff_t start = ff_text_find_text(line, ff_text(before));
    if (start < 0)
        return FF_TEXT("");
    struct ff_text rest = ff_text_from(line, (size_t)start + strlen(before));
    ptrdiff_t end = ff_text_find_text(rest, ff_text(after));
    return end < 0 ? FF_TEXT("") : ff_text_slice(rest, 0, (size_t)end);
}

static bool log_begins(struct ff_text line)
{
    return ff_text_starts(line, FF_TEXT("py-spy> Sampling process ")) ||
           ff_text_starts(line, FF_TEXT("py-spy> Wrote ")) ||
           ff_text_starts(line, FF_TEXT("[ perf record: "));
}

static void add_number(struct ff_side *side, const char *name, uint32_t subject,
                       struct ff_text text, uint64_t scale, const char *unit)
{
    uint64_t value;
    if (text.size && ff_side_scaled(text, scale, &value))
        ff_side_fact(side, 0, name, subject, value, unit);
}

static uint32_t subject_of_path(struct ff_side *side, struct ff_text path)
{
    return ff_profile_intern(side->profile, ff_text_base_name(path));
}

/* The lines above named no file: they spoke of this one. */
static void name_facts(struct ff_side *side, uint32_t subject)
{
    struct ff_profile *profile = side->profile;
    for (uint32_t i = side->owner; i && i < profile->facts.count; i++) {
        if (profile->facts.at[i].source == side->source && !profile->facts.at[i].subject)
            profile->facts.at[i].subject = subject;
    }
    side->owner = 0;
}

/* "py-spy> Wrote raw flamegraph data to 'spy.raw'. Samples: 766 Errors: 0" */
static void wrote_line(struct ff_side *side, struct ff_text line)
{
    uint32_t subject = subject_of_path(side, between(line, " to '", "'."));
    name_facts(side, subject);
    struct ff_text errors = FF_TEXT("");
    ptrdiff_t at = ff_text_find_text(line, FF_TEXT(" Errors: "));
    if (at >= 0)
        errors = ff_text_trim(ff_text_from(line, (size_t)at + 9));
    add_number(side, "samples-written", subject, between(line, "Samples: ", " "), 1, "samples");
    add_number(side, "sampling-errors", subject, errors, 1, "samples");
}

/* "py-spy> Sampling process 49 times a second for 5 seconds. Press Control-C to exit." */
static bool take_log(struct ff_side *side, struct ff_text line)
{
    if (!side->owner)
        side->owner = side->profile->facts.count;
    if (ff_text_starts(line, FF_TEXT("py-spy> Wrote "))) {
        wrote_line(side, line);
    } else if (ff_text_starts(line, FF_TEXT("py-spy> Sampling "))) {
        add_number(side, "sampling-rate", 0, between(line, "Sampling process ", " times"), 1, "Hz");
        add_number(side, "sampling-time", 0, between(line, " for ", " seconds"), SECOND, "ns");
    } else if (ff_text_find_text(line, FF_TEXT("s behind in sampling")) > 0) {
        add_number(side, "sampling-behind", 0, between(line, "py-spy> ", "s behind"), SECOND, "ns");
    } else if (ff_text_starts(line, FF_TEXT("[ perf record: Captured"))) {
        /* "[ perf record: Captured and wrote 0.518 MB fp.data (2355 samples) ]" */
        struct ff_text file = between(line, " MB ", " (");
        add_number(side, "samples-written", subject_of_path(side, file),
                   between(line, " (", " samples)"), 1, "samples");
    }
    return true;
}

/* The recorder was killed: the log's own name is left. */
static void end_log(struct ff_side *side)
{
    struct ff_text name = ff_text(side->name);
    ptrdiff_t dot = ff_text_find_last(name, '.');
    if (dot > 0)
        name.size = (size_t)dot;
    name_facts(side, ff_profile_intern(side->profile, name));
}

/* "spy-gil.raw=py-spy,population=gil,rate=49,seconds=8" */
static bool entry_parse(struct ff_text line, struct ff_text *file, struct ff_about *about)
{
    struct ff_error ignored = {0};
    struct ff_text rest = line;
    *file = ff_text_trim(ff_text_cut(&rest, '='));
    return rest.at && file->size && ff_about_parse(rest, about, &ignored) == FF_OK;
}

/* The tool is enough: a wrong word behind it is to be refused as that of a manifest. */
static bool manifest_begins(struct ff_text line)
{
    struct ff_text rest = line;
    struct ff_about about;
    struct ff_error ignored = {0};
    return ff_text_cut(&rest, '=').size &&
           ff_about_parse(ff_text_cut(&rest, ','), &about, &ignored) == FF_OK;
}

static bool take_entry(struct ff_side *side, struct ff_text line)
{
    struct ff_text file;
    struct ff_about about;
    if (line.at[0] == '#')
        return true;
    if (!entry_parse(line, &file, &about))
        return false;
    uint32_t subject = subject_of_path(side, file);
    ff_side_word(side, 0, "told-tool", subject, ff_text(ff_tool_word(about.tool)));
    if (about.has_population)
        ff_side_word(side, 0, "told-population", subject,
                     ff_text(ff_population_word(about.population)));
    if (about.has_rate)
        ff_side_fact(side, 0, "sampling-rate", subject, about.rate, "Hz");
    if (about.has_duration)
        ff_side_fact(side, 0, "sampling-time", subject, about.duration_ns, "ns");
    if (about.has_errors)
        ff_side_fact(side, 0, "sampling-errors", subject, about.errors, "samples");
    return true;
}

const struct ff_side_format ff_side_log = {FF_TOOL_LOG, log_begins, take_log, end_log};
const struct ff_side_format ff_side_manifest = {FF_TOOL_MANIFEST, manifest_begins, take_entry,
                                                NULL};
