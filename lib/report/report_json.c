/* SPDX-License-Identifier: MIT
 *
 * The report as JSON. The hard thing: names are bytes and JSON is UTF-8, so a name that is not
 * UTF-8 has its other bytes replaced by '?'.
 */
#include "report/report_json.h"
#include "report/hottest.h"
#include "report/interval.h"
#include "report/report.h"

json_t *ff_json_text(const struct ff_profile *profile, uint32_t id)
{
    struct ff_text name = ff_profile_text(profile, id);
    json_t *string = json_stringn(name.at, name.size);
    if (string)
        return string;
    char *copy = ff_alloc(name.size, 1);
    for (size_t i = 0; copy && i < name.size; i++)
        copy[i] = (unsigned char)name.at[i] < 0x80 ? name.at[i] : '?';
    string = copy ? json_stringn(copy, name.size) : NULL;
    ff_free(copy);
    return string;
}

json_t *ff_json_number(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *samples(uint64_t count)
{
    return ff_json_number(ff_summary_samples(count));
}

static json_t *sources(const struct ff_profile *profile)
{
    json_t *list = json_array();
    for (uint32_t id = 1; id < profile->sources.count; id++) {
        const struct ff_source *row = &profile->sources.at[id];
        json_array_append_new(
            list,
            json_pack("{s:o, s:s, s:s, s:o, s:o, s:o}", "name", ff_json_text(profile, row->name),
                      "tool", ff_tool_word((enum ff_tool)row->tool), "population",
                      ff_population_word((enum ff_population)row->population), "rate",
                      ff_json_number(row->rate), "start_ns", ff_json_number(row->start_ns),
                      "end_ns", ff_json_number(row->end_ns)));
    }
    return list;
}

static json_t *ledger(struct ff_profile *profile)
{
    uint32_t count;
    uint32_t *ids = ff_summary_ledger(profile, &count);
    json_t *list = json_array();
    for (uint32_t i = 0; ids && i < count; i++) {
        const struct ff_ledger_entry *row = &profile->ledger.at[ids[i]];
        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:o, s:o, s:o}", "grade",
                                        ff_grade_word((enum ff_grade)row->grade), "source",
                                        (int)row->source - 1, "count", ff_json_number(row->count),
                                        "unit", ff_json_text(profile, row->unit), "name",
                                        ff_json_text(profile, row->name)));
    }
    ff_free(ids);
    return list;
}

static json_t *states(const struct ff_summary *summary)
{
    json_t *object = json_object();
    for (unsigned i = 0; i < FF_STATE_COUNT; i++)
        json_object_set_new(object, ff_state_word((enum ff_state)i), samples(summary->states[i]));
    return object;
}

static json_t *stacks(const struct ff_hottest *hottest, uint32_t bucket)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < FF_HOTTEST_STACKS; i++) {
        const struct ff_hottest_stack *row =
            &hottest->stacks[(size_t)bucket * FF_HOTTEST_STACKS + i];
        if (row->count)
            json_array_append_new(list, json_pack("{s:o, s:o}", "stack",
                                                  ff_json_text(hottest->profile, row->text),
                                                  "samples", samples(row->count)));
    }
    return list;
}

static json_t *buckets(const struct ff_summary *summary, const struct ff_rules *rules,
                       const struct ff_hottest *hottest)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < summary->bucket_count; i++) {
        const struct ff_summary_bucket *row = &summary->buckets[i];
        struct ff_interval interval = ff_summary_interval(summary, i);
        struct ff_text meaning = FF_TEXT("");
        if (rules)
            meaning = ff_rules_description(rules, ff_profile_text(summary->profile, row->name));
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:i, s:i, s:i, s:s%, s:o}", "name",
                                        ff_json_text(summary->profile, row->name), "samples",
                                        samples(row->count), "permille",
                                        (int)ff_summary_permille(row->count, summary->total), "low",
                                        (int)interval.low, "high", (int)interval.high, "meaning",
                                        meaning.at, meaning.size, "stacks", stacks(hottest, i)));
    }
    return list;
}

/* Samples by bucket name, without zeros. */
static json_t *thread_buckets(const struct ff_summary *summary, uint32_t thread)
{
    json_t *object = json_object();
    for (uint32_t b = 0; b < summary->bucket_count; b++) {
        struct ff_text name = ff_profile_text(summary->profile, summary->buckets[b].name);
        uint64_t count = ff_summary_cell(summary, thread, b);
        if (count)
            json_object_set_new(object, name.at, samples(count));
    }
    return object;
}

/* What top or pidstat said; null where they did not. */
static json_t *cpu(const struct ff_profile *profile, uint32_t tid)
{
    uint32_t share;
    return ff_evidence_cpu_share(profile, tid, &share) ? json_integer(share) : json_null();
}

static json_t *threads(const struct ff_summary *summary)
{
    const struct ff_profile *profile = summary->profile;
    json_t *list = json_array();
    for (uint32_t i = 0; i < summary->thread_count; i++) {
        const struct ff_thread *row = &profile->threads.at[summary->threads[i].thread];
        json_array_append_new(
            list,
            json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "pid",
                      (json_int_t)profile->processes.at[row->process].pid, "tid",
                      (json_int_t)row->tid, "comm", ff_json_text(profile, row->comm), "name",
                      ff_json_text(profile, row->name), "role", ff_json_text(profile, row->role),
                      "samples", samples(summary->threads[i].count), "buckets",
                      thread_buckets(summary, i), "cpu_permille", cpu(profile, row->tid)));
    }
    return list;
}

static int put(const char *bytes, size_t size, void *output)
{
    ff_output_text(output, (struct ff_text){bytes, size});
    return 0;
}

static json_t *whole_report(struct ff_profile *profile, const struct ff_report_view *view,
                            const struct ff_summary *summary, const struct ff_hottest *hottest,
                            const struct ff_evidence *evidence)
{
    return json_pack("{s:i, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version", 1,
                     "verdict", ff_json_verdict(evidence), "source", (int)summary->source - 1,
                     "event", ff_json_text(profile, profile->events.at[summary->event].name),
                     "samples", samples(summary->total), "states", states(summary), "buckets",
                     buckets(summary, view->rules, hottest), "threads", threads(summary), "gil",
                     ff_json_gil(evidence), "gpus", ff_json_gpus(evidence), "sources",
                     sources(profile), "ledger", ledger(profile));
}

enum ff_status ff_report_json(struct ff_profile *profile, const struct ff_report_view *view,
                              struct ff_output *output)
{
    struct ff_summary summary;
    struct ff_hottest hottest = {0};
    struct ff_evidence evidence;
    enum ff_status status = ff_summary_init(&summary, profile, view->source, view->event);
    if (status == FF_OK)
        status = ff_hottest_init(&hottest, profile, &summary);
    if (status == FF_OK)
        status = ff_evidence_gather(&evidence, profile, summary.source, summary.event);
    if (status == FF_OK) {
        json_t *report = whole_report(profile, view, &summary, &hottest, &evidence);
        if (!report || json_dump_callback(report, put, output, JSON_INDENT(1)))
            profile->out_of_memory = true;
        ff_output_byte(output, '\n');
        json_decref(report);
    }
    ff_hottest_release(&hottest);
    ff_summary_release(&summary);
    return status ? status : ff_profile_status(profile);
}
