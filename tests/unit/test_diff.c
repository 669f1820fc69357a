/* SPDX-License-Identifier: MIT
 *
 * Comparing profiles: the tests against values that statistics books and R give, chance alone against the
 * rate that is promised, and rows of profiles whose difference is known.
 */
#include "check.h"

#include <math.h>

#include "diff/diff.h"
#include "diff/significance.h"

static bool near(double found, double expected)
{
    bool good = fabs(found - expected) < 5e-7;
    if (!good)
        fprintf(stderr, "  found %.9g, expected %.9g\n", found, expected);
    return good;
}

static void test_chances(void)
{
    /* R: 2 * pbinom(10, 30, 0.5) */
    CHECK(near(ff_poisson_test(10, 20, 1, 1), 0.09873715));
    CHECK(near(ff_poisson_test(20, 10, 1, 1), 0.09873715));
    CHECK(near(ff_poisson_test(7, 7, 1, 1), 1));
    CHECK(near(ff_poisson_test(0, 0, 1, 1), 1));
    CHECK(near(ff_poisson_test(0, 6, 1, 1), 2.0 / 64));
    /* One minute against two: 2 * (2/3)^5 of nothing in the first is no news. */
    CHECK(near(ff_poisson_test(0, 5, 1, 2), 2 * pow(2.0 / 3, 5)));
    /* Fisher's tea: 3 of 4 against 1 of 4, 17/70 on each side. */
    CHECK(near(ff_permutation_test(3, 1, 4, 4), 2 * 17.0 / 70));
    CHECK(near(ff_permutation_test(4, 0, 4, 4), 2 * 1.0 / 70));
    CHECK(near(ff_permutation_test(4, 4, 4, 4), 1));
    CHECK(near(ff_permutation_test(0, 0, 9, 9), 1));
    /* Large counts: the normal approximation is good to 1 %. */
    CHECK(fabs(ff_poisson_test(1000000, 1002772, 1, 1) - 0.05) < 0.0005);
    CHECK(ff_poisson_test(1000000, 2000000, 1, 1) < 1e-300);
}

/* Benjamini and Hochberg's own example (1995, section 3.2): four of fifteen at 5 %. */
static void test_discoveries(void)
{
    double p[] = {0.0459, 0.0001, 0.6528, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298,
                  0.0344, 0.0004, 0.3240, 0.4262, 0.5719, 0.7590, 1.0000};
    double none[] = {0.5, 0.04};
    CHECK(near(ff_false_discovery_limit(p, 15, 0.05), 0.0095));
    CHECK(ff_false_discovery_limit(none, 2, 0.05) < 0);
    CHECK(ff_false_discovery_limit(none, 0, 0.05) < 0);
}

static uint64_t seed = 3;

static double chance(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* One profile with two sources: counts[side][row] samples of the functions f0, f1, ... */
static struct ff_profile *two(const uint32_t counts[2][20], uint32_t rows)
{
    struct ff_profile *profile = ff_profile_new();
    for (int side = 0; side < 2; side++) {
        struct ff_source row = {.name = ff_profile_intern(profile, ff_text(side ? "b" : "a")),
                                .population = FF_POPULATION_ON_CPU,
                                .duration_ns = UINT64_C(2000000000)};
        uint32_t source = ff_source_add(profile, row);
        struct ff_event event = {source, ff_profile_intern(profile, FF_TEXT("cpu-clock")), 0};
        uint32_t event_id = ff_event_add(profile, event);
        struct ff_thread thread = {
            .process = ff_process_add(profile, (struct ff_process){source, 1, 0}), .tid = 1};
        thread.comm = thread.role = ff_profile_intern(profile, FF_TEXT("main"));
        uint32_t id = ff_thread_add(profile, thread);
        for (uint32_t i = 0; i < rows; i++) {
            char name[16];
            snprintf(name, sizeof name, "f%u", i);
            struct ff_frame frame = {.kind = FF_FRAME_NATIVE,
                                     .symbol = ff_profile_intern(profile, ff_text(name))};
            uint32_t stack = ff_stack_push(profile, 0, ff_frame_add(profile, frame));
            ff_sample_add(profile, (struct ff_sample){.event = event_id,
                                                      .thread = id,
                                                      .stack = stack,
                                                      .state = FF_STATE_COMPLETE,
                                                      .bucket = frame.symbol,
                                                      .count = counts[side][i] * FF_COUNT_ONE});
        }
    }
    return profile;
}

static uint32_t differing(const uint32_t counts[2][20], uint32_t rows)
{
    struct ff_profile *profile = two(counts, rows);
    struct ff_diff diff;
    uint32_t found = 0;
    CHECK(ff_diff_init(&diff, profile, 2, &(struct ff_diff_options){0}) == FF_OK);
    for (uint32_t i = 0; i < diff.stacks.count; i++)
        found += diff.stacks.at[i].differs;
    ff_diff_release(&diff);
    ff_profile_free(profile);
    return found;
}

/* Both sides from one distribution: a difference is called in at most 5 % of 400 pairs (here every
 * difference is a false one; 5 % + 3.3 standard errors = 34). */
static void test_noise(void)
{
    uint32_t called = 0, other = 0;
    for (uint32_t round = 0; round < 400; round++) {
        uint32_t counts[2][20] = {{0}};
        for (uint32_t i = 0; i < 1200; i++)
            counts[i % 2][(uint32_t)(chance() * chance() * 20)]++;
        called += differing((const uint32_t(*)[20])counts, 20) > 0;
        /* One row doubled: that is seen nearly always. */
        counts[1][0] *= 2;
        other += differing((const uint32_t(*)[20])counts, 20) > 0;
    }
    CHECK(called <= 34);
    CHECK(other >= 380);
}

static void test_rows(void)
{
    const uint32_t counts[2][20] = {{100, 50, 30, 0, 20}, {100, 150, 0, 40, 20}};
    struct ff_profile *profile = two(counts, 5);
    struct ff_diff diff;
    struct ff_output output;
    struct ff_error error = {0};
    CHECK(ff_diff_init(&diff, profile, 2, &(struct ff_diff_options){.by_time = true}) == FF_OK);
    CHECK_NUMBER(diff.side[0].total, 200);
    CHECK_NUMBER(diff.side[1].total, 310);
    CHECK_NUMBER(diff.stacks.count, 5);
    CHECK_TEXT(diff.stacks.at[0].name, "main;f1");
    CHECK_NUMBER(diff.stacks.at[0].thousandth[1], 75000);
    CHECK(diff.stacks.at[0].differs && diff.stacks.at[1].differs && diff.stacks.at[2].differs);
    CHECK(!diff.stacks.at[3].differs && !diff.stacks.at[4].differs);
    CHECK_NUMBER(diff.roles.count, 1);
    CHECK(diff.roles.at[0].differs);
    ff_output_memory(&output);
    ff_diff_folded(&diff, false, &output);
    CHECK_TEXT(((struct ff_text){output.buffer, output.used}),
               "main;f0 100 100\nmain;f1 50 150\nmain;f2 30 0\nmain;f3 0 40\nmain;f4 20 20\n");
    output.used = 0;
    ff_diff_folded(&diff, true, &output);
    /* 30 of 200 are 46.5 of 310. */
    CHECK(ff_text_find_text((struct ff_text){output.buffer, output.used},
                            FF_TEXT("[only in A];main;f2 94 47\n")) >= 0);
    output.used = 0;
    ff_diff_text(&diff, &output);
    struct ff_text text = {output.buffer, output.used};
    CHECK(ff_text_find_text(text, FF_TEXT("Stacks: 3 of 5 differ beyond noise\n")) >= 0);
    CHECK(ff_text_find_text(text, FF_TEXT("     new ")) >= 0);
    CHECK(ff_text_find_text(text, FF_TEXT("    gone ")) >= 0);
    ff_output_close(&output, &error);
    ff_diff_release(&diff);
    CHECK(ff_diff_init(&diff, profile, 3, &(struct ff_diff_options){0}) == FF_BAD_INPUT);
    ff_diff_release(&diff);
    ff_profile_free(profile);
}

/* A side's main input is the one that a report shows: complete stacks before many samples. */
static void test_main_input(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_diff diff;
    struct ff_diff_options options = {0};
    for (uint32_t i = 0; i < 4; i++) {
        bool native = i % 2;
        struct ff_source source = {
            .name = ff_profile_intern(profile, native ? FF_TEXT("native") : FF_TEXT("python")),
            .tool = native ? FF_TOOL_PERF : FF_TOOL_PY_SPY};
        struct ff_event event = {.source = ff_source_add(profile, source)};
        struct ff_frame frame = {.symbol = ff_profile_intern(profile, FF_TEXT("f"))};
        ff_sample_add(profile, (struct ff_sample){
                                   .event = ff_event_add(profile, event),
                                   .stack = ff_stack_push(profile, 0, ff_frame_add(profile, frame)),
                                   .state = native ? FF_STATE_COMPLETE : FF_STATE_RECORDED,
                                   .count = (native ? 10 : 90) * FF_COUNT_ONE});
    }
    CHECK(ff_diff_init(&diff, profile, 3, &options) == FF_OK);
    CHECK_TEXT(diff.side[0].name, "native");
    CHECK_TEXT(diff.side[1].name, "native");
    CHECK_NUMBER(diff.side[1].total, 10);
    ff_diff_release(&diff);
    options.source = "python";
    CHECK(ff_diff_init(&diff, profile, 3, &options) == FF_OK);
    CHECK_NUMBER(diff.side[0].total, 90);
    ff_diff_release(&diff);
    options.source = "nobody";
    CHECK(ff_diff_init(&diff, profile, 3, &options) == FF_USAGE);
    ff_diff_release(&diff);
    ff_profile_free(profile);
}

int main(void)
{
    test_chances();
    test_discoveries();
    test_rows();
    test_main_input();
    test_noise();
    return check_result();
}
