/* SPDX-License-Identifier: MIT
 *
 * Lines of a side file into facts. The hard thing: one file may hold several formats one after the
 * other, so each line is first asked whether a new part begins with it.
 */
#include "read/side.h"

static const struct ff_side_format *const formats[] = {
    &ff_side_top,  &ff_side_pidstat,     &ff_side_dmon, &ff_side_gpu_query, &ff_side_gpu_table,
    &ff_side_stat, &ff_side_thread_list, &ff_side_maps, &ff_side_log,       &ff_side_manifest,
};

static void add_source(struct ff_side *side)
{
    struct ff_profile *profile = side->profile;
    side->source = ff_source_add(
        profile, (struct ff_source){.name = ff_profile_intern(profile, ff_text(side->name)),
                                    .tool = (uint8_t)side->format->tool});
}

static void end_part(struct ff_side *side)
{
    if (side->format->ends)
        side->format->ends(side);
}

static void write_ledger(struct ff_side *side)
{
    struct ff_profile *profile = side->profile;
    uint32_t source = side->source;
    ff_ledger_add(profile, source, FF_LEDGER_LINES, side->lines);
    ff_ledger_add(profile, source, FF_LEDGER_LINES_FACTS, side->fact_lines);
    ff_ledger_add(profile, source, FF_LEDGER_LINES_UNUSED, side->unused);
    ff_ledger_add(profile, source, FF_LEDGER_LINES_STRANGE, side->bad);
    ff_ledger_add(profile, source, FF_LEDGER_VALUES_UNUSED, side->cells_unused);
    ff_ledger_add(profile, source, FF_LEDGER_VALUES_MISSING, side->cells_missing);
    ff_ledger_add(profile, source, FF_LEDGER_VALUES_BAD, side->cells_bad);
    side->lines = side->fact_lines = side->unused = side->bad = 0;
    side->cells_unused = side->cells_missing = side->cells_bad = 0;
}

/* Another tool's part is a source of its own. */
static void begin_part(struct ff_side *side, const struct ff_side_format *format)
{
    bool other = side->format->tool != format->tool;
    end_part(side);
    if (other)
        write_ledger(side);
    side->format = format;
    side->column_count = side->phase = side->owner = 0;
    side->clock = UINT64_MAX;
    if (other)
        add_source(side);
}

static const struct ff_side_format *part_of(const struct ff_side *side, struct ff_text line)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i] != side->format && formats[i]->begins(line))
            return formats[i];
    }
    return NULL;
}

static void read_line(struct ff_side *side, struct ff_text line)
{
    uint32_t first = side->profile->facts.count;
    const struct ff_side_format *next = part_of(side, line);
    if (next && !(side->format->begins(line)))
        begin_part(side, next);
    side->lines++;
    bool taken = !ff_text_trim(line).size || side->format->line(side, line);
    if (side->profile->facts.count > first)
        side->fact_lines++;
    else if (taken)
        side->unused++;
    else if (!side->bad++ && !side->first_bad)
        side->first_bad = side->input->line;
}

static enum ff_status finish(struct ff_side *side)
{
    enum ff_status status = ff_profile_status(side->profile);
    if (status == FF_OK && side->first_bad)
        status = ff_error_set(&side->profile->error, FF_BAD_INPUT,
                              "%s: line %llu: found no line of %s; such lines are left out",
                              side->input->name, (unsigned long long)side->first_bad,
                              ff_tool_word(side->format->tool));
    return status;
}

enum ff_status ff_side_read(struct ff_profile *profile, struct ff_input *input, const char *name,
                            const struct ff_side_format *format, uint32_t pid)
{
    struct ff_side side = {.profile = profile,
                           .input = input,
                           .name = name,
                           .pid = pid,
                           .format = format,
                           .clock = UINT64_MAX};
    struct ff_text line;
    enum ff_status status;
    add_source(&side);
    while ((status = ff_input_line(input, &line, &profile->error)) == FF_OK)
        read_line(&side, line);
    end_part(&side);
    write_ledger(&side);
    if (status == FF_END)
        status = finish(&side);
    profile->out_of_memory |= side.threads.failed;
    ff_map_release(&side.threads);
    ff_free(side.last_generation);
    return status;
}

static uint32_t find_thread(const struct ff_side *side, const struct ff_thread *wanted,
                            uint64_t hash)
{
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&side->threads, hash, &probe); id;
         id = ff_map_next(&side->threads, &probe)) {
        const struct ff_thread *row = &side->profile->threads.at[id];
        if (row->process == wanted->process && row->tid == wanted->tid && row->comm == wanted->comm)
            return id;
    }
    return 0;
}

uint32_t ff_side_thread(struct ff_side *side, uint32_t pid, uint32_t tid, struct ff_text comm)
{
    struct ff_profile *profile = side->profile;
    struct ff_process process = {.source = side->source, .pid = pid ? pid : side->pid};
    struct ff_thread thread = {.process = ff_process_add(profile, process),
                               .tid = tid,
                               .comm = ff_profile_intern(profile, comm)};
    uint64_t hash = ff_hash_mix(ff_hash_mix(thread.process, tid), thread.comm);
    uint32_t id = find_thread(side, &thread, hash);
    if (id)
        return id;
    thread.role = thread.comm ? ff_role_of(profile, thread.comm) : 0;
    id = ff_thread_add(profile, thread);
    if (id && profile->threads.at[id].comm != thread.comm) {
        side->last_generation =
            ff_grow(side->last_generation, &side->generation_capacity, (uint64_t)id + 1,
                    sizeof *side->last_generation, &profile->out_of_memory);
        if (id >= side->generation_capacity)
            return 0;
        thread.generation = ++side->last_generation[id];
        id = ff_thread_add(profile, thread);
    }
    if (id)
        ff_map_add(&side->threads, hash, id);
    return id;
}

void ff_side_fact(struct ff_side *side, uint32_t thread, const char *name, uint32_t subject,
                  uint64_t value, const char *unit)
{
    struct ff_profile *profile = side->profile;
    ff_fact_add(profile, (struct ff_fact){.source = side->source,
                                          .thread = thread,
                                          .name = ff_profile_intern(profile, ff_text(name)),
                                          .subject = subject,
                                          .value = value,
                                          .unit = ff_profile_intern(profile, ff_text(unit))});
}

void ff_side_word(struct ff_side *side, uint32_t thread, const char *name, uint32_t subject,
                  struct ff_text word)
{
    struct ff_profile *profile = side->profile;
    ff_fact_add(profile, (struct ff_fact){.source = side->source,
                                          .thread = thread,
                                          .name = ff_profile_intern(profile, ff_text(name)),
                                          .subject = subject,
                                          .text = ff_profile_intern(profile, word)});
}
