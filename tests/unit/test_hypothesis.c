/* SPDX-License-Identifier: MIT
 *
 * The engine by arithmetic: what each answer must be follows from Wilson's formula and the
 * thresholds. The numbers of the causes are those of the captures' README: counts of perf's own texts,
 * GPU values of nvidia-smi.
 */
#include "check.h"

#include "report/hypothesis.h"

static void expect(const struct ff_measure *measures, enum ff_hypothesis_id id,
                   enum ff_outcome outcome)
{
    struct ff_finding finding = ff_hypothesis_test(&ff_hypotheses[id], measures);
    if (finding.outcome != outcome)
        fprintf(stderr, "%s is %s, expected %s\n", ff_hypotheses[id].word,
                ff_outcome_word((enum ff_outcome)finding.outcome), ff_outcome_word(outcome));
    CHECK(finding.outcome == outcome);
}

/* The measures of stacks, by sample counts; what is not set is 0 of n. */
static void stacks(struct ff_measure *measures, uint64_t n)
{
    for (unsigned i = 0; i < FF_MEASURE_COUNT; i++) {
        if (ff_measures[i].kind == FF_FROM_STACKS && i != FF_MEASURE_LOCK)
            measures[i] = ff_measure_share(0, 0, n);
    }
}

static void launches(struct ff_measure *measures, uint64_t wait, uint64_t run, uint64_t n)
{
    measures[FF_MEASURE_SPIN] = ff_measure_share(wait, 0, n);
    measures[FF_MEASURE_LAUNCHES] = ff_measure_share(wait + run, 0, n);
    measures[FF_MEASURE_LAUNCH_WAITS] = ff_measure_share(wait, 0, wait + run);
}

static void gpu(struct ff_measure *measures, uint32_t value, uint32_t low, uint32_t high)
{
    measures[FF_MEASURE_GPU] = (struct ff_measure){
        .known = true, .count = 8, .n = 8, .value = value, .low = low, .high = high};
}

/* launch-queue: 191 of 318 yield under a launch, 98 are in one, GPU 0 at 100 %, five threads. */
static void test_queue_full(void)
{
    struct ff_measure m[FF_MEASURE_COUNT] = {{0}};
    stacks(m, 318);
    launches(m, 191, 98, 318);
    m[FF_MEASURE_THREADS] = ff_measure_exact(5);
    gpu(m, 1000, 1000, 1000);
    expect(m, FF_QUEUE_FULL, FF_SUPPORTED);
    expect(m, FF_DRIVER_LOCK, FF_RULED_OUT);
    expect(m, FF_LAUNCH_COST, FF_RULED_OUT);
    expect(m, FF_LOCK_HOLDER, FF_RULED_OUT); /* 0 of 318 ends at 3.8415 / 321.84 = 1.2 % */
    expect(m, FF_GIL_CONVOY, FF_RULED_OUT);
    expect(m, FF_SYNC, FF_RULED_OUT);
    /* Without the GPU: one of two, and the GPU is what is missing. */
    m[FF_MEASURE_GPU] = (struct ff_measure){0};
    struct ff_finding finding = ff_hypothesis_test(&ff_hypotheses[FF_QUEUE_FULL], m);
    CHECK(finding.outcome == FF_UNDECIDED && finding.candidate);
    CHECK_NUMBER(finding.answers[0], FF_ANSWER_YES);
    CHECK_NUMBER(ff_hypotheses[FF_QUEUE_FULL].conditions[finding.decisive].measure, FF_MEASURE_GPU);
    finding = ff_hypothesis_test(&ff_hypotheses[FF_DRIVER_LOCK], m);
    CHECK(finding.outcome == FF_UNDECIDED && finding.candidate);
    CHECK_NUMBER(ff_hypotheses[FF_DRIVER_LOCK].conditions[finding.decisive].measure,
                 FF_MEASURE_GPU);
    /* 191 of 289 in launches wait: 60.5 - 71.3 %, surely more than half. */
    expect(m, FF_LAUNCH_COST, FF_RULED_OUT);
}

/* gil-convoy: 223 + 56 of 702; --gil 92 of 391. */
static void test_convoy(void)
{
    struct ff_measure m[FF_MEASURE_COUNT] = {{0}};
    stacks(m, 702);
    launches(m, 11, 41, 702);
    m[FF_MEASURE_GIL] = ff_measure_share(223 + 56, 0, 702);
    m[FF_MEASURE_GIL_HELD] = ff_measure_share(92, 0, 391);
    gpu(m, 270, 260, 290);
    expect(m, FF_GIL_CONVOY, FF_SUPPORTED);
    expect(m, FF_LAUNCH_COST, FF_RULED_OUT); /* 279 of 702: at least 36.2 % */
    expect(m, FF_DISPATCH, FF_RULED_OUT);
    expect(m, FF_QUEUE_FULL, FF_RULED_OUT);
    /* --gil alone says nothing about a convoy, and rules out that Python code is the limit. */
    struct ff_measure alone[FF_MEASURE_COUNT] = {{0}};
    alone[FF_MEASURE_GIL_HELD] = m[FF_MEASURE_GIL_HELD];
    expect(alone, FF_GIL_CONVOY, FF_UNDECIDED);
    expect(alone, FF_PYTHON, FF_RULED_OUT);
}

/* dispatch: 423 + 163 of 797 in dispatch and Python, 211 in a launch (50 of them wait). */
static void test_dispatch(void)
{
    struct ff_measure m[FF_MEASURE_COUNT] = {{0}};
    stacks(m, 797);
    launches(m, 50, 161, 797);
    m[FF_MEASURE_DISPATCH] = ff_measure_share(334, 0, 797);
    m[FF_MEASURE_PYTHON] = ff_measure_share(163, 0, 797);
    m[FF_MEASURE_HOTTEST] = ff_measure_share(797, 0, 798);
    m[FF_MEASURE_THREADS] = ff_measure_exact(1);
    gpu(m, 150, 130, 200);
    expect(m, FF_DISPATCH, FF_SUPPORTED);
    expect(m, FF_LAUNCH_COST, FF_SUPPORTED);
    expect(m, FF_QUEUE_FULL, FF_RULED_OUT);
    expect(m, FF_DRIVER_LOCK, FF_RULED_OUT);
    expect(m, FF_GIL_CONVOY, FF_RULED_OUT);
    expect(m, FF_PYTHON, FF_RULED_OUT); /* 163 of 797: at most 23.4 % */
    /* The thread mostly sleeps: then it is not what limits. */
    m[FF_MEASURE_HOTTEST] = ff_measure_share(80, 0, 800);
    expect(m, FF_DISPATCH, FF_RULED_OUT);
    m[FF_MEASURE_HOTTEST] = (struct ff_measure){0};
    expect(m, FF_DISPATCH, FF_UNDECIDED);
    expect(m, FF_LAUNCH_COST, FF_UNDECIDED);
}

/* sync: 790 of 797 spin in a synchronising call. */
static void test_sync(void)
{
    struct ff_measure m[FF_MEASURE_COUNT] = {{0}};
    stacks(m, 797);
    launches(m, 0, 1, 797);
    m[FF_MEASURE_SYNC] = ff_measure_share(790, 0, 797);
    expect(m, FF_SYNC, FF_SUPPORTED);
    expect(m, FF_QUEUE_FULL, FF_RULED_OUT);
    expect(m, FF_DISPATCH, FF_RULED_OUT);
    expect(m, FF_CPU_WORK, FF_RULED_OUT);
}

/* What bad stacks may hide widens an interval; weak and few measures decide less. */
static void test_limits(void)
{
    struct ff_measure m[FF_MEASURE_COUNT] = {{0}};
    stacks(m, 318);
    for (unsigned i = 0; i < FF_MEASURE_COUNT; i++) {
        if (m[i].known)
            m[i] = ff_measure_share(3, 300, 318);
    }
    for (unsigned id = 0; id < FF_HYPOTHESIS_COUNT; id++)
        expect(m, (enum ff_hypothesis_id)id, FF_UNDECIDED);
    const struct ff_condition above = {FF_MEASURE_GPU, FF_ABOVE, false, 900, 800};
    struct ff_measure low = {.known = true, .value = 100, .low = 90, .high = 110};
    CHECK(ff_condition_answer(&above, &low) == FF_ANSWER_NO);
    low.weak = true;
    CHECK(ff_condition_answer(&above, &low) == FF_ANSWER_OPEN);
    struct ff_measure high = {.known = true, .weak = true, .value = 990, .low = 980, .high = 1000};
    CHECK(ff_condition_answer(&above, &high) == FF_ANSWER_YES);
    high.few = true;
    CHECK(ff_condition_answer(&above, &high) == FF_ANSWER_OPEN);
    const struct ff_condition below = {FF_MEASURE_GPU, FF_BELOW, false, 800, 900};
    struct ff_measure between = {.known = true, .value = 850, .low = 850, .high = 850};
    CHECK(ff_condition_answer(&below, &between) == FF_ANSWER_OPEN);
    between.high = between.low = 800;
    CHECK(ff_condition_answer(&below, &between) == FF_ANSWER_YES);
    between.high = between.low = 901;
    CHECK(ff_condition_answer(&below, &between) == FF_ANSWER_NO);
}

static void test_measures(void)
{
    struct ff_measure held = ff_measure_share(178, 0, 1469);
    CHECK_NUMBER(held.value, 121);
    CHECK_NUMBER(held.low, 105);
    CHECK_NUMBER(held.high, 139);
    CHECK(!ff_measure_share(0, 0, 0).known);
    /* p = 0.5, t = 0.4: 3.8415 * 0.25 / 0.01 = 96.04 */
    CHECK_NUMBER(ff_measure_needed(500, 400), 97);
    CHECK_NUMBER(ff_measure_needed(300, 300), 0);
    /* 0 of n reaches 3.8415 / (n + 3.8415): below 5 % from n = 73 on. */
    CHECK_NUMBER(ff_measure_needed(0, 50), 73);
    CHECK(ff_measure_share(0, 0, 73).high <= 50 && ff_measure_share(0, 0, 71).high > 50);
}

/* The table of docs/verdicts.md, one row for each condition: from which value on it holds, and up to which it
 * does not exclude. */
static const struct documented {
    uint8_t id, measure;
    bool above;
    uint32_t yes, no;
} documented[] = {
    {FF_QUEUE_FULL, FF_MEASURE_SPIN, true, 100, 50},
    {FF_QUEUE_FULL, FF_MEASURE_GPU, true, 900, 800},
    {FF_GIL_CONVOY, FF_MEASURE_GIL, true, 150, 50},
    {FF_LAUNCH_COST, FF_MEASURE_LAUNCHES, true, 150, 50},
    {FF_LAUNCH_COST, FF_MEASURE_LAUNCH_WAITS, false, 500, 500},
    {FF_LAUNCH_COST, FF_MEASURE_GPU, false, 800, 900},
    {FF_LAUNCH_COST, FF_MEASURE_GIL, false, 150, 250},
    {FF_LAUNCH_COST, FF_MEASURE_HOTTEST, true, 600, 300},
    {FF_DRIVER_LOCK, FF_MEASURE_SPIN, true, 100, 50},
    {FF_DRIVER_LOCK, FF_MEASURE_GPU, false, 800, 900},
    {FF_DRIVER_LOCK, FF_MEASURE_THREADS, true, 2, 2},
    {FF_DRIVER_LOCK, FF_MEASURE_ONE_THREAD, false, 50, 100},
    {FF_LOCK_HOLDER, FF_MEASURE_HOLDER, true, 50, 20},
    {FF_LOCK_HOLDER, FF_MEASURE_SPIN, true, 100, 50},
    {FF_LOCK_HOLDER, FF_MEASURE_THREADS, true, 2, 2},
    {FF_LOCK_HOLDER, FF_MEASURE_GPU, false, 800, 900},
    {FF_DISPATCH, FF_MEASURE_DISPATCH, true, 250, 100},
    {FF_DISPATCH, FF_MEASURE_GPU, false, 800, 900},
    {FF_DISPATCH, FF_MEASURE_GIL, false, 150, 250},
    {FF_DISPATCH, FF_MEASURE_HOTTEST, true, 600, 300},
    {FF_PYTHON, FF_MEASURE_PYTHON, true, 500, 300},
    {FF_PYTHON, FF_MEASURE_GIL_HELD, true, 500, 500},
    {FF_PYTHON, FF_MEASURE_GPU, false, 800, 900},
    {FF_SYNC, FF_MEASURE_SYNC, true, 400, 100},
    {FF_ALLOCATOR, FF_MEASURE_ALLOCATOR, true, 250, 150},
    {FF_STARVED, FF_MEASURE_QUEUE, true, 500, 200},
    {FF_STARVED, FF_MEASURE_GPU, false, 500, 800},
    {FF_STARVED, FF_MEASURE_HOTTEST, false, 500, 800},
    {FF_LIBRARY_LOCK, FF_MEASURE_LOCK, true, 200, 50},
    {FF_LIBRARY_LOCK, FF_MEASURE_LOCK_THREADS, true, 2, 2},
    {FF_START_UP, FF_MEASURE_INIT, true, 200, 50},
    {FF_CPU_WORK, FF_MEASURE_CPU, true, 500, 200},
};

#define DOCUMENTED (sizeof documented / sizeof *documented)

/* At the documented edges each condition alone decides, and there is none beside them. */
static void test_edges(void)
{
    unsigned conditions = 0;
    for (unsigned id = 0; id < FF_HYPOTHESIS_COUNT; id++)
        conditions += ff_hypotheses[id].count;
    CHECK_NUMBER(conditions, DOCUMENTED);
    for (size_t i = 0; i < DOCUMENTED; i++) {
        const struct documented *row = &documented[i];
        enum ff_hypothesis_id id = (enum ff_hypothesis_id)row->id;
        struct ff_measure m[FF_MEASURE_COUNT] = {{0}};
        for (size_t k = 0; k < DOCUMENTED; k++) {
            if (documented[k].id == row->id)
                m[documented[k].measure] = ff_measure_exact(documented[k].yes);
        }
        expect(m, id, FF_SUPPORTED);
        uint32_t less = row->above ? row->yes - 1 : row->yes + 1;
        m[row->measure] = ff_measure_exact(less);
        expect(m, id, row->yes == row->no ? FF_RULED_OUT : FF_UNDECIDED);
        m[row->measure] = ff_measure_exact(row->no);
        expect(m, id, row->yes == row->no ? FF_SUPPORTED : FF_UNDECIDED);
        m[row->measure] = ff_measure_exact(row->above ? row->no - 1 : row->no + 1);
        expect(m, id, FF_RULED_OUT);
    }
}

int main(void)
{
    for (unsigned id = 0; id < FF_HYPOTHESIS_COUNT; id++) {
        const struct ff_hypothesis *row = &ff_hypotheses[id];
        CHECK(row->word && row->count && row->count <= FF_CONDITIONS);
        for (unsigned i = 0; i < row->count; i++)
            CHECK(row->conditions[i].side == FF_ABOVE
                      ? row->conditions[i].yes >= row->conditions[i].no
                      : row->conditions[i].yes <= row->conditions[i].no);
    }
    test_queue_full();
    test_convoy();
    test_dispatch();
    test_sync();
    test_limits();
    test_edges();
    test_measures();
    return check_result();
}
