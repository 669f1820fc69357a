/* SPDX-License-Identifier: MIT
 *
 * The one order of a profile's rows. The hard thing: it depends on what the rows say, never on when
 * they were added, and parents come before children, so that two runs, any number of threads and
 * any way through the tools give the same bytes.
 */
#include "profile/order.h"

#include "base/sort.h"

#include <stdlib.h>

#include "base/groups.h"
#include "profile/order_samples.h"

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
    bool done =
        numbering_sort(numbering, keys, count, order->by_name && numbering == &order->frames);
    ff_free(keys);
    return done;
}

/* By stack: how many frames it has; UINT32_MAX where no sample uses it. A parent's id is smaller than its
 * children's (ff_stack_push), so one pass finds all. The depth of the deepest is the answer. */
static uint32_t find_depths(const struct ff_order *order, uint32_t *depths)
{
    const struct ff_profile *profile = order->profile;
    uint32_t deepest = 0;
    for (uint32_t id = 1; id < profile->stacks.count; id++) {
        uint32_t parent = profile->stacks.at[id].parent;
        depths[id] = UINT32_MAX;
        if (!order->stacks.number[id])
            continue;
        depths[id] = parent ? depths[parent] + 1 : 1;
        deepest = depths[id] > deepest ? depths[id] : deepest;
    }
    return deepest;
}

/* The used stacks by depth, on one level by the numbers of their frames. */
static bool group_levels(const struct ff_order *order, struct ff_groups *levels, uint32_t *deepest)
{
    uint32_t total = order->profile->stacks.count;
    uint32_t *keys = ff_alloc(total, sizeof *keys);
    struct ff_groups by_frame = {0};
    bool done = keys != NULL;
    for (uint32_t id = 0; done && id < total; id++)
        keys[id] = order->stacks.number[id]
                       ? order->frames.number[order->profile->stacks.at[id].frame]
                       : UINT32_MAX;
    done = done && ff_groups_make(&by_frame, keys, total, order->frames.count + 1, NULL);
    if (done) {
        /* Where stacks are not used, the groups have fewer items, and item 0 behind them. */
        keys[0] = UINT32_MAX;
        *deepest = find_depths(order, keys);
        done = ff_groups_make(levels, keys, total, *deepest + 1, by_frame.items);
    }
    ff_groups_release(&by_frame);
    ff_free(keys);
    return done;
}

/* The stacks of one level, with the numbers of their callers: those of the level before, FIRST ... */
struct level {
    const uint32_t *items;
    uint32_t count, first, callers;
};

static uint32_t caller_of(const struct ff_order *order, uint32_t id)
{
    return order->stacks.number[order->profile->stacks.at[id].parent];
}

/* By caller, keeping the order by frame: SORTED. STARTS has room for a number for each caller. */
static void sort_level(const struct ff_order *order, const struct level *level, uint32_t *starts,
                       uint32_t *sorted)
{
    memset(starts, 0, ((size_t)level->callers + 1) * sizeof *starts);
    for (uint32_t i = 0; i < level->count; i++)
        starts[caller_of(order, level->items[i]) - level->first + 1]++;
    for (uint32_t k = 1; k <= level->callers; k++)
        starts[k] += starts[k - 1];
    for (uint32_t i = 0; i < level->count; i++)
        sorted[starts[caller_of(order, level->items[i]) - level->first]++] = level->items[i];
}

static bool is_same_stack(const struct ff_order *order, uint32_t a, uint32_t b)
{
    const struct ff_stack *stacks = order->profile->stacks.at;
    return caller_of(order, a) == caller_of(order, b) &&
           order->frames.number[stacks[a].frame] == order->frames.number[stacks[b].frame];
}

static void number_level(struct ff_order *order, const uint32_t *sorted, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (order->by_name && i && is_same_stack(order, sorted[i - 1], sorted[i]))
            order->stacks.number[sorted[i]] = order->stacks.count;
        else
            numbering_add(&order->stacks, sorted[i]);
    }
}

/* Level by level, by the numbers of the parent and of the frame. */
static bool number_stacks(struct ff_order *order)
{
    size_t room = (size_t)order->profile->stacks.count + 2;
    struct ff_groups levels = {0};
    uint32_t deepest = 0, first = 0;
    bool done = group_levels(order, &levels, &deepest);
    uint32_t *starts = done ? ff_alloc(room, sizeof *starts) : NULL;
    uint32_t *sorted = done ? ff_alloc(room, sizeof *sorted) : NULL;
    done = starts && sorted;
    for (uint32_t depth = 1; done && depth <= deepest; depth++) {
        uint32_t start = levels.start[depth], next = order->stacks.count + 1;
        struct level level = {levels.items + start, levels.start[depth + 1] - start, first,
                              next - first};
        sort_level(order, &level, starts, sorted);
        number_level(order, sorted, level.count);
        first = next;
    }
    ff_groups_release(&levels);
    ff_free(starts);
    ff_free(sorted);
    return done;
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
           number_stacks(order) && ff_order_samples(order) &&
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
