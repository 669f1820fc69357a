/* SPDX-License-Identifier: MIT
 *
 * Windows of time: expected values by arithmetic.
 */
#include "profile/moment.h"
#include "profile/stream.h"

#include "check.h"

static uint32_t new_event(struct ff_profile *profile)
{
    uint32_t source = ff_source_add(profile, (struct ff_source){.tool = FF_TOOL_PERF});
    return ff_event_add(profile, (struct ff_event){.source = source});
}

static void add(struct ff_profile *profile, uint32_t event, uint32_t stack, uint64_t time_ns)
{
    ff_sample_add(profile, (struct ff_sample){.event = event,
                                              .stack = stack,
                                              .count = FF_COUNT_ONE,
                                              .moments = ff_moment_add(profile, 1, time_ns)});
}

static uint64_t chain_count(const struct ff_profile *profile, uint32_t chain, uint32_t *windows)
{
    uint64_t count = 0;
    *windows = 0;
    for (uint32_t i = chain; i; i = profile->moments.at[i].next) {
        count += profile->moments.at[i].count;
        ++*windows;
    }
    return count;
}

/* 10,000 samples, one each 3 ms from 1 s on, end at 30.997 s: 29.997 s in 64 windows need 2^29 ns. */
static void test_widening(void)
{
    struct ff_profile *profile = ff_profile_new();
    uint32_t event = new_event(profile), windows;
    for (uint64_t i = 0; i < 10000; i++)
        add(profile, event, 0, 1000000000 + i * 3000000);
    ff_moments_settle(profile);
    const struct ff_source *source = &profile->sources.at[1];
    CHECK_NUMBER(source->window_ns, 1 << 29);
    CHECK_NUMBER(profile->samples.count, 2);
    uint32_t chain = profile->samples.at[1].moments;
    CHECK_NUMBER(chain_count(profile, chain, &windows), 10000 * FF_COUNT_ONE);
    /* the first window is cut at 1 s: [0.536870912, 1.073741824) holds 25 samples */
    CHECK_NUMBER(profile->moments.at[chain].time_ns, 1 << 29);
    CHECK_NUMBER(profile->moments.at[chain].count, 25 * FF_COUNT_ONE);
    CHECK_NUMBER(windows, 30997000000 / (1 << 29)); /* windows 1 .. 57 */
    ff_profile_free(profile);
}

static void test_exact(void)
{
    struct ff_profile *profile = ff_profile_new();
    uint32_t event = new_event(profile), windows;
    profile->exact_times = true;
    add(profile, event, 0, 77);
    add(profile, event, 0, 5);
    add(profile, event, 0, 77);
    ff_moments_settle(profile);
    uint32_t chain = profile->samples.at[1].moments;
    CHECK_NUMBER(chain_count(profile, chain, &windows), 3 * FF_COUNT_ONE);
    CHECK_NUMBER(windows, 2);
    CHECK_NUMBER(profile->moments.at[chain].time_ns, 5);
    CHECK_NUMBER(profile->moments.at[profile->moments.at[chain].next].count, 2 * FF_COUNT_ONE);
    ff_profile_free(profile);
}

static void test_take(void)
{
    struct ff_profile *profile = ff_profile_new();
    uint32_t windows, chain = ff_moment_add_count(profile, 10, 3 * FF_COUNT_ONE);
    chain = ff_moments_join(profile, ff_moment_add_count(profile, 20, 2 * FF_COUNT_ONE), chain);
    uint32_t part = ff_moments_take(profile, &chain, 3 * FF_COUNT_ONE + 7);
    CHECK_NUMBER(chain_count(profile, part, &windows), 3 * FF_COUNT_ONE + 7);
    CHECK_NUMBER(windows, 2);
    CHECK_NUMBER(chain_count(profile, chain, &windows), 2 * FF_COUNT_ONE - 7);
    CHECK_NUMBER(profile->moments.at[chain].time_ns, 20);
    part = ff_moments_take(profile, &chain, 100 * FF_COUNT_ONE);
    CHECK_NUMBER(chain_count(profile, part, &windows), 2 * FF_COUNT_ONE - 7);
    CHECK_NUMBER(chain, 0);
    CHECK_NUMBER(ff_moments_take(profile, &chain, 1), 0);
    ff_profile_free(profile);
}

static void check_text(const char *text, bool good)
{
    struct ff_profile *profile = ff_profile_new();
    new_event(profile);
    profile->sources.at[1].window_ns = 1024;
    profile->sources.at[1].start_ns = 5000;
    struct ff_sample sample = {.event = 1};
    CHECK(ff_moments_parse(profile, 1, ff_text(text), &sample.moments) == good);
    struct ff_output output;
    ff_output_memory(&output);
    ff_moments_write(profile, &sample, &output);
    if (good)
        CHECK(ff_text_equal((struct ff_text){output.buffer, output.used}, ff_text(text)));
    ff_output_close(&output, NULL);
    ff_profile_free(profile);
}

int main(void)
{
    test_widening();
    test_exact();
    test_take();
    check_text("", true);
    check_text("0", true);
    check_text("63*2,0*5+1048575", true);
    check_text("7*0+524288", true);
    check_text("x", false);
    check_text("1*", false);
    check_text("1*2+", false);
    check_text("1*2+1048576", false);
    check_text("1,,2", false);
    return check_result();
}
