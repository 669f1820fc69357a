/* SPDX-License-Identifier: MIT
 *
 * Headings and cells of the text report. The hard thing: in Markdown every section is a fenced block, so
 * that columns stay columns and names need no escaping.
 */
#include "report/page.h"
#include "report/cell.h"

void ff_page_end(struct ff_page *page)
{
    if (page->open)
        ff_output_string(page->output, "```\n");
    page->open = false;
}

void ff_page_heading(struct ff_page *page, const char *text)
{
    ff_page_end(page);
    if (page->markdown)
        ff_output_format(page->output, "\n## %s\n\n```text\n", text);
    else
        ff_output_format(page->output, "\n%s\n", text);
    page->open = page->markdown;
}

void ff_page_cell(struct ff_page *page, struct ff_text text, size_t width, bool pad)
{
    ff_cell_put(page->output, text, width, pad);
}

void ff_page_permille(struct ff_page *page, uint32_t permille)
{
    ff_output_format(page->output, "%3u.%u", permille / 10, permille % 10);
}

void ff_page_samples(struct ff_page *page, uint64_t count)
{
    ff_output_format(page->output, "%9llu", (unsigned long long)ff_summary_samples(count));
}

struct ff_text ff_page_bucket(const struct ff_page *page, uint32_t bucket)
{
    uint32_t name = page->summary->buckets[bucket].name;
    return name ? ff_profile_text(page->profile, name) : FF_TEXT("(not classified)");
}
