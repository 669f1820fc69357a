/* SPDX-License-Identifier: MIT
 *
 * The table that answers "what eats this CPU": what was read and lost, threads, buckets. Numbers
 * are exact sums of the profile; n of every share is the count of raw samples.
 */
#ifndef FF_REPORT_REPORT_H
#define FF_REPORT_REPORT_H

#include "base/output.h"
#include "classify/rules.h"
#include "profile/profile.h"

/* What a report is on. All zero is the default. */
struct ff_report_view {
    uint32_t source, event;       /* 0: the main ones, see profile/select.h */
    const struct ff_rules *rules; /* give the buckets their descriptions; NULL leaves them out */
    bool markdown;                /* text with headings and fenced blocks, for issue trackers */
};

/* Writes the report as text of at most 100 columns. An unclassified profile is reported without
 * buckets. */
enum ff_status ff_report_text(struct ff_profile *profile, const struct ff_report_view *view,
                              struct ff_output *output);

/* The same numbers as one JSON object; docs/formats.md has the schema. */
enum ff_status ff_report_json(struct ff_profile *profile, const struct ff_report_view *view,
                              struct ff_output *output);

#endif
