/* SPDX-License-Identifier: MIT
 *
 * Merging against truth. In a recording with trampolines every complete stack names its Python frames.
 * Half of its samples lose these names and are "perf"; the other half, without the frames that py-spy
 * does not show, are "py-spy". They are merged, and the distribution of (Python frames, bucket) is
 * compared with the true one of the first half, over many seeded splits. `--table` prints the table of
 * docs/merging.md.
 */
#include "check.h"

#include "classify/classify.h"
#include "flamefold_handle.h"
#include "merge/conditional.h"
#include "merge/exact.h"
#include "profile/moment.h"
#include "report/interval.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#define SPLITS 5
#else
#define SPLITS 200
#endif

/* One sample of the recording. */
struct item {
    uint32_t row;
    uint64_t time_ns;
};

/* A distinct (thread, stack, bucket) of the recording, as the two recorders would see it. */
struct row {
    uint32_t thread_native, thread_both; /* of the halves' sources */
    uint32_t native, both;               /* stacks */
    uint32_t bucket, number;
    uint64_t truth; /* hash of its Python frames; 0: the stack is cut */
};

/* Mass of one (Python frames, bucket). */
struct mass {
    uint64_t key;
    double merged, truth, other, spread;
};

struct masses {
    struct mass at[8192];
    uint32_t count;
};

struct experiment {
    struct ff_profile *profile;
    struct row *rows;
    uint32_t row_count;
    struct item *items;
    uint32_t item_count;
    uint32_t event_native, event_both;
    uint32_t *identity;
};

/* What all splits of one method gave. */
struct result {
    double distance, floor;
    uint64_t shares, covered;
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t python_hash(const struct ff_profile *profile, uint32_t stack)
{
    uint64_t hash = 0;
    for (; stack; stack = profile->stacks.at[stack].parent) {
        const struct ff_frame *frame = &profile->frames.at[profile->stacks.at[stack].frame];
        if (frame->kind == FF_FRAME_PYTHON && frame->how != FF_HOW_UNMATCHED)
            hash = ff_hash_mix(hash, (uint64_t)frame->symbol << 32 | frame->file);
    }
    return hash;
}

static struct mass *mass_of(struct masses *masses, uint64_t truth, uint32_t bucket)
{
    uint64_t key = ff_hash_mix(truth, bucket);
    for (uint32_t i = 0; i < masses->count; i++) {
        if (masses->at[i].key == key)
            return &masses->at[i];
    }
    masses->at[masses->count] = (struct mass){.key = key};
    return &masses->at[masses->count++];
}

/* The stack with only the parts that KEEP has a bit for. */
static uint32_t filtered(struct ff_profile *profile, const struct ff_parts *parts, uint32_t stack,
                         uint32_t keep)
{
    uint32_t path[4096], depth = 0, out = 0;
    for (; stack && depth < 4096; stack = profile->stacks.at[stack].parent)
        path[depth++] = profile->stacks.at[stack].frame;
    while (depth) {
        if (keep >> parts->of[path[--depth]] & 1)
            out = ff_stack_push(profile, out, path[depth]);
    }
    return out;
}

/* py-spy shows no kernel and of the interpreter only Python frames. */
#define BIT(part)   (1u << (part))
#define NATIVE_HALF ~BIT(FF_PART_TRAMPOLINE)
#define BOTH_HALF   (BIT(FF_PART_NATIVE) | BIT(FF_PART_SYSTEM) | BIT(FF_PART_PYTHON))

static uint32_t thread_in(struct ff_profile *profile, uint32_t process, uint32_t thread)
{
    struct ff_thread row = profile->threads.at[thread];
    row.process = process;
    row.generation = 0;
    return ff_thread_add(profile, row);
}

/* The recordings' samples as rows of both halves, in the same profile. */
static void make_rows(struct experiment *e)
{
    struct ff_profile *profile = e->profile;
    uint32_t native = ff_source_add(profile, (struct ff_source){.tool = FF_TOOL_PERF}),
             both =
                 ff_source_add(profile, (struct ff_source){.tool = FF_TOOL_PY_SPY,
                                                           .population = FF_POPULATION_RUNNABLE});
    uint32_t process_native = ff_process_add(profile, (struct ff_process){native, 1, 0}),
             process_both = ff_process_add(profile, (struct ff_process){both, 1, 0});
    uint32_t samples = profile->samples.count;
    struct ff_sample *before = ff_alloc(samples, sizeof *before);
    struct ff_parts parts;
    e->event_native = ff_event_add(profile, (struct ff_event){.source = native});
    e->event_both = ff_event_add(profile, (struct ff_event){.source = both});
    e->rows = ff_alloc(samples, sizeof *e->rows);
    memcpy(before, profile->samples.at, samples * sizeof *before);
    for (uint32_t i = 1; i < samples; i++) /* unique keys, so that rows keep their places */
        profile->samples.at[i].bucket = i;
    ff_parts_init(&parts, profile);
    for (uint32_t i = 1; i < samples; i++)
        e->rows[i] =
            (struct row){.thread_native = thread_in(profile, process_native, before[i].thread),
                         .thread_both = thread_in(profile, process_both, before[i].thread),
                         .native = filtered(profile, &parts, before[i].stack, NATIVE_HALF),
                         .bucket = before[i].bucket};
    ff_parts_release(&parts);
    CHECK(ff_merge_exact(profile, false, NULL) == FF_OK);
    CHECK_NUMBER(profile->samples.count, samples);
    ff_parts_init(&parts, profile);
    for (uint32_t i = 1; i < samples; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        struct row *row = &e->rows[i];
        row->both = filtered(profile, &parts, sample->stack, BOTH_HALF);
        row->truth = sample->state == FF_STATE_COMPLETE ? python_hash(profile, row->both) : 0;
        for (uint32_t m = before[i].moments; m; m = profile->moments.at[m].next) {
            for (uint64_t n = profile->moments.at[m].count / FF_COUNT_ONE; n; n--)
                e->items[e->item_count++] = (struct item){i, profile->moments.at[m].time_ns};
        }
    }
    ff_parts_release(&parts);
    e->row_count = samples;
    e->identity = ff_alloc(profile->processes.count, sizeof *e->identity);
    e->identity[process_native] = e->identity[process_both] = process_native;
    ff_free(before);
}

static void empty_samples(struct ff_profile *profile)
{
    profile->samples.count = 1;
    profile->moments.count = 1;
    ff_map_release(&profile->sample_map);
}

static uint8_t state_of(const struct row *row)
{
    return row->truth ? FF_STATE_COMPLETE : FF_STATE_TRUNCATED;
}

/* Items [0, half) as perf saw them, the rest as py-spy did. */
static void add_halves(struct experiment *e, uint32_t half)
{
    empty_samples(e->profile);
    for (uint32_t i = 0; i < e->item_count; i++) {
        const struct row *row = &e->rows[e->items[i].row];
        struct ff_sample sample = {.event = i < half ? e->event_native : e->event_both,
                                   .thread = i < half ? row->thread_native : row->thread_both,
                                   .stack = i < half ? row->native : row->both,
                                   .bucket = row->bucket,
                                   .state = state_of(row),
                                   .count = FF_COUNT_ONE};
        if (i < half || row->truth)
            ff_sample_add(e->profile, sample);
    }
}

static void add_truth(const struct experiment *e, uint32_t half, struct masses *masses)
{
    masses->count = 0;
    for (uint32_t i = 0; i < e->item_count; i++) {
        const struct row *row = &e->rows[e->items[i].row];
        struct mass *mass = mass_of(masses, row->truth, row->bucket);
        *(i < half ? &mass->truth : &mass->other) += 1;
    }
}

static void add_merged(const struct experiment *e, struct masses *masses)
{
    const struct ff_profile *profile = e->profile;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (sample->event != e->event_native)
            continue;
        struct mass *mass = mass_of(masses, python_hash(profile, sample->stack), sample->bucket);
        mass->merged += (double)sample->count / (double)FF_COUNT_ONE;
        mass->spread += (double)sample->spread / (double)FF_COUNT_ONE;
    }
}

/* Total variation: half the sum of absolute differences of shares. */
static double distance(const struct masses *masses, bool floor, double half, double other)
{
    double sum = 0;
    for (uint32_t i = 0; i < masses->count; i++) {
        const struct mass *mass = &masses->at[i];
        double difference = floor ? mass->other / other - mass->truth / half
                                  : mass->merged / half - mass->truth / half;
        sum += difference < 0 ? -difference : difference;
    }
    return sum / 2;
}

/* Of the shares with at least five true samples: how many lie in the interval that is printed. */
static void count_covered(const struct masses *masses, uint32_t half, struct result *result)
{
    for (uint32_t i = 0; i < masses->count; i++) {
        const struct mass *mass = &masses->at[i];
        if (mass->truth < 5)
            continue;
        struct ff_interval interval =
            ff_interval_merged((uint64_t)(mass->merged * FF_COUNT_ONE),
                               (uint64_t)(mass->spread * FF_COUNT_ONE), half * FF_COUNT_ONE);
        double share = mass->truth / half * 1000;
        result->shares++;
        result->covered += share >= interval.low - 0.5 && share <= interval.high + 0.5;
    }
}

static void shuffle(struct experiment *e, uint64_t seed)
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (uint32_t i = e->item_count; i > 1; i--) {
        uint32_t j = (uint32_t)(next_random(&state) % i);
        struct item item = e->items[i - 1];
        e->items[i - 1] = e->items[j];
        e->items[j] = item;
    }
}

/* A straw man: the thread's py-spy sample that is nearest in time. */
static void add_nearest(const struct experiment *e, uint32_t half, struct masses *masses)
{
    for (uint32_t i = 0; i < half; i++) {
        const struct row *row = &e->rows[e->items[i].row];
        uint64_t best = UINT64_MAX, truth = 0;
        for (uint32_t j = half; j < e->item_count && row->truth; j++) {
            const struct row *other = &e->rows[e->items[j].row];
            uint64_t a = e->items[i].time_ns, b = e->items[j].time_ns, gap = a > b ? a - b : b - a;
            if (other->thread_native != row->thread_native || !other->truth || gap >= best)
                continue;
            best = gap;
            truth = other->truth;
        }
        mass_of(masses, truth, row->bucket)->merged += 1;
    }
}

/* Another one: the thread's Python stacks, whatever the native one is. */
static void add_margin(const struct experiment *e, uint32_t half, struct masses *masses)
{
    for (uint32_t i = 0; i < half; i++) {
        const struct row *row = &e->rows[e->items[i].row];
        uint32_t seen = 0;
        if (!row->truth)
            mass_of(masses, 0, row->bucket)->merged += 1;
        for (uint32_t j = half; j < e->item_count && row->truth; j++) {
            const struct row *other = &e->rows[e->items[j].row];
            seen += other->thread_native == row->thread_native && other->truth;
        }
        for (uint32_t j = half; j < e->item_count && row->truth; j++) {
            const struct row *other = &e->rows[e->items[j].row];
            if (other->thread_native == row->thread_native && other->truth)
                mass_of(masses, other->truth, row->bucket)->merged += 1.0 / seen;
        }
    }
}

enum method { SITES, CONDITIONAL_EVALS, CONDITIONAL, MARGIN, NEAREST };

static struct result run(struct experiment *e, enum method method, uint32_t splits)
{
    static struct masses masses;
    struct result result = {0};
    uint32_t half = e->item_count / 2;
    for (uint32_t seed = 1; seed <= splits; seed++) {
        shuffle(e, seed);
        add_truth(e, half, &masses);
        if (method == MARGIN || method == NEAREST) {
            (method == MARGIN ? add_margin : add_nearest)(e, half, &masses);
        } else {
            struct ff_conditional_options options = {.one_to_one = method == CONDITIONAL_EVALS,
                                                     .sites = method == SITES};
            add_halves(e, half);
            CHECK(ff_merge_conditional(e->profile, e->identity, options, NULL) == FF_OK);
            add_merged(e, &masses);
            count_covered(&masses, half, &result);
        }
        result.distance += distance(&masses, false, half, e->item_count - half) / splits;
        result.floor += distance(&masses, true, half, e->item_count - half) / splits;
    }
    return result;
}

/* The innermost Python function; *how is how it is known. */
static uint64_t innermost(const struct ff_profile *profile, uint32_t stack, unsigned *how)
{
    for (; stack; stack = profile->stacks.at[stack].parent) {
        const struct ff_frame *frame = &profile->frames.at[profile->stacks.at[stack].frame];
        *how = frame->how;
        if (frame->kind == FF_FRAME_PYTHON)
            return (uint64_t)frame->symbol << 32 | frame->file;
    }
    return 0;
}

struct names {
    uint64_t all, right, site, site_right;
};

/* Whether each native sample got the innermost function that it has. For that, rows keep their number
 * through the merge, as their bucket. */
static void count_names(struct experiment *e, uint32_t seed, bool sites, struct names *names)
{
    struct ff_conditional_options options = {.sites = sites};
    uint32_t half = e->item_count / 2;
    unsigned how = 0;
    shuffle(e, seed);
    for (uint32_t i = 1; i < e->row_count; i++) {
        uint32_t bucket = e->rows[i].bucket;
        e->rows[i].bucket = i;
        e->rows[i].number = bucket;
    }
    add_halves(e, half);
    CHECK(ff_merge_conditional(e->profile, e->identity, options, NULL) == FF_OK);
    for (uint32_t i = 1; i < e->profile->samples.count; i++) {
        const struct ff_sample *sample = &e->profile->samples.at[i];
        const struct row *row = &e->rows[sample->bucket];
        if (sample->event != e->event_native || !row->truth)
            continue;
        uint64_t truth = innermost(e->profile, row->both, &how);
        bool right = innermost(e->profile, sample->stack, &how) == truth;
        names->all += sample->count;
        names->right += right ? sample->count : 0;
        names->site += how == FF_HOW_SITE ? sample->count : 0;
        names->site_right += how == FF_HOW_SITE && right ? sample->count : 0;
    }
    for (uint32_t i = 1; i < e->row_count; i++)
        e->rows[i].bucket = e->rows[i].number;
}

static void test_names(struct experiment *e, bool table)
{
    struct names sites = {0}, plain = {0};
    for (uint32_t seed = 1; seed <= (SPLITS < 50 ? SPLITS : 50); seed++) {
        count_names(e, seed, true, &sites);
        count_names(e, seed, false, &plain);
    }
    CHECK(sites.right * 100 >= sites.all * 97);
    CHECK(sites.site_right * 100 >= sites.site * 95);
    CHECK(sites.right > plain.right);
    if (table)
        printf("\n| innermost function right | of the weight |\n|---|---|\n"
               "| call sites | %.1f %% |\n| of these where a site names it (%.1f %% of all) | %.1f "
               "%% |\n"
               "| conditional | %.1f %% |\n",
               100.0 * (double)sites.right / (double)sites.all,
               100.0 * (double)sites.site / (double)sites.all,
               100.0 * (double)sites.site_right / (double)sites.site,
               100.0 * (double)plain.right / (double)plain.all);
}

static struct flamefold *load(const char *shared)
{
    static const char *const files[] = {"dwarf.data", "both.data"};
    struct flamefold *flamefold = flamefold_new();
    char path[512];
    snprintf(path, sizeof path, "%s/captures/trampoline-64k/perf.map", shared);
    flamefold_times(flamefold, true);
    flamefold_stitching(flamefold, false);
    CHECK(flamefold_symbols(flamefold, "build/shared") == FLAMEFOLD_OK);
    CHECK(flamefold_symbols(flamefold, path) == FLAMEFOLD_OK);
    CHECK(flamefold_pid_of(flamefold, path, 1536) == FLAMEFOLD_OK);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/captures/trampoline-64k/%s", shared, files[i]);
        CHECK(flamefold_read(flamefold, path) != FLAMEFOLD_FAILED);
    }
    CHECK(flamefold_symbolize(flamefold) != FLAMEFOLD_FAILED);
    CHECK(flamefold_classify(flamefold, NULL) != FLAMEFOLD_FAILED);
    return flamefold;
}

static void print_row(const char *name, struct result result)
{
    printf("| %s | %.3f | %.3f |", name, result.distance, result.floor);
    if (result.shares)
        printf(" %.1f %% of %llu |\n", 100.0 * (double)result.covered / (double)result.shares,
               (unsigned long long)result.shares);
    else
        printf(" |\n");
}

static void test_accuracy(struct experiment *e, bool table)
{
    struct result sites = run(e, SITES, SPLITS), evals = run(e, CONDITIONAL_EVALS, SPLITS),
                  plain = run(e, CONDITIONAL, SPLITS);
    CHECK(evals.distance <= evals.floor);
    CHECK(plain.distance <= plain.floor + 0.015);
    CHECK(sites.distance * 3 <= plain.distance * 2); /* a third closer to the truth */
    CHECK(sites.covered * 100 >= sites.shares * 93);
    CHECK(evals.covered * 100 >= evals.shares * 93);
    CHECK(plain.covered * 100 >= plain.shares * 93);
    if (!table)
        return;
    printf("| method | distance to the truth | noise floor | intervals that hold the truth |\n"
           "|---|---|---|---|\n");
    print_row("call sites", sites);
    print_row("conditional, evaluation loops counted", evals);
    print_row("conditional", plain);
    print_row("the thread's margin, any native frames", run(e, MARGIN, 5));
    print_row("nearest in time", run(e, NEAREST, 5));
}

int main(int argc, char **argv)
{
    const char *shared = getenv("FF_SHARED") ? getenv("FF_SHARED") : "../shared";
    bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
    char path[512];
    snprintf(path, sizeof path, "%s/captures/trampoline-64k/both.data", shared);
    FILE *there = fopen(path, "r"), *symbols = fopen("build/shared/kallsyms", "r");
    if (!there || !symbols) {
        SKIP("the recording with trampolines or the symbols are not there");
        return check_result();
    }
    fclose(there);
    fclose(symbols);
    struct flamefold *flamefold = load(shared);
    struct experiment experiment = {.profile = flamefold->profile,
                                    .items = ff_alloc(16384, sizeof *experiment.items)};
    make_rows(&experiment);
    test_accuracy(&experiment, table);
    test_names(&experiment, table);
    ff_free(experiment.items);
    ff_free(experiment.rows);
    ff_free(experiment.identity);
    flamefold_free(flamefold);
    return check_result();
}
