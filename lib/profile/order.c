/* SPDX-License-Identifier: MIT
 *
 * The one order of a profile's rows. The hard thing: it depends on what the rows say, never on when
 * they were added, and parents come before children, so that two runs, any number of threads and
 * any way through the tools give the same bytes.
 */
#include "profile/order.h"

#include "base/sort.h"

#include <stdlib.h>

/* What any row is sorted by: numbers first, then texts, then what differs from machine to machine,
 * then the old id (input order). */
struct sort_key {
    uint64_t numbers[3];
    struct ff_text texts[3];
    uint32_t old;
    uint64_t last[2];
};

static int compare_content(const struct sort_key *a, const struct sort_key *b)
{
    for (int i = 0; i < 3; i++) {
        if (a->numbers[i] != b->numbers[i])
            return a->numbers[i] < b->numbers[i] ? -1 : 1;
    }
    for (int i = 0; i < 3; i++) {
        int order = ff_text_compare(a->texts[i], b->texts[i]);
        if (order)
            return order;
    }
    for (int i = 0; i < 2; i++) {
        if (a->last[i] != b->last[i])
            return a->last[i] < b->last[i] ? -1 : 1;
    }
    return 0;
}

static int compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left, *b = right;
    int order = compare_content(a, b);
    return order ? order : a->old < b->old ? -1 : a->old > b->old;
}

static bool numbering_init(struct ff_numbering *numbering, uint32_t table_count)
{
    numbering->number = ff_alloc(table_count, sizeof *numbering->number);
    numbering->old = ff_alloc(table_count, sizeof *numbering->old);
    return numbering->number && numbering->old;
}

static void numbering_release(struct ff_numbering *numbering)
{
    ff_free(numbering->number);
    ff_free(numbering->old);
}

static void numbering_add(struct ff_numbering *numbering, uint32_t old)
{
    numbering->old[++numbering->count] = old;
    numbering->number[old] = numbering->count;
}

/* The keys in order, in memory of their own: by their numbers, then, where these are equal, by the rest.
 * NULL when memory is out. */
static struct sort_key *sort_keys(const struct sort_key *keys, uint32_t count)
{
    struct ff_sort_item *items = ff_alloc((size_t)count * 2 + 1, sizeof *items);
    struct sort_key *sorted = items ? ff_alloc((size_t)count + 1, sizeof *sorted) : NULL;
    for (uint32_t i = 0; sorted && i < count; i++)
        items[i].id = i;
    for (int number = 2; sorted && number >= 0; number--) {
        for (uint32_t i = 0; i < count; i++)
            items[i].key = keys[items[i].id].numbers[number];
        ff_sort(items, count, items + count);
    }
    for (uint32_t i = 0; sorted && i < count; i++)
        sorted[i] = keys[items[i].id];
    ff_free(items);
    for (uint32_t start = 0, end; sorted && start < count; start = end) {
        for (end = start + 1; end < count; end++) {
            if (memcmp(sorted[end].numbers, sorted[start].numbers, sizeof sorted->numbers) != 0)
                break;
        }
        if (end > start + 1)
            qsort(sorted + start, end - start, sizeof *sorted, compare_keys);
    }
    return sorted;
}

/* Numbers the rows whose keys were collected. Equal rows may become one. */
static bool numbering_sort(struct ff_numbering *numbering, const struct sort_key *keys,
                           uint32_t count, bool join)
{
    struct sort_key *sorted = sort_keys(keys, count);
    for (uint32_t i = 0; sorted && i < count; i++) {
        if (join && i && compare_content(&sorted[i - 1], &sorted[i]) == 0)
            numbering->number[sorted[i].old] = numbering->count;
        else
            numbering_add(numbering, sorted[i].old);
    }
    ff_free(sorted);
    return sorted != NULL;
}

static struct ff_text text_of(const struct ff_order *order, uint32_t id)
{
    return ff_profile_text(order->profile, id);
}

/* Marks (number = 1) the stacks that samples use with their callers, and the frames and modules
 * in them. */
static void mark_used(struct ff_order *order)
{
    const struct ff_profile *profile = order->profile;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        uint32_t stack = profile->samples.at[i].stack;
        while (stack && !order->stacks.number[stack]) {
            uint32_t frame = profile->stacks.at[stack].frame;
            order->stacks.number[stack] = 1;
            order->frames.number[frame] = 1;
            order->modules.number[profile->frames.at[frame].module] = 1;
            stack = profile->stacks.at[stack].parent;
        }
    }
    for (uint32_t i = 1; i < profile->cuts.count; i++) {
        uint32_t frame = profile->cuts.at[i].frame;
        order->frames.number[frame] = 1;
        order->modules.number[profile->frames.at[frame].module] = 1;
    }
}

static struct sort_key event_key(const struct ff_order *order, uint32_t id)
{
    const struct ff_event *row = &order->profile->events.at[id];
    return (struct sort_key){{row->source},
                             {text_of(order, row->name), text_of(order, row->unit), FF_TEXT("")},
                             id,
                             {0}};
}

static struct sort_key module_key(const struct ff_order *order, uint32_t id)
{
    const struct ff_module *row = &order->profile->modules.at[id];
    return (struct sort_key){
        {row->kind, row->pid, row->anchor},
        {text_of(order, row->path), text_of(order, row->build_id), FF_TEXT("")},
        id,
        {row->inode, row->generation}};
}

static struct sort_key process_key(const struct ff_order *order, uint32_t id)
{
    const struct ff_process *row = &order->profile->processes.at[id];
    return (struct sort_key){
        {row->source, row->pid, row->generation}, {FF_TEXT(""), FF_TEXT(""), FF_TEXT("")}, id, {0}};
}

static struct sort_key thread_key(const struct ff_order *order, uint32_t id)
{
    const struct ff_thread *row = &order->profile->threads.at[id];
    return (struct sort_key){{order->processes.number[row->process], row->tid, row->generation},
                             {FF_TEXT(""), FF_TEXT(""), FF_TEXT("")},
                             id,
                             {0}};
}

static struct sort_key frame_key(const struct ff_order *order, uint32_t id)
{
    const struct ff_frame *row = &order->profile->frames.at[id];
    uint64_t module = order->modules.number[row->module];
    return (struct sort_key){{(uint64_t)row->entry << 56 | (uint64_t)row->kind << 48 |
                                  (uint64_t)row->how << 40 | (uint64_t)row->named << 32 | module,
                              order->by_name ? row->function : row->place,
                              row->site ? row->site : (uint64_t)row->line},
                             {text_of(order, row->symbol), text_of(order, row->file), FF_TEXT("")},
                             id,
                             {0}};
}

/* Numbers the rows of one table by their keys: all of them, or those marked as used. */
static bool number_table(struct ff_order *order, struct ff_numbering *numbering,
                         uint32_t table_count, bool only_used,
                         struct sort_key (*key)(const struct ff_order *order, uint32_t id))
{
    uint32_t count = 0;
    struct sort_key *keys = ff_alloc(table_count, sizeof *keys);
    if (!keys)
        return false;
    for (uint32_t id = 1; id < table_count; id++) {
        if (!only_used || numbering->number[id])
            keys[count++] = key(order, id);
    }
    numbering->number[0] = 0;
    bool join = order->by_name && (numbering == &order->frames || numbering == &order->samples);
    bool done = numbering_sort(numbering, keys, count, join);
    ff_free(keys);
    return done;
}

/* A parent's id is smaller than its children's (ff_stack_push), so one pass finds all depths. The
 * used nodes come back grouped by depth, with room behind them for as many. */
static struct ff_sort_item *group_by_depth(const struct ff_order *order, uint32_t **level,
                                           uint32_t *level_count)
{
    const struct ff_profile *profile = order->profile;
    uint32_t total = profile->stacks.count, deepest = 0;
    uint32_t *depths = ff_alloc(total, sizeof *depths);
    uint32_t *starts = ff_alloc((size_t)total + 2, sizeof *starts);
    struct ff_sort_item *keys = ff_alloc((size_t)total * 2, sizeof *keys);
    if (!depths || !starts || !keys) {
        ff_free(depths);
        ff_free(starts);
        ff_free(keys);
        return NULL;
    }
    for (uint32_t id = 1; id < total; id++) {
        depths[id] = depths[profile->stacks.at[id].parent] + 1;
        if (!order->stacks.number[id])
            continue;
        starts[depths[id] + 1]++;
        deepest = depths[id] > deepest ? depths[id] : deepest;
    }
    for (uint32_t depth = 1; depth <= deepest + 1; depth++)
        starts[depth] += starts[depth - 1];
    for (uint32_t id = 1; id < total; id++) {
        if (order->stacks.number[id])
            keys[starts[depths[id]]++].id = id;
    }
    ff_free(depths);
    /* Filling moved each start to its end: starts[d] is now where level d ends. */
    *level = starts;
    *level_count = deepest;
    return keys;
}

/* Level by level, by the numbers of the parent and of the frame. */
static bool number_stacks(struct ff_order *order)
{
    uint32_t *ends, levels, at = 0;
    struct ff_sort_item *keys = group_by_depth(order, &ends, &levels);
    if (!keys)
        return false;
    const struct ff_stack *stacks = order->profile->stacks.at;
    for (uint32_t depth = 1; depth <= levels; depth++) {
        uint32_t start = at;
        for (; at < ends[depth]; at++) {
            const struct ff_stack *row = &stacks[keys[at].id];
            keys[at].key = (uint64_t)order->stacks.number[row->parent] << 32 |
                           order->frames.number[row->frame];
        }
        ff_sort(keys + start, at - start, keys + order->profile->stacks.count);
        for (uint32_t i = start; i < at; i++) {
            if (order->by_name && i > start && keys[i - 1].key == keys[i].key)
                order->stacks.number[keys[i].id] = order->stacks.count;
            else
                numbering_add(&order->stacks, keys[i].id);
        }
    }
    ff_free(ends);
    ff_free(keys);
    return true;
}

static struct sort_key sample_key(const struct ff_order *order, uint32_t id)
{
    const struct ff_sample *row = &order->profile->samples.at[id];
    return (struct sort_key){{order->events.number[row->event], order->threads.number[row->thread],
                              (uint64_t)order->stacks.number[row->stack] << 8 | row->state},
                             {text_of(order, row->bucket), text_of(order, row->tags), FF_TEXT("")},
                             id,
                             {0}};
}

static struct sort_key ledger_key(const struct ff_order *order, uint32_t id)
{
    const struct ff_ledger_entry *row = &order->profile->ledger.at[id];
    return (struct sort_key){{row->source, row->grade},
                             {text_of(order, row->name), text_of(order, row->unit), FF_TEXT("")},
                             id,
                             {0}};
}

static struct sort_key depth_key(const struct ff_order *order, uint32_t id)
{
    const struct ff_depth *row = &order->profile->depths.at[id];
    return (struct sort_key){{row->source, row->complete, row->size_kib},
                             {FF_TEXT(""), FF_TEXT(""), FF_TEXT("")},
                             id,
                             {0}};
}

static struct sort_key cut_key(const struct ff_order *order, uint32_t id)
{
    const struct ff_cut *row = &order->profile->cuts.at[id];
    return (struct sort_key){{row->source, order->frames.number[row->frame], row->least},
                             {FF_TEXT(""), FF_TEXT(""), FF_TEXT("")},
                             id,
                             {0}};
}

static bool number_rows(struct ff_order *order)
{
    struct ff_profile *profile = order->profile;
    if (!numbering_init(&order->events, profile->events.count) ||
        !numbering_init(&order->modules, profile->modules.count) ||
        !numbering_init(&order->processes, profile->processes.count) ||
        !numbering_init(&order->threads, profile->threads.count) ||
        !numbering_init(&order->frames, profile->frames.count) ||
        !numbering_init(&order->stacks, profile->stacks.count) ||
        !numbering_init(&order->samples, profile->samples.count) ||
        !numbering_init(&order->depths, profile->depths.count) ||
        !numbering_init(&order->cuts, profile->cuts.count) ||
        !numbering_init(&order->ledger, profile->ledger.count))
        return false;
    mark_used(order);
    return number_table(order, &order->events, profile->events.count, false, event_key) &&
           number_table(order, &order->modules, profile->modules.count, true, module_key) &&
           number_table(order, &order->processes, profile->processes.count, false, process_key) &&
           number_table(order, &order->threads, profile->threads.count, false, thread_key) &&
           number_table(order, &order->frames, profile->frames.count, true, frame_key) &&
           number_stacks(order) &&
           number_table(order, &order->samples, profile->samples.count, false, sample_key) &&
           number_table(order, &order->depths, profile->depths.count, false, depth_key) &&
           number_table(order, &order->cuts, profile->cuts.count, false, cut_key) &&
           number_table(order, &order->ledger, profile->ledger.count, false, ledger_key);
}

enum ff_status ff_order_init(struct ff_order *order, struct ff_profile *profile, bool by_name)
{
    *order = (struct ff_order){.profile = profile, .by_name = by_name};
    if (!number_rows(order))
        profile->out_of_memory = true;
    return ff_profile_status(profile);
}

void ff_order_release(struct ff_order *order)
{
    numbering_release(&order->events);
    numbering_release(&order->modules);
    numbering_release(&order->processes);
    numbering_release(&order->threads);
    numbering_release(&order->frames);
    numbering_release(&order->stacks);
    numbering_release(&order->samples);
    numbering_release(&order->depths);
    numbering_release(&order->cuts);
    numbering_release(&order->ledger);
}
