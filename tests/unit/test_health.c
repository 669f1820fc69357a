/* SPDX-License-Identifier: MIT
 *
 * Unwind health by construction: what goes in is counted by hand.
 */
#include "check.h"

#include "report/advice.h"
#include "report/doctor.h"
#include "report/health.h"

struct maker {
    struct ff_profile *profile;
    uint32_t source, event, thread, library, program;
};

static struct maker make(uint64_t rate)
{
    struct maker maker = {.profile = ff_profile_new()};
    struct ff_profile *profile = maker.profile;
    maker.source = ff_source_add(
        profile, (struct ff_source){.name = ff_profile_intern(profile, FF_TEXT("a.data")),
                                    .tool = FF_TOOL_PERF,
                                    .population = FF_POPULATION_ON_CPU,
                                    .rate = rate,
                                    .start_ns = 1000000000,
                                    .end_ns = 3000000000});
    maker.event = ff_event_add(
        profile, (struct ff_event){.source = maker.source,
                                   .name = ff_profile_intern(profile, FF_TEXT("cpu-clock"))});
    uint32_t process =
        ff_process_add(profile, (struct ff_process){.source = maker.source, .pid = 7});
    maker.thread = ff_thread_add(
        profile, (struct ff_thread){.process = process,
                                    .tid = 8,
                                    .comm = ff_profile_intern(profile, FF_TEXT("worker"))});
    maker.library = ff_module_add(
        profile,
        (struct ff_module){.kind = FF_MODULE_ELF,
                           .path = ff_profile_intern(profile, FF_TEXT("/lib/libgiant.so"))});
    maker.program = ff_module_add(
        profile, (struct ff_module){.kind = FF_MODULE_ELF,
                                    .path = ff_profile_intern(profile, FF_TEXT("/bin/program")),
                                    .build_id = ff_profile_intern(profile, FF_TEXT("ab"))});
    return maker;
}

/* A named frame, or one without a name. */
static uint32_t frame(struct maker *maker, uint32_t module, const char *symbol, uint64_t place)
{
    return ff_frame_add(
        maker->profile,
        (struct ff_frame){.kind = FF_FRAME_NATIVE,
                          .named = *symbol ? FF_NAMED_SYMBOL : FF_NAMED_NOT,
                          .module = module,
                          .place = place,
                          .symbol = ff_profile_intern(maker->profile, ff_text(symbol))});
}

/* COUNT samples whose stack is ROOT and DEPTH - 1 frames of the program below it. */
static void sample(struct maker *maker, enum ff_state state, uint32_t root, uint32_t depth,
                   uint64_t count)
{
    uint32_t stack = ff_stack_push(maker->profile, 0, root);
    for (uint32_t i = 1; i < depth; i++)
        stack = ff_stack_push(maker->profile, stack, frame(maker, maker->program, "work", i));
    ff_sample_add(maker->profile, (struct ff_sample){.event = maker->event,
                                                     .thread = maker->thread,
                                                     .stack = stack,
                                                     .state = (uint8_t)state,
                                                     .count = count * FF_COUNT_ONE});
}

static void depth(struct maker *maker, bool complete, uint32_t kib, uint64_t count)
{
    ff_depth_add(maker->profile, (struct ff_depth){.source = maker->source,
                                                   .complete = complete,
                                                   .size_kib = kib,
                                                   .count = count});
}

static void cut(struct maker *maker, uint32_t frame_id, uint64_t count, uint64_t least,
                uint64_t most)
{
    ff_cut_add(maker->profile, (struct ff_cut){.source = maker->source,
                                               .frame = frame_id,
                                               .count = count,
                                               .least = least,
                                               .most = most});
}

static bool says(const struct ff_output *output, const char *text)
{
    struct ff_text all = {output->buffer, output->used};
    return ff_text_find_text(all, ff_text(text)) >= 0;
}

static void check_width(const struct ff_output *output)
{
    struct ff_text rest = {output->buffer, output->used};
    while (rest.size)
        CHECK(ff_text_cut(&rest, '\n').size <= 100);
}

/* 60 complete, 10 stitched, 30 truncated; 40 were cut, the giant's at 43 KB. */
static void test_dumps(void)
{
    struct maker maker = make(99);
    uint32_t start = frame(&maker, maker.program, "_start", 0);
    uint32_t giant = frame(&maker, maker.library, "giant", 16),
             again = frame(&maker, maker.library, "giant", 32);
    uint32_t small = frame(&maker, maker.program, "small", 48);
    sample(&maker, FF_STATE_COMPLETE, start, 3, 60);
    sample(&maker, FF_STATE_STITCHED, start, 4, 10);
    sample(&maker, FF_STATE_TRUNCATED, giant, 2, 30);
    depth(&maker, true, 8, 20);
    depth(&maker, true, 16, 40);
    depth(&maker, false, 20, 10);
    depth(&maker, false, 44, 30);
    cut(&maker, giant, 20, 38840, 42000);
    cut(&maker, again, 10, 39000, 42776);
    cut(&maker, small, 10, 16424, 16712);
    ff_ledger_add(maker.profile, maker.source, FF_LEDGER_STITCH_TESTED, 50);
    ff_ledger_add(maker.profile, maker.source, FF_LEDGER_STITCH_EXACT, 50);
    ff_ledger_add(maker.profile, maker.source, FF_LEDGER_LOST_SAMPLES, 25);
    struct ff_health health;
    CHECK(ff_health_init(&health, maker.profile, maker.source, 0) == FF_OK);
    CHECK_NUMBER(health.total, 100 * FF_COUNT_ONE);
    CHECK_NUMBER(health.states[FF_STATE_TRUNCATED], 30 * FF_COUNT_ONE);
    CHECK_NUMBER(health.thread_count, 1);
    CHECK_TEXT(health.threads[0].name, "worker");
    CHECK_NUMBER(health.threads[0].tid, 8);
    CHECK_NUMBER(health.threads[0].states[FF_STATE_STITCHED], 10 * FF_COUNT_ONE);
    CHECK_NUMBER(health.library_count, 2);
    CHECK_TEXT(health.libraries[0].name, "libgiant.so");
    CHECK_NUMBER(health.libraries[0].states[FF_STATE_TRUNCATED], 30 * FF_COUNT_ONE);
    CHECK_NUMBER(health.libraries[1].count, 10 * FF_COUNT_ONE);
    CHECK_NUMBER(health.cut_count, 2);
    CHECK_TEXT(health.cuts[0].function, "giant");
    CHECK_NUMBER(health.cuts[0].count, 30);
    CHECK_NUMBER(health.cuts[0].least, 38840);
    CHECK_NUMBER(health.cuts[0].most, 42776);
    CHECK_NUMBER(health.complete, 60);
    CHECK_NUMBER(health.cut, 40);
    static const uint64_t held[] = {20, 60, 60, 60, 60, 60}, open[] = {0, 0, 10, 10, 40, 40};
    for (unsigned i = 0; i < FF_HEALTH_SIZES; i++) {
        CHECK_NUMBER(health.sizes[i].held, held[i]);
        CHECK_NUMBER(health.sizes[i].open, open[i]);
        CHECK_NUMBER(health.sizes[i].too_short, 100 - held[i] - open[i]);
    }
    CHECK(health.verdict == FF_CHAINS_NONE);
    struct ff_advice advice = ff_advice_of(&health);
    /* 44 + 16 = 60 KiB; (65528 + 200) * 99 = 6507072 bytes, the next power of two is 8 MiB. */
    CHECK(advice.kind == FF_ADVICE_DEEPER);
    CHECK_NUMBER(advice.size_bytes, 65528);
    CHECK_NUMBER(advice.rate, 99);
    CHECK_NUMBER(advice.all_rate, 50);
    CHECK_NUMBER(advice.cpu_bytes, 6507072);
    CHECK_NUMBER(advice.ring_mib, 8);
    ff_health_release(&health);
    struct ff_output output;
    ff_output_memory(&output);
    CHECK(ff_doctor_text(maker.profile, 0, 0, &output) == FF_OK);
    CHECK(says(
        &output,
        "perf record -F 99 --call-graph dwarf,65528 -m 8M -z --buildid-mmap -p PID -- sleep 10\n"));
    CHECK(says(&output, "25 KiB  giant\n")); /* (42776 - 16424) / 1024 = 25.7 */
    CHECK(says(&output, "they had (92.9 - 100.0 %, n = 50)\n"));
    CHECK(says(&output, "self-test: 50 of 50 stacks that fit the dump, cut"));
    CHECK(says(&output, "       25  samples lost by the kernel\n"));
    CHECK(says(&output, "lost samples are 20.0 % of all\n")); /* 25 of 125 */
    CHECK(says(&output, "        1  files without a recorded build-id\n           libgiant.so\n"));
    CHECK(says(&output, "not verified where a file was found\n"));
    check_width(&output);
    ff_output_close(&output, &maker.profile->error);
    ff_profile_free(maker.profile);
}

/* A few cut stacks near the dump's end do not need the largest dump. */
static void test_middle_size(void)
{
    struct maker maker = make(49);
    uint32_t small = frame(&maker, maker.program, "small", 48);
    sample(&maker, FF_STATE_COMPLETE, frame(&maker, maker.program, "_start", 0), 3, 90);
    sample(&maker, FF_STATE_TRUNCATED, small, 2, 10);
    depth(&maker, true, 8, 90);
    depth(&maker, false, 12, 10);
    cut(&maker, small, 10, 8200, 9000);
    struct ff_health health;
    CHECK(ff_health_init(&health, maker.profile, maker.source, 0) == FF_OK);
    struct ff_advice advice = ff_advice_of(&health);
    /* 12 + 8 = 20 KiB; (24576 + 200) * 49 = 1214024 bytes. */
    CHECK_NUMBER(advice.size_bytes, 24576);
    CHECK_NUMBER(advice.rate, 49);
    CHECK_NUMBER(advice.ring_mib, 2);
    ff_health_release(&health);
    ff_profile_free(maker.profile);
}

static void test_limit(void)
{
    struct maker maker = make(199);
    uint32_t small = frame(&maker, maker.program, "small", 48);
    sample(&maker, FF_STATE_STITCHED, frame(&maker, maker.program, "_start", 0), 3, 10);
    depth(&maker, false, 64, 7);
    depth(&maker, false, 68, 3);
    cut(&maker, small, 10, 65280, 65800);
    struct ff_health health;
    CHECK(ff_health_init(&health, maker.profile, maker.source, 0) == FF_OK);
    CHECK(ff_health_at_limit(&health));
    CHECK_NUMBER(health.sizes[FF_HEALTH_SIZES - 1].open, 0);
    CHECK_NUMBER(health.sizes[FF_HEALTH_SIZES - 1].too_short, 10);
    CHECK(ff_advice_of(&health).kind == FF_ADVICE_LIMIT);
    ff_health_release(&health);
    ff_profile_free(maker.profile);
}

/* ROOTED chains end in start_thread, MAYBE in a nameless function, LOST in no module. */
static struct ff_health chains(struct maker *maker, uint64_t rooted, uint64_t maybe, uint64_t lost)
{
    struct ff_health health;
    sample(maker, FF_STATE_RECORDED, frame(maker, maker->library, "start_thread", 1), 8, rooted);
    sample(maker, FF_STATE_RECORDED, frame(maker, maker->library, "", 2), 7, maybe);
    sample(maker, FF_STATE_RECORDED, frame(maker, 0, "", 3), 3, lost);
    CHECK(ff_health_init(&health, maker->profile, maker->source, 0) == FF_OK);
    CHECK_NUMBER(health.chains, rooted + maybe + lost);
    CHECK_NUMBER(health.rooted, rooted);
    CHECK_NUMBER(health.maybe_rooted, maybe);
    CHECK_NUMBER(health.no_module, lost);
    CHECK_NUMBER(health.shallow, lost);
    return health;
}

/* Wilson's bounds: 39 of 100 ends at 48.8 %, 42 at 51.8 %; 97 begins at 91.5 %, 95 at 88.8 %. */
static void test_chains(void)
{
    static const struct {
        uint64_t rooted, maybe, lost;
        enum ff_health_chains verdict;
        enum ff_advice_kind advice;
    } cases[] = {
        {19, 20, 61, FF_CHAINS_BROKEN, FF_ADVICE_NO_DUMPS},
        {22, 20, 58, FF_CHAINS_UNDECIDED, FF_ADVICE_UNDECIDED},
        {0, 0, 29, FF_CHAINS_UNDECIDED, FF_ADVICE_UNDECIDED}, /* n too small */
        {97, 0, 3, FF_CHAINS_WHOLE, FF_ADVICE_NOTHING},
        {95, 5, 0, FF_CHAINS_UNDECIDED, FF_ADVICE_UNDECIDED}, /* perhaps is not surely */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct maker maker = make(199);
        struct ff_health health = chains(&maker, cases[i].rooted, cases[i].maybe, cases[i].lost);
        CHECK(health.verdict == cases[i].verdict);
        CHECK(ff_advice_of(&health).kind == cases[i].advice);
        ff_health_release(&health);
        ff_profile_free(maker.profile);
    }
}

/* The same chains of another recorder say nothing; an event's name is no shell command. */
static void test_others(void)
{
    struct maker maker = make(0);
    maker.profile->sources.at[maker.source].tool = FF_TOOL_FOLDED;
    sample(&maker, FF_STATE_RECORDED, frame(&maker, 0, "main", 1), 3, 100);
    struct ff_health health;
    CHECK(ff_health_init(&health, maker.profile, maker.source, 0) == FF_OK);
    CHECK(health.verdict == FF_CHAINS_NONE);
    CHECK(ff_advice_of(&health).kind == FF_ADVICE_UNDECIDED);
    ff_health_release(&health);
    maker.profile->sources.at[maker.source].tool = FF_TOOL_PERF;
    maker.profile->sources.at[maker.source].population = FF_POPULATION_EVENTS;
    maker.profile->events.at[maker.event].name =
        ff_profile_intern(maker.profile, FF_TEXT("a:b;touch x"));
    struct ff_output output;
    ff_output_memory(&output);
    CHECK(ff_doctor_text(maker.profile, maker.source, maker.event, &output) == FF_OK);
    CHECK(says(&output, "perf record -e EVENT --call-graph dwarf,65528 "));
    CHECK(!says(&output, "touch"));
    check_width(&output);
    ff_output_close(&output, &maker.profile->error);
    ff_profile_free(maker.profile);
}

/* Nothing at all, and stacks whose code was not found. */
static void test_edges(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_output output;
    ff_output_memory(&output);
    CHECK(ff_doctor_text(profile, 0, 0, &output) == FF_OK);
    CHECK(says(&output, "nothing was read"));
    ff_output_close(&output, &profile->error);
    ff_profile_free(profile);
    struct maker maker = make(99);
    sample(&maker, FF_STATE_NO_RULE, frame(&maker, maker.library, "", 1), 1, 10);
    sample(&maker, FF_STATE_NO_MODULE, frame(&maker, 0, "", 2), 1, 5);
    ff_ledger_add(maker.profile, maker.source, FF_LEDGER_LACK_IMAGE, 10);
    struct ff_health health;
    CHECK(ff_health_init(&health, maker.profile, maker.source, 0) == FF_OK);
    CHECK_NUMBER(health.library_count, 2);
    CHECK_TEXT(health.libraries[0].name, "libgiant.so");
    CHECK_TEXT(health.libraries[1].name, "[no module]");
    CHECK(ff_advice_of(&health).kind == FF_ADVICE_IMAGES);
    ff_output_memory(&output);
    ff_health_line(&health, &output);
    CHECK_TEXT(((struct ff_text){output.buffer, output.used}),
               "unwind health: 0 of 15 complete, 10 no-unwind-data, 5 no-module");
    ff_output_close(&output, &maker.profile->error);
    ff_health_release(&health);
    ff_profile_free(maker.profile);
}

int main(void)
{
    test_dumps();
    test_middle_size();
    test_limit();
    test_chains();
    test_others();
    test_edges();
    return check_result();
}
