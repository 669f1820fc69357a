/* SPDX-License-Identifier: MIT
 *
 * Findings to sentences. The hard thing is to stay honest in few words: what holds is said with its
 * number, what does not is said with the number that excludes it, and the rest names what is missing.
 */
#include "report/verdict.h"
#include "report/prose.h"

#include <stdio.h>

static uint32_t count_findings(const struct ff_evidence *evidence, enum ff_outcome outcome)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < FF_HYPOTHESIS_COUNT; i++)
        count += evidence->findings[i].outcome == outcome;
    return count;
}

static uint32_t count_candidates(const struct ff_evidence *evidence)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < FF_HYPOTHESIS_COUNT; i++)
        count += evidence->findings[i].candidate;
    return count;
}

static void put_candidates(const struct ff_evidence *evidence, struct ff_prose *prose)
{
    uint32_t count = 0, all = count_candidates(evidence);
    for (unsigned i = 0; i < FF_HYPOTHESIS_COUNT; i++) {
        if (!evidence->findings[i].candidate)
            continue;
        count++;
        ff_prose_add(prose, "%s%s",
                     count == 1     ? ""
                     : count == all ? " or "
                                    : ", ",
                     ff_hypotheses[i].title);
    }
}

static void put_few(const struct ff_evidence *evidence, struct ff_output *output)
{
    unsigned long long samples = evidence->samples;
    if (evidence->dump)
        ff_prose_put(output, 2,
                     "No verdict: %llu hot thread%s of a dump, at one moment, can point but not "
                     "prove. A recording of at least %u samples of native stacks is needed.",
                     samples, samples == 1 ? "" : "s", FF_EVIDENCE_LEAST_N);
    else
        ff_prose_put(output, 2,
                     "No verdict: %llu samples of native stacks are too few, %u are needed: from "
                     "there on no share is unsure by more than 10 points.",
                     samples, FF_EVIDENCE_LEAST_N);
}

/* Why the stacks allow no verdict. */
static void put_gate(const struct ff_evidence *evidence, struct ff_output *output)
{
    unsigned long long samples = evidence->samples;
    unsigned long long short_ones =
        evidence->hidden > evidence->shallow ? evidence->hidden : evidence->shallow;
    switch (evidence->gate) {
    case FF_GATE_OPEN:
        return;
    case FF_GATE_NO_STACKS:
        ff_prose_put(output, 2,
                     "No verdict: no input has native stacks of threads on the CPU, and only these "
                     "show who waits for what.");
        return;
    case FF_GATE_NO_BUCKETS:
        ff_prose_put(output, 2,
                     "No verdict: %llu of %llu samples are in no bucket that the verdict knows; it "
                     "needs those of the built-in rules (ff-classify).",
                     (unsigned long long)evidence->foreign, samples);
        return;
    case FF_GATE_SELECTED:
        ff_prose_put(
            output, 2,
            "No verdict: samples were selected by bucket or tag, and shares of what is left "
            "say nothing. Report without that selection.");
        return;
    case FF_GATE_UNHEALTHY:
        ff_prose_put(output, 2,
                     "No verdict: %llu of %llu samples have stacks that are too short to name a "
                     "cause. ff-doctor says why and how to record again.",
                     short_ones, samples);
        return;
    case FF_GATE_FEW:
        put_few(evidence, output);
        return;
    }
}

/* With every number that it rests on, and what to try. */
static void put_supported(const struct ff_evidence *evidence, struct ff_output *output)
{
    for (unsigned i = 0; i < FF_HYPOTHESIS_COUNT; i++) {
        const struct ff_hypothesis *row = &ff_hypotheses[i];
        struct ff_prose prose;
        if (evidence->findings[i].outcome != FF_SUPPORTED)
            continue;
        ff_prose_begin(&prose, output, 2, 4);
        ff_prose_add(&prose, "%s: %s. ", row->title, row->meaning);
        for (unsigned k = 0; k < row->count; k++) {
            if (evidence->findings[i].answers[k] != FF_ANSWER_YES)
                continue;
            ff_prose_add(&prose, "%s", k ? "; " : "");
            ff_verdict_number(evidence, (enum ff_measure_id)row->conditions[k].measure, &prose);
        }
        ff_prose_add(&prose, ".");
        ff_prose_end(&prose);
        ff_prose_put(output, 4, "Try: %s.", row->advice);
    }
}

static void put_roles(const struct ff_evidence *evidence, struct ff_output *output)
{
    struct ff_prose prose;
    if (!evidence->role_count)
        return;
    ff_prose_begin(&prose, output, 2, 4);
    ff_prose_add(&prose, "Hot threads: ");
    for (uint32_t i = 0; i < evidence->role_count; i++) {
        const struct ff_hot_role *row = &evidence->roles[i];
        char least[12], most[12];
        ff_prose_add(&prose, "%s%u ", i ? ", " : "", row->threads);
        ff_prose_name(&prose, row->role ? ff_profile_text(evidence->profile, row->role)
                                        : FF_TEXT("(no name)"));
        ff_prose_percent(least, row->least);
        ff_prose_percent(most, row->most);
        if (row->least == row->most)
            ff_prose_add(&prose, " at %s %%", most);
        else
            ff_prose_add(&prose, " at %s-%s %%", least, most);
    }
    ff_prose_add(&prose, " of a CPU.");
    ff_prose_end(&prose);
}

/* What a dump shows: its few threads point, they prove nothing. */
static void put_dump(const struct ff_evidence *evidence, struct ff_output *output)
{
    const struct ff_measure *waits = &evidence->measures[FF_MEASURE_SPIN];
    const struct ff_measure *launches = &evidence->measures[FF_MEASURE_LAUNCHES];
    if (!evidence->dump || !launches->known || !launches->count)
        return;
    ff_prose_put(output, 2, "%s%llu of %llu dumped hot threads %s inside a kernel launch.",
                 launches->count == launches->n ? "All: " : "", (unsigned long long)launches->count,
                 (unsigned long long)launches->n, waits->count == launches->count ? "wait" : "are");
}

static void put_gil(const struct ff_evidence *evidence, struct ff_output *output)
{
    const struct ff_measure *held = &evidence->measures[FF_MEASURE_GIL_HELD];
    char value[12], low[12], high[12];
    if (!held->known)
        return;
    ff_prose_put(output, 2, "GIL held %s %% (%s-%s %%) of the time, in %llu of %llu instants.",
                 ff_prose_percent(value, held->value), ff_prose_percent(low, held->low),
                 ff_prose_percent(high, held->high), (unsigned long long)held->count,
                 (unsigned long long)held->n);
    if (held->high < 500 && evidence->findings[FF_GIL_CONVOY].outcome != FF_RULED_OUT)
        ff_prose_put(output, 2,
                     "That it is seldom held does not exonerate the GIL: where threads pass it on "
                     "thousands of times a second, each holds it shortly, and the time goes into "
                     "waiting and waking, which only native stacks show.");
}

/* The measure whose lack keeps a candidate open; FF_MEASURE_COUNT: there is none. */
static enum ff_measure_id missing_measure(const struct ff_evidence *evidence, unsigned id)
{
    const struct ff_finding *finding = &evidence->findings[id];
    return finding->answers[finding->decisive] == FF_ANSWER_MISSING
               ? (enum ff_measure_id)ff_hypotheses[id].conditions[finding->decisive].measure
               : FF_MEASURE_COUNT;
}

static void put_open(const struct ff_evidence *evidence, struct ff_output *output)
{
    struct ff_prose prose;
    ff_prose_begin(&prose, output, 2, 4);
    if (!count_candidates(evidence)) {
        if (evidence->gate == FF_GATE_OPEN && !count_findings(evidence, FF_SUPPORTED))
            ff_prose_add(&prose, "None of the known causes is supported: see the hottest stacks.");
        if (prose.used)
            ff_prose_end(&prose);
        return;
    }
    ff_prose_add(&prose, "Not told apart yet: ");
    put_candidates(evidence, &prose);
    ff_prose_add(&prose, ".");
    ff_prose_end(&prose);
}

static const uint8_t next_order[] = {FF_FROM_STACKS, FF_FROM_GPU,  FF_FROM_GIL,
                                     FF_FROM_IDLE,   FF_FROM_TIME, FF_FROM_ANOTHER};

/* Whether a measurement of this kind would move a candidate, or anything that is open if ALL. */
static bool is_wanted(const struct ff_evidence *evidence, uint8_t kind, bool all)
{
    if (evidence->gate == FF_GATE_SELECTED)
        return false;
    if (kind == FF_FROM_STACKS && evidence->gate != FF_GATE_OPEN)
        return true;
    for (unsigned i = 0; i < FF_HYPOTHESIS_COUNT; i++) {
        const struct ff_finding *finding = &evidence->findings[i];
        enum ff_measure_id missing = missing_measure(evidence, i);
        if (finding->outcome == FF_UNDECIDED && (finding->candidate || all) &&
            missing != FF_MEASURE_COUNT && missing != FF_MEASURE_LOCK &&
            ff_measures[missing].kind == kind)
            return true;
    }
    return false;
}

static enum ff_measure_id measure_of(uint8_t kind)
{
    unsigned id = 0;
    while (id + 1 < FF_MEASURE_COUNT && ff_measures[id].kind != kind)
        id++;
    return (enum ff_measure_id)id;
}

void ff_verdict_commands(const struct ff_evidence *evidence, bool all, const char *heading,
                         struct ff_output *output)
{
    bool any = false;
    for (size_t i = 0; i < sizeof next_order; i++) {
        char command[200];
        if (!is_wanted(evidence, next_order[i], all))
            continue;
        if (!any)
            ff_output_format(output, "  %s\n", heading);
        any = true;
        ff_output_format(output, "    %s\n",
                         ff_verdict_command(evidence, measure_of(next_order[i]), command));
    }
}

void ff_verdict_headline(const struct ff_evidence *evidence, struct ff_output *output)
{
    put_gate(evidence, output);
    put_supported(evidence, output);
    put_open(evidence, output);
    put_roles(evidence, output);
    put_dump(evidence, output);
    put_gil(evidence, output);
    ff_verdict_commands(evidence,
                        evidence->gate == FF_GATE_OPEN && !count_candidates(evidence) &&
                            !count_findings(evidence, FF_SUPPORTED),
                        "Measure next, while it runs:", output);
}
