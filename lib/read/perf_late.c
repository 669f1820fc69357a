/* SPDX-License-Identifier: MIT
 *
 * Deferred chains to their samples; threads that never came back. The hard thing: a promise may never be
 * kept, and the sample counts all the same.
 */
#include "read/perf_late.h"

void ff_perf_late_chain(struct ff_perf_apply *apply, struct ff_text record)
{
    struct ff_perf_chain_record chain;
    struct ff_perf_held held;
    if (!ff_perf_record_deferred(apply->file, record, &chain)) {
        apply->counts[FF_LEDGER_RECORDS_BAD]++;
        return;
    }
    uint64_t *words = ff_alloc(chain.count, sizeof *words);
    if (words && chain.count)
        memcpy(words, chain.words, chain.count * sizeof *words);
    apply->profile->out_of_memory |= !words;
    while (words && ff_perf_deferred_take(&apply->deferred, chain.tid, chain.cookie, &held))
        ff_perf_apply_sample(apply, held.record, held.own, words, chain.count);
    ff_free(words);
}

void ff_perf_late_flush(struct ff_perf_apply *apply)
{
    static const uint64_t none[1];
    struct ff_perf_held held;
    while (ff_perf_deferred_next(&apply->deferred, &held)) {
        ff_perf_apply_sample(apply, held.record, held.own, none, 0);
        apply->sample_counts[FF_LEDGER_DEFERRED] += held.own;
    }
}

void ff_perf_late_finish(struct ff_perf_apply *apply)
{
    struct ff_perf_blocked *blocked = &apply->blocked;
    ff_ledger_add(apply->profile, blocked->source, FF_LEDGER_SAMPLES, blocked->samples);
    ff_ledger_add(apply->profile, apply->source, FF_LEDGER_STILL_AWAY,
                  ff_perf_blocked_still(blocked));
    apply->profile->out_of_memory |= apply->deferred.failed | apply->deferred.arena.failed;
    ff_perf_blocked_release(blocked);
    ff_perf_deferred_release(&apply->deferred);
}
