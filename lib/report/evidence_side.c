/* SPDX-License-Identifier: MIT
 *
 * The verdict's numbers from files beside the stacks: GPU, GIL, waiting, who is hot. The hard thing is
 * that side data lie: a sampler that prints 0 for a busy GPU, a lock that is seldom held because
 * nobody gets far with it.
 */
#include "report/evidence.h"
#include "report/interval.h"
#include "report/proof.h"
#include "report/summary.h"

#include <stdlib.h>

#define HOT_SHARE 50 /* of a CPU, in 1/1000: what a thread must use to be hot */

static uint32_t fact_name(const struct ff_profile *profile, const char *name)
{
    return ff_intern_find(&profile->texts, ff_text(name));
}

static uint32_t permille_of(const struct ff_fact *fact)
{
    return (uint32_t)((fact->value + 500) / 1000); /* ppm */
}

static int compare_values(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* VALUES holds all of one GPU. Zeros beside other values are taken for missing. */
static struct ff_gpu make_gpu(uint32_t subject, uint32_t *values, uint32_t count)
{
    uint32_t zeros = 0;
    qsort(values, count, sizeof *values, compare_values);
    while (zeros < count && !values[zeros])
        zeros++;
    if (zeros == count)
        zeros = 0;
    struct ff_gpu gpu = {.subject = subject, .usable = count - zeros, .dropped = zeros};
    values += zeros;
    struct ff_interval interval = ff_interval_median(values, gpu.usable);
    gpu.median = (values[gpu.usable / 2] + values[(gpu.usable - 1) / 2] + 1) / 2;
    gpu.low = interval.low;
    gpu.high = interval.high;
    return gpu;
}

/* Whether more rows were dropped than kept: then the rest is no picture of the GPU. */
static bool is_doubtful(const struct ff_gpu *gpu)
{
    return gpu->dropped >= gpu->usable;
}

static bool is_busier(const struct ff_profile *profile, const struct ff_gpu *a,
                      const struct ff_gpu *b)
{
    if (is_doubtful(a) != is_doubtful(b))
        return is_doubtful(b);
    if (a->median != b->median)
        return a->median > b->median;
    return ff_text_compare(ff_profile_text(profile, a->subject),
                           ff_profile_text(profile, b->subject)) < 0;
}

static void add_gpu(struct ff_evidence *evidence, struct ff_gpu gpu)
{
    uint32_t at = evidence->gpu_count++;
    for (; at && is_busier(evidence->profile, &gpu, &evidence->gpus[at - 1]); at--)
        evidence->gpus[at] = evidence->gpus[at - 1];
    evidence->gpus[at] = gpu;
}

static bool has_gpu(const struct ff_evidence *evidence, uint32_t subject)
{
    for (uint32_t i = 0; i < evidence->gpu_count; i++) {
        if (evidence->gpus[i].subject == subject)
            return true;
    }
    return false;
}

static uint32_t gpu_values(const struct ff_profile *profile, uint32_t name, uint32_t subject,
                           uint32_t *values)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact *fact = &profile->facts.at[i];
        if (fact->name == name && fact->subject == subject && !fact->text)
            values[count++] = permille_of(fact);
    }
    return count;
}

static void measure_gpu(struct ff_evidence *evidence)
{
    const struct ff_gpu *gpu = &evidence->gpus[0];
    if (!evidence->gpu_count)
        return;
    evidence->uses_gpu = true;
    evidence->measures[FF_MEASURE_GPU] = (struct ff_measure){
        .known = true,
        .weak = gpu->usable < 3,
        .few = is_doubtful(gpu),
        .count = gpu->usable,
        .n = gpu->usable,
        .value = gpu->median,
        .low = gpu->low,
        .high = gpu->high,
    };
}

void ff_evidence_gpus(struct ff_evidence *evidence)
{
    struct ff_profile *profile = evidence->profile;
    uint32_t name = fact_name(profile, "gpu-util");
    uint32_t *values = ff_alloc(profile->facts.count, sizeof *values);
    if (!values)
        profile->out_of_memory = true;
    for (uint32_t i = 1; values && name && i < profile->facts.count; i++) {
        const struct ff_fact *fact = &profile->facts.at[i];
        if (fact->name != name || has_gpu(evidence, fact->subject) ||
            evidence->gpu_count == FF_GPUS)
            continue;
        uint32_t count = gpu_values(profile, name, fact->subject, values);
        if (count)
            add_gpu(evidence, make_gpu(fact->subject, values, count));
    }
    ff_free(values);
    measure_gpu(evidence);
}

static uint64_t source_samples(const struct ff_profile *profile, uint32_t source)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        if (ff_sample_source(profile, &profile->samples.at[i]) == source)
            sum += profile->samples.at[i].count;
    }
    return ff_summary_samples(sum);
}

/* The instants that py-spy looked: it stops after seconds * rate of them and does not record the
 * last; failed ones are among them (facts of py-spy 0.4, record.rs). 0: not known. */
static uint64_t gil_instants(const struct ff_source *source)
{
    double planned = (double)source->rate * (double)source->duration_ns / 1e9 + 0.5;
    uint64_t instants = planned < 1e15 ? (uint64_t)planned : 0;
    return instants > source->errors + 1 ? instants - 1 - source->errors : 0;
}

void ff_evidence_gil(struct ff_evidence *evidence)
{
    const struct ff_profile *profile = evidence->profile;
    uint64_t most = 0;
    for (uint32_t id = 1; id < profile->sources.count; id++) {
        const struct ff_source *source = &profile->sources.at[id];
        if (source->population != FF_POPULATION_GIL_HELD)
            continue;
        uint64_t n = gil_instants(source);
        if (evidence->gil_source && n <= most)
            continue;
        most = n;
        evidence->gil_source = id;
    }
    uint64_t held = source_samples(profile, evidence->gil_source);
    evidence->gil_length_missing = evidence->gil_source && (!most || held > most);
    if (most && held <= most)
        evidence->measures[FF_MEASURE_GIL_HELD] = ff_measure_share(held, 0, most);
}

/* The first fact on the CPU of a thread, by its id; 0: none. */
static uint32_t cpu_fact(const struct ff_profile *profile, uint32_t tid)
{
    uint32_t name = fact_name(profile, "cpu-share");
    for (uint32_t i = 1; name && i < profile->facts.count; i++) {
        const struct ff_fact *fact = &profile->facts.at[i];
        if (fact->name == name && fact->thread && profile->threads.at[fact->thread].tid == tid)
            return i;
    }
    return 0;
}

/* The first table of top is of the thread's whole life, or of a moment: where more follow, it does not
 * count. */
bool ff_evidence_cpu_share(const struct ff_profile *profile, uint32_t tid, uint32_t *share)
{
    uint32_t first = tid ? cpu_fact(profile, tid) : 0;
    const struct ff_fact *row = &profile->facts.at[first];
    uint64_t sum = 0, count = 0;
    for (uint32_t i = first + 1; first && i < profile->facts.count; i++) {
        const struct ff_fact *fact = &profile->facts.at[i];
        if (fact->name != row->name || fact->source != row->source || !fact->thread ||
            profile->threads.at[fact->thread].tid != tid)
            continue;
        sum += permille_of(fact);
        count++;
    }
    if (first && !(count && profile->sources.at[row->source].tool == FF_TOOL_TOP)) {
        sum += permille_of(row);
        count++;
    }
    if (first)
        *share = (uint32_t)((sum + count / 2) / count);
    return first != 0;
}

static bool is_hot_tid(const struct ff_evidence *evidence, uint32_t tid)
{
    for (uint32_t i = 0; i < evidence->hot_tid_count; i++) {
        if (tid && evidence->hot_tids[i] == tid)
            return true;
    }
    return false;
}

/* The hot threads' moments in a recording of all threads, asleep or not. */
static void queue_of(struct ff_evidence *evidence, uint32_t source)
{
    const struct ff_profile *profile = evidence->profile;
    const char *waits = ff_measures[FF_MEASURE_QUEUE].buckets;
    uint64_t all = 0, waiting = 0, hidden = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (ff_sample_source(profile, sample) != source ||
            !is_hot_tid(evidence, profile->threads.at[sample->thread].tid))
            continue;
        struct ff_text bucket = ff_profile_text(profile, sample->bucket);
        all += sample->count;
        waiting += ff_bucket_in(bucket, waits) ? sample->count : 0;
        hidden += !bucket.size || ff_bucket_in(bucket, "truncated unknown") ? sample->count : 0;
    }
    if (ff_summary_samples(all) >= FF_EVIDENCE_LEAST_N)
        evidence->measures[FF_MEASURE_QUEUE] = ff_measure_share(
            ff_summary_samples(waiting), ff_summary_samples(hidden), ff_summary_samples(all));
}

void ff_evidence_queue(struct ff_evidence *evidence)
{
    const struct ff_profile *profile = evidence->profile;
    for (uint32_t id = 1; evidence->source && id < profile->sources.count; id++) {
        if (profile->sources.at[id].population == FF_POPULATION_ALL &&
            !evidence->measures[FF_MEASURE_QUEUE].known)
            queue_of(evidence, id);
    }
}

/* The role that any input knows for a thread id: Python's name first, else the kernel's. */
static uint32_t role_of_tid(struct ff_profile *profile, uint32_t tid)
{
    uint32_t comm = 0;
    for (uint32_t id = 1; id < profile->threads.count; id++) {
        const struct ff_thread *thread = &profile->threads.at[id];
        if (thread->tid != tid)
            continue;
        if (thread->name)
            return ff_role_of(profile, thread->name);
        comm = comm ? comm : thread->comm;
    }
    return ff_role_of(profile, comm);
}

static int compare_roles(const void *a, const void *b)
{
    const struct ff_hot_role *x = a, *y = b;
    if (x->threads != y->threads)
        return x->threads > y->threads ? -1 : 1;
    return x->most > y->most ? -1 : x->most < y->most;
}

static void add_hot(struct ff_evidence *evidence, uint32_t role, uint32_t share)
{
    uint32_t at = 0;
    while (at < evidence->role_count && evidence->roles[at].role != role)
        at++;
    if (at == FF_HOT_ROLES)
        return;
    struct ff_hot_role *row = &evidence->roles[at];
    if (at == evidence->role_count) {
        *row = (struct ff_hot_role){.role = role, .least = share};
        evidence->role_count++;
    }
    row->threads++;
    row->least = share < row->least ? share : row->least;
    row->most = share > row->most ? share : row->most;
}

void ff_evidence_roles(struct ff_evidence *evidence)
{
    struct ff_profile *profile = evidence->profile;
    uint32_t name = fact_name(profile, "cpu-share");
    for (uint32_t i = 1; name && i < profile->facts.count; i++) {
        uint32_t share, thread = profile->facts.at[i].thread;
        uint32_t tid = profile->threads.at[thread].tid;
        if (profile->facts.at[i].name != name || cpu_fact(profile, tid) != i ||
            !ff_evidence_cpu_share(profile, tid, &share) || share < HOT_SHARE)
            continue;
        add_hot(evidence, role_of_tid(profile, tid), share);
    }
    qsort(evidence->roles, evidence->role_count, sizeof *evidence->roles, compare_roles);
}
