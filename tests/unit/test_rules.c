/* SPDX-License-Identifier: MIT
 *
 * The rule language: what each form means, on stacks made for it, and what each mistake is called.
 */
#include "check.h"

#include <stdlib.h>

#include "base/output.h"
#include "classify/classify.h"
#include "classify/match.h"
#include "classify/walk.h"

/* "b" if TERMS hold for the stack of NAMES (leaf first, blank-separated; a name in upper case is a
 * kernel frame), else "unknown". The thread is "w-3", Python's name "target-3". */
static struct ff_text verdict(struct ff_profile **kept, const char *terms, const char *names)
{
    char text[512];
    struct ff_profile *profile = *kept = ff_profile_new();
    struct ff_rules *rules = ff_rules_new();
    snprintf(text, sizeof text, "bucket b\nset ab = a b\nset abc = $ab\n  c # more\nb: %s\n",
             terms);
    CHECK(ff_rules_parse(rules, "r", ff_text(text)) == FF_OK);
    if (rules->error.status)
        fprintf(stderr, "  %s\n", rules->error.message);
    uint32_t frames[64], count = 0, stack = 0;
    struct ff_text rest = ff_text(names);
    while (rest.size) {
        struct ff_text name = ff_text_cut(&rest, ' ');
        uint8_t kind = name.at[0] >= 'A' && name.at[0] <= 'Z' ? FF_FRAME_KERNEL : FF_FRAME_NATIVE;
        frames[count++] = ff_frame_add(
            profile, (struct ff_frame){.kind = kind, .symbol = ff_profile_intern(profile, name)});
    }
    while (count)
        stack = ff_stack_push(profile, stack, frames[--count]);
    uint32_t source = ff_source_add(profile, (struct ff_source){0});
    struct ff_thread thread = {
        .process = ff_process_add(profile, (struct ff_process){source, 1, 0}), .tid = 3};
    thread.comm = ff_profile_intern(profile, FF_TEXT("w-3"));
    thread.name = ff_profile_intern(profile, FF_TEXT("target-3"));
    thread.role = ff_role_of(profile, thread.name);
    struct ff_sample sample = {.event = ff_event_add(profile, (struct ff_event){.source = source}),
                               .thread = ff_thread_add(profile, thread),
                               .stack = stack,
                               .state = FF_STATE_COMPLETE,
                               .count = FF_COUNT_ONE};
    ff_sample_add(profile, sample);
    CHECK(ff_classify(profile, rules) == FF_OK);
    ff_rules_free(rules);
    return ff_profile_text(profile, profile->samples.at[1].bucket);
}

static void holds(const char *terms, const char *names, bool expected)
{
    struct ff_profile *profile;
    struct ff_text found = verdict(&profile, terms, names);
    bool good = ff_text_equal(found, expected ? FF_TEXT("b") : FF_TEXT("unknown"));
    CHECK(good);
    if (!good)
        fprintf(stderr, "  '%s' on '%s'\n", terms, names);
    ff_profile_free(profile);
}

static void test_meaning(void)
{
    holds("a", "x a y", true);
    holds("any a", "x y", false);
    holds("a | y", "x y", true);
    holds("$abc", "x c", true);
    holds("leaf a", "a x", true);
    holds("leaf a", "x a", false);
    holds("user a", "K a x", true);
    holds("user a", "K x a", false);
    holds("user a", "K", false);
    holds("root a", "x a", true);
    holds("root a", "a x", false);
    holds("a under y", "a x y", true);
    holds("a under y", "y x a", false);
    holds("a under a", "a", false);
    holds("a under a", "a x a", true);
    holds("a called by y", "a y", true);
    holds("a called by y", "a x y", false);
    holds("a called by y", "a x a y", true);
    holds("leaf a under b under c", "a x b b c", true);
    holds("leaf a under b under c", "a c b", false);
    holds("a called by b under c", "a x a b x c", true);
    holds("a under b called by c", "a b x b c", true);
    holds("innermost $ab is a", "x a b", true);
    holds("innermost $ab is a", "x b a", false);
    holds("outermost $ab is a", "x b a x", true);
    holds("innermost not $ab is x", "a b x a", true);
    holds("innermost not $ab is x", "a b y x", false);
    holds("not a", "x", true);
    holds("not a", "a", false);
    holds("x, not a under y", "x a", true);
    holds("kernel:*", "K a", true);
    holds("native:K", "K a", false);
    holds("comm w-*", "x", true);
    holds("name target-* | z", "x", true);
    holds("role target-*", "x", true);
    holds("thread w-*", "x", false);
    holds("state complete | recorded", "x", true);
    holds("state not-unwound", "x", false);
    holds("[unknown]!a", "a", true);
    holds("lib*!a", "a", false);
    holds("\"a\" | \"leaf\"", "leaf", true);
    holds("f<a,b>, x", "f<a,b> x", true);
    /* Names that share their first bytes, and names shorter than those. */
    holds("cuLaunchKernel*", "cuLaunchKernelEx", true);
    holds("cuLaunchKernel*", "cuLaunchHost", false);
    holds("cuL*", "cuL", true);
    holds("*nch*", "cuLaunch", true);
}

static void error(const char *text, const char *expected)
{
    struct ff_rules *rules = ff_rules_new();
    CHECK(ff_rules_parse(rules, "my.rules", ff_text(text)) == FF_BAD_INPUT);
    struct ff_text message = ff_text(rules->error.message);
    bool good = ff_text_starts(message, ff_text(expected));
    CHECK(good);
    if (!good)
        fprintf(stderr, "  %s\n  expected %s\n", rules->error.message, expected);
    ff_rules_free(rules);
}

#define AT(line, column, rest) "my.rules: line " #line ", column " #column ": found " rest

static void test_errors(void)
{
    error("hello", AT(1, 1, "'hello', expected 'set', 'bucket', 'tag', 'default', 'BUCKET:'"));
    error("\n# x\nbuckt a", AT(3, 1, "'buckt', expected"));
    error("a: x", AT(1, 1, "'a', expected a declared bucket"));
    error("bucket A", AT(1, 8, "'A', expected a bucket name"));
    error("bucket", AT(1, 7, "the end of the line, expected a bucket name"));
    error("bucket a b", AT(1, 10, "'b', expected a description"));
    error("bucket a \"b", AT(1, 10, "'\"b', expected a closing '\"'"));
    error("bucket a \"b\" c", AT(1, 14, "'c', expected the end of the line"));
    error("bucket b\nb:", AT(2, 3, "the end of the line, expected a frame pattern"));
    error("bucket b\nb: x y", AT(2, 6, "'y', expected '|', 'under'"));
    error("bucket b\nb: leaf x undr y", AT(2, 11, "'undr', expected '|', 'under'"));
    error("bucket b\nb: x called y", AT(2, 13, "'y', expected 'by' after 'called'"));
    error("bucket b\nb: x under", AT(2, 11, "the end of the line, expected a frame pattern"));
    error("bucket b\nb: x, , y", AT(2, 7, "',', expected a frame pattern"));
    error("bucket b\nb: x |", AT(2, 7, "the end of the line, expected a frame pattern"));
    error("bucket b\nb: x|y", AT(2, 4, "'x|y', expected blanks around '|'"));
    error("bucket b\nb: $x", AT(2, 4, "'$x', expected a set that was defined above"));
    error("bucket b\nb: innermost x y", AT(2, 16, "'y', expected 'is'"));
    error("bucket b\nb: state done", AT(2, 10, "'done', expected a stack state"));
    error("bucket b\nb: comm", AT(2, 8, "the end of the line, expected a name"));
    error("bucket b\n+tag: x", AT(2, 1, "'+tag', expected '+' and a declared tag"));
    error("tag T", AT(1, 5, "'T', expected a key of tags"));
    error("tag t\n+t:: a", AT(2, 1, "'+t:', expected a value between the two colons"));
    error("tag t\n+t:SYMBOL: not a", AT(2, 17, "the end of the line, expected a first term that"));
    error("tag t\n+t:MODULE: comm a", AT(2, 18, "the end of the line, expected a first term that"));
    error("bucket b\nb: root a under b", AT(2, 11, "'under', expected the end of the term"));
    error("bucket b\nb: how guesed", AT(2, 8, "'guesed', expected how a frame is known"));
    error("bucket b\nb: population all | x", AT(2, 21, "'x', expected a population"));
    error("default x", AT(1, 9, "'x', expected the end of the line"));
    error("bucket b\nb: a under a under a under a under a under a under a under a under a",
          AT(2, 68, "'a', expected at most 8 steps"));
    error("set x y", AT(1, 7, "'y', expected '='"));
    error("set x =", AT(1, 8, "the end of the line, expected a frame pattern"));
    error("set x = a | b", AT(1, 11, "'|', expected a frame pattern (patterns of a set"));
    error("set x = a\nset x = b", AT(2, 5, "'x', expected a name that no set above has"));
    error("set x = $x", AT(1, 9, "'$x', expected a set that was defined above"));
    error("bucket b\n  b: x", AT(2, 3, "'b:', expected no blank before it"));
}

/* Rules before an error stay; earlier texts win; buckets are known to later texts. */
static void test_order(void)
{
    struct ff_rules *rules = ff_rules_new();
    CHECK(ff_rules_parse(rules, "user", FF_TEXT("bucket u \"mine\"\r\nu: x\r\n")) == FF_OK);
    CHECK(ff_rules_parse(rules, "more", FF_TEXT("bucket u \"other\"\nu: y\nu: y z\n")) ==
          FF_BAD_INPUT);
    CHECK_NUMBER(rules->rules.count, 2);
    CHECK_TEXT(ff_rules_description(rules, FF_TEXT("u")), "mine");
    CHECK(ff_rules_parse(rules, "default.rules", ff_rules_default()) == FF_OK);
    CHECK_TEXT(ff_rules_text(rules, rules->rules.at[1].text), "u: y");
    ff_rules_free(rules);
}

/* A glob or a path that would cost exponential time if it were tried by back-tracking. */
static void test_hard(void)
{
    char stack[8 * 60 + 1] = "";
    for (int i = 0; i < 60; i++)
        strcat(stack, i ? " aaaaaa" : "aaaaaa");
    holds("a* under a* under a* under a* under a* under a* under a* called by b", stack, false);
    holds("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", stack, false);
}

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % limit;
}

/* FRAMES: a letter, several, all but these, or a set. */
static int put_frames(char *at, uint64_t *seed)
{
    static const char *const words[] = {"a", "b", "c | d", "kernel:*", "native:*", "a | *e*", "$s"};
    return sprintf(at, "%s", words[random_below(seed, 7)]);
}

static int put_random_term(char *at, uint64_t *seed)
{
    static const char *const types[] = {"", "any ", "leaf ", "user ", "root "};
    static const char *const others[] = {"comm w | v",
                                         "name t*",
                                         "role nobody",
                                         "state complete",
                                         "state recorded | no-frames",
                                         "population on-cpu | all",
                                         "how guessed",
                                         "thread v*"};
    char *start = at;
    uint32_t type = random_below(seed, 9);
    at += sprintf(at, "%s", random_below(seed, 4) ? "" : "not ");
    if (type >= 7)
        return (int)(at - start) + sprintf(at, "%s", others[random_below(seed, 8)]);
    if (type >= 5) {
        at += sprintf(at, type == 5 ? "innermost " : "outermost ");
        at += sprintf(at, random_below(seed, 2) ? "" : "not ");
        at += put_frames(at, seed);
        at += sprintf(at, " is ");
        return (int)(at - start) + put_frames(at, seed);
    }
    at += sprintf(at, "%s", types[type]);
    at += put_frames(at, seed);
    for (uint32_t steps = type == 4 ? 0 : random_below(seed, 4); steps; steps--) {
        at += sprintf(at, random_below(seed, 2) ? " under " : " called by ");
        at += put_frames(at, seed);
    }
    return (int)(at - start);
}

static struct ff_rules *random_rules(uint64_t *seed, uint32_t count)
{
    static char text[64 * 1024];
    char *at = text + sprintf(text, "bucket b\ntag t\nset s = b kernel:C d\n");
    struct ff_rules *rules = ff_rules_new();
    for (uint32_t i = 0; i < count; i++) {
        at += sprintf(at, i % 3 ? "b: " : "+t:x: ");
        for (uint32_t terms = 1 + random_below(seed, 3); terms; terms--) {
            at += put_random_term(at, seed);
            at += sprintf(at, terms > 1 ? ", " : "\n");
        }
    }
    CHECK(ff_rules_parse(rules, "random", ff_text(text)) == FF_OK);
    if (rules->error.status)
        fprintf(stderr, "  %s\n", rules->error.message);
    return rules;
}

static struct ff_profile *random_profile(uint64_t *seed)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "de"};
    struct ff_profile *profile = ff_profile_new();
    uint32_t source = ff_source_add(profile, (struct ff_source){.population = 2});
    uint32_t event = ff_event_add(profile, (struct ff_event){.source = source});
    uint32_t process = ff_process_add(profile, (struct ff_process){source, 1, 0});
    uint32_t stacks[200] = {0}, frames[24], threads[3];
    for (uint32_t i = 0; i < 24; i++) {
        struct ff_frame frame = {.kind = i % 4 == 3 ? FF_FRAME_KERNEL : FF_FRAME_NATIVE,
                                 .how = i % 5 ? FF_HOW_RECORDED : FF_HOW_GUESSED,
                                 .symbol = ff_profile_intern(profile, ff_text(names[i % 6])),
                                 .place = i};
        frames[i] = ff_frame_add(profile, frame);
    }
    for (uint32_t i = 0; i < 3; i++)
        threads[i] = ff_thread_add(
            profile,
            (struct ff_thread){.process = process,
                               .tid = i,
                               .comm = ff_profile_intern(profile, ff_text(&"u\0v\0w"[2 * i])),
                               .name = ff_profile_intern(profile, ff_text(i ? "" : "t1"))});
    for (uint32_t i = 1; i < 200; i++) {
        stacks[i] =
            ff_stack_push(profile, stacks[random_below(seed, i)], frames[random_below(seed, 24)]);
        ff_sample_add(profile, (struct ff_sample){.event = event,
                                                  .thread = threads[random_below(seed, 3)],
                                                  .stack = stacks[i],
                                                  .state = (uint8_t)random_below(seed, 3),
                                                  .count = FF_COUNT_ONE});
    }
    ff_sample_add(profile, (struct ff_sample){.event = event, .count = FF_COUNT_ONE});
    return profile;
}

struct comparison {
    const struct ff_profile *profile;
    const struct ff_rules *rules;
    struct ff_matcher *matcher;
    uint32_t samples, wrong, held;
};

/* The walk tells exactly the rules that hold when each is followed alone, in their order. */
static bool compare(void *context, struct ff_walk *walk, uint32_t id)
{
    struct comparison *comparison = context;
    struct ff_match match;
    uint32_t told = UINT32_MAX;
    bool more = ff_walk_next(walk, &told);
    comparison->samples++;
    for (uint32_t r = 0; r < comparison->rules->rules.count; r++) {
        bool holds =
            ff_matcher_holds(comparison->matcher, r, &comparison->profile->samples.at[id], &match);
        bool said = more && told == r;
        if (said)
            more = ff_walk_next(walk, &told);
        if (holds != said && !comparison->wrong++)
            fprintf(stderr, "  %s: %s\n", said ? "told" : "not told",
                    ff_rules_text(comparison->rules, comparison->rules->rules.at[r].text).at);
        comparison->held += holds;
    }
    return !more;
}

/* Two ways to the same answer: all rules as bits along the tree of stacks, and one rule along one
 * stack. */
static void test_two_ways(void)
{
    uint64_t seed = 7;
    uint32_t held = 0;
    for (uint32_t round = 0; round < 60; round++) {
        struct ff_rules *rules = random_rules(&seed, 1 + random_below(&seed, 120));
        struct comparison comparison = {.profile = random_profile(&seed), .rules = rules};
        struct ff_walk *walk = ff_walk_new(comparison.profile, rules);
        comparison.matcher = ff_matcher_new(comparison.profile, rules, ff_walk_sorts(walk));
        CHECK(ff_walk_run(walk, compare, &comparison));
        CHECK_NUMBER(comparison.wrong, 0);
        CHECK_NUMBER(comparison.samples, comparison.profile->samples.count - 1);
        held += comparison.held;
        ff_matcher_free(comparison.matcher);
        ff_walk_free(walk);
        ff_profile_free((struct ff_profile *)(uintptr_t)comparison.profile);
        ff_rules_free(rules);
    }
    CHECK(held > 10000);
}

/* Rule files that nobody wrote: the built-in ones with bytes changed, lines doubled, ends cut. Each is read, or
 * refused at a line and column; checking tells as many mistakes as it counts. */
static void test_damaged(void)
{
    struct ff_text rules_text = ff_rules_default();
    char *copy = malloc(rules_text.size);
    uint64_t seed = 11;
    uint32_t refused = 0;
    for (uint32_t round = 0; copy && round < 300; round++) {
        memcpy(copy, rules_text.at, rules_text.size);
        for (uint32_t i = 1 + random_below(&seed, 8); i; i--)
            copy[random_below(&seed, (uint32_t)rules_text.size)] = "\n \t|:,!*$+\"#=\0\xff"
                                                                   "auz"[random_below(&seed, 18)];
        struct ff_text text = {copy, rules_text.size - random_below(&seed, 200)};
        struct ff_rules *rules = ff_rules_new(), *checked = ff_rules_new();
        struct ff_output output;
        struct ff_error error = {0};
        enum ff_status status = ff_rules_parse(rules, "r", text);
        CHECK(status == FF_OK ||
              (status == FF_BAD_INPUT && strncmp(rules->error.message, "r: line ", 8) == 0));
        ff_output_memory(&output);
        CHECK(ff_rules_check(checked, "r", text, &output) == status);
        uint64_t told = 0, lines = 0;
        struct ff_text rest = {output.buffer, output.used};
        while (rest.size)
            lines += ff_text_starts(ff_text_cut(&rest, '\n'), FF_TEXT("r: line "));
        if (status == FF_BAD_INPUT)
            told = strtoull(checked->error.message + 3, NULL, 10);
        CHECK_NUMBER(told, lines);
        refused += status != FF_OK;
        ff_output_close(&output, &error);
        ff_rules_free(rules);
        ff_rules_free(checked);
    }
    CHECK(refused > 100);
    free(copy);
}

int main(void)
{
    test_damaged();
    test_two_ways();
    test_meaning();
    test_errors();
    test_order();
    test_hard();
    return check_result();
}
