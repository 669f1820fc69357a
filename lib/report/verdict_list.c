/* SPDX-License-Identifier: MIT
 *
 * Every hypothesis with the number that decides it. The hard thing is "undecided": whether more
 * samples would tell, or another measurement, or nothing.
 */
#include "report/prose.h"
#include "report/verdict.h"

#include <stdio.h>

static const struct ff_condition *decisive(unsigned id, const struct ff_finding *finding)
{
    return &ff_hypotheses[id].conditions[finding->decisive];
}

static void put_threshold(const struct ff_condition *condition, struct ff_prose *prose)
{
    const char *side = condition->side == FF_ABOVE ? "at least" : "at most";
    if (ff_measures[condition->measure].kind == FF_FROM_THREADS)
        ff_prose_add(prose, "; needed: %s %u", side, condition->yes);
    else
        ff_prose_add(prose, "; needed: %s %u %%", side, condition->yes / 10);
}

/* How many samples would bring the interval clear of the threshold on the value's side. */
static void put_needed(const struct ff_condition *condition, const struct ff_measure *measure,
                       struct ff_prose *prose)
{
    bool above = condition->side == FF_ABOVE;
    bool for_it = above ? measure->value >= condition->yes : measure->value <= condition->yes;
    bool against = above ? measure->value < condition->no : measure->value > condition->no;
    uint64_t needed = ff_measure_needed(measure->value, for_it ? condition->yes : condition->no);
    if (measure->weak)
        ff_prose_add(prose, "; fewer than 3 values rule nothing out");
    else if (measure->few)
        ff_prose_add(prose, "; too little to decide anything");
    else if (!for_it && !against)
        ff_prose_add(prose, "; it lies between yes and no (%u %%), more samples will not tell",
                     condition->no / 10);
    else if (needed > measure->n && measure->n)
        ff_prose_add(prose, "; about %llu samples would tell", (unsigned long long)needed);
    else
        ff_prose_add(prose, "; the interval does not tell");
}

static void put_finding(const struct ff_evidence *evidence, unsigned id, struct ff_output *output)
{
    const struct ff_finding *finding = &evidence->findings[id];
    const struct ff_condition *condition = decisive(id, finding);
    struct ff_prose prose;
    ff_prose_begin(&prose, output, 4, 6);
    ff_prose_add(&prose, "%s: ", ff_hypotheses[id].title);
    if (finding->answers[finding->decisive] == FF_ANSWER_MISSING) {
        ff_prose_add(&prose, "not measured, it needs %s",
                     ff_verdict_need((enum ff_measure_id)condition->measure));
    } else {
        ff_verdict_number(evidence, (enum ff_measure_id)condition->measure, &prose);
        put_threshold(condition, &prose);
        if (finding->outcome == FF_UNDECIDED)
            put_needed(condition, &evidence->measures[condition->measure], &prose);
    }
    ff_prose_end(&prose);
}

/* What holds, with all its numbers. */
static void put_reasons(const struct ff_evidence *evidence, unsigned id, struct ff_output *output)
{
    const struct ff_hypothesis *row = &ff_hypotheses[id];
    ff_prose_put(output, 4, "%s", row->title);
    for (unsigned i = 0; i < row->count; i++) {
        struct ff_prose prose;
        if (evidence->findings[id].answers[i] != FF_ANSWER_YES)
            continue;
        ff_prose_begin(&prose, output, 6, 8);
        ff_verdict_number(evidence, (enum ff_measure_id)row->conditions[i].measure, &prose);
        put_threshold(&row->conditions[i], &prose);
        ff_prose_end(&prose);
    }
    ff_prose_put(output, 6, "try: %s", row->advice);
}

static void put_group(const struct ff_evidence *evidence, enum ff_outcome outcome,
                      const char *heading, struct ff_output *output)
{
    bool any = false;
    for (unsigned id = 0; id < FF_HYPOTHESIS_COUNT; id++) {
        if (evidence->findings[id].outcome != outcome)
            continue;
        if (!any)
            ff_output_format(output, "  %s\n", heading);
        any = true;
        if (outcome == FF_SUPPORTED)
            put_reasons(evidence, id, output);
        else
            put_finding(evidence, id, output);
    }
}

static void put_basis(const struct ff_evidence *evidence, struct ff_output *output)
{
    struct ff_prose prose;
    if (!evidence->source)
        return;
    const struct ff_source *source = &evidence->profile->sources.at[evidence->source];
    ff_prose_begin(&prose, output, 2, 2);
    ff_prose_add(&prose, "From the stacks of ");
    ff_prose_name(&prose, ff_profile_text(evidence->profile, source->name));
    ff_prose_add(&prose, ": %llu %s.", (unsigned long long)evidence->samples,
                 evidence->dump ? "hot threads" : "samples");
    if (evidence->others)
        ff_prose_add(&prose,
                     " They are of process %u; %llu samples of other processes do not count here, "
                     "--pid takes another.",
                     evidence->pid, (unsigned long long)evidence->others);
    if (evidence->hidden && evidence->gate == FF_GATE_OPEN)
        ff_prose_add(&prose,
                     " %llu of them have stacks too short to tell; the intervals here are wider by "
                     "what they may hide.",
                     (unsigned long long)evidence->hidden);
    ff_prose_end(&prose);
}

static void put_notes(const struct ff_evidence *evidence, struct ff_output *output)
{
    if (!evidence->measures[FF_MEASURE_QUEUE].known)
        ff_prose_put(output, 2,
                     "Not seen on the CPU: a queue between the threads. Who waits in one sleeps, "
                     "and has no samples here.");
    if (evidence->gil_length_missing)
        ff_prose_put(output, 2,
                     "The GIL recording does not say how long it ran: give it with --as, or with "
                     "the log of py-spy beside it.");
}

void ff_verdict_put(const struct ff_evidence *evidence, struct ff_output *output)
{
    put_basis(evidence, output);
    put_group(evidence, FF_SUPPORTED, "Supported", output);
    put_group(evidence, FF_UNDECIDED, "Undecided", output);
    put_group(evidence, FF_RULED_OUT, "Ruled out", output);
    put_notes(evidence, output);
    ff_verdict_commands(evidence, true, "Commands that measure what is missing:", output);
}
