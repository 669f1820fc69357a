/* SPDX-License-Identifier: MIT
 *
 * Threads over time: a row for each thread, a column for each window of its source's clock, as high as the
 * window had samples, in the colours of the buckets. The hard thing: windows times threads times buckets
 * are many, so all that has one colour is one path.
 */
#include "draw/picture.h"

#include <stdlib.h>

#include "base/memory.h"
#include "profile/moment.h"

enum { ROWS = 24, HEIGHT = 22, STEP = 26, AXIS = 20, NAMES = 190, HEAD = 20 };

struct timeline {
    struct ff_picture *picture;
    struct ff_profile *profile;
    uint64_t width_ns, first, window_count; /* windows are numbered from `first` */
    uint32_t *threads;                      /* those that have a row, most samples first */
    uint32_t thread_count, all_threads;
    uint64_t *counts; /* [row][bucket][window], buckets as in the tree */
    uint64_t highest; /* of the sums of a row's windows */
};

struct thread_sum {
    uint32_t thread;
    uint64_t count;
};

static int compare_sums(const void *a, const void *b)
{
    const struct thread_sum *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Windows of the drawn event: from the first with a sample to the last. */
static void find_windows(struct timeline *timeline)
{
    const struct ff_tree *tree = timeline->picture->tree;
    const struct ff_profile *profile = timeline->profile;
    const struct ff_source *source = &profile->sources.at[tree->source];
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (sample->event != tree->event)
            continue;
        for (uint32_t at = sample->moments; at; at = profile->moments.at[at].next) {
            uint64_t time = profile->moments.at[at].time_ns;
            least = time < least ? time : least;
            most = time > most ? time : most;
        }
    }
    if (least > most)
        return;
    /* Exact times are brought to windows that a picture has room for. */
    timeline->width_ns = source->window_ns ? source->window_ns : 1;
    while (most / timeline->width_ns - least / timeline->width_ns >= FF_WINDOWS)
        timeline->width_ns *= 2;
    timeline->first = least / timeline->width_ns;
    timeline->window_count = most / timeline->width_ns - timeline->first + 1;
}

static bool find_threads(struct timeline *timeline)
{
    const struct ff_profile *profile = timeline->profile;
    struct thread_sum *sums = ff_alloc(profile->threads.count, sizeof *sums);
    timeline->threads = ff_alloc(ROWS, sizeof *timeline->threads);
    if (!sums || !timeline->threads) {
        ff_free(sums);
        return false;
    }
    for (uint32_t id = 0; id < profile->threads.count; id++)
        sums[id].thread = id;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (sample->event == timeline->picture->tree->event)
            sums[sample->thread].count += sample->count;
    }
    qsort(sums, profile->threads.count, sizeof *sums, compare_sums);
    for (uint32_t i = 0; i < profile->threads.count && sums[i].count; i++) {
        timeline->all_threads++;
        if (timeline->thread_count < ROWS)
            timeline->threads[timeline->thread_count++] = sums[i].thread;
    }
    ff_free(sums);
    return true;
}

static uint32_t bucket_of(const struct timeline *timeline, const struct ff_sample *sample)
{
    const struct ff_tree *tree = timeline->picture->tree;
    struct ff_text name = ff_profile_text(timeline->profile, sample->bucket);
    for (uint32_t i = 0; i < tree->bucket_count; i++) {
        if (ff_text_equal(ff_intern_text(&tree->names, tree->buckets[i].name), name))
            return i;
    }
    return tree->bucket_count ? tree->bucket_count - 1 : 0;
}

static uint64_t *counts_of(const struct timeline *timeline, uint32_t row, uint32_t bucket)
{
    uint64_t buckets = timeline->picture->tree->bucket_count;
    return timeline->counts + (row * buckets + bucket) * timeline->window_count;
}

static void count_row(struct timeline *timeline, uint32_t row)
{
    const struct ff_profile *profile = timeline->profile;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (sample->event != timeline->picture->tree->event ||
            sample->thread != timeline->threads[row])
            continue;
        uint64_t *counts = counts_of(timeline, row, bucket_of(timeline, sample));
        for (uint32_t at = sample->moments; at; at = profile->moments.at[at].next)
            counts[profile->moments.at[at].time_ns / timeline->width_ns - timeline->first] +=
                profile->moments.at[at].count;
    }
    for (uint64_t window = 0; window < timeline->window_count; window++) {
        uint64_t sum = 0;
        for (uint32_t bucket = 0; bucket < timeline->picture->tree->bucket_count; bucket++)
            sum += counts_of(timeline, row, bucket)[window];
        timeline->highest = sum > timeline->highest ? sum : timeline->highest;
    }
}

static uint64_t left_of(const struct timeline *timeline, uint64_t window)
{
    uint64_t room = timeline->picture->inner - NAMES;
    return FF_MARGIN + NAMES + room * window / timeline->window_count;
}

/* In 1/10 pixel above the row's foot. */
static uint64_t tenths_of(const struct timeline *timeline, uint64_t count)
{
    uint64_t tenths = HEIGHT * 10;
    return (uint64_t)((double)count / (double)timeline->highest * (double)tenths + 0.5);
}

/* Column by column what stands on what: the sum of the buckets before, then this one. */
static void put_bucket(struct timeline *timeline, uint32_t bucket)
{
    struct ff_picture *picture = timeline->picture;
    ff_picture_put(picture, "<path");
    ff_picture_color(picture, "", ff_legend_bucket(&picture->legend, picture->tree, bucket));
    ff_picture_put(picture, " d=\"");
    for (uint32_t row = 0; row < timeline->thread_count; row++) {
        uint64_t foot = picture->timeline_top + HEAD + row * STEP + HEIGHT;
        for (uint64_t window = 0; window < timeline->window_count; window++) {
            uint64_t below = 0, own = counts_of(timeline, row, bucket)[window];
            for (uint32_t b = 0; own && b < bucket; b++)
                below += counts_of(timeline, row, b)[window];
            uint64_t low = tenths_of(timeline, below), high = tenths_of(timeline, below + own);
            if (!own || low == high)
                continue;
            uint64_t left = left_of(timeline, window), top = foot * 10 - high;
            ff_output_format(picture->output, "M%llu %llu.%lluh%lluv%llu.%lluH%lluz",
                             (unsigned long long)left, (unsigned long long)top / 10,
                             (unsigned long long)top % 10,
                             (unsigned long long)(left_of(timeline, window + 1) - left),
                             (unsigned long long)(high - low) / 10,
                             (unsigned long long)(high - low) % 10, (unsigned long long)left);
        }
    }
    ff_picture_put(picture, "\"/>\n");
}

static void put_names(struct timeline *timeline)
{
    struct ff_picture *picture = timeline->picture;
    for (uint32_t row = 0; row < timeline->thread_count; row++) {
        struct ff_text name = ff_profile_text(
            timeline->profile, ff_thread_label(timeline->profile, timeline->threads[row]));
        uint32_t y = picture->timeline_top + HEAD + row * STEP + HEIGHT - 5;
        ff_picture_name(picture, FF_MARGIN, y, name.size ? name : FF_TEXT("[unknown]"),
                        (NAMES - 10) * 100);
    }
}

/* Seconds since the first window, at five places. */
static void put_axis(struct timeline *timeline)
{
    struct ff_picture *picture = timeline->picture;
    uint32_t y = picture->timeline_top + HEAD + timeline->thread_count * STEP + 12;
    for (uint64_t i = 0; i <= 4; i++) {
        uint64_t ms = timeline->window_count * timeline->width_ns / 4 * i / 1000000;
        ff_output_format(
            picture->output, "<text x=\"%llu\" y=\"%u\"%s>%llu.%03llu s</text>\n",
            (unsigned long long)(FF_MARGIN + NAMES + (uint64_t)(picture->inner - NAMES) * i / 4),
            (unsigned)y,
            i == 4   ? " text-anchor=\"end\""
            : i == 0 ? ""
                     : " text-anchor=\"middle\"",
            (unsigned long long)ms / 1000, (unsigned long long)ms % 1000);
    }
}

static bool prepare(struct timeline *timeline)
{
    find_windows(timeline);
    if (!timeline->window_count)
        return true;
    if (!find_threads(timeline))
        return false;
    timeline->counts =
        ff_alloc((size_t)timeline->thread_count * timeline->picture->tree->bucket_count,
                 timeline->window_count * sizeof *timeline->counts);
    for (uint32_t row = 0; timeline->counts && row < timeline->thread_count; row++)
        count_row(timeline, row);
    return timeline->counts;
}

static void put_timeline(struct timeline *timeline)
{
    struct ff_picture *picture = timeline->picture;
    const struct ff_source *source = &timeline->profile->sources.at[picture->tree->source];
    uint64_t own = source->window_ns ? source->window_ns : 1;
    ff_output_format(
        picture->output,
        "<g class=\"timeline\" font-family=\"" FF_MONOSPACE "\" font-size=\"%d\" fill=\"#14181d\" "
        "data-x=\"%u\" data-width=\"%u\" data-y=\"%u\" data-height=\"%u\" data-first=\"%lld\" "
        "data-windows=\"%llu\" data-per=\"%llu\" data-ns=\"%llu\">\n"
        "<text x=\"%d\" y=\"%u\" font-weight=\"600\">Threads over time, %u of %u</text>\n",
        FF_FONT, FF_MARGIN + NAMES, (unsigned)(picture->inner - NAMES),
        (unsigned)picture->timeline_top + HEAD, (unsigned)timeline->thread_count * STEP,
        (long long)(timeline->first * (timeline->width_ns / own)) -
            (long long)(source->start_ns / own),
        (unsigned long long)timeline->window_count, (unsigned long long)(timeline->width_ns / own),
        (unsigned long long)timeline->width_ns, FF_MARGIN, (unsigned)picture->timeline_top + 12,
        (unsigned)timeline->thread_count, (unsigned)timeline->all_threads);
    for (uint32_t bucket = 0; bucket < picture->tree->bucket_count; bucket++)
        put_bucket(timeline, bucket);
    put_names(timeline);
    put_axis(timeline);
    ff_picture_put(picture, "</g>\n");
}

uint32_t ff_picture_timeline_height(const struct ff_picture *picture)
{
    if (!picture->options->timeline)
        return 0;
    uint32_t threads = picture->tree->thread_count;
    return HEAD + (threads < ROWS ? threads : ROWS) * STEP + AXIS;
}

bool ff_picture_timeline(struct ff_picture *picture)
{
    struct timeline timeline = {.picture = picture, .profile = picture->options->profile};
    if (!picture->options->timeline || !timeline.profile)
        return true;
    bool done = prepare(&timeline);
    if (done && timeline.window_count)
        put_timeline(&timeline);
    ff_free(timeline.threads);
    ff_free(timeline.counts);
    return done;
}
