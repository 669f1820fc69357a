/* SPDX-License-Identifier: MIT
 *
 * The text report in the making, for the files that write its sections.
 */
#ifndef FF_REPORT_PAGE_H
#define FF_REPORT_PAGE_H

#include "base/output.h"
#include "classify/rules.h"
#include "report/evidence.h"
#include "report/summary.h"

#define FF_PAGE_WIDTH   100
#define FF_PAGE_THREADS 40 /* lines of a table of threads */

struct ff_page {
    struct ff_profile *profile;
    const struct ff_rules *rules;
    const struct ff_summary *summary;
    const struct ff_evidence *evidence;
    struct ff_output *output;
    bool markdown;
    bool open; /* a fence is open */
};

/* Begins a section; in Markdown a heading and a fenced block, which ff_page_end closes. */
void ff_page_heading(struct ff_page *page, const char *text);
void ff_page_end(struct ff_page *page);

void ff_page_cell(struct ff_page *page, struct ff_text text, size_t width, bool pad);
void ff_page_permille(struct ff_page *page, uint32_t permille); /* " 12.3" */
void ff_page_samples(struct ff_page *page, uint64_t count);     /* 9 columns */
struct ff_text ff_page_bucket(const struct ff_page *page, uint32_t bucket);

/* The line on threads that a table leaves out, from row FIRST on. */
void ff_page_left_out(struct ff_page *page, uint32_t first);

/* The sections. */
void ff_page_threads(struct ff_page *page);
void ff_page_buckets(struct ff_page *page);
void ff_page_table(struct ff_page *page);
void ff_page_stacks(struct ff_page *page);
void ff_page_gil(struct ff_page *page);
void ff_page_gpu(struct ff_page *page);

#endif
