/* SPDX-License-Identifier: MIT
 *
 * Merging where the joint distribution is known, because it was made: a small program of Python
 * functions that recurse, share builtins and are called back from native code, in several threads.
 * perf's samples and py-spy's are independent draws of it. Then the same inputs in other orders,
 * parts and scales: the merged shares must not change.
 */
#include "check.h"

#include "merge/conditional.h"
#include "profile/moment.h"

#include <stdlib.h>

#define THREADS   6u
#define FUNCTIONS 6u
#define BUILTINS  4u
#define DEPTH     3u

/* One drawn stack: functions from the root, each reached by a call or, where BACK is set, from
 * native code that the caller entered; then a builtin, or none. */
struct draw {
    uint32_t thread, depth, function[DEPTH], builtin; /* builtin 0: Python itself runs */
    bool back[DEPTH];
};

/* What the test keeps of one profile. */
struct made {
    struct ff_profile *profile;
    uint32_t event[3]; /* perf's, py-spy's, a second one of py-spy */
    uint32_t threads[3][THREADS];
    uint32_t python[FUNCTIONS], builtin[BUILTINS], eval, plumbing, root, callback;
    uint32_t *identity;
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint32_t pick(uint64_t *state, uint32_t many)
{
    return (uint32_t)(next_random(state) >> 20) % many;
}

/* Threads differ in their first function, deep functions prefer a builtin of their own, and function 3
 * calls itself. */
static struct draw draw_one(uint64_t *state)
{
    struct draw draw = {.thread = pick(state, THREADS)};
    draw.function[draw.depth++] = draw.thread % 2;
    while (draw.depth < DEPTH && pick(state, 4)) {
        uint32_t caller = draw.function[draw.depth - 1];
        uint32_t next = caller == 3 && pick(state, 2) ? 3 : 2 + pick(state, FUNCTIONS - 2);
        draw.back[draw.depth] = next == 5 && caller == 4;
        draw.function[draw.depth++] = next;
    }
    uint32_t leaf = draw.function[draw.depth - 1];
    draw.builtin = pick(state, 3) ? 1 + (leaf + (pick(state, 5) == 0)) % BUILTINS : 0;
    return draw;
}

static uint32_t native(struct ff_profile *profile, uint32_t module, const char *name)
{
    return ff_frame_add(profile,
                        (struct ff_frame){.kind = FF_FRAME_NATIVE,
                                          .named = FF_NAMED_SYMBOL,
                                          .module = module,
                                          .symbol = ff_profile_intern(profile, ff_text(name))});
}

static struct made make(void)
{
    struct made made = {.profile = ff_profile_new()};
    struct ff_profile *p = made.profile;
    static const struct ff_source sources[3] = {
        {.tool = FF_TOOL_PERF, .population = FF_POPULATION_ON_CPU},
        {.tool = FF_TOOL_PY_SPY, .population = FF_POPULATION_RUNNABLE},
        {.tool = FF_TOOL_PY_SPY, .population = FF_POPULATION_RUNNABLE}};
    char name[32];
    for (uint32_t s = 0; s < 3; s++) {
        uint32_t source = ff_source_add(p, sources[s]);
        uint32_t process = ff_process_add(p, (struct ff_process){source, 7, 0});
        made.event[s] = ff_event_add(p, (struct ff_event){.source = source});
        for (uint32_t t = 0; t < THREADS; t++)
            made.threads[s][t] = ff_thread_add(
                p, (struct ff_thread){
                       .process = process,
                       .tid = 100 + t,
                       .role = ff_profile_intern(p, t % 2 ? FF_TEXT("odd-*") : FF_TEXT("even-*"))});
    }
    uint32_t python = ff_module_add(
        p, (struct ff_module){.kind = FF_MODULE_ELF,
                              .path = ff_profile_intern(p, FF_TEXT("/x/python3.12"))});
    uint32_t extension =
        ff_module_add(p, (struct ff_module){.kind = FF_MODULE_ELF,
                                            .path = ff_profile_intern(p, FF_TEXT("/x/ext.so"))});
    uint32_t libc =
        ff_module_add(p, (struct ff_module){.kind = FF_MODULE_ELF,
                                            .path = ff_profile_intern(p, FF_TEXT("/x/libc.so.6"))});
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        snprintf(name, sizeof name, "f%u", (unsigned)i);
        made.python[i] =
            ff_frame_add(p, (struct ff_frame){.kind = FF_FRAME_PYTHON,
                                              .symbol = ff_profile_intern(p, ff_text(name)),
                                              .file = ff_profile_intern(p, FF_TEXT("made.py"))});
    }
    for (uint32_t i = 0; i < BUILTINS; i++) {
        snprintf(name, sizeof name, "builtin%u", (unsigned)i);
        made.builtin[i] = native(p, extension, name);
    }
    made.eval = native(p, python, "_PyEval_EvalFrameDefault");
    made.plumbing = native(p, python, "PyObject_Vectorcall");
    made.root = native(p, libc, "start_thread");
    made.callback = native(p, extension, "call_back");
    made.identity = ff_alloc(p->processes.count, sizeof *made.identity);
    for (uint32_t i = 1; i < p->processes.count; i++)
        made.identity[i] = 1;
    return made;
}

static void destroy(struct made *made)
{
    ff_free(made->identity);
    ff_profile_free(made->profile);
}

/* As perf sees it: evaluation loops; from 3.11 on one for each run of Python calls. */
static uint32_t native_stack(const struct made *made, const struct draw *draw)
{
    struct ff_profile *p = made->profile;
    uint32_t stack = ff_stack_push(p, ff_stack_push(p, 0, made->root), made->plumbing);
    stack = ff_stack_push(p, stack, made->eval);
    for (uint32_t i = 1; i < draw->depth; i++) {
        if (!draw->back[i])
            continue;
        stack = ff_stack_push(p, ff_stack_push(p, stack, made->plumbing), made->callback);
        stack = ff_stack_push(p, ff_stack_push(p, stack, made->plumbing), made->eval);
    }
    if (draw->builtin)
        stack = ff_stack_push(p, ff_stack_push(p, stack, made->plumbing),
                              made->builtin[draw->builtin - 1]);
    return stack;
}

static uint32_t both_stack(const struct made *made, const struct draw *draw)
{
    struct ff_profile *p = made->profile;
    uint32_t stack = ff_stack_push(p, 0, made->root);
    for (uint32_t i = 0; i < draw->depth; i++) {
        if (draw->back[i])
            stack = ff_stack_push(p, stack, made->callback);
        stack = ff_stack_push(p, stack, made->python[draw->function[i]]);
    }
    return draw->builtin ? ff_stack_push(p, stack, made->builtin[draw->builtin - 1]) : stack;
}

static void add(struct made *made, uint32_t source, const struct draw *draw, uint64_t many)
{
    ff_sample_add(
        made->profile,
        (struct ff_sample){.event = made->event[source],
                           .thread = made->threads[source][draw->thread],
                           .stack = source ? both_stack(made, draw) : native_stack(made, draw),
                           .state = source ? FF_STATE_RECORDED : FF_STATE_COMPLETE,
                           .count = many * FF_COUNT_ONE,
                           .weight = many * 1000,
                           .moments = source ? 0 : ff_moment_add(made->profile, 1, draw->depth)});
}

/* A distribution over what a stack shows, by texts, so that two profiles can be compared. */
struct share {
    char key[256];
    uint64_t count;
};

struct shares {
    struct share at[4096];
    uint32_t count;
    uint64_t total;
};

static void shares_add(struct shares *shares, const char *key, uint64_t count)
{
    uint32_t i = 0;
    while (i < shares->count && strcmp(shares->at[i].key, key) != 0)
        i++;
    if (i == shares->count) {
        shares->at[shares->count++] = (struct share){.count = 0};
        snprintf(shares->at[i].key, sizeof shares->at[i].key, "%s", key);
    }
    shares->at[i].count += count;
    shares->total += count;
}

static void write_key(char *key, size_t size, const struct ff_profile *p, uint32_t thread,
                      uint32_t stack, bool python)
{
    size_t used = (size_t)snprintf(key, size, "%u", (unsigned)p->threads.at[thread].tid);
    for (; stack && used + 24 < size; stack = p->stacks.at[stack].parent) {
        const struct ff_frame *frame = &p->frames.at[p->stacks.at[stack].frame];
        struct ff_text name = ff_profile_text(p, frame->symbol);
        bool shown =
            frame->kind == FF_FRAME_PYTHON ? python : ff_text_starts(name, FF_TEXT("built"));
        if (shown)
            used += (size_t)snprintf(key + used, size - used, ";%.*s", FF_TEXT_ARGS(name));
    }
}

static void collect(const struct ff_profile *p, uint32_t event, bool python, struct shares *shares)
{
    char key[256];
    shares->count = 0;
    shares->total = 0;
    for (uint32_t i = 1; i < p->samples.count; i++) {
        const struct ff_sample *sample = &p->samples.at[i];
        if (sample->event != event)
            continue;
        write_key(key, sizeof key, p, sample->thread, sample->stack, python);
        shares_add(shares, key, sample->count);
    }
}

static uint64_t count_of(const struct shares *shares, const char *key)
{
    for (uint32_t i = 0; i < shares->count; i++) {
        if (strcmp(shares->at[i].key, key) == 0)
            return shares->at[i].count;
    }
    return 0;
}

static double distance(const struct shares *a, const struct shares *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        double difference = (double)a->at[i].count / (double)a->total -
                            (double)count_of(b, a->at[i].key) / (double)b->total;
        sum += difference < 0 ? -difference : difference;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        if (!count_of(a, b->at[i].key))
            sum += (double)b->at[i].count / (double)b->total;
    }
    return sum / 2;
}

static void test_truth(void)
{
    static struct shares truth, other, merged, before, after;
    struct made made = make();
    uint64_t state = 88172645463325252u;
    struct ff_conditional_counts counts;
    char key[256];
    for (uint32_t i = 0; i < 20000; i++) {
        struct draw perf = draw_one(&state), spy = draw_one(&state);
        add(&made, 0, &perf, 1);
        add(&made, 1, &spy, 1);
        write_key(key, sizeof key, made.profile, made.threads[0][perf.thread],
                  both_stack(&made, &perf), true);
        shares_add(&truth, key, FF_COUNT_ONE);
    }
    collect(made.profile, made.event[1], true, &other);
    collect(made.profile, made.event[0], false, &before);
    CHECK(ff_merge_conditional(made.profile, made.identity, (struct ff_conditional_options){0},
                               &counts) == FF_OK);
    collect(made.profile, made.event[0], true, &merged);
    collect(made.profile, made.event[0], false, &after);
    CHECK_NUMBER(counts.conditional + counts.marginal, 20000);
    CHECK_NUMBER(counts.unmatched + counts.cut, 0);
    CHECK(distance(&merged, &truth) <= distance(&other, &truth));
    /* native totals are as they were, to the unit */
    CHECK_NUMBER(after.total, before.total);
    CHECK_NUMBER(after.count, before.count);
    for (uint32_t i = 0; i < before.count; i++)
        CHECK_NUMBER(count_of(&after, before.at[i].key), before.at[i].count);
    /* and the times stay with them */
    uint64_t timed = 0;
    for (uint32_t i = 1; i < made.profile->samples.count; i++) {
        uint32_t chain = made.profile->samples.at[i].moments;
        for (; chain; chain = made.profile->moments.at[chain].next)
            timed += made.profile->moments.at[chain].count;
    }
    CHECK_NUMBER(timed, 20000 * FF_COUNT_ONE);
    destroy(&made);
}

/* The same draws: backwards, in two files of py-spy, ten times as many; the shares. */
enum variant { PLAIN, BACKWARDS, TWO_FILES, TENFOLD };

static void merge_variant(enum variant variant, struct shares *shares)
{
    enum { COUNT = 3000 };
    static struct draw perf[COUNT], spy[COUNT];
    struct made made = make();
    uint64_t state = 1234567;
    for (uint32_t i = 0; i < COUNT; i++) {
        perf[i] = draw_one(&state);
        spy[i] = draw_one(&state);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t at = variant == BACKWARDS ? COUNT - 1 - i : i;
        add(&made, variant == TWO_FILES ? 1 + at % 2 : 1, &spy[at], 1);
        add(&made, 0, &perf[at], variant == TENFOLD ? 10 : 1);
    }
    CHECK(ff_merge_conditional(made.profile, made.identity, (struct ff_conditional_options){0},
                               NULL) == FF_OK);
    collect(made.profile, made.event[0], true, shares);
    destroy(&made);
}

static void test_invariance(void)
{
    static struct shares plain, varied;
    merge_variant(PLAIN, &plain);
    for (enum variant variant = BACKWARDS; variant <= TENFOLD; variant++) {
        uint64_t scale = variant == TENFOLD ? 10 : 1, off = 0;
        merge_variant(variant, &varied);
        CHECK_NUMBER(varied.count, plain.count);
        CHECK_NUMBER(varied.total, plain.total * scale);
        for (uint32_t i = 0; i < plain.count; i++) {
            uint64_t a = plain.at[i].count * scale, b = count_of(&varied, plain.at[i].key);
            off += a > b ? a - b : b - a;
        }
        /* rounding to 2^-20 is scaled, too */
        CHECK(off <= (variant == TENFOLD ? 40u * plain.count * scale : 0u));
    }
}

/* Two functions, one builtin: 3 of 4 py-spy samples under f0, so a share of 3/4 of 100, each with the
 * variance of 25 native on each reference sample. */
static void test_arithmetic(void)
{
    struct made made = make();
    struct draw a = {.depth = 1, .function = {0}, .builtin = 1},
                b = {.depth = 1, .function = {1}, .builtin = 1};
    add(&made, 0, &a, 1600);
    add(&made, 1, &a, 48);
    add(&made, 1, &b, 16);
    CHECK(ff_merge_conditional(made.profile, made.identity, (struct ff_conditional_options){0},
                               NULL) == FF_OK);
    const struct ff_profile *p = made.profile;
    for (uint32_t i = 1; i < p->samples.count; i++) {
        const struct ff_sample *sample = &p->samples.at[i];
        const struct ff_frame *leaf = &p->frames.at[p->stacks.at[sample->stack].frame];
        uint32_t caller = p->stacks.at[p->stacks.at[sample->stack].parent].frame;
        if (sample->event != made.event[0])
            continue;
        bool first = p->frames.at[caller].symbol == p->frames.at[made.python[0]].symbol;
        CHECK_TEXT(ff_profile_text(p, leaf->symbol), "builtin0");
        CHECK_NUMBER(p->frames.at[caller].how, FF_HOW_CONDITIONAL);
        CHECK_NUMBER(sample->count, (first ? 1200u : 400u) * FF_COUNT_ONE);
        CHECK_NUMBER(sample->weight, first ? 1200000 : 400000);
        CHECK_NUMBER(sample->spread, sample->count * 25);
    }
    CHECK_NUMBER(p->samples.count - 1, 4);
    destroy(&made);
}

int main(void)
{
    test_arithmetic();
    test_truth();
    test_invariance();
    return check_result();
}
