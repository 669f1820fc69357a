/* SPDX-License-Identifier: MIT
 *
 * From the user's words to rows of the profile. The hard thing is choosing a main source that a
 * person would choose too, and the same one every time.
 */
#include "profile/select.h"
#include "profile/tags.h"

/* Samples of a source: whole ones, and those in complete stacks. */
struct source_sum {
    uint64_t all, complete;
};

static struct source_sum sum_source(const struct ff_profile *profile, uint32_t source)
{
    struct source_sum sum = {0, 0};
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (ff_sample_source(profile, sample) != source)
            continue;
        sum.all += sample->count;
        if (sample->state == FF_STATE_COMPLETE)
            sum.complete += sample->count;
    }
    return sum;
}

/* Time off the CPU stands beside the recording that it came from, not before it. */
static bool is_recording(const struct ff_source *source)
{
    return source->tool == FF_TOOL_PERF && source->population != FF_POPULATION_BLOCKED;
}

uint32_t ff_select_main_source(const struct ff_profile *profile)
{
    return ff_select_main_source_of(profile, 1, profile->sources.count);
}

uint32_t ff_select_main_source_of(const struct ff_profile *profile, uint32_t first, uint32_t end)
{
    uint32_t best = 0;
    struct source_sum most = {0, 0};
    for (uint32_t source = first; source < end; source++) {
        struct source_sum sum = sum_source(profile, source);
        bool perf = is_recording(&profile->sources.at[source]);
        bool best_perf = is_recording(&profile->sources.at[best]);
        bool better = sum.complete != most.complete ? sum.complete > most.complete
                      : perf != best_perf           ? perf
                                                    : sum.all > most.all;
        if (!best || better) {
            best = source;
            most = sum;
        }
    }
    return best;
}

uint32_t ff_select_main_event(const struct ff_profile *profile, uint32_t source)
{
    uint64_t most = 0;
    uint32_t best = 0;
    uint64_t *sums = ff_alloc(profile->events.count, sizeof *sums);
    for (uint32_t i = 1; sums && i < profile->samples.count; i++)
        sums[profile->samples.at[i].event] += profile->samples.at[i].count;
    for (uint32_t event = 1; event < profile->events.count; event++) {
        if (profile->events.at[event].source != source)
            continue;
        if (!best || (sums && sums[event] > most)) {
            best = event;
            most = sums ? sums[event] : 0;
        }
    }
    ff_free(sums);
    return best;
}

uint32_t ff_select_source(const struct ff_profile *profile, struct ff_text name)
{
    for (uint32_t source = 1; source < profile->sources.count; source++) {
        if (ff_text_equal(ff_profile_text(profile, profile->sources.at[source].name), name))
            return source;
    }
    return 0;
}

static bool event_matches(struct ff_text event, struct ff_text name)
{
    if (ff_text_glob(event, name))
        return true;
    return ff_text_starts(event, name) && event.at[name.size] == ':';
}

uint32_t ff_select_event(const struct ff_profile *profile, uint32_t source, struct ff_text name)
{
    for (uint32_t event = 1; event < profile->events.count; event++) {
        const struct ff_event *row = &profile->events.at[event];
        if (row->source == source && event_matches(ff_profile_text(profile, row->name), name))
            return event;
    }
    return 0;
}

static enum ff_status add_numbers(uint32_t *numbers, uint32_t *count, const char *option,
                                  const char *value, struct ff_error *error)
{
    struct ff_text rest = ff_text(value);
    while (rest.at) {
        uint64_t number;
        struct ff_text word = ff_text_cut(&rest, ',');
        if (!ff_text_decimal(word, &number) || number > UINT32_MAX)
            return ff_error_set(error, FF_USAGE, "--%s: '%.*s' is no number", option,
                                FF_TEXT_ARGS(word));
        if (*count == FF_SELECT_MAX)
            return ff_error_set(error, FF_USAGE, "--%s: more than %d values", option,
                                FF_SELECT_MAX);
        numbers[(*count)++] = (uint32_t)number;
    }
    return FF_OK;
}

static enum ff_status add_text(struct ff_text *texts, uint32_t *count, const char *option,
                               const char *value, struct ff_error *error)
{
    if (!*value)
        return ff_error_set(error, FF_USAGE, "--%s: the name is empty", option);
    if (*count == FF_SELECT_MAX)
        return ff_error_set(error, FF_USAGE, "--%s: more than %d values", option, FF_SELECT_MAX);
    texts[(*count)++] = ff_text(value);
    return FF_OK;
}

/* "51.25" with DIGITS decimals as an integer; true if the text is such a number. */
static bool parse_fixed(struct ff_text text, unsigned digits, uint64_t *value)
{
    struct ff_text fraction = text;
    struct ff_text whole = ff_text_cut(&fraction, '.');
    uint64_t sum = 0, part = 0;
    if (whole.size && !ff_text_decimal(whole, &sum))
        return false;
    if (!whole.size && !fraction.size)
        return false;
    if (fraction.size && !ff_text_decimal(ff_text_slice(fraction, 0, digits), &part))
        return false;
    for (size_t i = digits; i < fraction.size; i++) { /* beyond the precision, but digits */
        if (fraction.at[i] < '0' || fraction.at[i] > '9')
            return false;
    }
    for (size_t i = fraction.size < digits ? fraction.size : digits; i < digits; i++)
        part *= 10;
    for (unsigned i = 0; i < digits; i++) {
        if (sum > UINT64_MAX / 10)
            return false;
        sum *= 10;
    }
    *value = sum + part;
    return *value >= sum;
}

static enum ff_status add_window(struct ff_window *window, const char *value,
                                 struct ff_error *error)
{
    struct ff_text end = ff_text(value);
    struct ff_text start = ff_text_cut(&end, ',');
    bool percent = ff_text_ends(start, FF_TEXT("%")) || ff_text_ends(end, FF_TEXT("%"));
    bool fits = strchr(value, ',') != NULL;
    struct ff_text *bounds[] = {&start, &end};
    for (int i = 0; percent && i < 2; i++) {
        fits &= !bounds[i]->size || ff_text_ends(*bounds[i], FF_TEXT("%"));
        if (bounds[i]->size)
            bounds[i]->size--;
    }
    unsigned digits = percent ? 3 : 9;
    *window = (struct ff_window){true, percent, 0, UINT64_MAX};
    if (!fits || (start.size && !parse_fixed(start, digits, &window->start)) ||
        (end.size && !parse_fixed(end, digits, &window->end)) || window->start > window->end)
        return ff_error_set(error, FF_USAGE,
                            "--time: '%s' is no window; expected START,END in seconds or percent, "
                            "as in 51.5,52 or 10%%,20%%",
                            value);
    return FF_OK;
}

enum ff_status ff_selection_add(struct ff_selection *selection, const char *option,
                                const char *value, struct ff_error *error)
{
    struct ff_text name = ff_text(option);
    if (ff_text_equal(name, FF_TEXT("pid")))
        return add_numbers(selection->pids, &selection->pid_count, option, value, error);
    if (ff_text_equal(name, FF_TEXT("tid")))
        return add_numbers(selection->tids, &selection->tid_count, option, value, error);
    if (ff_text_equal(name, FF_TEXT("cpu")))
        return add_numbers(selection->cpus, &selection->cpu_count, option, value, error);
    if (ff_text_equal(name, FF_TEXT("comm")))
        return add_text(selection->comms, &selection->comm_count, option, value, error);
    if (ff_text_equal(name, FF_TEXT("thread")))
        return add_text(selection->threads, &selection->thread_count, option, value, error);
    if (ff_text_equal(name, FF_TEXT("event")))
        return add_text(selection->events, &selection->event_count, option, value, error);
    if (ff_text_equal(name, FF_TEXT("bucket")))
        return add_text(selection->buckets, &selection->bucket_count, option, value, error);
    if (ff_text_equal(name, FF_TEXT("tag")))
        return add_text(selection->tags, &selection->tag_count, option, value, error);
    if (ff_text_equal(name, FF_TEXT("time")))
        return add_window(&selection->window, value, error);
    return ff_error_set(error, FF_USAGE, "there is no selection by '%s'", option);
}

static bool has_number(const uint32_t *numbers, uint32_t count, uint32_t number)
{
    for (uint32_t i = 0; i < count; i++) {
        if (numbers[i] == number)
            return true;
    }
    return count == 0;
}

static bool has_text(const struct ff_text *globs, uint32_t count, struct ff_text text)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ff_text_glob(text, globs[i]))
            return true;
    }
    return count == 0;
}

static bool has_event(const struct ff_selection *selection, struct ff_text event)
{
    for (uint32_t i = 0; i < selection->event_count; i++) {
        if (event_matches(event, selection->events[i]))
            return true;
    }
    return selection->event_count == 0;
}

static bool has_tag(const struct ff_selection *selection, struct ff_text tags)
{
    for (uint32_t i = 0; i < selection->tag_count; i++) {
        if (ff_tags_match(tags, selection->tags[i]))
            return true;
    }
    return selection->tag_count == 0;
}

static bool is_selected(const struct ff_profile *profile, const struct ff_selection *selection,
                        const struct ff_sample *sample)
{
    const struct ff_thread *thread = &profile->threads.at[sample->thread];
    uint32_t pid = profile->processes.at[thread->process].pid;
    struct ff_text event = ff_profile_text(profile, profile->events.at[sample->event].name);
    struct ff_text label = ff_profile_text(profile, ff_thread_label(profile, sample->thread));
    return has_number(selection->pids, selection->pid_count, pid) &&
           has_number(selection->tids, selection->tid_count, thread->tid) &&
           has_text(selection->comms, selection->comm_count,
                    ff_profile_text(profile, thread->comm)) &&
           has_text(selection->threads, selection->thread_count, label) &&
           has_event(selection, event) &&
           has_text(selection->buckets, selection->bucket_count,
                    ff_profile_text(profile, sample->bucket)) &&
           has_tag(selection, ff_profile_text(profile, sample->tags));
}

enum ff_status ff_select(struct ff_profile *profile, const struct ff_selection *selection)
{
    /* Of what such a selection leaves, no share says anything about the rest. */
    if (selection->bucket_count || selection->tag_count)
        ff_ledger_add(profile, 0, FF_LEDGER_PART_SELECTED, 1);
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        struct ff_sample *sample = &profile->samples.at[i];
        if (is_selected(profile, selection, sample))
            continue;
        ff_ledger_add(profile, ff_sample_source(profile, sample), FF_LEDGER_NOT_SELECTED,
                      sample->count / FF_COUNT_ONE);
        sample->count = sample->weight = 0;
    }
    ff_sample_rebuild(profile);
    return ff_profile_status(profile);
}
