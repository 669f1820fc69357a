/* SPDX-License-Identifier: MIT
 *
 * The methods one after the other. The hard thing is their order: names of threads say which
 * processes are one, exact stacks need no reference, and py-spy's own stacks are marked as paired
 * only after they were the reference.
 */
#include "merge/merge.h"
#include "merge/conditional.h"
#include "merge/drift.h"
#include "merge/exact.h"
#include "merge/paired.h"
#include "merge/spelling.h"
#include "merge/stops.h"
#include "merge/thread_names.h"

int ff_merge_method_parse(struct ff_text word)
{
    struct ff_text words = FF_TEXT(FF_MERGE_METHODS);
    for (int method = 0; words.size; method++) {
        if (ff_text_equal(word, ff_text_trim(ff_text_cut(&words, ','))))
            return method;
    }
    return -1;
}

/* Up to CPython 3.10 each Python call has an evaluation loop of its own. Known from the file's name:
 * "python3.8", "libpython3.10.so.1.0". */
static bool has_old_python(struct ff_profile *profile)
{
    bool old = false;
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        struct ff_text name = ff_module_name(profile, i);
        ptrdiff_t at = ff_text_find_text(name, FF_TEXT("python3."));
        uint64_t minor = 0;
        size_t digits = 0;
        if (at < 0)
            continue;
        name = ff_text_from(name, (size_t)at + sizeof "python3." - 1);
        while (digits < name.size && name.at[digits] >= '0' && name.at[digits] <= '9')
            digits++;
        if (!ff_text_decimal(ff_text_slice(name, 0, digits), &minor))
            continue;
        if (minor > 10)
            return false;
        old = true;
    }
    return old;
}

static void merge_exact(struct ff_profile *profile, struct ff_merge_options options)
{
    struct ff_exact_counts counts = {0};
    ff_merge_exact(profile, options.plumbing, &counts);
    ff_ledger_add(profile, 0, FF_LEDGER_MERGED_EXACT, counts.exact);
    ff_ledger_add(profile, 0, FF_LEDGER_MERGED_PARTLY, counts.unmatched);
    ff_ledger_add(profile, 0, FF_LEDGER_MERGED_CUT, counts.cut_inside);
}

static bool merge_stops(struct ff_profile *profile, struct ff_merge_options options,
                        struct ff_error *note)
{
    struct ff_stops_counts counts = {0};
    struct ff_stops_options how = {.plumbing = options.plumbing,
                                   .one_to_one = has_old_python(profile)};
    ff_merge_stops(profile, how, &counts, note);
    ff_ledger_add(profile, 0, FF_LEDGER_MERGED_PAIRED, counts.paired);
    ff_ledger_add(profile, 0, FF_LEDGER_PAIRED_IN_FLIGHT, counts.in_flight);
    ff_ledger_add(profile, 0, FF_LEDGER_PAIRED_NO_ROOT, counts.no_root);
    ff_ledger_add(profile, 0, FF_LEDGER_UNPAIRED, counts.apart);
    return counts.joined;
}

static void merge_conditional(struct ff_profile *profile, struct ff_merge_options options,
                              const uint32_t *identity)
{
    struct ff_conditional_counts counts = {0};
    struct ff_conditional_options how = {
        .plumbing = options.plumbing, .sites = true, .one_to_one = has_old_python(profile)};
    uint64_t tested = 0, drifted = 0;
    ff_drift_count(profile, identity, &tested, &drifted);
    ff_merge_conditional(profile, identity, how, &counts);
    if (counts.site + counts.conditional + counts.marginal) {
        ff_ledger_add(profile, 0, FF_LEDGER_DRIFT_TESTED, tested);
        ff_ledger_add(profile, 0, FF_LEDGER_DRIFTED, drifted);
    }
    ff_ledger_add(profile, 0, FF_LEDGER_MERGED_SITE, counts.site);
    ff_ledger_add(profile, 0, FF_LEDGER_MERGED_CONDITIONAL, counts.conditional);
    ff_ledger_add(profile, 0, FF_LEDGER_MERGED_MARGINAL, counts.marginal);
    ff_ledger_add(profile, 0, FF_LEDGER_UNMATCHED, counts.unmatched);
    ff_ledger_clear(profile, FF_LEDGER_UNMERGED_CUT);
    ff_ledger_add(profile, 0, FF_LEDGER_UNMERGED_CUT, counts.cut);
}

enum ff_status ff_merge(struct ff_profile *profile, struct ff_merge_options options, bool *joined,
                        struct ff_error *note)
{
    uint32_t *identity = ff_alloc(profile->processes.count, sizeof *identity);
    profile->out_of_memory |= !identity;
    if (identity)
        ff_merge_names(profile, identity, note);
    for (uint32_t i = 1; identity && joined && i < profile->processes.count; i++)
        *joined |= identity[i] != 0;
    bool any = options.method == FF_MERGE_AUTO, pairs = false;
    if (identity && (any || options.method == FF_MERGE_PAIRED))
        pairs = merge_stops(profile, options, note);
    if (joined)
        *joined |= pairs;
    if (identity && (any || options.method == FF_MERGE_EXACT))
        merge_exact(profile, options);
    if (any || options.method == FF_MERGE_CONDITIONAL)
        ff_merge_spelling(profile);
    if (identity && (any || options.method == FF_MERGE_CONDITIONAL))
        merge_conditional(profile, options, identity);
    if (identity && any)
        ff_merge_paired(profile);
    ff_free(identity);
    return ff_profile_status(profile);
}
