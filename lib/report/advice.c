/* SPDX-License-Identifier: MIT
 *
 * From unwind health to a command. The hard thing is the ring: perf loses samples when it cannot
 * hold what a CPU writes between two reads, and large dumps write much; so the size comes with its
 * sum.
 */
#include "report/advice.h"
#include "report/summary.h"

#include <string.h>

#define LOW_RATE 99 /* what a recording with dumps is advised at most */

/* In units of 1 / FF_COUNT_ONE. */
static uint64_t too_short(const struct ff_health *health)
{
    return health->states[FF_STATE_TRUNCATED] + health->states[FF_STATE_STITCHED];
}

/* The ledger knows all that was read, states know what is selected. */
static uint64_t not_used(const struct ff_health *health)
{
    uint64_t lacking =
        FF_COUNT_ONE * ff_ledger_count(health->profile, health->source, FF_LEDGER_LACK_IMAGE);
    if (lacking > health->states[FF_STATE_NO_RULE])
        lacking = health->states[FF_STATE_NO_RULE];
    return lacking + health->states[FF_STATE_NOT_UNWOUND];
}

/* One in a hundred is worth another recording. */
static enum ff_advice_kind decide(const struct ff_health *health)
{
    if (!health->total)
        return FF_ADVICE_UNDECIDED;
    if (ff_summary_permille(not_used(health), health->total) >= 10)
        return FF_ADVICE_IMAGES;
    if (ff_summary_permille(too_short(health), health->total) >= 10)
        return ff_health_at_limit(health) ? FF_ADVICE_LIMIT : FF_ADVICE_DEEPER;
    if (health->verdict == FF_CHAINS_BROKEN)
        return FF_ADVICE_NO_DUMPS;
    /* What is neither complete nor a chain that reaches its root says nothing. */
    uint64_t known = health->states[FF_STATE_COMPLETE] + health->states[FF_STATE_STITCHED];
    if (health->verdict == FF_CHAINS_WHOLE)
        known += health->states[FF_STATE_RECORDED];
    return ff_summary_permille(known, health->total) >= 980 ? FF_ADVICE_NOTHING
                                                            : FF_ADVICE_UNDECIDED;
}

static uint32_t dump_size(const struct ff_health *health)
{
    uint64_t need_kib = (uint64_t)health->deepest_cut_kib + health->deepest_complete_kib;
    for (uint32_t i = 0; health->complete && i + 1 < FF_HEALTH_SIZES; i++) {
        if (need_kib <= ff_health_sizes[i])
            return ff_health_sizes[i] * 1024;
    }
    return FF_ADVICE_LARGEST;
}

static uint64_t recorded_rate(const struct ff_health *health)
{
    const struct ff_source *source = &health->profile->sources.at[health->source];
    if (source->end_ns <= source->start_ns)
        return 0;
    uint64_t ms = (source->end_ns - source->start_ns + 999999) / 1000000;
    uint64_t samples = ff_summary_samples(health->total);
    return samples > UINT64_MAX / 1000 - ms ? 0 : (samples * 1000 + ms - 1) / ms;
}

struct ff_advice ff_advice_of(const struct ff_health *health)
{
    const struct ff_source *source = &health->profile->sources.at[health->source];
    struct ff_advice advice = {.kind = decide(health), .all_rate = recorded_rate(health)};
    advice.size_bytes = advice.kind == FF_ADVICE_DEEPER ? dump_size(health) : FF_ADVICE_LARGEST;
    if (source->population != FF_POPULATION_EVENTS)
        advice.rate = source->rate && source->rate < LOW_RATE ? source->rate : LOW_RATE;
    /* A CPU runs one thread at a time, so it takes no more samples than the rate; hits of an event
     * may all come from one CPU. */
    uint64_t per_cpu = advice.rate ? advice.rate : advice.all_rate;
    uint64_t bytes = advice.size_bytes + FF_ADVICE_RECORD;
    advice.cpu_bytes = per_cpu > UINT64_MAX / bytes ? UINT64_MAX : per_cpu * bytes;
    advice.ring_mib = 1;
    while (advice.ring_mib < 512 && ((uint64_t)advice.ring_mib << 20) < advice.cpu_bytes)
        advice.ring_mib *= 2;
    return advice;
}

/* A name that a shell takes as it is. */
static bool is_plain(struct ff_text name)
{
    for (size_t i = 0; i < name.size; i++) {
        char byte = name.at[i];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
        bool digit = byte >= '0' && byte <= '9';
        if (!letter && !digit && (!byte || !strchr("_:./,=-", byte)))
            return false;
    }
    return name.size && name.size < 30 && name.at[0] != '-';
}

/* The event, if it is not one that perf takes by itself. */
static void put_event(const struct ff_health *health, struct ff_output *output)
{
    const struct ff_profile *profile = health->profile;
    uint32_t event = health->event;
    for (uint32_t id = 1; !event && id < profile->events.count; id++)
        event = profile->events.at[id].source == health->source ? id : 0;
    struct ff_text name = ff_profile_text(profile, profile->events.at[event].name);
    if (!name.size || ff_text_starts(name, FF_TEXT("cycles")) ||
        ff_text_starts(name, FF_TEXT("cpu-clock")))
        return;
    ff_output_string(output, "-e ");
    ff_output_text(output, is_plain(name) ? name : FF_TEXT("EVENT"));
    ff_output_byte(output, ' ');
}

/* With -z perf looks for no build-ids when it ends; the kernel still records them if asked to. */
static void put_command(const struct ff_advice *advice, const struct ff_health *health,
                        struct ff_output *output)
{
    ff_output_string(output, "      perf record ");
    put_event(health, output);
    if (advice->rate)
        ff_output_format(output, "-F %llu ", (unsigned long long)advice->rate);
    ff_output_format(output, "--call-graph dwarf,%u -m %uM -z --buildid-mmap -p PID -- sleep 10\n",
                     advice->size_bytes, advice->ring_mib);
}

static void put_tenths(struct ff_output *output, uint64_t part, uint64_t whole)
{
    uint64_t tenths = whole ? (part / whole) * 10 + part % whole * 10 / whole : 0;
    ff_output_format(output, "%llu.%llu", (unsigned long long)tenths / 10,
                     (unsigned long long)tenths % 10);
}

static uint32_t hot_threads(const struct ff_health *health)
{
    uint32_t count = 0;
    while (count < health->thread_count &&
           ff_summary_permille(health->threads[count].count, health->total) >= 50)
        count++;
    return count;
}

static void put_ring(const struct ff_advice *advice, const struct ff_health *health,
                     struct ff_output *output)
{
    uint64_t per_cpu = advice->rate ? advice->rate : advice->all_rate;
    uint32_t hot = hot_threads(health);
    if (!per_cpu) {
        ff_output_string(output,
                         "  ring: undecided: how many samples come in a second is not known\n");
        return;
    }
    ff_output_format(output, "  ring: (%u + %u) bytes x %llu/s = ", advice->size_bytes,
                     FF_ADVICE_RECORD, (unsigned long long)per_cpu);
    put_tenths(output, advice->cpu_bytes, 1000000);
    ff_output_format(output, " MB/s on a busy CPU; -m is per CPU: %uM hold ", advice->ring_mib);
    put_tenths(output, (uint64_t)advice->ring_mib << 20, advice->cpu_bytes);
    ff_output_string(output, " s\n");
    if (!advice->all_rate)
        return;
    uint64_t bytes = advice->size_bytes + FF_ADVICE_RECORD;
    uint64_t rate = advice->all_rate;
    const struct ff_source *source = &health->profile->sources.at[health->source];
    if (source->rate > advice->rate && advice->rate && rate < UINT64_MAX / LOW_RATE)
        rate = (rate * advice->rate + source->rate - 1) / source->rate;
    ff_output_format(output,
                     "  file: %u hot thread%s and the rest, about %llu samples a second = ", hot,
                     hot == 1 ? "" : "s", (unsigned long long)rate);
    put_tenths(output, rate > UINT64_MAX / bytes ? UINT64_MAX : rate * bytes, 1000000);
    ff_output_string(output, " MB/s before -z packs them\n");
}

static void put_deeper(const struct ff_advice *advice, const struct ff_health *health,
                       struct ff_output *output)
{
    ff_output_string(output, "  record again with larger dumps:\n");
    put_command(advice, health, output);
    if (health->complete)
        ff_output_format(output,
                         "  size: the first missing word is up to %u KiB above SP, and complete "
                         "stacks are up to %u KiB deep\n",
                         health->deepest_cut_kib, health->deepest_complete_kib);
    else
        ff_output_string(output,
                         "  size: the largest there is: no stack is complete, so no size is "
                         "known to do\n");
    put_ring(advice, health, output);
}

static void put_limit(const struct ff_health *health, struct ff_output *output)
{
    uint64_t left = ff_summary_samples(health->states[FF_STATE_TRUNCATED]);
    ff_output_format(
        output,
        "  dumps were as large as perf makes them (%u bytes): recording again holds no "
        "more\n",
        FF_ADVICE_LARGEST);
    ff_output_format(output,
                     "  stitching completed %llu of the %llu cut stacks; more samples give it "
                     "more donors\n",
                     (unsigned long long)ff_summary_samples(health->states[FF_STATE_STITCHED]),
                     (unsigned long long)ff_summary_samples(too_short(health)));
    if (left)
        ff_output_format(output, "  %llu stay truncated\n", (unsigned long long)left);
}

static void put_images(const struct ff_health *health, struct ff_output *output)
{
    ff_output_format(
        output,
        "  nothing to record: %llu dumps need unwind tables that were not found (see libraries)\n",
        (unsigned long long)ff_summary_samples(not_used(health)));
    ff_output_string(output, "  give the libraries to the tool that reads the recording:\n"
                             "      ff-doctor -s SYMBOLS RECORDING    (a folder of libraries, or a "
                             "pack of ff-pack)\n"
                             "      ff-doctor -s / RECORDING          (this machine's own files, "
                             "without a proof)\n");
}

static void put_undecided(const struct ff_advice *advice, const struct ff_health *health,
                          struct ff_output *output)
{
    enum ff_tool tool = (enum ff_tool)health->profile->sources.at[health->source].tool;
    ff_output_string(output, "  undecided: ");
    if (tool != FF_TOOL_PERF) {
        ff_output_format(output, "%s does not say how far its stacks reach\n",
                         tool == FF_TOOL_UNKNOWN ? "the input" : ff_tool_word(tool));
    } else if (!health->total) {
        ff_output_string(output, "there are no stacks\n");
    } else if (health->states[FF_STATE_NO_RULE]) {
        ff_output_string(output, "stacks end in code without usable unwind rules (see above);\n"
                                 "  -s with separate debug files may have them, ff-read "
                                 "--frame-pointers guesses on\n");
    } else if (health->chains && health->chains < FF_HEALTH_LEAST_N) {
        ff_output_format(output, "%llu call chains are too few (%u are needed)\n",
                         (unsigned long long)health->chains, FF_HEALTH_LEAST_N);
    } else if (health->chains && !ff_health_has_names(health)) {
        ff_output_string(output, "frames have no names; ff-symbolize gives them\n");
    } else {
        ff_output_string(output, "whether these stacks are whole; a recording with dumps tells:\n");
        put_command(advice, health, output);
        put_ring(advice, health, output);
    }
}

void ff_advice_put(const struct ff_advice *advice, const struct ff_health *health,
                   struct ff_output *output)
{
    switch (advice->kind) {
    case FF_ADVICE_NOTHING:
        ff_output_string(output, "  nothing to advise: the stacks reach their roots\n");
        return;
    case FF_ADVICE_UNDECIDED:
        put_undecided(advice, health, output);
        return;
    case FF_ADVICE_NO_DUMPS:
        ff_output_string(output, "  call chains by frame pointers do not work here; record stack "
                                 "dumps:\n");
        put_command(advice, health, output);
        put_ring(advice, health, output);
        return;
    case FF_ADVICE_DEEPER:
        put_deeper(advice, health, output);
        return;
    case FF_ADVICE_LIMIT:
        put_limit(health, output);
        return;
    case FF_ADVICE_IMAGES:
        put_images(health, output);
        return;
    }
}
