/* SPDX-License-Identifier: MIT
 *
 * Kernel records, in the order of time, into processes, threads, mappings and samples. The hard
 * thing is that each record only means something at its moment: a sample belongs to the name and
 * the address space that its thread has just then.
 */
#include "profile/moment.h"
#include "read/perf_apply.h"
#include "read/perf_clock.h"
#include "read/perf_dump.h"
#include "read/perf_event.h"
#include "read/perf_late.h"
#include "read/perf_mapping.h"
#include "read/perf_parts.h"

#include <stdio.h>

/* The same for what a sample tells: each is counted by who takes it. */
static void count_sample(struct ff_perf_apply *apply, enum ff_ledger_id id, uint64_t amount)
{
    apply->sample_counts[id] += amount;
}

static void count(struct ff_perf_apply *apply, enum ff_ledger_id id, uint64_t amount)
{
    apply->counts[id] += amount;
}

static bool is_selected(struct ff_perf_apply *apply, const struct ff_perf_sample *sample)
{
    const struct ff_selection *selection = apply->selection;
    bool cpu = selection->cpu_count == 0;
    for (uint32_t i = 0; i < selection->cpu_count; i++)
        cpu |= selection->cpus[i] == sample->cpu;
    return cpu && (!apply->window.given || (sample->time_ns >= apply->window.start &&
                                            sample->time_ns <= apply->window.end));
}

void ff_perf_apply_time(struct ff_perf_apply *apply, uint64_t time_ns)
{
    if (!time_ns)
        return;
    if (!apply->first_ns || time_ns < apply->first_ns)
        apply->first_ns = time_ns;
    if (time_ns > apply->last_ns)
        apply->last_ns = time_ns;
}

/* Unwinds the user side of a sample, if it has one that can be. */
static void unwind(struct ff_perf_apply *apply, const struct ff_space *space,
                   struct ff_perf_sample *sample)
{
    struct ff_dump dump;
    if (!sample->has_dump || !apply->unwinder || !ff_perf_dump(apply->file, sample, &dump))
        return;
    ff_unwind(apply->unwinder, space, &dump, &apply->unwound);
    sample->unwound = apply->unwound.words;
    sample->unwound_count = apply->unwound.count;
}

/* Keeps what ff-doctor wants to know of an unwound stack: how deep it is, where it was cut. */
static void note_depth(struct ff_perf_apply *apply, uint32_t stack)
{
    const struct ff_unwound *unwound = &apply->unwound;
    bool complete = unwound->state == FF_STATE_COMPLETE;
    if (!complete && unwound->state != FF_STATE_TRUNCATED)
        return;
    uint64_t bytes = complete ? unwound->read_above : unwound->missing_above + 8;
    ff_depth_add(apply->profile,
                 (struct ff_depth){.source = apply->source,
                                   .complete = complete,
                                   .size_kib = (uint32_t)((bytes + 4095) / 4096 * 4),
                                   .count = 1});
    if (complete)
        return;
    while (apply->profile->stacks.at[stack].parent)
        stack = apply->profile->stacks.at[stack].parent;
    ff_cut_add(apply->profile, (struct ff_cut){.source = apply->source,
                                               .frame = apply->profile->stacks.at[stack].frame,
                                               .count = 1,
                                               .least = unwound->missing_above,
                                               .most = unwound->missing_above});
}

static enum ff_state state_of(const struct ff_perf_apply *apply,
                              const struct ff_perf_sample *sample, uint32_t stack)
{
    if (sample->unwound)
        return apply->unwound.state;
    if (sample->has_dump)
        return FF_STATE_NOT_UNWOUND;
    return stack ? FF_STATE_RECORDED : FF_STATE_NO_FRAMES;
}

/* Says why a stack ends inside of known code. */
static void note_lack(struct ff_perf_apply *apply)
{
    static const uint8_t entries[] = {
        [FF_LACK_IMAGE] = FF_LEDGER_LACK_IMAGE,
        [FF_LACK_ENTRY] = FF_LEDGER_LACK_ENTRY,
        [FF_LACK_RULE] = FF_LEDGER_LACK_RULE,
        [FF_LACK_SENSE] = FF_LEDGER_LACK_SENSE,
    };
    const struct ff_unwound *unwound = &apply->unwound;
    if (unwound->state == FF_STATE_NO_RULE)
        count_sample(apply, entries[unwound->lack], 1);
    if (unwound->state != FF_STATE_NO_RULE || unwound->lack != FF_LACK_RULE)
        return;
    char name[128];
    snprintf(name, sizeof name, "stacks that end at a refused unwind entry: %s", unwound->reason);
    struct ff_ledger_entry entry = {.source = apply->source,
                                    .grade = FF_GRADE_NOTE,
                                    .unit = ff_profile_intern(apply->profile, FF_TEXT("stacks")),
                                    .name = ff_profile_intern(apply->profile, ff_text(name)),
                                    .count = 1};
    ff_ledger_add_entry(apply->profile, entry);
}

/* Gives a sample of time off the CPU to the source of such. */
static void move_blocked(struct ff_perf_apply *apply, struct ff_sample *row)
{
    uint32_t source = apply->profile->events.at[row->event].source;
    if (source != apply->source)
        row->thread = ff_perf_blocked_thread(&apply->blocked, apply->source, row->thread);
    apply->blocked.samples += source != apply->source;
    apply->sample_counts[FF_LEDGER_SAMPLES] -= source != apply->source;
}

/* Adds a sample's row: a truncated stack waits for donors, a complete one is offered as one. */
static void add_row(struct ff_perf_apply *apply, const struct ff_perf_sample *sample,
                    struct ff_perf_chain *chain, const struct ff_sample *row)
{
    struct ff_task task = {sample->pid, sample->tid,
                           ff_perf_tasks_life(&apply->tasks, sample->pid, sample->tid)};
    bool proven = !sample->unwound || !apply->unwound.guessed;
    if (row->state == FF_STATE_TRUNCATED && proven && !apply->no_stitching)
        ff_stitcher_hold(&apply->stitcher, task, row, &apply->unwound);
    else
        chain->sample = ff_sample_add_near(apply->profile, chain->sample, *row);
    if (row->state == FF_STATE_COMPLETE && !apply->no_stitching)
        ff_stitcher_offer(&apply->stitcher, task, &apply->unwound);
}

/* Takes a sample that is wanted and this thread's own. */
static void take_sample(struct ff_perf_apply *apply, struct ff_perf_sample *sample,
                        uint16_t cpu_mode, uint32_t thread, uint32_t event)
{
    const struct ff_perf_process *process = ff_perf_tasks_process(&apply->tasks, sample->pid);
    unwind(apply, &process->space, sample);
    struct ff_perf_chain *chain =
        ff_perf_stacks_add(&apply->stacks, &process->space, thread, cpu_mode, sample);
    uint32_t source = apply->profile->events.at[event].source;
    struct ff_sample row = {
        .event = event,
        .thread = thread,
        .stack = chain->stack,
        .state = (uint8_t)state_of(apply, sample, chain->stack),
        .count = FF_COUNT_ONE,
        .weight = sample->period,
        .moments = sample->time_ns ? ff_moment_add(apply->profile, source, sample->time_ns) : 0,
    };
    if (apply->switches && ff_text_equal(ff_profile_text(apply->profile, sample->attr->name),
                                         FF_TEXT("sched:sched_switch")))
        ff_perf_blocked_switch(&apply->blocked, apply->source, sample, &row);
    move_blocked(apply, &row);
    count_sample(apply, FF_LEDGER_GROUP_VALUES, sample->group_values);
    count_sample(apply, FF_LEDGER_NOT_UNWOUND, row.state == FF_STATE_NOT_UNWOUND);
    count_sample(apply, FF_LEDGER_NO_FRAMES, row.state == FF_STATE_NO_FRAMES);
    if (sample->unwound) {
        note_depth(apply, chain->stack);
        note_lack(apply);
    }
    add_row(apply, sample, chain, &row);
}

void ff_perf_apply_sample(struct ff_perf_apply *apply, struct ff_text record, bool own,
                          const uint64_t *user, uint64_t user_count)
{
    struct ff_perf_sample sample;
    uint64_t cookie;
    bool whole = ff_perf_record_sample(apply->file, record, &sample);
    if (!user && whole && ff_perf_deferred_cookie(&sample, &cookie)) {
        ff_perf_deferred_hold(&apply->deferred, sample.tid, cookie, record, own);
        return;
    }
    sample.deferred = user;
    sample.deferred_count = user_count;
    count_sample(apply, FF_LEDGER_SAMPLES, own);
    if (!whole || !sample.attr) {
        count_sample(apply, whole ? FF_LEDGER_SAMPLES_NO_EVENT : FF_LEDGER_SAMPLES_BAD, own);
        return;
    }
    ff_perf_apply_time(apply, sample.time_ns);
    if (!is_selected(apply, &sample)) {
        count_sample(apply, FF_LEDGER_NOT_SELECTED, own);
        return;
    }
    uint16_t cpu_mode = ff_perf_header(record.at).misc & FF_PERF_CPU_MODE;
    uint32_t thread = ff_perf_tasks_row(&apply->tasks, sample.pid, sample.tid, true);
    uint32_t event = ff_perf_event_row(apply, sample.attr);
    if (own)
        take_sample(apply, &sample, cpu_mode, thread, event);
}

/* KSYMBOL: code that the kernel made, of BPF programs mostly, comes or goes. */
static void apply_symbol(struct ff_perf_apply *apply, struct ff_text record)
{
    struct ff_perf_mapping mapping;
    bool gone;
    if (!ff_perf_record_symbol(record, &mapping, &gone))
        count(apply, FF_LEDGER_RECORDS_BAD, 1);
    else
        ff_perf_mapping_symbol(apply->file, &apply->stacks, &mapping, gone);
}

static void apply_mapping(struct ff_perf_apply *apply, struct ff_text record)
{
    struct ff_perf_mapping mapping;
    uint16_t mode = ff_perf_header(record.at).misc & FF_PERF_CPU_MODE;
    if (!ff_perf_record_mapping(record, &mapping))
        count(apply, FF_LEDGER_RECORDS_BAD, 1);
    else if (mode == 4 || mode == 5) /* a guest's address space is none of ours */
        count(apply, FF_LEDGER_RECORDS_UNUSED, 1);
    else
        ff_perf_mapping_add(apply->file, &apply->tasks, &apply->stacks, &mapping,
                            mode == 1 || mapping.pid == UINT32_MAX);
}

static void apply_task(struct ff_perf_apply *apply, struct ff_text record)
{
    struct ff_perf_task_record task;
    struct ff_perf_header header = ff_perf_header(record.at);
    bool comm = header.type == FF_PERF_COMM;
    if (!(comm ? ff_perf_record_comm(record, &task) : ff_perf_record_fork(record, &task)))
        count(apply, FF_LEDGER_RECORDS_BAD, 1);
    else if (comm)
        ff_perf_tasks_comm(&apply->tasks, task.pid, task.tid, task.comm,
                           header.misc & FF_PERF_COMM_EXEC);
    else if (header.type == FF_PERF_EXIT)
        ff_perf_tasks_exit(&apply->tasks, task.pid, task.tid);
    else
        ff_perf_tasks_fork(&apply->tasks, task.pid, task.tid, task.parent_pid, task.parent_tid,
                           header.misc & FF_PERF_FORK_SYNTHESIZED);
}

/* LOST: id, count. LOST_SAMPLES: count; those that a BPF filter dropped were not wanted. */
static void apply_lost(struct ff_perf_apply *apply, struct ff_text record)
{
    struct ff_perf_header header = ff_perf_header(record.at);
    size_t at = header.type == FF_PERF_LOST ? 16 : 8;
    uint64_t lost;
    if (record.size < at + sizeof lost) {
        count(apply, FF_LEDGER_RECORDS_BAD, 1);
        return;
    }
    memcpy(&lost, record.at + at, sizeof lost);
    if (header.type == FF_PERF_LOST)
        count(apply, FF_LEDGER_LOST, lost);
    else
        count(apply,
              header.misc & FF_PERF_LOST_BY_FILTER ? FF_LEDGER_FILTERED : FF_LEDGER_LOST_SAMPLES,
              lost);
}

void ff_perf_apply_record(void *context, struct ff_text record)
{
    struct ff_perf_apply *apply = context;
    switch (ff_perf_header(record.at).type) {
    case FF_PERF_SAMPLE:
        ff_perf_apply_sample(apply, record, ff_perf_share_next(&apply->share), NULL, 0);
        break;
    case FF_PERF_DEFERRED:
        ff_perf_late_chain(apply, record);
        break;
    case FF_PERF_KSYMBOL:
        apply_symbol(apply, record);
        break;
    case FF_PERF_MMAP:
    case FF_PERF_MMAP2:
        apply_mapping(apply, record);
        break;
    case FF_PERF_COMM:
    case FF_PERF_FORK:
    case FF_PERF_EXIT:
        apply_task(apply, record);
        break;
    case FF_PERF_LOST:
    case FF_PERF_LOST_SAMPLES:
        apply_lost(apply, record);
        break;
    case FF_PERF_THROTTLE:
        count(apply, FF_LEDGER_THROTTLED, 1);
        break;
    default:
        count(apply, FF_LEDGER_RECORDS_UNUSED, 1);
        break;
    }
}

void ff_perf_apply_init(struct ff_perf_apply *apply, struct ff_perf_file *file, struct ff_text name,
                        const struct ff_selection *selection)
{
    struct ff_profile *profile = file->profile;
    *apply = (struct ff_perf_apply){.profile = profile, .file = file, .selection = selection};
    apply->source = ff_source_add(profile, (struct ff_source){
                                               .name = ff_profile_intern(profile, name),
                                               .tool = FF_TOOL_PERF,
                                           });
    apply->window = selection->window;
    apply->blocked.profile = profile;
    ff_perf_tasks_init(&apply->tasks, profile, apply->source);
    ff_perf_stacks_init(&apply->stacks, profile);
    ff_stitcher_init(&apply->stitcher, profile);
}

/* Takes the stacks of other recordings in as donors. */
static enum ff_status borrow(struct ff_perf_apply *apply)
{
    enum ff_status status = FF_OK;
    for (uint32_t i = 0; i < apply->lender_count && status == FF_OK; i++)
        status = ff_perf_lender_lend(apply->lenders[i], &apply->tasks, &apply->stitcher,
                                     &apply->counts[FF_LEDGER_DONORS], &apply->profile->error);
    return status;
}

static void finish_stitching(struct ff_perf_apply *apply)
{
    const struct ff_stitch_counts *counts = &apply->stitcher.counts;
    ff_stitcher_finish(&apply->stitcher);
    count(apply, FF_LEDGER_STITCH_AGREED, counts->agreed);
    count(apply, FF_LEDGER_STITCH_SINGLE, counts->single);
    count(apply, FF_LEDGER_STITCH_LENT, counts->lent);
    count(apply, FF_LEDGER_STITCH_GAP, counts->disagreed);
    count(apply, FF_LEDGER_STITCH_SHALLOW, counts->shallow);
    count(apply, FF_LEDGER_STITCH_NONE, counts->none);
    count(apply, FF_LEDGER_STITCH_TESTED, counts->tested);
    count(apply, FF_LEDGER_STITCH_EXACT, counts->exact);
    apply->profile->out_of_memory |= apply->stitcher.failed | apply->stitcher.arena.failed;
    ff_stitcher_release(&apply->stitcher);
}

enum ff_status ff_perf_apply_finish(struct ff_perf_apply *apply)
{
    enum ff_status status = FF_OK;
    ff_perf_late_flush(apply);
    struct ff_source *source = &apply->profile->sources.at[apply->source];
    source->host = apply->file->host;
    source->start_ns = apply->first_ns;
    source->end_ns = apply->last_ns;
    if (!apply->part)
        ff_perf_clock_facts(apply->profile, apply->source, apply->file);
    if (!apply->part) /* threads without samples may get another name behind this part */
        ff_perf_tasks_finish(&apply->tasks);
    if (apply->part) {
        apply->part->stitcher = apply->stitcher;
        memcpy(apply->part->sample_counts, apply->sample_counts, sizeof apply->sample_counts);
        apply->stitcher = (struct ff_stitcher){0};
    } else if (apply->lender) {
        apply->lender->tasks = apply->tasks;
        apply->lender->stitcher = apply->stitcher;
        apply->tasks = (struct ff_perf_tasks){0};
        apply->stitcher = (struct ff_stitcher){0};
    } else {
        status = borrow(apply);
        finish_stitching(apply);
    }
    for (unsigned id = 0; id < FF_LEDGER_COUNT && !apply->part; id++)
        ff_ledger_add(apply->profile, apply->source, id,
                      apply->counts[id] + apply->sample_counts[id]);
    ff_perf_late_finish(apply);
    if (!apply->part) /* what is held back has moments too */
        ff_moments_settle(apply->profile);
    if (apply->stacks.failed || apply->stacks.arena.failed)
        apply->profile->out_of_memory = true;
    ff_perf_stacks_release(&apply->stacks);
    ff_perf_tasks_release(&apply->tasks);
    ff_unwound_release(&apply->unwound);
    return status;
}
