/* SPDX-License-Identifier: MIT
 *
 * The buckets of the text report: shares with intervals, threads by bucket, hottest stacks. No hard
 * thing here: what a table leaves out is added up beside it.
 */
#include "report/hottest.h"
#include "report/page.h"

#define COLUMNS 7 /* buckets in the table of threads */

void ff_page_buckets(struct ff_page *page)
{
    const struct ff_summary *summary = page->summary;
    ff_page_heading(page, "Buckets");
    ff_output_string(page->output,
                     "  #   samples   share   95 % interval  bucket            meaning\n");
    for (uint32_t i = 0; i < summary->bucket_count; i++) {
        const struct ff_summary_bucket *bucket = &summary->buckets[i];
        struct ff_interval interval = ff_summary_interval(summary, i);
        ff_output_format(page->output, "%3u ", i + 1);
        ff_page_samples(page, bucket->count);
        ff_output_string(page->output, "  ");
        ff_page_permille(page, ff_summary_permille(bucket->count, summary->total));
        ff_output_string(page->output, " %  ");
        ff_page_permille(page, interval.low);
        ff_output_string(page->output, " -");
        ff_page_permille(page, interval.high);
        ff_output_string(page->output, " %  ");
        ff_page_cell(page, ff_page_bucket(page, i), 16, true);
        ff_output_string(page->output, "  ");
        if (page->rules)
            ff_page_cell(page, ff_rules_description(page->rules, ff_page_bucket(page, i)), 54,
                         false);
        ff_output_byte(page->output, '\n');
    }
}

/* One row; the buckets behind the last column are added up. */
static void put_row(struct ff_page *page, uint32_t thread, uint32_t columns)
{
    const struct ff_summary *summary = page->summary;
    uint32_t id = summary->threads[thread].thread;
    uint64_t rest = 0;
    ff_output_format(page->output, "%9u  ", page->profile->threads.at[id].tid);
    ff_page_cell(page, ff_profile_text(page->profile, ff_thread_label(page->profile, id)), 16,
                 true);
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

void ff_page_table(struct ff_page *page)
{
    const struct ff_summary *summary = page->summary;
    uint32_t columns = summary->bucket_count < COLUMNS ? summary->bucket_count : COLUMNS;
    ff_page_heading(page, "Threads and buckets (samples; columns are the buckets' numbers above)");
    ff_output_string(page->output, "      tid  thread          ");
    for (uint32_t i = 0; i < columns; i++)
        ff_output_format(page->output, "%7s%u", "#", i + 1);
    ff_output_string(page->output, summary->bucket_count > columns ? "    rest\n" : "\n");
    for (uint32_t i = 0; i < summary->thread_count && i < FF_PAGE_THREADS; i++)
        put_row(page, i, columns);
    ff_page_left_out(page, FF_PAGE_THREADS);
}

/* Buckets of fewer samples get one line only. */
#define FEW_SAMPLES 10

void ff_page_stacks(struct ff_page *page)
{
    const struct ff_summary *summary = page->summary;
    struct ff_hottest hottest;
    bool good = ff_hottest_init(&hottest, page->profile, summary) == FF_OK;
    ff_page_heading(page, "Hottest stacks of each bucket, innermost frame first");
    for (uint32_t b = 0; good && b < summary->bucket_count; b++) {
        const struct ff_hottest_stack *stacks = &hottest.stacks[(size_t)b * FF_HOTTEST_STACKS];
        /* A merge may leave less than half a sample of a stack. */
        bool few = ff_summary_samples(summary->buckets[b].count) < FEW_SAMPLES;
        for (uint32_t i = 0;
             i < (few ? 1 : FF_HOTTEST_STACKS) && ff_summary_samples(stacks[i].count); i++) {
            ff_page_samples(page, stacks[i].count);
            ff_output_string(page->output, "  ");
            ff_page_cell(page, i ? FF_TEXT("") : ff_page_bucket(page, b), 16, true);
            ff_output_string(page->output, "  ");
            ff_page_cell(page, ff_profile_text(page->profile, stacks[i].text), 71, false);
            ff_output_byte(page->output, '\n');
        }
    }
    ff_hottest_release(&hottest);
}
