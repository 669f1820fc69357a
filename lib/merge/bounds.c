/* SPDX-License-Identifier: MIT
 *
 * Margins of each thread to bounds of what they share. No hard thing: samples are counted by bucket on
 * perf's side, by function on py-spy's, and every pair of one thread is looked at.
 */
#include "merge/bounds.h"
#include "merge/part.h"
#include "merge/thread_names.h"

#include <stdlib.h>

#define ONE       UINT64_C(1000000)
#define FUNCTIONS 10 /* printed for each bucket */

enum side { SIDE_BUCKET, SIDE_FUNCTION, SIDES };

/* A bucket of a thread in perf, or a function of it in py-spy. */
struct margin {
    uint32_t group, name, file;
    uint8_t side;
    uint64_t count, loops; /* samples; those that may hold Python */
    uint32_t stamp;        /* the sample that counted last */
};

/* One thread of one event of perf, and what py-spy saw of it. */
struct group {
    uint32_t thread, event;
    uint64_t samples, loops, seen;
};

struct table {
    struct ff_profile *profile;
    const uint32_t *identity;
    struct ff_parts parts;
    bool *native; /* by source: it has native frames */
    struct group *groups;
    uint32_t group_count, group_capacity;
    struct margin *margins;
    uint32_t margin_count, margin_capacity;
    struct ff_map map; /* of margins */
    bool failed;
};

struct ff_bounds ff_bounds_of(uint64_t samples, uint64_t loops, uint64_t bucket, uint64_t found,
                              uint64_t seen)
{
    if (!samples || !seen)
        return (struct ff_bounds){0, 0};
    uint64_t room = loops * ONE / samples;
    uint64_t of_bucket = bucket * ONE / samples, of_function = found * room / seen;
    uint64_t both = of_bucket + of_function, least = both > room ? both - room : 0;
    uint64_t most = of_bucket < of_function ? of_bucket : of_function;
    return (struct ff_bounds){(uint32_t)(least < most ? least : most), (uint32_t)most};
}

static const struct ff_thread *thread_row(const struct table *table, uint32_t thread)
{
    return &table->profile->threads.at[thread];
}

static bool is_same_thread(const struct table *table, uint32_t a, uint32_t b)
{
    const struct ff_thread *left = thread_row(table, a), *right = thread_row(table, b);
    return left->tid && left->tid == right->tid &&
           table->identity[left->process] == table->identity[right->process];
}

static struct margin *margin_of(struct table *table, struct margin row)
{
    uint64_t hash =
        ff_hash_mix(ff_hash_mix(row.group, row.name), (uint64_t)row.file << 2 | row.side);
    struct ff_probe probe;
    for (uint32_t i = ff_map_first(&table->map, hash, &probe); i;
         i = ff_map_next(&table->map, &probe)) {
        struct margin *at = &table->margins[i - 1];
        if (at->group == row.group && at->name == row.name && at->file == row.file &&
            at->side == row.side)
            return at;
    }
    table->margins = ff_grow(table->margins, &table->margin_capacity,
                             (uint64_t)table->margin_count + 1, sizeof row, &table->failed);
    if (table->margin_count >= table->margin_capacity)
        return NULL;
    table->margins[table->margin_count++] = row;
    ff_map_add(&table->map, hash, table->margin_count);
    table->failed |= table->map.failed;
    return &table->margins[table->margin_count - 1];
}

/* The group of a perf sample, made where need be; group_count where memory is out. */
static uint32_t group_of(struct table *table, const struct ff_sample *sample)
{
    for (uint32_t i = 0; i < table->group_count; i++) {
        if (table->groups[i].event == sample->event &&
            is_same_thread(table, table->groups[i].thread, sample->thread))
            return i;
    }
    table->groups = ff_grow(table->groups, &table->group_capacity, (uint64_t)table->group_count + 1,
                            sizeof *table->groups, &table->failed);
    if (table->group_count >= table->group_capacity)
        return table->group_count;
    table->groups[table->group_count] =
        (struct group){.thread = sample->thread, .event = sample->event};
    return table->group_count++;
}

/* A whole stack without a loop holds no Python. */
static bool may_hold_python(const struct table *table, const struct ff_sample *sample)
{
    if (sample->state != FF_STATE_COMPLETE && sample->state != FF_STATE_STITCHED)
        return true;
    for (uint32_t at = sample->stack; at; at = table->profile->stacks.at[at].parent) {
        uint8_t part = table->parts.of[table->profile->stacks.at[at].frame];
        if (part == FF_PART_EVAL || part == FF_PART_OPCODE || part == FF_PART_PYTHON ||
            part == FF_PART_TRAMPOLINE || part == FF_PART_MARKER)
            return true;
    }
    return false;
}

static void count_bucket(struct table *table, const struct ff_sample *sample)
{
    uint32_t group = group_of(table, sample);
    struct margin *margin = margin_of(
        table, (struct margin){.group = group, .name = sample->bucket, .side = SIDE_BUCKET});
    uint64_t loops = may_hold_python(table, sample) ? sample->count : 0;
    if (!margin || group >= table->group_count)
        return;
    margin->count += sample->count;
    margin->loops += loops;
    table->groups[group].samples += sample->count;
    table->groups[group].loops += loops;
}

/* Each function of a stack once, however often it stands there. */
static void count_functions(struct table *table, uint32_t id)
{
    const struct ff_profile *profile = table->profile;
    const struct ff_sample *sample = &profile->samples.at[id];
    for (uint32_t g = 0; g < table->group_count; g++) {
        if (!is_same_thread(table, table->groups[g].thread, sample->thread))
            continue;
        table->groups[g].seen += sample->count;
        for (uint32_t at = sample->stack; at; at = profile->stacks.at[at].parent) {
            const struct ff_frame *frame = &profile->frames.at[profile->stacks.at[at].frame];
            struct margin *margin = frame->kind != FF_FRAME_PYTHON
                                        ? NULL
                                        : margin_of(table, (struct margin){.group = g,
                                                                           .name = frame->symbol,
                                                                           .file = frame->file,
                                                                           .side = SIDE_FUNCTION});
            if (margin && margin->stamp != id) {
                margin->stamp = id;
                margin->count += sample->count;
            }
        }
    }
}

static void find_native(struct table *table)
{
    const struct ff_profile *profile = table->profile;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        bool *native = &table->native[ff_sample_source(profile, sample)];
        for (uint32_t at = sample->stack; at && !*native; at = profile->stacks.at[at].parent) {
            uint8_t part = table->parts.of[profile->stacks.at[at].frame];
            *native = part == FF_PART_NATIVE || part == FF_PART_SYSTEM;
        }
    }
}

static bool is_side(const struct table *table, const struct ff_sample *sample, enum side side)
{
    uint32_t id = ff_sample_source(table->profile, sample);
    const struct ff_source *source = &table->profile->sources.at[id];
    if (!table->identity[thread_row(table, sample->thread)->process])
        return false;
    if (side == SIDE_BUCKET)
        return source->tool == FF_TOOL_PERF && source->population != FF_POPULATION_EVENTS &&
               source->population != FF_POPULATION_BLOCKED;
    return source->tool == FF_TOOL_PY_SPY && !table->native[id] &&
           (source->population == FF_POPULATION_RUNNABLE ||
            source->population == FF_POPULATION_UNKNOWN);
}

static void count(struct table *table)
{
    find_native(table);
    for (uint32_t side = 0; side < SIDES; side++) {
        for (uint32_t i = 1; i < table->profile->samples.count && !table->failed; i++) {
            const struct ff_sample *sample = &table->profile->samples.at[i];
            if (!is_side(table, sample, (enum side)side))
                continue;
            if (side == SIDE_BUCKET)
                count_bucket(table, sample);
            else
                count_functions(table, i);
        }
    }
}

/* A line of the table, while lines are sorted. */
struct line {
    const struct ff_profile *profile;
    const struct margin *margin;
    struct ff_bounds bounds;
};

/* Buckets: most samples first. Functions: what is known to happen most, then what may. */
static int compare_lines(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    if (a->bounds.least != b->bounds.least)
        return a->bounds.least < b->bounds.least ? 1 : -1;
    if (a->bounds.most != b->bounds.most)
        return a->bounds.most < b->bounds.most ? 1 : -1;
    int order = ff_text_compare(ff_profile_text(a->profile, a->margin->name),
                                ff_profile_text(b->profile, b->margin->name));
    return order ? order
                 : ff_text_compare(ff_profile_text(a->profile, a->margin->file),
                                   ff_profile_text(b->profile, b->margin->file));
}

/* The group's margins of one side, sorted; BUCKET (NULL: none) is what functions are bounded with. */
static uint32_t collect(const struct table *table, uint32_t group, enum side side,
                        const struct margin *bucket, struct line *lines)
{
    const struct group *row = &table->groups[group];
    uint32_t found = 0;
    for (uint32_t i = 0; i < table->margin_count; i++) {
        const struct margin *margin = &table->margins[i];
        struct ff_bounds bounds = {0, 0};
        if (margin->group != group || margin->side != side)
            continue;
        if (bucket)
            bounds =
                ff_bounds_of(row->samples, row->loops, bucket->loops, margin->count, row->seen);
        else
            bounds.most = (uint32_t)(margin->count * ONE / row->samples);
        lines[found++] = (struct line){table->profile, margin, bounds};
    }
    qsort(lines, found, sizeof *lines, compare_lines);
    return found;
}

static void put_percent(struct ff_output *output, uint32_t share)
{
    share = (share + 500) / 1000; /* tenths of a percent */
    ff_output_format(output, "%5u.%u %%", (unsigned)(share / 10), (unsigned)(share % 10));
}

static void write_bucket(const struct table *table, uint32_t group, const struct line *bucket,
                         struct line *lines, struct ff_output *output)
{
    const struct ff_profile *profile = table->profile;
    struct ff_text name = ff_profile_text(profile, bucket->margin->name);
    uint32_t found = collect(table, group, SIDE_FUNCTION, bucket->margin, lines);
    put_percent(output, bucket->bounds.most);
    ff_output_text(output, FF_TEXT("  "));
    ff_output_text(output, name.size ? name : FF_TEXT("(not classified)"));
    ff_output_byte(output, '\n');
    if (!bucket->margin->loops) {
        ff_output_text(output,
                       FF_TEXT("             no Python: no stack has an evaluation loop\n"));
        return;
    }
    for (uint32_t i = 0; i < found && i < FUNCTIONS; i++) {
        const struct margin *margin = lines[i].margin;
        ff_output_text(output, FF_TEXT("    "));
        put_percent(output, lines[i].bounds.least);
        ff_output_text(output, FF_TEXT(" to"));
        put_percent(output, lines[i].bounds.most);
        ff_output_text(output, FF_TEXT("  "));
        ff_output_text(output, ff_profile_text(profile, margin->name));
        ff_output_text(output, FF_TEXT(" ("));
        ff_output_text(output, ff_profile_text(profile, margin->file));
        ff_output_text(output, FF_TEXT(")\n"));
    }
}

static void write_group(const struct table *table, uint32_t group, struct ff_output *output)
{
    const struct ff_profile *profile = table->profile;
    const struct group *row = &table->groups[group];
    struct line *buckets = ff_alloc(table->margin_count, sizeof *buckets);
    struct line *functions = ff_alloc(table->margin_count, sizeof *functions);
    if (!buckets || !functions) {
        table->profile->out_of_memory = true;
    } else {
        ff_output_text(output, ff_profile_text(profile, ff_thread_label(profile, row->thread)));
        ff_output_format(output, " (%u): %llu samples of perf, %llu of py-spy, ",
                         (unsigned)thread_row(table, row->thread)->tid,
                         (unsigned long long)(row->samples / FF_COUNT_ONE),
                         (unsigned long long)(row->seen / FF_COUNT_ONE));
        ff_output_text(output, ff_profile_text(profile, profile->events.at[row->event].name));
        ff_output_byte(output, '\n');
        uint32_t found = collect(table, group, SIDE_BUCKET, NULL, buckets);
        for (uint32_t i = 0; i < found; i++)
            write_bucket(table, group, &buckets[i], functions, output);
    }
    ff_free(buckets);
    ff_free(functions);
}

static enum ff_status write_groups(const struct table *table, struct ff_output *output)
{
    static const char head[] = "# Shares of a thread's samples: those in a bucket, and below it "
                               "those in the bucket while a "
                               "Python\n# function is on the stack, at least and at most. perf "
                               "counts moments on a CPU, py-spy "
                               "those in which\n# a thread ran or could: read them together where "
                               "threads seldom wait for a "
                               "CPU.\n";
    bool any = false;
    for (uint32_t g = 0; g < table->group_count; g++) {
        if (!table->groups[g].seen || !table->groups[g].samples)
            continue;
        ff_output_text(output, any ? FF_TEXT("\n") : FF_TEXT(head));
        write_group(table, g, output);
        any = true;
    }
    if (!any)
        return ff_error_set(&table->profile->error, FF_BAD_INPUT,
                            "found no thread that both perf and py-spy (record -f raw -t, without "
                            "--native, --gil, --idle) recorded; give both files of one process");
    return ff_profile_status(table->profile);
}

enum ff_status ff_bounds_write(struct ff_profile *profile, struct ff_output *output,
                               struct ff_error *note)
{
    uint32_t *identity = ff_alloc(profile->processes.count, sizeof *identity);
    struct table table = {.profile = profile,
                          .identity = identity,
                          .native = ff_alloc(profile->sources.count, sizeof *table.native)};
    profile->out_of_memory |= !table.native || !identity;
    ff_merge_names(profile, identity, note);
    enum ff_status status = ff_parts_init(&table.parts, profile);
    if (status == FF_OK) {
        count(&table);
        profile->out_of_memory |= table.failed;
        status = table.failed ? ff_profile_status(profile) : write_groups(&table, output);
    }
    ff_parts_release(&table.parts);
    ff_map_release(&table.map);
    ff_free(identity);
    ff_free(table.native);
    ff_free(table.groups);
    ff_free(table.margins);
    return status;
}
