/* SPDX-License-Identifier: MIT
 *
 * The text report. The hard thing is saying much in 100 columns of plain text that survive an issue
 * tracker: names are cut, never numbers, and what a table leaves out is counted beside it.
 */
#include "report/report.h"
#include "report/cell.h"
#include "report/health.h"
#include "report/interval.h"
#include "report/span.h"
#include "report/summary.h"

#include <stdio.h>

#define WIDTH          100
#define COLUMNS        7 /* buckets in the thread table */
#define THREADS        40
#define THREAD_COLUMNS 46 /* of a thread's line before its buckets */

struct page {
    struct ff_profile *profile;
    const struct ff_rules *rules;
    const struct ff_summary *summary;
    struct ff_output *output;
};

static void put_cell(struct page *page, struct ff_text text, size_t width, bool pad)
{
    ff_cell_put(page->output, text, width, pad);
}

static void put_heading(struct page *page, const char *text)
{
    ff_output_format(page->output, "\n%s\n", text);
}

static void put_permille(struct page *page, uint32_t permille)
{
    ff_output_format(page->output, "%3u.%u", permille / 10, permille % 10);
}

static void put_samples(struct page *page, uint64_t count)
{
    ff_output_format(page->output, "%9llu", (unsigned long long)ff_summary_samples(count));
}

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

static void put_source(struct page *page, uint32_t id)
{
    const struct ff_source *source = &page->profile->sources.at[id];
    put_cell(page, ff_profile_text(page->profile, source->name), 40, false);
    ff_output_format(page->output, ": %s, ", ff_tool_word((enum ff_tool)source->tool));
    ff_output_format(page->output, "counts %s threads, ",
                     ff_population_word((enum ff_population)source->population));
    ff_output_decimal(page->output, ff_summary_samples(source_samples(page->profile, id)));
    ff_output_string(page->output, " samples");
    ff_span_put(page->output, source);
}

static void put_read(struct page *page)
{
    const struct ff_summary *summary = page->summary;
    const struct ff_event *event = &page->profile->events.at[summary->event];
    put_heading(page, "Read");
    if (!summary->source) {
        ff_output_string(page->output, "  nothing\n");
        return;
    }
    ff_output_string(page->output, "  ");
    put_source(page, summary->source);
    ff_output_string(page->output, "  this report: event ");
    put_cell(page, ff_profile_text(page->profile, event->name), 40, false);
    ff_output_format(page->output, ", %llu samples, %u threads\n",
                     (unsigned long long)ff_summary_samples(summary->total), summary->thread_count);
    for (uint32_t id = 1; id < page->profile->sources.count; id++) {
        if (id == summary->source)
            continue;
        ff_output_string(page->output, "  also read, not counted here: ");
        put_source(page, id);
    }
}

static void put_entry(struct page *page, const struct ff_ledger_entry *entry)
{
    ff_output_format(page->output, "  %-8s %9llu  ", ff_grade_word((enum ff_grade)entry->grade),
                     (unsigned long long)entry->count);
    bool sourced = entry->source && page->profile->sources.count > 2;
    put_cell(page, ff_profile_text(page->profile, entry->name), sourced ? 55 : 76, false);
    if (sourced) {
        ff_output_string(page->output, " (");
        put_cell(page,
                 ff_profile_text(page->profile, page->profile->sources.at[entry->source].name), 20,
                 false);
        ff_output_byte(page->output, ')');
    }
    ff_output_byte(page->output, '\n');
}

/* Everything but what is normal. */
static void put_ledger(struct page *page)
{
    uint32_t count, shown = 0;
    uint32_t *ids = ff_summary_ledger(page->profile, &count);
    put_heading(page, "Lost, left out, worth knowing");
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

static void put_health(struct page *page)
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

static void put_states(struct page *page)
{
    const struct ff_summary *summary = page->summary;
    put_heading(page, "How far the stacks reach");
    for (unsigned state = 0; state < FF_STATE_COUNT; state++) {
        if (!summary->states[state])
            continue;
        put_samples(page, summary->states[state]);
        ff_output_string(page->output, "  ");
        put_permille(page, ff_summary_permille(summary->states[state], summary->total));
        ff_output_format(page->output, " %%  %s\n", ff_state_word((enum ff_state)state));
    }
    put_health(page);
}

static struct ff_text bucket_name(const struct page *page, uint32_t bucket)
{
    uint32_t name = page->summary->buckets[bucket].name;
    return name ? ff_profile_text(page->profile, name) : FF_TEXT("(not classified)");
}

/* The buckets that most of a thread's samples are in: three, or as many as the line has room for. */
static void put_dominant(struct page *page, uint32_t thread)
{
    const struct ff_summary *summary = page->summary;
    uint32_t shown[3], count = 0;
    size_t room = WIDTH - THREAD_COLUMNS;
    while (count < 3) {
        uint32_t best = UINT32_MAX;
        for (uint32_t b = 0; b < summary->bucket_count; b++) {
            bool taken = false;
            for (uint32_t i = 0; i < count; i++)
                taken |= shown[i] == b;
            if (!taken && ff_summary_cell(summary, thread, b) &&
                (best == UINT32_MAX ||
                 ff_summary_cell(summary, thread, b) > ff_summary_cell(summary, thread, best)))
                best = b;
        }
        struct ff_text name = best == UINT32_MAX ? FF_TEXT("") : bucket_name(page, best);
        size_t wanted = (name.size < 16 ? name.size : 16) + sizeof ", 100 %" - 1;
        if (best == UINT32_MAX || wanted > room)
            break;
        room -= wanted;
        ff_output_string(page->output, count ? ", " : "  ");
        put_cell(page, name, 16, false);
        ff_output_format(page->output, " %u %%",
                         (ff_summary_permille(ff_summary_cell(summary, thread, best),
                                              summary->threads[thread].count) +
                          5) /
                             10);
        shown[count++] = best;
    }
}

static void put_left_out(struct page *page, uint32_t first)
{
    const struct ff_summary *summary = page->summary;
    uint64_t rest = 0;
    for (uint32_t i = first; i < summary->thread_count; i++)
        rest += summary->threads[i].count;
    if (first < summary->thread_count)
        ff_output_format(page->output, "%9llu         in %u more threads\n",
                         (unsigned long long)ff_summary_samples(rest),
                         summary->thread_count - first);
}

static void put_threads(struct page *page)
{
    const struct ff_summary *summary = page->summary;
    put_heading(page, "Threads, hottest first");
    ff_output_string(page->output, "  samples   share      tid  thread            ");
    ff_output_string(page->output, summary->classified ? "of which\n" : "\n");
    for (uint32_t i = 0; i < summary->thread_count && i < THREADS; i++) {
        uint32_t id = summary->threads[i].thread;
        put_samples(page, summary->threads[i].count);
        ff_output_string(page->output, "  ");
        put_permille(page, ff_summary_permille(summary->threads[i].count, summary->total));
        ff_output_format(page->output, " %% %8u  ", page->profile->threads.at[id].tid);
        put_cell(page, ff_profile_text(page->profile, ff_thread_label(page->profile, id)), 16,
                 summary->classified);
        if (summary->classified)
            put_dominant(page, i);
        ff_output_byte(page->output, '\n');
    }
    put_left_out(page, THREADS);
}

static void put_buckets(struct page *page)
{
    const struct ff_summary *summary = page->summary;
    uint64_t n = ff_summary_samples(summary->total);
    put_heading(page, "Buckets");
    ff_output_string(page->output,
                     "  #   samples   share   95 % interval  bucket            meaning\n");
    for (uint32_t i = 0; i < summary->bucket_count; i++) {
        const struct ff_summary_bucket *bucket = &summary->buckets[i];
        struct ff_interval interval = ff_interval_wilson(ff_summary_samples(bucket->count), n);
        ff_output_format(page->output, "%3u ", i + 1);
        put_samples(page, bucket->count);
        ff_output_string(page->output, "  ");
        put_permille(page, ff_summary_permille(bucket->count, summary->total));
        ff_output_string(page->output, " %  ");
        put_permille(page, interval.low);
        ff_output_string(page->output, " -");
        put_permille(page, interval.high);
        ff_output_string(page->output, " %  ");
        put_cell(page, bucket_name(page, i), 16, true);
        ff_output_string(page->output, "  ");
        if (page->rules)
            put_cell(page, ff_rules_description(page->rules, bucket_name(page, i)), 54, false);
        ff_output_byte(page->output, '\n');
    }
}

/* One row; the buckets behind the last column are added up. */
static void put_row(struct page *page, uint32_t thread, uint32_t columns)
{
    const struct ff_summary *summary = page->summary;
    uint32_t id = summary->threads[thread].thread;
    uint64_t rest = 0;
    ff_output_format(page->output, "%9u  ", page->profile->threads.at[id].tid);
    put_cell(page, ff_profile_text(page->profile, ff_thread_label(page->profile, id)), 16, true);
    for (uint32_t b = 0; b < summary->bucket_count; b++) {
        if (b < columns)
            ff_output_format(
                page->output, "%8llu",
                (unsigned long long)ff_summary_samples(ff_summary_cell(summary, thread, b)));
        else
            rest += ff_summary_cell(summary, thread, b);
    }
    if (summary->bucket_count > columns)
        ff_output_format(page->output, "%8llu", (unsigned long long)ff_summary_samples(rest));
    ff_output_byte(page->output, '\n');
}

static void put_table(struct page *page)
{
    const struct ff_summary *summary = page->summary;
    uint32_t columns = summary->bucket_count < COLUMNS ? summary->bucket_count : COLUMNS;
    put_heading(page, "Threads and buckets (samples; columns are the buckets' numbers above)");
    ff_output_string(page->output, "      tid  thread          ");
    for (uint32_t i = 0; i < columns; i++)
        ff_output_format(page->output, "%7s%u", "#", i + 1);
    ff_output_string(page->output, summary->bucket_count > columns ? "    rest\n" : "\n");
    for (uint32_t i = 0; i < summary->thread_count && i < THREADS; i++)
        put_row(page, i, columns);
    put_left_out(page, THREADS);
}

static void put_limits(struct page *page)
{
    put_heading(page, "What this report does not say");
    ff_output_string(
        page->output,
        "  Shares are of samples in this recording's population, not of time: a thread "
        "that sleeps has\n"
        "  none in an on-cpu recording. Buckets say where samples were, not why; "
        "intervals assume that\n"
        "  samples are independent. No verdict is drawn.\n");
}

enum ff_status ff_report_text(struct ff_profile *profile, const struct ff_report_view *view,
                              struct ff_output *output)
{
    struct ff_summary summary;
    struct page page = {profile, view->rules, &summary, output};
    enum ff_status status = ff_summary_init(&summary, profile, view->source, view->event);
    if (status == FF_OK) {
        ff_output_string(output, "flamefold report\n");
        put_read(&page);
        put_ledger(&page);
        put_states(&page);
        put_threads(&page);
        if (summary.classified) {
            put_buckets(&page);
            put_table(&page);
        }
        put_limits(&page);
    }
    ff_summary_release(&summary);
    return status ? status : ff_profile_status(profile);
}
