/* SPDX-License-Identifier: MIT
 *
 * The text report. The hard thing is saying much in 100 columns of plain text that survive an issue
 * tracker: names are cut, never numbers, and what a table leaves out is counted beside it.
 */
#include "report/report.h"
#include "report/health.h"
#include "report/page.h"
#include "report/prose.h"
#include "report/span.h"
#include "report/verdict.h"

static uint64_t source_samples(const struct ff_profile *profile, uint32_t source)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (ff_sample_source(profile, sample) == source)
            sum += sample->count;
    }
    return sum;
}

static void put_source(struct ff_page *page, uint32_t id)
{
    const struct ff_source *source = &page->profile->sources.at[id];
    ff_page_cell(page, ff_profile_text(page->profile, source->name), 40, false);
    ff_output_format(page->output, ": %s, ", ff_tool_word((enum ff_tool)source->tool));
    ff_output_format(page->output, "counts %s threads, ",
                     ff_population_word((enum ff_population)source->population));
    ff_output_decimal(page->output, ff_summary_samples(source_samples(page->profile, id)));
    ff_output_string(page->output, " samples");
    ff_span_put(page->output, source);
}

/* A side file has facts in place of samples. */
static bool has_samples(const struct ff_profile *profile, uint32_t source)
{
    return profile->sources.at[source].tool <= FF_TOOL_FOLDED;
}

static void put_side_files(struct ff_page *page)
{
    struct ff_prose prose;
    bool any = false;
    ff_prose_begin(&prose, page->output, 2, 4);
    for (uint32_t id = 1; id < page->profile->sources.count; id++) {
        const struct ff_source *source = &page->profile->sources.at[id];
        if (has_samples(page->profile, id))
            continue;
        ff_prose_add(&prose, "%s", any ? ", " : "side files: ");
        ff_prose_name(&prose, ff_profile_text(page->profile, source->name));
        any = true;
    }
    if (any)
        ff_prose_end(&prose);
}

static void put_read(struct ff_page *page)
{
    const struct ff_summary *summary = page->summary;
    const struct ff_event *event = &page->profile->events.at[summary->event];
    ff_page_heading(page, "Read");
    if (!summary->source) {
        ff_output_string(page->output, "  nothing\n");
        return;
    }
    ff_output_string(page->output, "  ");
    put_source(page, summary->source);
    ff_output_string(page->output, "  this report: event ");
    ff_page_cell(page, ff_profile_text(page->profile, event->name), 40, false);
    ff_output_format(page->output, ", %llu samples, %u threads\n",
                     (unsigned long long)ff_summary_samples(summary->total), summary->thread_count);
    for (uint32_t id = 1; id < page->profile->sources.count; id++) {
        if (id == summary->source || !has_samples(page->profile, id))
            continue;
        ff_output_string(page->output, "  also read, not counted here: ");
        put_source(page, id);
    }
    put_side_files(page);
}

static void put_entry(struct ff_page *page, const struct ff_ledger_entry *entry)
{
    ff_output_format(page->output, "  %-8s %9llu  ", ff_grade_word((enum ff_grade)entry->grade),
                     (unsigned long long)entry->count);
    bool sourced = entry->source && page->profile->sources.count > 2;
    ff_page_cell(page, ff_profile_text(page->profile, entry->name), sourced ? 55 : 76, false);
    if (sourced) {
        ff_output_string(page->output, " (");
        ff_page_cell(page,
                     ff_profile_text(page->profile, page->profile->sources.at[entry->source].name),
                     20, false);
        ff_output_byte(page->output, ')');
    }
    ff_output_byte(page->output, '\n');
}

/* Everything but what is normal. */
static void put_ledger(struct ff_page *page)
{
    uint32_t count, shown = 0;
    uint32_t *ids = ff_summary_ledger(page->profile, &count);
    ff_page_heading(page, "Lost, left out, worth knowing");
    for (uint32_t i = 0; ids && i < count; i++) {
        const struct ff_ledger_entry *entry = &page->profile->ledger.at[ids[i]];
        if (entry->grade == FF_GRADE_READ || entry->grade == FF_GRADE_UNUSED)
            continue;
        put_entry(page, entry);
        shown++;
    }
    if (!shown)
        ff_output_string(page->output, "  nothing\n");
    ff_free(ids);
}

static void put_health(struct ff_page *page)
{
    struct ff_health health;
    if (ff_health_init(&health, page->profile, page->summary->source, page->summary->event) ==
            FF_OK &&
        health.total) {
        ff_output_string(page->output, "  ");
        ff_health_line(&health, page->output);
        ff_output_string(page->output, "; ff-doctor says more\n");
    }
    ff_health_release(&health);
}

static void put_states(struct ff_page *page)
{
    const struct ff_summary *summary = page->summary;
    ff_page_heading(page, "How far the stacks reach");
    for (unsigned state = 0; state < FF_STATE_COUNT; state++) {
        if (!summary->states[state])
            continue;
        ff_page_samples(page, summary->states[state]);
        ff_output_string(page->output, "  ");
        ff_page_permille(page, ff_summary_permille(summary->states[state], summary->total));
        ff_output_format(page->output, " %%  %s\n", ff_state_word((enum ff_state)state));
    }
    put_health(page);
}

static void put_answer(struct ff_page *page)
{
    ff_page_heading(page, "Answer");
    ff_verdict_headline(page->evidence, page->output);
}

static void put_verdict(struct ff_page *page)
{
    ff_page_heading(page, "Verdict, by which numbers");
    ff_verdict_put(page->evidence, page->output);
}

static void put_limits(struct ff_page *page)
{
    ff_page_heading(page, "What this report does not say");
    ff_output_string(
        page->output,
        "  Shares are of samples in this recording's population, not of time: a thread "
        "that sleeps has\n"
        "  none in an on-cpu recording. Buckets say where samples were, not why; "
        "intervals assume that\n"
        "  samples are independent.\n");
}

enum ff_status ff_report_text(struct ff_profile *profile, const struct ff_report_view *view,
                              struct ff_output *output)
{
    struct ff_summary summary;
    struct ff_evidence evidence;
    struct ff_page page = {.profile = profile,
                           .rules = view->rules,
                           .summary = &summary,
                           .evidence = &evidence,
                           .output = output,
                           .markdown = view->markdown};
    enum ff_status status = ff_summary_init(&summary, profile, view->source, view->event);
    if (status == FF_OK)
        status = ff_evidence_gather(&evidence, profile, summary.source, summary.event);
    if (status == FF_OK) {
        ff_output_string(output, view->markdown ? "# flamefold report\n" : "flamefold report\n");
        put_answer(&page);
        put_read(&page);
        put_ledger(&page);
        put_states(&page);
        ff_page_threads(&page);
        if (summary.classified) {
            ff_page_buckets(&page);
            ff_page_table(&page);
            ff_page_stacks(&page);
        }
        ff_page_gil(&page);
        ff_page_gpu(&page);
        put_verdict(&page);
        put_limits(&page);
        ff_page_end(&page);
    }
    ff_summary_release(&summary);
    return status ? status : ff_profile_status(profile);
}
