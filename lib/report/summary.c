/* SPDX-License-Identifier: MIT
 *
 * From samples to the sums that a report prints. The hard thing is order: every list is sorted by
 * what a reader sees, never by ids, so equal profiles give equal reports.
 */
#include "report/summary.h"
#include "profile/select.h"
#include "report/spread.h"

#include <stdlib.h>

/* qsort has no context argument, so rows carry what they are compared by. */
struct key {
    uint64_t count;
    struct ff_text text;
    uint32_t first, second;
    uint32_t id;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    int order = ff_text_compare(x->text, y->text);
    if (order)
        return order;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->second != y->second)
        return x->second < y->second ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void sort_keys(struct key *keys, uint32_t count)
{
    if (count)
        qsort(keys, count, sizeof *keys, compare_keys);
}

uint64_t ff_summary_samples(uint64_t count)
{
    return count / FF_COUNT_ONE + (count % FF_COUNT_ONE * 2 >= FF_COUNT_ONE);
}

uint32_t ff_summary_permille(uint64_t part, uint64_t whole)
{
    for (; whole > UINT64_MAX / 2001; whole >>= 1)
        part >>= 1;
    return whole ? (uint32_t)((part * 2000 + whole) / (whole * 2)) : 0;
}

static bool is_counted(const struct ff_summary *summary, const struct ff_sample *sample)
{
    return sample->event == summary->event;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Sums by thread id and by bucket name, and in all. */
static void sum(struct ff_summary *summary, uint64_t *by_thread, uint64_t *by_name)
{
    const struct ff_profile *profile = summary->profile;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (!is_counted(summary, sample))
            continue;
        summary->total = add(summary->total, sample->count);
        summary->states[sample->state] = add(summary->states[sample->state], sample->count);
        by_thread[sample->thread] = add(by_thread[sample->thread], sample->count);
        by_name[sample->bucket] = add(by_name[sample->bucket], sample->count);
        summary->classified |= sample->bucket != 0;
    }
}

static bool list_threads(struct ff_summary *summary, const uint64_t *counts, uint32_t *rows)
{
    const struct ff_profile *profile = summary->profile;
    struct key *keys = ff_alloc(profile->threads.count, sizeof *keys);
    uint32_t count = 0;
    for (uint32_t id = 0; keys && id < profile->threads.count; id++) {
        const struct ff_thread *thread = &profile->threads.at[id];
        struct ff_text label = ff_profile_text(profile, ff_thread_label(profile, id));
        if (counts[id])
            keys[count++] = (struct key){
                counts[id], label, profile->processes.at[thread->process].pid, thread->tid, id};
    }
    summary->threads = ff_alloc(count, sizeof *summary->threads);
    if (keys && summary->threads) {
        sort_keys(keys, count);
        for (uint32_t i = 0; i < count; i++) {
            summary->threads[i] = (struct ff_summary_thread){keys[i].id, keys[i].count, i};
            rows[keys[i].id] = i;
        }
        summary->thread_count = count;
    }
    ff_free(keys);
    return keys && summary->threads;
}

static bool list_buckets(struct ff_summary *summary, const uint64_t *counts, uint32_t *columns)
{
    const struct ff_profile *profile = summary->profile;
    uint32_t count = 0, names = profile->texts.count ? profile->texts.count : 1;
    for (uint32_t id = 0; id < names; id++)
        count += counts[id] != 0;
    struct key *keys = ff_alloc(count, sizeof *keys);
    summary->buckets = ff_alloc(count, sizeof *summary->buckets);
    if (keys && summary->buckets) {
        count = 0;
        for (uint32_t id = 0; id < names; id++) {
            if (counts[id])
                keys[count++] = (struct key){
                    .count = counts[id], .id = id, .text = ff_profile_text(profile, id)};
        }
        sort_keys(keys, count);
        for (uint32_t i = 0; i < count; i++) {
            summary->buckets[i] =
                (struct ff_summary_bucket){.name = keys[i].id, .count = keys[i].count, .column = i};
            columns[keys[i].id] = i;
        }
        summary->bucket_count = count;
    }
    ff_free(keys);
    return keys && summary->buckets;
}

static bool fill_spread(struct ff_summary *summary, uint64_t *by_name)
{
    const struct ff_profile *profile = summary->profile;
    uint32_t names = profile->texts.count ? profile->texts.count : 1;
    memset(by_name, 0, names * sizeof *by_name);
    bool good = ff_spread_sum(profile, summary->event, by_name);
    for (uint32_t i = 0; i < summary->bucket_count; i++)
        summary->buckets[i].spread = by_name[summary->buckets[i].name];
    return good;
}

struct ff_interval ff_summary_interval(const struct ff_summary *summary, uint32_t index)
{
    const struct ff_summary_bucket *row = &summary->buckets[index];
    return row->spread ? ff_interval_merged(row->count, row->spread, summary->total)
                       : ff_interval_wilson(ff_summary_samples(row->count),
                                            ff_summary_samples(summary->total));
}

static bool fill_cells(struct ff_summary *summary, const uint32_t *rows, const uint32_t *columns)
{
    const struct ff_profile *profile = summary->profile;
    summary->cells =
        ff_alloc((size_t)summary->thread_count * summary->bucket_count, sizeof *summary->cells);
    for (uint32_t i = 1; summary->cells && i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (!is_counted(summary, sample) || !sample->count)
            continue;
        uint64_t *cell = &summary->cells[(size_t)rows[sample->thread] * summary->bucket_count +
                                         columns[sample->bucket]];
        *cell = add(*cell, sample->count);
    }
    return summary->cells;
}

enum ff_status ff_summary_init(struct ff_summary *summary, struct ff_profile *profile,
                               uint32_t source, uint32_t event)
{
    *summary = (struct ff_summary){.profile = profile};
    summary->source = source ? source : ff_select_main_source(profile);
    summary->event = event ? event : ff_select_main_event(profile, summary->source);
    uint32_t names = profile->texts.count ? profile->texts.count : 1;
    uint64_t *by_thread = ff_alloc(profile->threads.count, sizeof *by_thread);
    uint64_t *by_name = ff_alloc(names, sizeof *by_name);
    uint32_t *rows = ff_alloc(profile->threads.count, sizeof *rows);
    uint32_t *columns = ff_alloc(names, sizeof *columns);
    bool good = by_thread && by_name && rows && columns;
    if (good)
        sum(summary, by_thread, by_name);
    good = good && list_threads(summary, by_thread, rows) &&
           list_buckets(summary, by_name, columns) && fill_spread(summary, by_name) &&
           fill_cells(summary, rows, columns);
    ff_free(by_thread);
    ff_free(by_name);
    ff_free(rows);
    ff_free(columns);
    profile->out_of_memory |= !good;
    return ff_profile_status(profile);
}

void ff_summary_release(struct ff_summary *summary)
{
    ff_free(summary->threads);
    ff_free(summary->buckets);
    ff_free(summary->cells);
    *summary = (struct ff_summary){0};
}

uint32_t *ff_summary_ledger(struct ff_profile *profile, uint32_t *count)
{
    uint32_t *ids = ff_alloc(profile->ledger.count, sizeof *ids);
    struct key *keys = ff_alloc(profile->ledger.count, sizeof *keys);
    *count = 0;
    for (uint32_t id = 1; ids && keys && id < profile->ledger.count; id++) {
        const struct ff_ledger_entry *entry = &profile->ledger.at[id];
        if (entry->count)
            /* The largest count comes first, so the grade counts down. */
            keys[(*count)++] =
                (struct key){UINT64_MAX - ((uint64_t)entry->grade << 32 | entry->source),
                             ff_profile_text(profile, entry->name), 0, 0, id};
    }
    if (ids && keys) {
        sort_keys(keys, *count);
        for (uint32_t i = 0; i < *count; i++)
            ids[i] = keys[i].id;
        ff_free(keys);
        return ids;
    }
    ff_free(keys);
    ff_free(ids);
    profile->out_of_memory = true;
    return NULL;
}
