/* SPDX-License-Identifier: MIT
 *
 * The table of hypotheses and the engine. The hard thing is in the table: a threshold for "yes" and a
 * lower one for "no" leave a gap in which the honest answer is "undecided".
 */
#include "report/hypothesis.h"

#define ABOVE(measure, yes, no)                                                                    \
    {                                                                                              \
        measure, FF_ABOVE, false, yes, no                                                          \
    }
#define BELOW(measure, yes, no)                                                                    \
    {                                                                                              \
        measure, FF_BELOW, false, yes, no                                                          \
    }
#define IF_MEASURED_ABOVE(measure, yes, no)                                                        \
    {                                                                                              \
        measure, FF_ABOVE, true, yes, no                                                           \
    }
#define IF_MEASURED_BELOW(measure, yes, no)                                                        \
    {                                                                                              \
        measure, FF_BELOW, true, yes, no                                                           \
    }

/* A GPU that is the limit explains waiting and slow launches by itself. */
#define GPU_IS_THE_LIMIT     ABOVE(FF_MEASURE_GPU, 900, 800)
#define GPU_IS_NOT_THE_LIMIT BELOW(FF_MEASURE_GPU, 800, 900)
#define LAUNCHES_WAIT        ABOVE(FF_MEASURE_SPIN, 100, 50)
#define GIL_IS_FREE          BELOW(FF_MEASURE_GIL, 150, 250)
#define ONE_THREAD_IS_BUSY   ABOVE(FF_MEASURE_HOTTEST, 600, 300)

const struct ff_hypothesis ff_hypotheses[FF_HYPOTHESIS_COUNT] = {
    [FF_QUEUE_FULL] = {"launch_queue_full",
                       "full launch queue",
                       "the GPU is the limit: its launch queue is full, and threads wait inside of "
                       "launches until it has room",
                       "give the GPU less or faster work; cheaper launches gain nothing as long as "
                       "it is this busy",
                       {LAUNCHES_WAIT, GPU_IS_THE_LIMIT},
                       2},
    [FF_GIL_CONVOY] =
        {"gil_convoy",
         "GIL contention",
         "threads contend for the GIL: their CPU goes into waiting for it and handing it over",
         "one process per GPU, fewer Python threads, or CUDA graphs and fused "
         "operations so that a thread needs the GIL less often",
         {ABOVE(FF_MEASURE_GIL, 150, 50)},
         1},
    [FF_LAUNCH_COST] = {"launch_cost",
                        "CPU cost of launches",
                        "launching kernels costs more CPU than the GPU needs to run them",
                        "fewer, larger kernels: CUDA graphs, torch.compile, larger batches",
                        {ABOVE(FF_MEASURE_LAUNCHES, 150, 50),
                         BELOW(FF_MEASURE_LAUNCH_WAITS, 500, 500), GPU_IS_NOT_THE_LIMIT,
                         GIL_IS_FREE, ONE_THREAD_IS_BUSY},
                        5},
    [FF_DRIVER_LOCK] = {"driver_lock",
                        "driver lock contention",
                        "threads that launch at the same time wait for a lock of the driver",
                        "one process per GPU, fewer launching threads, CUDA graphs",
                        {LAUNCHES_WAIT, GPU_IS_NOT_THE_LIMIT, ABOVE(FF_MEASURE_THREADS, 2, 2),
                         BELOW(FF_MEASURE_ONE_THREAD, 50, 100)},
                        4},
    [FF_LOCK_HOLDER] =
        {"load_or_memory_holds_lock",
         "loading or a memory call that holds the driver's lock",
         "one thread loads GPU code or allocates in the driver while others wait "
         "inside of launches",
         "load code before the work (CUDA_MODULE_LOADING=EAGER, a warm-up run), reuse "
         "memory",
         {ABOVE(FF_MEASURE_HOLDER, 50, 20), LAUNCHES_WAIT, ABOVE(FF_MEASURE_THREADS, 2, 2),
          GPU_IS_NOT_THE_LIMIT},
         4},
    [FF_DISPATCH] = {"dispatch",
                     "CPU cost of dispatch",
                     "preparing operations on the CPU costs more than the GPU needs to run them",
                     "fewer, larger operations: torch.compile, CUDA graphs, larger batches",
                     {ABOVE(FF_MEASURE_DISPATCH, 250, 100), GPU_IS_NOT_THE_LIMIT, GIL_IS_FREE,
                      ONE_THREAD_IS_BUSY},
                     4},
    [FF_PYTHON] = {"python",
                   "Python code",
                   "most of the CPU goes into running Python code",
                   "move the hot functions below out of Python, or into processes of their own",
                   {ABOVE(FF_MEASURE_PYTHON, 500, 300),
                    IF_MEASURED_ABOVE(FF_MEASURE_GIL_HELD, 500, 500), GPU_IS_NOT_THE_LIMIT},
                   3},
    [FF_SYNC] =
        {"sync",
         "waiting for the GPU in synchronising calls",
         "a thread waits for the GPU in synchronising calls, and burns a core where it spins",
         "blocking synchronisation would free the core; it would not speed up the work",
         {ABOVE(FF_MEASURE_SYNC, 400, 100)},
         1},
    [FF_ALLOCATOR] = {"allocator",
                      "allocating memory",
                      "allocating and freeing memory takes much of the CPU",
                      "reuse tensors and buffers, avoid growing shapes",
                      {ABOVE(FF_MEASURE_ALLOCATOR, 250, 150)},
                      1},
    [FF_STARVED] = {"data_starvation",
                    "data starvation",
                    "the hot threads mostly wait for a queue, a lock or a file: who feeds them, or "
                    "holds the lock, is too slow",
                    "more or faster producers (loader workers, pinned memory, prefetching)",
                    {ABOVE(FF_MEASURE_QUEUE, 500, 200), BELOW(FF_MEASURE_GPU, 500, 800),
                     IF_MEASURED_BELOW(FF_MEASURE_HOTTEST, 500, 800)},
                    3},
    [FF_LIBRARY_LOCK] = {"library_lock",
                         "lock contention in libraries",
                         "threads contend for a lock inside of a library",
                         "fewer threads, or another allocator or library setting",
                         {ABOVE(FF_MEASURE_LOCK, 200, 50), ABOVE(FF_MEASURE_LOCK_THREADS, 2, 2)},
                         2},
    [FF_START_UP] =
        {"start_up",
         "CPU-side initialisation",
         "importing modules, loading and compiling code take much of the CPU",
         "if this is start-up, record later; else find what loads or compiles again and again",
         {ABOVE(FF_MEASURE_INIT, 200, 50)},
         1},
    [FF_CPU_WORK] = {"cpu_work",
                     "plain CPU work",
                     "the CPU computes: neither Python nor the GPU's driver is the cause",
                     "look at the hottest stacks below: optimise them, or move the work to the GPU",
                     {ABOVE(FF_MEASURE_CPU, 500, 200)},
                     1},
};

static const char *const answer_words[] = {
#define X(name, word) word,
    FF_ANSWER_TABLE(X)
#undef X
};

static const char *const outcome_words[] = {
#define X(name, word) word,
    FF_OUTCOME_TABLE(X)
#undef X
};

const char *ff_answer_word(enum ff_answer answer)
{
    return answer_words[answer];
}

const char *ff_outcome_word(enum ff_outcome outcome)
{
    return outcome_words[outcome];
}

enum ff_answer ff_condition_answer(const struct ff_condition *condition,
                                   const struct ff_measure *measure)
{
    bool above = condition->side == FF_ABOVE;
    if (!measure->known)
        return condition->optional ? FF_ANSWER_LEFT_OUT : FF_ANSWER_MISSING;
    if (measure->few)
        return FF_ANSWER_OPEN;
    if (above ? measure->low >= condition->yes : measure->high <= condition->yes)
        return FF_ANSWER_YES;
    bool against = above ? measure->high < condition->no : measure->low > condition->no;
    return against && !measure->weak ? FF_ANSWER_NO : FF_ANSWER_OPEN;
}

/* Whether the value, whatever its interval, lies on the condition's side. */
static bool points(const struct ff_condition *condition, const struct ff_measure *measure)
{
    return measure->known && (condition->side == FF_ABOVE ? measure->value >= condition->yes
                                                          : measure->value <= condition->yes);
}

static uint8_t find_answer(const struct ff_hypothesis *hypothesis, const struct ff_finding *finding,
                           enum ff_answer answer)
{
    uint8_t i = 0;
    while (i < hypothesis->count && finding->answers[i] != answer)
        i++;
    return i;
}

/* The condition that explains a finding: the first no; else the mark if it is not there; else what is
 * missing; else what is open. */
static uint8_t decisive(const struct ff_hypothesis *hypothesis, const struct ff_finding *finding)
{
    uint8_t at = find_answer(hypothesis, finding, FF_ANSWER_NO);
    if (at == hypothesis->count && finding->outcome == FF_UNDECIDED && !finding->candidate)
        return 0;
    if (at == hypothesis->count)
        at = find_answer(hypothesis, finding, FF_ANSWER_MISSING);
    if (at == hypothesis->count)
        at = find_answer(hypothesis, finding, FF_ANSWER_OPEN);
    return at < hypothesis->count ? at : 0;
}

struct ff_finding ff_hypothesis_test(const struct ff_hypothesis *hypothesis,
                                     const struct ff_measure measures[FF_MEASURE_COUNT])
{
    struct ff_finding finding = {.outcome = FF_SUPPORTED};
    for (uint8_t i = 0; i < hypothesis->count; i++) {
        const struct ff_condition *condition = &hypothesis->conditions[i];
        enum ff_answer answer = ff_condition_answer(condition, &measures[condition->measure]);
        finding.answers[i] = (uint8_t)answer;
        if (answer == FF_ANSWER_NO)
            finding.outcome = FF_RULED_OUT;
        else if (answer != FF_ANSWER_YES && answer != FF_ANSWER_LEFT_OUT &&
                 finding.outcome == FF_SUPPORTED)
            finding.outcome = FF_UNDECIDED;
    }
    const struct ff_condition *mark = &hypothesis->conditions[0];
    finding.candidate = finding.outcome == FF_UNDECIDED && points(mark, &measures[mark->measure]);
    finding.decisive = decisive(hypothesis, &finding);
    return finding;
}
