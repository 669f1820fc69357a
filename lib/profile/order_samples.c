/* SPDX-License-Identifier: MIT
 *
 * Sample rows by what they say. The hard thing: they are as many as the stacks of an input, so they are
 * not compared but distributed by one field after the other, the last one first; most fields are equal
 * in all rows and cost one look.
 */
#include "profile/order_samples.h"

#include <stdlib.h>

#include "base/groups.h"

struct sorter {
    struct ff_order *order;
    uint32_t *ranks; /* by text id: its place among the buckets and tags in byte order */
    uint32_t *keys;  /* by sample row: the field that is looked at */
    uint32_t *items; /* the rows, by the fields looked at so far; NULL: ascending */
};

struct ranked {
    struct ff_text text;
    uint32_t id;
};

static int compare_ranked(const void *a, const void *b)
{
    return ff_text_compare(((const struct ranked *)a)->text, ((const struct ranked *)b)->text);
}

/* Adds a text that was not seen before; ranks[id] != 0 marks it. */
static bool note_text(struct sorter *sorter, struct ranked **texts, uint32_t *count,
                      uint32_t *capacity, uint32_t id)
{
    bool failed = false;
    if (!id || sorter->ranks[id])
        return true;
    *texts = ff_grow(*texts, capacity, (uint64_t)*count + 1, sizeof **texts, &failed);
    if (failed)
        return false;
    sorter->ranks[id] = 1;
    (*texts)[(*count)++] = (struct ranked){ff_profile_text(sorter->order->profile, id), id};
    return true;
}

static bool rank_texts(struct sorter *sorter)
{
    const struct ff_profile *profile = sorter->order->profile;
    struct ranked *texts = NULL;
    uint32_t count = 0, capacity = 0;
    bool done = true;
    for (uint32_t id = 1; done && id < profile->samples.count; id++) {
        const struct ff_sample *row = &profile->samples.at[id];
        done = note_text(sorter, &texts, &count, &capacity, row->bucket) &&
               note_text(sorter, &texts, &count, &capacity, row->tags);
    }
    if (done && count)
        qsort(texts, count, sizeof *texts, compare_ranked);
    for (uint32_t i = 0; done && i < count; i++)
        sorter->ranks[texts[i].id] = i + 1;
    ff_free(texts);
    return done;
}

static uint32_t tags_of(const struct sorter *sorter, const struct ff_sample *row)
{
    return sorter->ranks[row->tags];
}

static uint32_t bucket_of(const struct sorter *sorter, const struct ff_sample *row)
{
    return sorter->ranks[row->bucket];
}

static uint32_t state_of(const struct sorter *sorter, const struct ff_sample *row)
{
    (void)sorter;
    return row->state;
}

static uint32_t stack_of(const struct sorter *sorter, const struct ff_sample *row)
{
    return sorter->order->stacks.number[row->stack];
}

static uint32_t thread_of(const struct sorter *sorter, const struct ff_sample *row)
{
    return sorter->order->threads.number[row->thread];
}

static uint32_t event_of(const struct sorter *sorter, const struct ff_sample *row)
{
    return sorter->order->events.number[row->event];
}

/* Distributes the rows by one field, keeping the order that they had. */
static bool sort_by(struct sorter *sorter,
                    uint32_t (*field)(const struct sorter *sorter, const struct ff_sample *row))
{
    const struct ff_profile *profile = sorter->order->profile;
    uint32_t count = profile->samples.count, least = UINT32_MAX, most = 0;
    for (uint32_t id = 1; id < count; id++) {
        uint32_t key = sorter->keys[id] = field(sorter, &profile->samples.at[id]);
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    if (least >= most)
        return true;
    struct ff_groups groups = {0};
    sorter->keys[0] = 0; /* row 0, which is no sample, stays first */
    bool done = ff_groups_make(&groups, sorter->keys, count, most + 1, sorter->items);
    if (done) {
        ff_free(sorter->items);
        sorter->items = groups.items;
        groups.items = NULL;
    }
    ff_groups_release(&groups);
    return done;
}

/* Of rows that differ in nothing else than the place of a frame. */
static bool is_same(const struct ff_order *order, uint32_t a, uint32_t b)
{
    const struct ff_sample *x = &order->profile->samples.at[a], *y = &order->profile->samples.at[b];
    return x->event == y->event && x->thread == y->thread &&
           order->stacks.number[x->stack] == order->stacks.number[y->stack] &&
           x->state == y->state && x->bucket == y->bucket && x->tags == y->tags;
}

static void number_sorted(struct ff_order *order, const uint32_t *items)
{
    struct ff_numbering *samples = &order->samples;
    uint32_t before = 0;
    for (uint32_t i = 1; i < order->profile->samples.count; i++) {
        uint32_t id = items ? items[i] : i;
        if (!before || !order->by_name || !is_same(order, before, id))
            samples->old[++samples->count] = id;
        samples->number[id] = samples->count;
        before = id;
    }
}

bool ff_order_samples(struct ff_order *order)
{
    const struct ff_profile *profile = order->profile;
    struct sorter sorter = {
        .order = order,
        .ranks = ff_alloc((size_t)profile->texts.count + 1, sizeof *sorter.ranks),
        .keys = ff_alloc(profile->samples.count, sizeof *sorter.keys),
    };
    bool done = sorter.ranks && sorter.keys && rank_texts(&sorter) && sort_by(&sorter, tags_of) &&
                sort_by(&sorter, bucket_of) && sort_by(&sorter, state_of) &&
                sort_by(&sorter, stack_of) && sort_by(&sorter, thread_of) &&
                sort_by(&sorter, event_of);
    if (done)
        number_sorted(order, sorter.items);
    ff_free(sorter.ranks);
    ff_free(sorter.keys);
    ff_free(sorter.items);
    return done;
}
