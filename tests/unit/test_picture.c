/* SPDX-License-Identifier: MIT
 *
 * What a picture says by itself: each number is known from the samples that are put in here.
 */
#include "check.h"

#include "base/memory.h"
#include "draw/difference.h"
#include "draw/ranking.h"
#include "draw/svg.h"
#include "profile/ledger.h"

static struct ff_profile *profile;
static uint32_t source, event, process;

static uint32_t text(const char *string)
{
    return ff_profile_intern(profile, ff_text(string));
}

static void start(void)
{
    profile = ff_profile_new();
    source = ff_source_add(profile, (struct ff_source){.name = text("a.data"),
                                                       .tool = FF_TOOL_PERF,
                                                       .start_ns = 1000000000,
                                                       .end_ns = 9120000000});
    event = ff_event_add(profile, (struct ff_event){source, text("cpu-clock"), text("ns")});
    process = ff_process_add(profile, (struct ff_process){.source = source, .pid = 7});
}

static uint32_t thread(const char *comm, uint32_t tid)
{
    return ff_thread_add(profile,
                         (struct ff_thread){.process = process, .tid = tid, .comm = text(comm)});
}

static uint32_t stack(const char *names)
{
    struct ff_text rest = ff_text(names);
    uint32_t id = 0;
    while (rest.size) {
        struct ff_text name = ff_text_cut(&rest, ';');
        struct ff_frame frame = {.kind = FF_FRAME_NATIVE,
                                 .symbol = ff_profile_intern(profile, name)};
        id = ff_stack_push(profile, id, ff_frame_add(profile, frame));
    }
    return id;
}

static void sample(uint32_t of, const char *names, const char *bucket, enum ff_state state,
                   uint64_t count)
{
    ff_sample_add(profile, (struct ff_sample){.event = event,
                                              .thread = of,
                                              .stack = stack(names),
                                              .bucket = text(bucket),
                                              .state = (uint8_t)state,
                                              .count = count * FF_COUNT_ONE,
                                              .weight = count * 10000000});
}

static struct ff_tree *tree_of(const struct ff_fold_options *options)
{
    struct ff_tree *tree = NULL;
    CHECK_NUMBER(ff_tree_build(&tree, profile, options), FF_OK);
    return tree;
}

static void fill(void)
{
    start();
    uint32_t one = thread("one", 1), two = thread("two", 2);
    sample(one, "main;f;g;f;g", "b1", FF_STATE_COMPLETE, 600);
    sample(one, "main;f", "b2", FF_STATE_COMPLETE, 150);
    sample(two, "g", "b1", FF_STATE_TRUNCATED, 250);
    ff_ledger_add(profile, source, FF_LEDGER_LOST_SAMPLES, 250);
}

static void test_ranking(void)
{
    struct ff_fold_options options = {0};
    struct ff_ranking ranking;
    fill();
    struct ff_tree *tree = tree_of(&options);
    CHECK(ff_ranking_make(&ranking, tree));
    CHECK_NUMBER(ranking.count, 2);
    CHECK_TEXT(ff_intern_text(&tree->names, ranking.rows[0].name), "g");
    CHECK_NUMBER(ranking.rows[0].self, 850 * FF_COUNT_ONE);
    CHECK_NUMBER(ranking.rows[0].total,
                 850 * FF_COUNT_ONE); /* 600 once, although it is there twice */
    CHECK_TEXT(ff_intern_text(&tree->names, ranking.rows[1].name), "f");
    CHECK_NUMBER(ranking.rows[1].self, 150 * FF_COUNT_ONE);
    CHECK_NUMBER(ranking.rows[1].total, 750 * FF_COUNT_ONE);
    ff_ranking_release(&ranking);
    CHECK_NUMBER(tree->thread_count, 2);
    CHECK_TEXT(ff_intern_text(&tree->names, tree->threads[0].name), "one (1)");
    CHECK_NUMBER(tree->threads[0].amount, 750 * FF_COUNT_ONE);
    CHECK_NUMBER(tree->threads[0].share_count, 2);
    CHECK_NUMBER(tree->threads[1].amount, 250 * FF_COUNT_ONE);
    CHECK_NUMBER(tree->weight, UINT64_C(10000000000));
    CHECK_NUMBER(tree->duration_ns, UINT64_C(8120000000));
    CHECK_NUMBER(tree->lost_count, 250);
    ff_tree_free(tree);
    ff_profile_free(profile);
}

static bool draws(const struct ff_output *output, const char *part)
{
    struct ff_text all = {output->buffer, output->used};
    bool found = ff_text_find_text(all, ff_text(part)) >= 0;
    if (!found)
        printf("missing: %s\n", part);
    return found;
}

static void test_said(bool weights)
{
    struct ff_fold_options options = {.weights = weights};
    struct ff_svg_options drawing = {.title = FF_TEXT("T & t"), .subtitle = FF_TEXT("s < u")};
    struct ff_output output;
    struct ff_error error = {0};
    fill();
    struct ff_tree *tree = tree_of(&options);
    ff_output_memory(&output);
    CHECK_NUMBER(ff_svg_write(tree, &output, &drawing), FF_OK);
    CHECK(draws(&output, ">T &amp; t</text>"));
    CHECK(draws(&output, ">s &lt; u</text>"));
    CHECK(draws(&output, weights ? ">10.0 s of cpu-clock in 1,000 samples \xc2\xb7 over 8.12 s"
                                 : ">1,000 samples of cpu-clock, 10.0 s \xc2\xb7 over 8.12 s"));
    CHECK(draws(&output, "2 threads \xc2\xb7 a.data \xc2\xb7 lost in recording: 20.0 % (250 "
                         "samples)"));
    CHECK(draws(&output, "25.0 % of the stacks end too early"));
    CHECK(draws(&output, "callers are missing outside of the marks [truncated] 25.0 %"));
    CHECK(draws(&output, ">85.0 %</text>"));
    CHECK(draws(&output, ">one (1)</text>"));
    CHECK(draws(&output, "flamefold " FF_VERSION));
    ff_output_close(&output, &error);
    ff_tree_free(tree);
    ff_profile_free(profile);
}

/* A name in every box, a megabyte long: the picture holds a bounded part of each. */
static void test_long_names(void)
{
    struct ff_fold_options options = {0};
    struct ff_svg_options drawing = {0};
    struct ff_output output;
    struct ff_error error = {0};
    char *name = ff_alloc((1 << 20) + 1, 1);
    memset(name, 'x', 1 << 20);
    start();
    uint32_t id = 0, frame = ff_frame_add(profile, (struct ff_frame){.symbol = text(name)});
    for (int i = 0; i < 500; i++)
        id = ff_stack_push(profile, id, frame);
    ff_sample_add(profile, (struct ff_sample){.event = event,
                                              .thread = thread("a", 1),
                                              .stack = id,
                                              .count = 3 * FF_COUNT_ONE});
    struct ff_tree *tree = tree_of(&options);
    ff_output_memory(&output);
    CHECK_NUMBER(ff_svg_write(tree, &output, &drawing), FF_OK);
    CHECK(output.used < 2000000);
    ff_output_close(&output, &error);
    ff_tree_free(tree);
    ff_profile_free(profile);
    ff_free(name);
}

/* 1,000 samples now, 500 before: f from 30 to 60 %, g from 50 to 15 %, h is new, i is gone. */
static void test_difference(void)
{
    struct ff_fold_options options = {.root_count = 1};
    struct ff_difference difference;
    start();
    uint32_t one = thread("one", 1), later = event;
    sample(one, "main;f", "", FF_STATE_COMPLETE, 600);
    sample(one, "main;g", "", FF_STATE_COMPLETE, 150);
    sample(one, "main;h", "", FF_STATE_COMPLETE, 250);
    event = ff_event_add(profile, (struct ff_event){source, text("before"), text("ns")});
    sample(one, "main;f", "", FF_STATE_COMPLETE, 150);
    sample(one, "main;g", "", FF_STATE_COMPLETE, 250);
    sample(one, "main;e;i", "", FF_STATE_COMPLETE, 100);
    options.event = event;
    struct ff_tree *before = tree_of(&options);
    options.event = later;
    struct ff_tree *tree = tree_of(&options);
    CHECK(ff_difference_make(&difference, tree, before));
    CHECK_NUMBER(difference.whole, 500 * FF_COUNT_ONE);
    CHECK_NUMBER(difference.gone, 100 * FF_COUNT_ONE);
    CHECK_NUMBER(ff_difference_of(&difference, tree, 1), 0); /* main */
    CHECK_NUMBER(ff_difference_of(&difference, tree, 2), 300);
    CHECK(ff_difference_of(&difference, tree, 3) == -350);
    CHECK_NUMBER(ff_difference_color(&difference, tree, 1), 0xf0f0f0);
    CHECK_NUMBER(ff_difference_color(&difference, tree, 2), 0xf06e6e);
    CHECK_NUMBER(ff_difference_color(&difference, tree, 3), 0x6eaff5);
    CHECK_NUMBER(ff_difference_color(&difference, tree, 4), 0xe8c23a);
    ff_difference_release(&difference);
    struct ff_svg_options drawing = {.before = before};
    struct ff_output output;
    struct ff_error error = {0};
    ff_output_memory(&output);
    CHECK_NUMBER(ff_svg_write(tree, &output, &drawing), FF_OK);
    CHECK(draws(&output, "<title>f (600 samples, 60.00 %, before 30.00 %)</title>"));
    CHECK(draws(&output, "of which 20.0 % lie in stacks that are not here"));
    CHECK(draws(&output, ">25.0 %</text>"));
    ff_output_close(&output, &error);
    ff_tree_free(tree);
    ff_tree_free(before);
    ff_profile_free(profile);
}

int main(void)
{
    test_difference();
    test_ranking();
    test_said(false);
    test_said(true);
    test_long_names();
    return check_result();
}
