/* SPDX-License-Identifier: MIT
 *
 * The beginning of a recording to the slot of its call sites. The hard thing is the cost: samples that
 * are unwound twice are few, and of a recording without Python as few.
 */
#include "read/perf_sites.h"

struct ff_site_slot ff_perf_sites_find(const struct ff_input *input, struct ff_text name,
                                       const struct ff_perf_options *options)
{
    const struct ff_selection all = {0};
    struct ff_site_slot slot = {0};
    struct ff_site_finder finder = {0};
    struct ff_input again = {.descriptor = -1};
    struct ff_profile *scratch = ff_profile_new();
    struct ff_unwinder *unwinder = scratch ? ff_unwinder_copy(options->unwinder, scratch) : NULL;
    if (unwinder && ff_input_share(&again, input, &scratch->error) == FF_OK) {
        struct ff_perf_options look = {.selection = &all,
                                       .unwinder = unwinder,
                                       .no_stitching = true,
                                       .threads = 1,
                                       .finder = &finder};
        ff_unwinder_observe(unwinder, &finder);
        ff_perf_read(scratch, &again, name, &look);
        slot = ff_site_finder_decide(&finder);
        ff_unwinder_sites(options->unwinder, slot);
        ff_input_close(&again);
    }
    ff_unwinder_free(unwinder);
    ff_site_finder_release(&finder);
    ff_profile_free(scratch);
    return slot;
}

static void note(struct ff_profile *profile, uint32_t source, struct ff_text name, uint64_t value,
                 struct ff_text unit)
{
    ff_fact_add(profile, (struct ff_fact){.source = source,
                                          .name = ff_profile_intern(profile, name),
                                          .value = value,
                                          .unit = ff_profile_intern(profile, unit)});
}

void ff_perf_sites_note(struct ff_profile *profile, uint32_t source, struct ff_site_slot slot)
{
    if (!slot.observed)
        return;
    note(profile, source, FF_TEXT("site-observations"), slot.observed, FF_TEXT("calls"));
    if (slot.in_register)
        note(profile, source, FF_TEXT("site-register"), slot.in_register, FF_TEXT("register"));
    else
        note(profile, source, FF_TEXT("site-offset"), slot.offset, FF_TEXT("bytes"));
    if (!ff_site_is_found(&slot))
        return;
    note(profile, source, FF_TEXT("site-values"), slot.distinct, FF_TEXT("values"));
    note(profile, source, FF_TEXT("site-one-call"), slot.one_call, FF_TEXT("ppm"));
    note(profile, source, FF_TEXT("site-recurring"), slot.recurring, FF_TEXT("ppm"));
}
