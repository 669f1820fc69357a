/* SPDX-License-Identifier: MIT
 *
 * Samples of native stacks to measures. The hard thing is to choose whose stacks count, and to know
 * when they are too bad or too few for any verdict.
 */
#include "report/evidence.h"
#include "profile/select.h"
#include "profile/tags.h"
#include "report/health.h"
#include "report/proof.h"
#include "report/summary.h"

struct gathering {
    struct ff_evidence *evidence;
    struct ff_proof proof;
    uint64_t counts[FF_MEASURE_COUNT]; /* of stack measures, in units of 1 / FF_COUNT_ONE */
    uint64_t total, hidden, foreign, shallow;
    uint64_t *by_thread, *cuda_by_thread, *locks_by_thread;
    bool tagged;
};

static const char *const gate_words[] = {
#define X(name, word) word,
    FF_GATE_TABLE(X)
#undef X
};

const char *ff_gate_word(enum ff_gate gate)
{
    return gate_words[gate];
}

/* Only a minority of the samples of a Python-only file has a native frame, if any. */
static bool has_native(const struct gathering *gathering, uint32_t event)
{
    const struct ff_profile *profile = gathering->evidence->profile;
    uint64_t native = 0, all = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (sample->event != event)
            continue;
        all += sample->count;
        native += gathering->proof.shapes[sample->stack].native ? sample->count : 0;
    }
    return native && native >= all / 2;
}

static bool is_running(const struct ff_source *source)
{
    return source->population == FF_POPULATION_ON_CPU ||
           source->population == FF_POPULATION_RUNNABLE ||
           (source->population == FF_POPULATION_UNKNOWN && source->tool <= FF_TOOL_FOLDED);
}

static uint64_t source_rank(const struct ff_profile *profile, uint32_t event)
{
    uint64_t all = 0, complete = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (sample->event != event)
            continue;
        all += ff_summary_samples(sample->count);
        complete += sample->state == FF_STATE_COMPLETE ? ff_summary_samples(sample->count) : 0;
    }
    return complete ? complete + ((uint64_t)1 << 40) : all;
}

/* The wanted source if it will do, else the best one; a dump only where nothing else is. */
static void choose_source(struct gathering *gathering, uint32_t source, uint32_t event)
{
    struct ff_evidence *evidence = gathering->evidence;
    const struct ff_profile *profile = evidence->profile;
    if (source && is_running(&profile->sources.at[source]) && has_native(gathering, event)) {
        evidence->source = source;
        evidence->event = event;
        return;
    }
    for (unsigned dump = 0; dump < 2 && !evidence->source; dump++) {
        uint64_t best = 0;
        for (uint32_t id = 1; id < profile->sources.count; id++) {
            const struct ff_source *row = &profile->sources.at[id];
            if (dump ? row->population != FF_POPULATION_DUMP : !is_running(row))
                continue;
            uint32_t main_event = ff_select_main_event(profile, id);
            uint64_t rank = main_event && has_native(gathering, main_event)
                                ? source_rank(profile, main_event)
                                : 0;
            if (rank <= best)
                continue;
            best = rank;
            evidence->source = id;
            evidence->event = main_event;
            evidence->dump = dump != 0;
        }
    }
}

/* Of a dump those threads count that are on a CPU, as the dump or top says. */
static bool is_hot(const struct ff_evidence *evidence, uint32_t thread)
{
    const struct ff_profile *profile = evidence->profile;
    uint32_t share;
    if (!evidence->dump)
        return true;
    if (ff_evidence_cpu_share(profile, profile->threads.at[thread].tid, &share))
        return share >= 50;
    uint32_t state = ff_intern_find(&profile->texts, FF_TEXT("state"));
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact *fact = &profile->facts.at[i];
        if (fact->thread == thread && fact->name == state && state)
            return ff_text_starts(ff_profile_text(profile, fact->text), FF_TEXT("active"));
    }
    return true;
}

static uint32_t pid_of(const struct ff_profile *profile, const struct ff_sample *sample)
{
    return profile->processes.at[profile->threads.at[sample->thread].process].pid;
}

static bool counts(const struct ff_evidence *evidence, const struct ff_sample *sample)
{
    return sample->count && sample->event == evidence->event &&
           pid_of(evidence->profile, sample) == evidence->pid && is_hot(evidence, sample->thread);
}

static void look_at_buckets(struct gathering *gathering)
{
    const struct ff_profile *profile = gathering->evidence->profile;
    gathering->proof.plain = true;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (!counts(gathering->evidence, sample))
            continue;
        struct ff_text bucket = ff_profile_text(profile, sample->bucket);
        gathering->proof.plain &= !ff_bucket_is_deep(bucket);
        gathering->evidence->uses_gpu |= ff_bucket_is_gpu(bucket);
        gathering->tagged |= sample->tags != 0;
    }
}

/* The GIL's and Python's own locks, and waiting inside of launches and the like, have their buckets. */
static bool is_library_lock(const struct ff_profile *profile, const struct ff_sample *sample)
{
    struct ff_text tag = ff_tags_find(ff_profile_text(profile, sample->tags), FF_TEXT("lock"));
    return ff_bucket_in(tag, "lock:malloc lock:allocator lock:loader lock:driver") &&
           !ff_bucket_is_call(ff_profile_text(profile, sample->bucket));
}

static void count_sample(struct gathering *gathering, const struct ff_sample *sample)
{
    const struct ff_profile *profile = gathering->evidence->profile;
    struct ff_text bucket = ff_profile_text(profile, sample->bucket);
    gathering->total += sample->count;
    if (ff_proof_is_shallow(&gathering->proof, sample))
        gathering->shallow += sample->count;
    gathering->by_thread[sample->thread] += sample->count;
    if (!ff_proof_can_tell(&gathering->proof, sample)) {
        gathering->hidden += sample->count;
        if (bucket.size && !ff_bucket_is_known(bucket) &&
            !ff_bucket_in(bucket, "truncated unknown"))
            gathering->foreign += sample->count;
        return;
    }
    for (unsigned i = 0; i < FF_MEASURE_COUNT; i++) {
        if (ff_bucket_in(bucket, ff_measures[i].buckets))
            gathering->counts[i] += sample->count;
    }
    if (is_library_lock(profile, sample)) {
        gathering->counts[FF_MEASURE_LOCK] += sample->count;
        gathering->locks_by_thread[sample->thread] += sample->count;
    }
    if (ff_bucket_is_gpu(bucket))
        gathering->cuda_by_thread[sample->thread] += sample->count;
}

/* Threads with at least a hundredth of what COUNTS holds: a stray one is no competitor. */
static struct ff_measure measure_threads(const struct ff_profile *profile, const uint64_t *counts)
{
    uint64_t all = 0;
    uint32_t threads = 0;
    for (uint32_t id = 0; id < profile->threads.count; id++)
        all += counts[id];
    for (uint32_t id = 0; id < profile->threads.count; id++)
        threads += counts[id] && counts[id] >= all / 100;
    struct ff_measure measure = ff_measure_exact(threads);
    measure.few = ff_summary_samples(all) < FF_HEALTH_LEAST_N;
    return measure;
}

/* The hottest thread by its samples, where it is known how many a busy thread would have; else by
 * top. */
static void measure_hottest(struct gathering *gathering)
{
    struct ff_evidence *evidence = gathering->evidence;
    const struct ff_profile *profile = evidence->profile;
    const struct ff_source *source = &profile->sources.at[evidence->source];
    uint64_t most = 0;
    uint32_t share, hottest = 0;
    for (uint32_t id = 0; id < profile->threads.count; id++)
        most = gathering->by_thread[id] > most ? gathering->by_thread[id] : most;
    uint64_t spent = source->end_ns - source->start_ns;
    uint64_t full = (uint64_t)((double)source->rate * (double)spent / 1e9 + 0.5);
    if (source->population == FF_POPULATION_ON_CPU && full &&
        !ff_ledger_count(profile, evidence->source, FF_LEDGER_NOT_SELECTED)) {
        uint64_t count = ff_summary_samples(most);
        evidence->measures[FF_MEASURE_HOTTEST] =
            ff_measure_share(count < full ? count : full, 0, full);
        return;
    }
    for (uint32_t id = 1; id < profile->threads.count; id++) {
        if (ff_evidence_cpu_share(profile, profile->threads.at[id].tid, &share) && share > hottest)
            hottest = share;
    }
    if (hottest)
        evidence->measures[FF_MEASURE_HOTTEST] = ff_measure_exact(hottest);
}

static void set_gate(struct ff_evidence *evidence)
{
    if (!evidence->source)
        evidence->gate = FF_GATE_NO_STACKS;
    else if (ff_ledger_count(evidence->profile, 0, FF_LEDGER_PART_SELECTED))
        evidence->gate = FF_GATE_SELECTED;
    else if (evidence->foreign * 2 > evidence->samples)
        evidence->gate = FF_GATE_NO_BUCKETS;
    else if (evidence->hidden * 2 > evidence->samples || evidence->shallow * 2 > evidence->samples)
        evidence->gate = FF_GATE_UNHEALTHY;
    else if (evidence->samples < FF_EVIDENCE_LEAST_N)
        evidence->gate = FF_GATE_FEW;
}

static bool is_of_stacks(unsigned measure)
{
    return ff_measures[measure].kind == FF_FROM_STACKS ||
           ff_measures[measure].kind == FF_FROM_LAUNCH ||
           ff_measures[measure].kind == FF_FROM_THREADS;
}

static void list_hot_tids(struct gathering *gathering)
{
    struct ff_evidence *evidence = gathering->evidence;
    const struct ff_profile *profile = evidence->profile;
    for (uint32_t id = 1; id < profile->threads.count; id++) {
        uint64_t own = gathering->by_thread[id];
        if (own && own >= gathering->total / 20 && evidence->hot_tid_count < FF_HOT_TIDS)
            evidence->hot_tids[evidence->hot_tid_count++] = profile->threads.at[id].tid;
    }
}

static void measure_stacks(struct gathering *gathering)
{
    struct ff_evidence *evidence = gathering->evidence;
    uint64_t launches = ff_summary_samples(gathering->counts[FF_MEASURE_LAUNCHES]);
    evidence->samples = ff_summary_samples(gathering->total);
    evidence->hidden = ff_summary_samples(gathering->hidden);
    evidence->foreign = ff_summary_samples(gathering->foreign);
    evidence->shallow = ff_summary_samples(gathering->shallow);
    for (unsigned i = 0; i < FF_MEASURE_COUNT; i++) {
        uint64_t count = ff_summary_samples(gathering->counts[i]);
        if (ff_measures[i].kind == FF_FROM_STACKS)
            evidence->measures[i] = ff_measure_share(count, evidence->hidden, evidence->samples);
        else if (ff_measures[i].kind == FF_FROM_LAUNCH)
            evidence->measures[i] = ff_measure_share(count, 0, launches);
    }
    /* No launch is none that waits. */
    if (!launches)
        evidence->measures[FF_MEASURE_LAUNCH_WAITS] = evidence->measures[FF_MEASURE_LAUNCHES];
    evidence->measures[FF_MEASURE_THREADS] =
        measure_threads(evidence->profile, gathering->cuda_by_thread);
    evidence->measures[FF_MEASURE_LOCK_THREADS] =
        measure_threads(evidence->profile, gathering->locks_by_thread);
    if (!gathering->tagged)
        evidence->measures[FF_MEASURE_LOCK] = evidence->measures[FF_MEASURE_LOCK_THREADS] =
            (struct ff_measure){0};
    measure_hottest(gathering);
}

/* Stacks that say too little say nothing at all; too few of them point, and decide nothing. */
static void apply_gate(struct ff_evidence *evidence)
{
    for (unsigned i = 0; i < FF_MEASURE_COUNT; i++) {
        if (!is_of_stacks(i))
            continue;
        if (evidence->gate == FF_GATE_FEW)
            evidence->measures[i].few = true;
        else if (evidence->gate != FF_GATE_OPEN)
            evidence->measures[i] = (struct ff_measure){0};
    }
    /* Stacks that show no GPU call at all are not limited by a GPU. */
    if (evidence->gate == FF_GATE_OPEN && !evidence->uses_gpu)
        evidence->measures[FF_MEASURE_GPU] = ff_measure_exact(0);
}

/* The process with most samples, the smallest pid at a tie. SUMS, zeroed, are by process row;
 * rows of one pid (before and after exec) are added up at the first of them. */
static void choose_process(struct ff_evidence *evidence, uint64_t *sums)
{
    const struct ff_profile *profile = evidence->profile;
    struct ff_map first = {0};
    uint64_t all = 0, most = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        uint32_t pid = pid_of(profile, sample), row = profile->threads.at[sample->thread].process;
        struct ff_probe probe;
        if (sample->event != evidence->event || !row)
            continue;
        uint32_t id = ff_map_first(&first, ff_hash_mix(1, pid), &probe);
        while (id && profile->processes.at[id].pid != pid)
            id = ff_map_next(&first, &probe);
        if (!id)
            ff_map_add(&first, ff_hash_mix(1, pid), id = row);
        sums[id] += sample->count;
        all += sample->count;
    }
    for (uint32_t id = 1; id < profile->processes.count; id++) {
        uint32_t pid = profile->processes.at[id].pid;
        if (sums[id] > most || (sums[id] && sums[id] == most && pid < evidence->pid)) {
            most = sums[id];
            evidence->pid = pid;
        }
    }
    evidence->others = ff_summary_samples(all - most);
    evidence->profile->out_of_memory |= first.failed;
    ff_map_release(&first);
}

static void walk_samples(struct gathering *gathering)
{
    const struct ff_profile *profile = gathering->evidence->profile;
    uint64_t *sums = ff_alloc(profile->processes.count, sizeof *sums);
    if (sums)
        choose_process(gathering->evidence, sums);
    gathering->evidence->profile->out_of_memory |= !sums;
    ff_free(sums);
    look_at_buckets(gathering);
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        if (counts(gathering->evidence, &profile->samples.at[i]))
            count_sample(gathering, &profile->samples.at[i]);
    }
    measure_stacks(gathering);
    list_hot_tids(gathering);
}

enum ff_status ff_evidence_gather(struct ff_evidence *evidence, struct ff_profile *profile,
                                  uint32_t source, uint32_t event)
{
    *evidence = (struct ff_evidence){.profile = profile};
    struct gathering gathering = {.evidence = evidence};
    bool good = ff_proof_init(&gathering.proof, profile);
    gathering.by_thread = ff_alloc(profile->threads.count, sizeof *gathering.by_thread);
    gathering.cuda_by_thread = ff_alloc(profile->threads.count, sizeof *gathering.cuda_by_thread);
    gathering.locks_by_thread = ff_alloc(profile->threads.count, sizeof *gathering.locks_by_thread);
    if (good && gathering.by_thread && gathering.cuda_by_thread && gathering.locks_by_thread) {
        choose_source(&gathering, source, event);
        if (evidence->source)
            walk_samples(&gathering);
        set_gate(evidence);
        ff_evidence_gpus(evidence);
        ff_evidence_gil(evidence);
        ff_evidence_queue(evidence);
        ff_evidence_roles(evidence);
        apply_gate(evidence);
        for (unsigned i = 0; i < FF_HYPOTHESIS_COUNT; i++)
            evidence->findings[i] = ff_hypothesis_test(&ff_hypotheses[i], evidence->measures);
    } else {
        profile->out_of_memory = true;
    }
    ff_proof_release(&gathering.proof);
    ff_free(gathering.by_thread);
    ff_free(gathering.cuda_by_thread);
    ff_free(gathering.locks_by_thread);
    return ff_profile_status(profile);
}
