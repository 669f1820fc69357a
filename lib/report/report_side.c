/* SPDX-License-Identifier: MIT
 *
 * The GIL and the GPU in the text report. The hard thing is which numbers belong together: the share
 * of time the GIL is held and the share of samples that wait for it are of different populations.
 */
#include "report/interval.h"
#include "report/page.h"
#include "report/prose.h"

#include <stdlib.h>

#define HOLDERS 3

/* Samples of one source: all, and those that wait for the GIL or hand it over. */
struct gil_sum {
    uint64_t all, wait, handoff;
};

static struct gil_sum sum_gil(const struct ff_profile *profile, uint32_t source)
{
    struct gil_sum sum = {0, 0, 0};
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        struct ff_text bucket = ff_profile_text(profile, sample->bucket);
        if (ff_sample_source(profile, sample) != source)
            continue;
        sum.all += sample->count;
        sum.wait += ff_text_equal(bucket, FF_TEXT("gil_wait")) ? sample->count : 0;
        sum.handoff += ff_text_equal(bucket, FF_TEXT("gil_handoff")) ? sample->count : 0;
    }
    sum.all = ff_summary_samples(sum.all);
    sum.wait = ff_summary_samples(sum.wait);
    sum.handoff = ff_summary_samples(sum.handoff);
    return sum;
}

static void add_share(struct ff_prose *prose, uint64_t count, uint64_t n)
{
    struct ff_measure share = ff_measure_share(count, 0, n);
    char value[12], low[12], high[12];
    ff_prose_add(prose, "%s %% (%s-%s %%)", ff_prose_percent(value, share.value),
                 ff_prose_percent(low, share.low), ff_prose_percent(high, share.high));
}

static void put_held(struct ff_page *page)
{
    const struct ff_evidence *evidence = page->evidence;
    const struct ff_measure *held = &evidence->measures[FF_MEASURE_GIL_HELD];
    struct ff_prose prose;
    if (!evidence->gil_source)
        return;
    ff_prose_begin(&prose, page->output, 2, 4);
    ff_prose_add(&prose, "held: ");
    if (held->known) {
        add_share(&prose, held->count, held->n);
        ff_prose_add(&prose, " of the time: %llu of %llu instants (",
                     (unsigned long long)held->count, (unsigned long long)held->n);
    } else {
        ff_prose_add(&prose, "share not known, the recording does not say how long it ran (");
    }
    ff_prose_name(&prose, ff_profile_text(page->profile,
                                          page->profile->sources.at[evidence->gil_source].name));
    ff_prose_add(&prose, ")");
    ff_prose_end(&prose);
}

/* The recording of one population that is shown: the one of the verdict, else the largest in which
 * somebody waits. */
static uint32_t choose_waiting(const struct ff_page *page, uint8_t population)
{
    const struct ff_profile *profile = page->profile;
    uint32_t best = 0;
    uint64_t most = 0;
    for (uint32_t id = 1; id < profile->sources.count; id++) {
        struct gil_sum sum = {0, 0, 0};
        if (profile->sources.at[id].population == population)
            sum = sum_gil(profile, id);
        if (!sum.wait && !sum.handoff)
            continue;
        if (id == page->evidence->source)
            return id;
        if (sum.all > most) {
            most = sum.all;
            best = id;
        }
    }
    return best;
}

/* One recording of each population: their shares are of different things. */
static void put_waiting(struct ff_page *page)
{
    const struct ff_profile *profile = page->profile;
    for (uint8_t population = 0; population < FF_POPULATION_COUNT; population++) {
        uint32_t id = choose_waiting(page, population);
        const struct ff_source *source = &profile->sources.at[id];
        struct gil_sum sum = sum_gil(profile, id);
        struct ff_prose prose;
        if (!id)
            continue;
        ff_prose_begin(&prose, page->output, 2, 4);
        ff_prose_add(&prose, "waiting: ");
        add_share(&prose, sum.wait, sum.all);
        ff_prose_add(&prose, ", handing over: ");
        add_share(&prose, sum.handoff, sum.all);
        ff_prose_add(&prose, ": %llu and %llu of %llu samples of %s threads (",
                     (unsigned long long)sum.wait, (unsigned long long)sum.handoff,
                     (unsigned long long)sum.all,
                     ff_population_word((enum ff_population)source->population));
        ff_prose_name(&prose, ff_profile_text(profile, source->name));
        ff_prose_add(&prose, ")");
        ff_prose_end(&prose);
    }
}

struct holder {
    struct ff_text name;
    uint64_t count;
};

static int compare_holders(const void *a, const void *b)
{
    const struct holder *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return ff_text_compare(x->name, y->name);
}

/* The samples of the --gil recording by thread row; threads of equal names are one. */
static uint32_t list_holders(const struct ff_page *page, struct holder *holders)
{
    const struct ff_profile *profile = page->profile;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (ff_sample_source(profile, sample) == page->evidence->gil_source)
            holders[sample->thread].count += sample->count;
    }
    for (uint32_t id = 0; id < profile->threads.count; id++)
        holders[id].name = ff_profile_text(profile, ff_thread_label(profile, id));
    qsort(holders, profile->threads.count, sizeof *holders, compare_holders);
    uint32_t count = 0;
    while (count < profile->threads.count && holders[count].count)
        count++;
    return count;
}

static void put_holders(struct ff_page *page)
{
    struct holder *holders = ff_alloc(page->profile->threads.count, sizeof *holders);
    uint32_t count = holders && page->evidence->gil_source ? list_holders(page, holders) : 0;
    struct ff_prose prose;
    ff_prose_begin(&prose, page->output, 2, 4);
    ff_prose_add(&prose, "holders: ");
    for (uint32_t i = 0; i < count && i < HOLDERS; i++) {
        ff_prose_add(&prose, "%s", i ? ", " : "");
        ff_prose_name(&prose, holders[i].name.size ? holders[i].name : FF_TEXT("(no name)"));
        ff_prose_add(&prose, " %llu", (unsigned long long)ff_summary_samples(holders[i].count));
    }
    if (count > HOLDERS)
        ff_prose_add(&prose, ", and %u more threads", count - HOLDERS);
    if (count)
        ff_prose_end(&prose);
    ff_free(holders);
}

void ff_page_gil(struct ff_page *page)
{
    const struct ff_profile *profile = page->profile;
    bool any = page->evidence->gil_source != 0;
    for (uint32_t id = 1; id < profile->sources.count && !any; id++) {
        struct gil_sum sum = sum_gil(profile, id);
        any = sum.wait || sum.handoff;
    }
    if (!any)
        return;
    ff_page_heading(page, "GIL");
    put_held(page);
    put_holders(page);
    put_waiting(page);
    ff_prose_put(page->output, 2,
                 "Shares on the CPU are a lower bound: most who wait for the GIL sleep. Held and "
                 "waiting are of different moments and do not add up.");
}

void ff_page_gpu(struct ff_page *page)
{
    const struct ff_evidence *evidence = page->evidence;
    if (!evidence->gpu_count)
        return;
    ff_page_heading(page, "GPU");
    ff_output_string(page->output, "   busy  95 % interval  values  dropped  gpu\n");
    for (uint32_t i = 0; i < evidence->gpu_count; i++) {
        const struct ff_gpu *gpu = &evidence->gpus[i];
        ff_output_byte(page->output, ' ');
        ff_page_permille(page, gpu->median);
        ff_output_string(page->output, " %  ");
        ff_page_permille(page, gpu->low);
        ff_output_string(page->output, " -");
        ff_page_permille(page, gpu->high);
        ff_output_format(page->output, " %%  %6u   %6u  ", gpu->usable, gpu->dropped);
        ff_page_cell(page, ff_profile_text(page->profile, gpu->subject), 40, false);
        ff_output_byte(page->output, '\n');
    }
    ff_prose_put(page->output, 2,
                 "Median of the values of nvidia-smi. Rows of 0 beside busy ones are taken for "
                 "missing: the tool prints them for busy GPUs. Where more were dropped than kept, "
                 "or fewer than 3 are left, the number rules nothing out.");
}
