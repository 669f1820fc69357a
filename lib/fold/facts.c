/* SPDX-License-Identifier: MIT
 *
 * Sample rows to one row for each thread, and the source's own words. The hard thing: the shares of
 * thousands of threads and hundreds of buckets in linear time; rows are grouped by thread first.
 */
#include "fold/facts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/groups.h"
#include "profile/ledger.h"

struct sorted_thread {
    struct ff_text text;
    struct ff_tree_thread row;
};

static int compare_threads(const void *a, const void *b)
{
    const struct sorted_thread *x = a, *y = b;
    if (x->row.amount != y->row.amount)
        return x->row.amount < y->row.amount ? 1 : -1;
    return ff_text_compare(x->text, y->text);
}

/* Ids of names follow the order of the rows; the texts do not. */
static bool sort_threads(struct ff_tree *tree)
{
    struct sorted_thread *rows = ff_alloc(tree->thread_count, sizeof *rows);
    for (uint32_t i = 0; rows && i < tree->thread_count; i++)
        rows[i] = (struct sorted_thread){ff_intern_text(&tree->names, tree->threads[i].name),
                                         tree->threads[i]};
    if (rows)
        qsort(rows, tree->thread_count, sizeof *rows, compare_threads);
    for (uint32_t i = 0; rows && i < tree->thread_count; i++)
        tree->threads[i] = rows[i].row;
    ff_free(rows);
    return rows != NULL;
}

struct facts {
    struct ff_labels *labels;
    struct ff_tree *tree;
    const struct ff_entry *entries;
    struct ff_groups groups; /* the entries by thread */
    uint32_t *samples;       /* by entry: its row in the profile */
    uint32_t count, share_capacity, share_count, thread_capacity;
    bool failed;
};

/* The rows of the event; false when memory is out. */
static bool find_rows(struct facts *facts)
{
    const struct ff_profile *profile = facts->labels->profile;
    struct ff_tree *tree = facts->tree;
    uint32_t *keys = ff_alloc(profile->samples.count, sizeof *keys);
    facts->samples = ff_alloc(profile->samples.count, sizeof *facts->samples);
    bool done = keys && facts->samples;
    for (uint32_t id = 1; done && id < profile->samples.count; id++) {
        const struct ff_sample *sample = &profile->samples.at[id];
        if (sample->event != tree->event)
            continue;
        facts->samples[facts->count] = id;
        keys[facts->count++] = sample->thread;
        tree->weight =
            sample->weight > UINT64_MAX - tree->weight ? UINT64_MAX : tree->weight + sample->weight;
    }
    done = done && ff_groups_make(&facts->groups, keys, facts->count, profile->threads.count, NULL);
    ff_free(keys);
    return done;
}

static void add_share(struct facts *facts, uint32_t bucket, uint64_t amount)
{
    struct ff_tree *tree = facts->tree;
    tree->thread_shares =
        ff_grow(tree->thread_shares, &facts->share_capacity, (uint64_t)facts->share_count + 1,
                sizeof *tree->thread_shares, &facts->failed);
    if (!facts->failed)
        tree->thread_shares[facts->share_count++] = (struct ff_share){bucket, amount};
}

static void add_thread(struct facts *facts, uint32_t thread)
{
    uint64_t amounts[FF_BUCKET_LIMIT] = {0};
    struct ff_tree *tree = facts->tree;
    const struct ff_groups *groups = &facts->groups;
    struct ff_tree_thread row = {.share_first = facts->share_count};
    for (uint32_t i = groups->start[thread]; i < groups->start[thread + 1]; i++) {
        const struct ff_entry *entry = &facts->entries[groups->items[i]];
        amounts[entry->bucket] += entry->amount;
        row.amount += entry->amount;
    }
    for (uint32_t bucket = 0; bucket < tree->bucket_count; bucket++) {
        if (amounts[bucket])
            add_share(facts, bucket, amounts[bucket]);
    }
    row.share_count = facts->share_count - row.share_first;
    uint32_t sample = facts->samples[groups->items[groups->start[thread]]];
    row.name =
        ff_label_root(facts->labels, FF_ROOT_THREAD, &facts->labels->profile->samples.at[sample]);
    tree->threads =
        ff_grow(tree->threads, &facts->thread_capacity, (uint64_t)tree->thread_count + 1,
                sizeof *tree->threads, &facts->failed);
    if (!facts->failed)
        tree->threads[tree->thread_count++] = row;
}

static void note_source(struct facts *facts)
{
    const struct ff_profile *profile = facts->labels->profile;
    struct ff_tree *tree = facts->tree;
    const struct ff_source *source = &profile->sources.at[tree->source];
    tree->tool = source->tool;
    tree->duration_ns =
        source->duration_ns ? source->duration_ns : source->end_ns - source->start_ns;
    /* Newer kernels tell the same loss twice: as it happens, and at the end. */
    uint64_t records = ff_ledger_count(profile, tree->source, FF_LEDGER_LOST);
    tree->lost_count = ff_ledger_count(profile, tree->source, FF_LEDGER_LOST_SAMPLES);
    tree->lost_count = records > tree->lost_count ? records : tree->lost_count;
    tree->left_count = ff_ledger_count(profile, tree->source, FF_LEDGER_NOT_SELECTED) +
                       ff_ledger_count(profile, tree->source, FF_LEDGER_SAMPLES_BAD);
    tree->weight_unit = ff_label_text(
        facts->labels, ff_profile_text(profile, profile->events.at[tree->event].unit));
}

bool ff_tree_note_facts(struct ff_labels *labels, const struct ff_entry *entries)
{
    struct facts facts = {.labels = labels, .tree = labels->tree, .entries = entries};
    bool done = find_rows(&facts);
    for (uint32_t id = 0; done && id < labels->profile->threads.count; id++) {
        if (facts.groups.start[id] < facts.groups.start[id + 1])
            add_thread(&facts, id);
        done = !facts.failed;
    }
    done = done && sort_threads(labels->tree);
    note_source(&facts);
    ff_groups_release(&facts.groups);
    ff_free(facts.samples);
    return done;
}
