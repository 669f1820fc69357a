/* SPDX-License-Identifier: MIT
 *
 * The verdict as JSON: every measure and every hypothesis with what decided it. No hard thing here: a
 * program reads it, so nothing is left out and nothing is worded.
 */
#include "report/report_json.h"

static json_t *measure(const struct ff_measure *row)
{
    if (!row->known)
        return json_null();
    return json_pack("{s:i, s:i, s:i, s:o, s:o, s:b, s:b}", "value", (int)row->value, "low",
                     (int)row->low, "high", (int)row->high, "count", ff_json_number(row->count),
                     "n", ff_json_number(row->n), "weak", (int)row->weak, "few", (int)row->few);
}

json_t *ff_json_gil(const struct ff_evidence *evidence)
{
    return json_pack("{s:i, s:o}", "source", (int)evidence->gil_source - 1, "held",
                     measure(&evidence->measures[FF_MEASURE_GIL_HELD]));
}

json_t *ff_json_gpus(const struct ff_evidence *evidence)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < evidence->gpu_count; i++) {
        const struct ff_gpu *gpu = &evidence->gpus[i];
        json_array_append_new(list, json_pack("{s:o, s:i, s:i, s:i, s:i, s:i}", "name",
                                              ff_json_text(evidence->profile, gpu->subject),
                                              "permille", (int)gpu->median, "low", (int)gpu->low,
                                              "high", (int)gpu->high, "values", (int)gpu->usable,
                                              "dropped", (int)gpu->dropped));
    }
    return list;
}

static json_t *conditions(const struct ff_hypothesis *row, const struct ff_finding *finding)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < row->count; i++) {
        const struct ff_condition *condition = &row->conditions[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:i, s:i, s:s}", "measure",
                                        ff_measures[condition->measure].word, "side",
                                        condition->side == FF_ABOVE ? "above" : "below", "yes",
                                        (int)condition->yes, "no", (int)condition->no, "answer",
                                        ff_answer_word((enum ff_answer)finding->answers[i])));
    }
    return list;
}

static json_t *hypotheses(const struct ff_evidence *evidence)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < FF_HYPOTHESIS_COUNT; i++) {
        const struct ff_hypothesis *row = &ff_hypotheses[i];
        const struct ff_finding *finding = &evidence->findings[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:b, s:i, s:o, s:s, s:s}", "name", row->word, "outcome",
                      ff_outcome_word((enum ff_outcome)finding->outcome), "candidate",
                      (int)finding->candidate, "decisive", (int)finding->decisive, "conditions",
                      conditions(row, finding), "title", row->title, "advice", row->advice));
    }
    return list;
}

json_t *ff_json_verdict(const struct ff_evidence *evidence)
{
    json_t *numbers = json_object();
    for (unsigned i = 0; i < FF_MEASURE_COUNT; i++)
        json_object_set_new(numbers, ff_measures[i].word, measure(&evidence->measures[i]));
    return json_pack("{s:s, s:i, s:o, s:o, s:i, s:o, s:o}", "gate", ff_gate_word(evidence->gate),
                     "stacks", (int)evidence->source - 1, "counted",
                     ff_json_number(evidence->samples), "hidden", ff_json_number(evidence->hidden),
                     "needed", FF_EVIDENCE_LEAST_N, "measures", numbers, "hypotheses",
                     hypotheses(evidence));
}
