/* SPDX-License-Identifier: MIT
 *
 * The default rules against stacks whose bucket is known (tests/data/rules.cases), and the counts
 * that are known of real recordings, from the text that perf printed.
 */
#include "check.h"

#include <stdlib.h>

#include "base/input.h"
#include "base/output.h"
#include "classify/classify.h"
#include "profile/tags.h"

struct bench {
    struct ff_profile *profile;
    uint32_t event, process;
};

static struct bench bench_new(void)
{
    struct bench bench = {.profile = ff_profile_new()};
    uint32_t source = ff_source_add(bench.profile, (struct ff_source){.tool = FF_TOOL_PERF});
    bench.event = ff_event_add(bench.profile, (struct ff_event){.source = source});
    bench.process = ff_process_add(bench.profile, (struct ff_process){source, 1, 0});
    return bench;
}

static uint32_t intern(struct bench *bench, struct ff_text text)
{
    return ff_profile_intern(bench->profile, text);
}

static void set_module(struct bench *bench, struct ff_frame *frame, struct ff_text module)
{
    uint8_t kind = FF_MODULE_ELF;
    if (ff_text_equal(module, FF_TEXT("[unknown]")))
        return;
    if (ff_text_starts(module, FF_TEXT("[kernel")))
        kind = FF_MODULE_KERNEL;
    else if (ff_text_equal(module, FF_TEXT("[vdso]")))
        kind = FF_MODULE_VDSO;
    else if (module.size && module.at[0] == '[')
        kind = FF_MODULE_KERNEL_MODULE;
    if (kind == FF_MODULE_KERNEL || kind == FF_MODULE_KERNEL_MODULE)
        frame->kind = FF_FRAME_KERNEL;
    frame->module = ff_module_add(bench->profile,
                                  (struct ff_module){.kind = kind, .path = intern(bench, module)});
}

static bool is_python(struct ff_text module)
{
    return ff_text_ends(module, FF_TEXT(".py")) || ff_text_equal(module, FF_TEXT("~")) ||
           ff_text_starts(module, FF_TEXT("<frozen"));
}

/* MODULE!SYMBOL[@HOW], see rules.cases. */
static uint32_t frame_of(struct bench *bench, struct ff_text text)
{
    struct ff_frame frame = {.kind = FF_FRAME_TEXT, .named = FF_NAMED_RECORDED};
    ptrdiff_t at = ff_text_find_last(text, '@');
    int how = at < 0 ? -1 : ff_how_parse(ff_text_from(text, (size_t)at + 1));
    if (how >= 0) {
        frame.how = (uint8_t)how;
        text = ff_text_slice(text, 0, (size_t)at);
    }
    ptrdiff_t mark = ff_text_find(text, '!');
    struct ff_text symbol = ff_text_from(text, (size_t)(mark + 1));
    struct ff_text module = ff_text_slice(text, 0, mark < 0 ? 0 : (size_t)mark);
    if (mark >= 0 && is_python(module)) {
        frame.kind = FF_FRAME_PYTHON;
        frame.file = intern(bench, module);
    } else if (mark >= 0) {
        frame.kind = FF_FRAME_NATIVE;
        set_module(bench, &frame, module);
    }
    if (symbol.size && symbol.at[0] == '+') {
        frame.named = symbol.size > 1 ? FF_NAMED_FUNCTION : FF_NAMED_NOT;
        if (symbol.size > 1)
            CHECK(ff_text_hex(ff_text_from(symbol, 3), &frame.function));
        frame.place = frame.function;
    } else {
        frame.symbol = intern(bench, symbol);
    }
    return ff_frame_add(bench->profile, frame);
}

static void add(struct bench *bench, struct ff_thread thread, uint8_t state, uint32_t stack)
{
    thread.process = bench->process;
    thread.tid = bench->profile->threads.count; /* a thread for each sample */
    struct ff_sample sample = {.event = bench->event,
                               .stack = stack,
                               .state = state,
                               .thread = ff_thread_add(bench->profile, thread),
                               .count = FF_COUNT_ONE};
    ff_sample_add(bench->profile, sample);
}

/* Words of the cases hold no blanks: '_' stands for one where the kernel's name has it. */
static uint32_t blank_name(struct bench *bench, struct ff_text word)
{
    char name[64] = "";
    for (size_t i = 0; i < word.size && i < sizeof name - 1; i++)
        name[i] = word.at[i];
    if (strncmp(name, "NCCL_", 5) == 0)
        name[4] = ' ';
    return intern(bench, ff_text(name));
}

/* What one line of rules.cases expects. */
struct expected {
    struct ff_text line, bucket, head; /* head: the words before the '|' */
};

/* Adds the sample of a case, under an event of its own. */
static struct expected read_case(struct bench *bench, struct ff_text line)
{
    struct ff_text stack = line, head = ff_text_cut(&stack, '|');
    struct expected expected = {.line = line, .head = head};
    struct ff_source source = {.tool = FF_TOOL_PERF};
    struct ff_thread thread = {.comm = intern(bench, FF_TEXT("python3"))};
    uint8_t state = FF_STATE_RECORDED;
    uint32_t node = 0;
    expected.bucket = ff_text_cut(&head, ' ');
    for (struct ff_text word; head.size;) {
        word = ff_text_cut(&head, ' ');
        if (ff_text_starts(word, FF_TEXT("state=")))
            state = (uint8_t)ff_state_parse(ff_text_from(word, 6));
        if (ff_text_starts(word, FF_TEXT("comm=")))
            thread.comm = blank_name(bench, ff_text_from(word, 5));
        if (ff_text_starts(word, FF_TEXT("name=")))
            thread.name = intern(bench, ff_text_from(word, 5));
        if (ff_text_starts(word, FF_TEXT("population=")))
            source.population = (uint8_t)ff_population_parse(ff_text_from(word, 11));
    }
    while (ff_text_trim(stack).size) {
        ptrdiff_t end = ff_text_find_text(stack, FF_TEXT(" ; "));
        struct ff_text frame = end < 0 ? stack : ff_text_slice(stack, 0, (size_t)end);
        stack = ff_text_from(stack, end < 0 ? stack.size : (size_t)end + 3);
        node = ff_stack_push(bench->profile, node, frame_of(bench, ff_text_trim(frame)));
    }
    bench->event = ff_event_add(bench->profile,
                                (struct ff_event){.source = ff_source_add(bench->profile, source)});
    add(bench, thread, state, node);
    return expected;
}

/* Whether a sample has what its case wants: the bucket, every +TAG, no -TAG. */
static bool is_right(const struct ff_profile *profile, const struct expected *expected,
                     const struct ff_sample *sample)
{
    struct ff_text tags = ff_profile_text(profile, sample->tags), head = expected->head;
    bool right = ff_text_equal(expected->bucket, ff_profile_text(profile, sample->bucket));
    while (head.size) {
        struct ff_text word = ff_text_cut(&head, ' ');
        if (word.size && (word.at[0] == '+' || word.at[0] == '-'))
            right &= ff_tags_match(tags, ff_text_from(word, 1)) == (word.at[0] == '+');
    }
    return right;
}

#define CASES 1000

struct cases {
    struct bench bench;
    struct expected expected[CASES]; /* by event */
    uint32_t count;
};

static void read_cases(struct cases *cases, struct ff_text text)
{
    cases->bench = (struct bench){.profile = ff_profile_new()};
    cases->bench.process = ff_process_add(cases->bench.profile, (struct ff_process){0, 1, 0});
    while (text.size) {
        struct ff_text line = ff_text_trim(ff_text_cut(&text, '\n'));
        if (!line.size || line.at[0] == '#')
            continue;
        struct expected expected = read_case(&cases->bench, line);
        if (cases->bench.event < CASES)
            cases->expected[cases->bench.event] = expected;
        cases->count++;
    }
    CHECK(cases->count < CASES);
}

/* How many cases get something else than they should; LOUD says which. */
static unsigned wrong_cases(struct cases *cases, const struct ff_rules *rules, bool loud)
{
    struct ff_profile *profile = cases->bench.profile;
    unsigned wrong = 0;
    CHECK(ff_classify(profile, rules) == FF_OK);
    CHECK_NUMBER(profile->samples.count - 1, cases->count);
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        const struct expected *expected = &cases->expected[sample->event];
        bool good = is_right(profile, expected, sample);
        if (loud)
            CHECK(good);
        if (loud && !good)
            fprintf(stderr, "  found %.*s (%.*s): %.*s\n",
                    FF_TEXT_ARGS(ff_profile_text(profile, sample->bucket)),
                    FF_TEXT_ARGS(ff_profile_text(profile, sample->tags)),
                    FF_TEXT_ARGS(expected->line));
        wrong += !good;
    }
    return wrong;
}

static struct ff_rules *parse(struct ff_text text)
{
    struct ff_rules *rules = ff_rules_new();
    CHECK(ff_rules_parse(rules, "default.rules", text) == FF_OK);
    if (rules->error.status)
        fprintf(stderr, "  %s\n", rules->error.message);
    return rules;
}

/* The default rules without line number LEFT_OUT (it becomes a comment). */
static struct ff_text without_line(uint32_t left_out, char *copy)
{
    struct ff_text text = ff_rules_default(), rest = text;
    memcpy(copy, text.at, text.size);
    for (uint32_t line = 1; rest.size; line++) {
        struct ff_text row = ff_text_cut(&rest, '\n');
        if (line == left_out)
            copy[row.at - text.at] = '#';
    }
    return (struct ff_text){copy, text.size};
}

/* Every rule is needed: without it some case fails. */
static void test_deletion(struct cases *cases, const struct ff_rules *rules, char *copy)
{
    for (uint32_t i = 0; i < rules->rules.count; i++) {
        struct ff_rules *less = parse(without_line(rules->rules.at[i].line, copy));
        bool noticed = wrong_cases(cases, less, false) > 0;
        CHECK(noticed);
        if (!noticed)
            fprintf(stderr, "  no case needs %s\n",
                    ff_rules_text(rules, rules->rules.at[i].text).at);
        ff_rules_free(less);
    }
}

static bool same_conclusion(const struct ff_rule *a, const struct ff_rule *b)
{
    return a->bucket == b->bucket && a->tag == b->tag && a->value == b->value &&
           a->value_from == b->value_from;
}

/* The order matters: a rule and the next one that concludes something else of the same kind, the other way
 * round, fail some case. Rules of which one cannot hold where the other does are named in the cases. */
static void test_order(struct cases *cases, struct ff_rules *rules, struct ff_text text)
{
    struct ff_rule *rows = rules->rules.at;
    for (uint32_t i = 0; i + 1 < rules->rules.count; i++) {
        if (same_conclusion(&rows[i], &rows[i + 1]) || rows[i].tag != rows[i + 1].tag)
            continue;
        struct ff_rule first = rows[i];
        char apart[600];
        snprintf(apart, sizeof apart, "\n# apart: %.80s", ff_rules_text(rules, first.text).at);
        rows[i] = rows[i + 1];
        rows[i + 1] = first;
        bool noticed = wrong_cases(cases, rules, false) > 0;
        bool is_apart = ff_text_find_text(text, ff_text(apart)) >= 0;
        CHECK(noticed != is_apart);
        if (noticed == is_apart)
            fprintf(stderr, "  %s:\n    %s\n    %s\n",
                    noticed ? "said to be apart, but order matters" : "no case needs this order",
                    ff_rules_text(rules, first.text).at, ff_rules_text(rules, rows[i].text).at);
        rows[i + 1] = rows[i];
        rows[i] = first;
    }
}

static void test_cases(struct ff_text text)
{
    static struct cases cases;
    struct ff_rules *rules = parse(ff_rules_default());
    char *copy = malloc(ff_rules_default().size);
    read_cases(&cases, text);
    CHECK_NUMBER(wrong_cases(&cases, rules, true), 0);
    test_deletion(&cases, rules, copy);
    test_order(&cases, rules, text);
    free(copy);
    ff_rules_free(rules);
    ff_profile_free(cases.bench.profile);
}

/* A frame line of perf script: "   ADDRESS SYMBOL+0xOFFSET (PATH)". */
static uint32_t perf_frame(struct bench *bench, struct ff_text line)
{
    struct ff_text text = ff_text_trim(line), address = ff_text_cut(&text, ' ');
    ptrdiff_t open = ff_text_find_last(text, '(');
    struct ff_text module = ff_text_slice(text, (size_t)open + 1, text.size - 1);
    struct ff_text symbol = ff_text_trim(ff_text_slice(text, 0, (size_t)open));
    struct ff_frame frame = {.kind = FF_FRAME_NATIVE, .named = FF_NAMED_SYMBOL};
    ff_text_hex(address, &frame.place);
    set_module(bench, &frame, module);
    ptrdiff_t plus = ff_text_find_last(symbol, '+');
    if (ff_text_equal(symbol, FF_TEXT("[unknown]"))) {
        frame.named = FF_NAMED_FUNCTION;
        frame.function = frame.place;
    } else {
        frame.symbol = intern(bench, plus > 0 ? ff_text_slice(symbol, 0, (size_t)plus) : symbol);
    }
    return ff_frame_add(bench->profile, frame);
}

static struct bench read_perf_text(const char *path)
{
    struct bench bench = bench_new();
    struct ff_input input;
    struct ff_error error = {0};
    struct ff_text line;
    uint32_t frames[512], count = 0;
    bool open = false;
    CHECK(ff_input_open(&input, path, &error) == FF_OK);
    for (;;) {
        enum ff_status status = ff_input_line(&input, &line, &error);
        if (open && (status || !line.size)) {
            uint32_t stack = 0;
            while (count)
                stack = ff_stack_push(bench.profile, stack, frames[--count]);
            add(&bench, (struct ff_thread){.comm = intern(&bench, FF_TEXT("python3"))},
                stack ? FF_STATE_RECORDED : FF_STATE_NO_FRAMES, stack);
            open = false;
        }
        if (status)
            break;
        if (line.size && line.at[0] == '\t' && count < 512)
            frames[count++] = perf_frame(&bench, line);
        else if (line.size)
            open = true;
    }
    ff_input_close(&input);
    return bench;
}

static bool has(const struct bench *bench, uint32_t stack, const char *glob)
{
    const struct ff_profile *profile = bench->profile;
    for (; stack; stack = profile->stacks.at[stack].parent) {
        uint32_t symbol = profile->frames.at[profile->stacks.at[stack].frame].symbol;
        if (ff_text_glob(ff_profile_text(profile, symbol), ff_text(glob)))
            return true;
    }
    return false;
}

/* Samples in BUCKET (NULL: any) that have a frame like each of A and B (NULL: any). */
static uint64_t count(const struct bench *bench, const char *bucket, const char *a, const char *b)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < bench->profile->samples.count; i++) {
        const struct ff_sample *sample = &bench->profile->samples.at[i];
        struct ff_text name = ff_profile_text(bench->profile, sample->bucket);
        if ((!bucket || ff_text_equal(name, ff_text(bucket))) &&
            (!a || has(bench, sample->stack, a)) && (!b || has(bench, sample->stack, b)))
            sum += sample->count / FF_COUNT_ONE;
    }
    return sum;
}

/* captures/README.md and the issue say what is in them. */
static void test_captures(const char *shared)
{
    char path[512];
    struct ff_rules *rules = parse(ff_rules_default());
    snprintf(path, sizeof path, "%s/captures/launch-queue/fp.script.txt", shared);
    struct bench bench = read_perf_text(path);
    CHECK(ff_classify(bench.profile, rules) == FF_OK);
    CHECK_NUMBER(count(&bench, NULL, NULL, NULL), 1899);
    CHECK_NUMBER(count(&bench, NULL, "*sched_yield", "cuLaunchKernel*"), 540);
    CHECK_NUMBER(count(&bench, "cuda_launch_spin", "*sched_yield", "cuLaunchKernel*"), 540);
    ff_profile_free(bench.profile);
    snprintf(path, sizeof path, "%s/captures/gil-convoy/dwarf.script.txt", shared);
    bench = read_perf_text(path);
    CHECK(ff_classify(bench.profile, rules) == FF_OK);
    CHECK_NUMBER(count(&bench, NULL, NULL, NULL), 702);
    CHECK_NUMBER(count(&bench, "gil_wait", NULL, NULL), 223);
    CHECK_NUMBER(count(&bench, "gil_handoff", NULL, NULL), 56);
    CHECK_NUMBER(count(&bench, NULL, "cuLaunchKernel*", NULL), 52);
    CHECK_NUMBER(count(&bench, "cuda_launch", "cuLaunchKernel*", NULL) +
                     count(&bench, "cuda_launch_spin", "cuLaunchKernel*", NULL),
                 52);
    ff_profile_free(bench.profile);
    ff_rules_free(rules);
}

static void test_explain(void)
{
    struct bench bench = bench_new();
    read_case(&bench, FF_TEXT("x | libcuda.so.580!cuLaunchKernel ; libcuda.so.580!+0x10 ; "
                              "libc.so.6!sched_yield"));
    read_case(&bench, FF_TEXT("x | prog!main"));
    struct ff_rules *rules = parse(FF_TEXT("bucket spin \"spins\"\n"
                                           "spin: leaf sched_yield under cuLaunch*\n"));
    struct ff_output output;
    struct ff_error error = {0};
    ff_output_memory(&output);
    CHECK(ff_classify_explain(bench.profile, rules, &output) == FF_OK);
    struct ff_text text = {output.buffer, output.used};
    CHECK(ff_text_find_text(text, FF_TEXT("spin: 1 samples\n"
                                          "  default.rules:2: spin: leaf sched_yield under")) >= 0);
    CHECK(ff_text_find_text(text, FF_TEXT("    > sched_yield (libc.so.6)\n"
                                          "      libcuda.so.580+0x10\n"
                                          "    > cuLaunchKernel (libcuda.so.580)\n")) >= 0);
    CHECK(ff_text_find_text(text, FF_TEXT("unknown: 1 samples\n  no rule\n")) >= 0);
    ff_output_close(&output, &error);
    ff_rules_free(rules);
    ff_profile_free(bench.profile);
}

int main(void)
{
    struct ff_input input;
    struct ff_error error = {0};
    struct ff_text cases = {0};
    CHECK(ff_input_open(&input, "tests/data/rules.cases", &error) == FF_OK);
    CHECK(ff_input_peek(&input, 1 << 20, &cases, &error) == FF_OK);
    test_cases(cases);
    ff_input_close(&input);
    test_explain();
    const char *shared = getenv("FF_SHARED");
    if (!shared)
        shared = "../shared";
    char path[512];
    snprintf(path, sizeof path, "%s/captures/launch-queue/fp.script.txt", shared);
    FILE *there = fopen(path, "r");
    if (there) {
        fclose(there);
        test_captures(shared);
    } else {
        SKIP("no captures beside the repository");
    }
    return check_result();
}
