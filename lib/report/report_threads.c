/* SPDX-License-Identifier: MIT
 *
 * The threads of the text report, hottest first. The hard thing is room: numbers are never cut, so
 * names are, and buckets are named as far as the line goes.
 */
#include "report/page.h"

#define LABEL   13 /* columns of a name, of a role */
#define ROLE    13
#define COLUMNS 58 /* of a line before its buckets; 8 more with %CPU */

/* The buckets that most of a thread's samples are in: three, or as many as the line has room for. */
static void put_dominant(struct ff_page *page, uint32_t thread, bool cpu)
{
    const struct ff_summary *summary = page->summary;
    uint32_t shown[3], count = 0;
    size_t room = FF_PAGE_WIDTH - COLUMNS - (cpu ? 8 : 0);
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
        struct ff_text name = best == UINT32_MAX ? FF_TEXT("") : ff_page_bucket(page, best);
        size_t wanted = (name.size < 16 ? name.size : 16) + sizeof ", 100 %" - 1;
        if (best == UINT32_MAX || wanted > room)
            break;
        room -= wanted;
        ff_output_string(page->output, count ? ", " : "  ");
        ff_page_cell(page, name, 16, false);
        ff_output_format(page->output, " %u %%",
                         (ff_summary_permille(ff_summary_cell(summary, thread, best),
                                              summary->threads[thread].count) +
                          5) /
                             10);
        shown[count++] = best;
    }
}

void ff_page_left_out(struct ff_page *page, uint32_t first)
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

static bool has_cpu(const struct ff_page *page)
{
    uint32_t name = ff_intern_find(&page->profile->texts, FF_TEXT("cpu-share"));
    for (uint32_t i = 1; name && i < page->profile->facts.count; i++) {
        if (page->profile->facts.at[i].name == name)
            return true;
    }
    return false;
}

/* What top or pidstat said of the thread, if they speak of any. */
static void put_cpu(struct ff_page *page, uint32_t tid)
{
    uint32_t share;
    if (ff_evidence_cpu_share(page->profile, tid, &share))
        ff_output_format(page->output, "  %4u.%u", share / 10, share % 10);
    else
        ff_output_string(page->output, "       -");
}

static void put_thread(struct ff_page *page, uint32_t row, bool cpu)
{
    const struct ff_summary *summary = page->summary;
    uint32_t id = summary->threads[row].thread, label = ff_thread_label(page->profile, id);
    uint32_t role = ff_role_of(page->profile, label);
    ff_page_samples(page, summary->threads[row].count);
    ff_output_string(page->output, "  ");
    ff_page_permille(page, ff_summary_permille(summary->threads[row].count, summary->total));
    ff_output_string(page->output, " %");
    if (cpu)
        put_cpu(page, page->profile->threads.at[id].tid);
    ff_output_format(page->output, " %8u  ", page->profile->threads.at[id].tid);
    ff_page_cell(page, ff_profile_text(page->profile, label), LABEL, true);
    ff_output_string(page->output, "  ");
    ff_page_cell(page, ff_profile_text(page->profile, role), ROLE, summary->classified);
    if (summary->classified)
        put_dominant(page, row, cpu);
    ff_output_byte(page->output, '\n');
}

void ff_page_threads(struct ff_page *page)
{
    const struct ff_summary *summary = page->summary;
    bool cpu = has_cpu(page);
    ff_page_heading(page, "Threads, hottest first");
    ff_output_format(page->output, "  samples   share%s      tid  %-*s  ", cpu ? "    %CPU" : "",
                     LABEL, "thread");
    ff_output_format(page->output, summary->classified ? "%-*s  of which\n" : "%.*s\n", ROLE,
                     "role");
    for (uint32_t i = 0; i < summary->thread_count && i < FF_PAGE_THREADS; i++)
        put_thread(page, i, cpu);
    ff_page_left_out(page, FF_PAGE_THREADS);
}
