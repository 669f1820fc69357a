/* SPDX-License-Identifier: MIT
 *
 * Stitching against known truth: each dump of three recordings is cut short, unwound and stitched, and
 * the callers that come out are compared, function by function, with those that the whole dump gives.
 * Then how many stacks of eight recordings, as they are, become whole.
 */
#include "recorded.h"

#include "unwind/stitch.h"

#define CUTS        8u
#define SAMPLES_MAX 4096u

/* Bytes of each dump; 0: all. The table that the coverage is compared with took donors at any distance,
 * which at 4 KB is more than three hops give. */
static const struct cut {
    size_t size;
    uint8_t hops;
    uint8_t
        half; /* 1, 2: only this half of the dumps is cut, the other half are donors as they are */
} cuts[CUTS] = {
    {0, FF_STITCH_HOPS, 0},    {4096, FF_STITCH_HOPS, 0},  {4096, 12, 0},
    {8192, FF_STITCH_HOPS, 0}, {12288, FF_STITCH_HOPS, 0}, {16384, FF_STITCH_HOPS, 0},
    {8192, FF_STITCH_HOPS, 1}, {8192, FF_STITCH_HOPS, 2},
};

/* The uncut stack of a sample. */
struct truth {
    struct ff_activation *activations;
    uint32_t count;
    bool complete;
};

struct experiment {
    struct recorded recorded;
    uint32_t cut_count; /* how many of `cuts` to do */
    struct ff_stitcher stitchers[CUTS];
    struct ff_unwound unwound;
    struct truth truths[SAMPLES_MAX];
    uint32_t sample_count, complete; /* complete: uncut */
};

/* Samples. Column by column of the table that is printed. */
struct outcome {
    uint32_t truncated, known; /* known: the uncut stack is complete */
    uint32_t donor, known_donor, known_one_hop;
    uint32_t agreed, agreed_exact, single, single_exact, gap, gap_exact;
    uint32_t far, far_exact; /* over more than three hops */
    uint32_t no_cfa, no_cfa_donor,
        no_cfa_exact; /* cut where the CFA is to be read from the stack */
    uint32_t wrong_states;
};

/* Percent of stitched: of those with a complete uncut stack, of all; as an experiment before this code
 * found them, with the same recordings and cuts. By cut; {0, 0}: not compared. */
struct coverage {
    uint32_t known, all;
};

/* Stacks that were cut where a rule reads the CFA from the stack; with deeper dumps as donors. */
struct without_cfa {
    uint32_t found, exact;
};

static uint32_t percent(uint32_t part, uint32_t whole)
{
    return whole ? (part * 200 + whole) / (2 * whole) : 100;
}

static void each(struct recorded *recorded, void *context)
{
    struct experiment *experiment = context;
    if (!recorded->has_dump || experiment->sample_count == SAMPLES_MAX)
        return;
    uint32_t number = experiment->sample_count++;
    struct truth *truth = &experiment->truths[number];
    size_t size = recorded->unwound.activation_count * sizeof *truth->activations;
    truth->count = recorded->unwound.activation_count;
    truth->activations = memcpy(ff_alloc(size, 1), recorded->unwound.activations, size);
    truth->complete = recorded->unwound.state == FF_STATE_COMPLETE;
    experiment->complete += truth->complete;
    struct ff_sample row = {
        .event = number, /* keeps samples apart */
        .thread =
            ff_perf_tasks_row(&recorded->tasks, recorded->sample.pid, recorded->sample.tid, true),
        .state = FF_STATE_TRUNCATED,
        .count = FF_COUNT_ONE,
    };
    struct ff_task task = {recorded->sample.pid, recorded->sample.tid, 0};
    for (uint32_t i = 0; i < experiment->cut_count; i++) {
        struct ff_dump dump = recorded->dump;
        if (cuts[i].size && cuts[i].size < dump.bytes.size &&
            (!cuts[i].half || number % 2 + 1 == cuts[i].half))
            dump.bytes.size = cuts[i].size;
        if (!experiment->stitchers[i].profile)
            ff_stitcher_init(&experiment->stitchers[i], recorded->profile);
        experiment->stitchers[i].hops_max = cuts[i].hops;
        ff_unwind(recorded->unwinder, recorded->space, &dump, &experiment->unwound);
        if (experiment->unwound.state == FF_STATE_COMPLETE)
            ff_stitcher_offer(&experiment->stitchers[i], task, &experiment->unwound);
        else if (!cuts[i].half || number % 2 + 1 == cuts[i].half)
            ff_stitcher_hold(&experiment->stitchers[i], task, &row, &experiment->unwound);
    }
}

static bool is_gap(const struct ff_profile *profile, uint32_t frame)
{
    return ff_text_equal(ff_profile_text(profile, profile->frames.at[frame].symbol),
                         FF_TEXT("[gap]"));
}

static bool is_function(const struct ff_profile *profile, uint32_t frame,
                        const struct ff_activation *activation)
{
    const struct ff_frame *row = &profile->frames.at[frame];
    return row->how == FF_HOW_STITCHED && row->module == activation->module && !row->line &&
           row->place == activation->function;
}

/* Whether the stitched callers are those of the uncut stack: all of them, or where there is a gap, all
 * from the root up to it and all from the cut down to it. */
static bool is_exact(const struct ff_profile *profile, const struct ff_stitch_held *held,
                     const struct truth *truth)
{
    uint32_t chain[1024], depth = 0, last = truth->count - held->activation_count;
    const struct ff_activation *callers = truth->activations + held->activation_count;
    for (uint32_t s = held->verdict.callers; s && depth < 1024; s = profile->stacks.at[s].parent)
        chain[depth++] = profile->stacks.at[s].frame; /* innermost first, as the callers */
    bool whole = held->verdict.agree && !held->verdict.gap;
    uint32_t outer = 0, inner = 0;
    while (outer < depth && outer < last && !is_gap(profile, chain[depth - 1 - outer])) {
        if (!is_function(profile, chain[depth - 1 - outer], &callers[last - 1 - outer]))
            return false;
        outer++;
    }
    while (held->verdict.agree && inner < depth && inner < last && !is_gap(profile, chain[inner])) {
        if (!is_function(profile, chain[inner], &callers[inner]))
            return false;
        inner++;
    }
    return whole ? depth == last && outer == last : outer + inner <= last;
}

static void count_held(const struct ff_profile *profile, const struct ff_stitch_held *held,
                       const struct truth *truth, struct outcome *outcome)
{
    bool exact = held->hops && truth->complete && is_exact(profile, held, truth);
    outcome->truncated++;
    outcome->known += truth->complete;
    bool no_cfa = truth->complete && !held->activations[held->activation_count - 1].has_cfa;
    outcome->no_cfa += no_cfa;
    outcome->no_cfa_donor += no_cfa && held->hops;
    outcome->no_cfa_exact += no_cfa && exact;
    outcome->wrong_states +=
        held->sample.state != (held->hops ? FF_STATE_STITCHED : FF_STATE_TRUNCATED);
    if (!held->hops)
        return;
    outcome->donor++;
    if (!truth->complete)
        return;
    outcome->known_donor++;
    outcome->known_one_hop += held->hops == 1;
    outcome->far += held->hops > FF_STITCH_HOPS;
    outcome->far_exact += held->hops > FF_STITCH_HOPS && exact;
    bool gap = held->verdict.gap || !held->verdict.agree;
    bool agreed = !gap && held->verdict.count > 1, single = !gap && !agreed;
    outcome->agreed += agreed;
    outcome->agreed_exact += agreed && exact;
    outcome->single += single;
    outcome->single_exact += single && exact;
    outcome->gap += gap;
    outcome->gap_exact += gap && exact;
}

static struct outcome finish(struct experiment *experiment, uint32_t cut)
{
    struct ff_stitcher *stitcher = &experiment->stitchers[cut];
    struct outcome outcome = {0};
    ff_stitcher_finish(stitcher);
    for (uint32_t i = 1; i < stitcher->held_count; i++)
        count_held(experiment->recorded.profile, &stitcher->held[i],
                   &experiment->truths[stitcher->held[i].sample.event], &outcome);
    const struct ff_stitch_counts *counts = &stitcher->counts;
    CHECK_NUMBER(counts->agreed + counts->single + counts->disagreed, outcome.donor);
    CHECK_NUMBER(counts->none + counts->shallow, outcome.truncated - outcome.donor);
    CHECK_NUMBER(outcome.wrong_states, 0);
    CHECK(!stitcher->failed);
    return outcome;
}

static void run(struct experiment *experiment, const char *name, uint32_t cut_count)
{
    char below[128], map[512];
    snprintf(below, sizeof below, "captures/%s/perf.map", name);
    shared_path(map, sizeof map, below);
    const char *const symbols[] = {LIBRARIES, access(map, R_OK) == 0 ? map : NULL, NULL};
    *experiment = (struct experiment){.cut_count = cut_count};
    experiment->recorded = (struct recorded){.each = each, .context = experiment};
    snprintf(below, sizeof below, "captures/%s/dwarf.data", name);
    recorded_read(&experiment->recorded, below, symbols);
}

static void release(struct experiment *experiment)
{
    for (uint32_t i = 0; i < experiment->cut_count; i++)
        ff_stitcher_release(&experiment->stitchers[i]);
    for (uint32_t i = 0; i < experiment->sample_count; i++)
        ff_free(experiment->truths[i].activations);
    ff_unwound_release(&experiment->unwound);
    recorded_release(&experiment->recorded);
}

static void check_whole(struct experiment *experiment, const char *name, uint32_t samples,
                        uint32_t whole)
{
    struct outcome outcome = finish(experiment, 0);
    printf("%-17s uncut: %4u of %4u complete, %3u stitched (%u donors disagree)\n", name,
           experiment->complete, experiment->sample_count, outcome.donor,
           (unsigned)experiment->stitchers[0].counts.disagreed);
    CHECK_NUMBER(experiment->sample_count, samples);
    CHECK(experiment->complete + outcome.donor >= whole);
}

static void check_cut(struct experiment *experiment, const char *name, uint32_t cut,
                      struct coverage least, struct without_cfa *without_cfa)
{
    struct outcome o = finish(experiment, cut);
    uint32_t known = percent(o.known_donor, o.known), all = percent(o.donor, o.truncated);
    printf("%-17s %5zu%s: %4u truncated (%2u %%); a donor within %2u hops for %4u of %4u known "
           "(%3u %%; "
           "%4u in one), %3u %% of all; exact: 2+ donors agree %4u/%4u, one %3u/%3u, around a gap "
           "%3u/%3u; of these over more than 3 hops %3u/%3u, without CFA %u/%u (of %u)\n",
           name, cuts[cut].size, cuts[cut].half ? " (half)" : "", o.truncated,
           percent(o.truncated, experiment->sample_count), cuts[cut].hops, o.known_donor, o.known,
           known, o.known_one_hop, all, o.agreed_exact, o.agreed, o.single_exact, o.single,
           o.gap_exact, o.gap, o.far_exact, o.far, o.no_cfa_exact, o.no_cfa_donor, o.no_cfa);
    uint32_t any = o.agreed + o.single + o.gap;
    CHECK(o.agreed > 0 && (uint64_t)o.agreed_exact * 1000 >= (uint64_t)o.agreed * 995);
    CHECK((uint64_t)(o.agreed_exact + o.single_exact + o.gap_exact) * 1000 >= (uint64_t)any * 980);
    CHECK(known >= least.known);
    CHECK(all >= least.all);
    without_cfa->found += cuts[cut].half ? o.no_cfa_donor : 0;
    without_cfa->exact += cuts[cut].half ? o.no_cfa_exact : 0;
}

static void check_cuts(const char *name, uint32_t samples, uint32_t whole,
                       const struct coverage least[CUTS], struct without_cfa *without_cfa)
{
    static struct experiment experiment;
    run(&experiment, name, least ? CUTS : 1);
    check_whole(&experiment, name, samples, whole);
    for (uint32_t cut = 1; cut < experiment.cut_count; cut++)
        check_cut(&experiment, name, cut, least[cut], without_cfa);
    release(&experiment);
}

int main(void)
{
    static const struct coverage launch_queue[] = {{0, 0},   {0, 0},   {16, 12}, {53, 36},
                                                   {94, 59}, {97, 21}, {0, 0},   {0, 0}};
    static const struct coverage gil_convoy[] = {{0, 0},   {0, 0},   {89, 82}, {90, 70},
                                                 {83, 44}, {54, 16}, {0, 0},   {0, 0}};
    /* 78 and 74 without FF_STITCH_STRETCH, which leaves 15 of them truncated. */
    static const struct coverage trampoline[] = {{0, 0},   {0, 0},   {77, 73}, {95, 84},
                                                 {91, 68}, {67, 31}, {0, 0},   {0, 0}};
    struct without_cfa without_cfa = {0, 0};
    if (!recorded_available()) {
        SKIP("the captures and their unpacked libraries are not here");
        return check_result();
    }
    check_cuts("launch-queue-64k", 2023, 2022, launch_queue, &without_cfa);
    check_cuts("gil-convoy-64k", 2383, 2383, gil_convoy, &without_cfa);
    check_cuts("trampoline-64k", 2361, 2361, trampoline, &without_cfa);
    check_cuts("dispatch", 797, 797, NULL, NULL);
    check_cuts("trampoline", 687, 654, NULL, NULL);
    check_cuts("gil-convoy", 702, 653, NULL, NULL);
    check_cuts("launch-queue", 318, 195, NULL, NULL);
    check_cuts("sync", 797, 797, NULL, NULL);
    /* Inside of cuBLAS two wrappers with equal frames call the same function: not every chain is right. */
    printf("without CFA, with deeper donors: %u of %u exact\n", without_cfa.exact,
           without_cfa.found);
    CHECK(without_cfa.found >= 40 && without_cfa.exact * 100 >= without_cfa.found * 85);
    return check_result();
}
