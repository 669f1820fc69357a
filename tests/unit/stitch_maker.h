/* SPDX-License-Identifier: MIT
 *
 * Stacks for the stitcher made of (function, CFA) pairs, and what came out of them as text.
 */
#ifndef FF_TESTS_STITCH_MAKER_H
#define FF_TESTS_STITCH_MAKER_H

#include "check.h"

#include "unwind/stitch.h"

/* One activation, as short as can be: function, CFA (0: not known), SP, frame pointer (0: none). */
struct made {
    uint64_t function, cfa, sp, frame;
};

struct bench {
    struct ff_profile *profile;
    struct ff_stitcher stitcher;
    uint32_t module, other_module, thread;
    uint32_t event;
};

static inline void begin(struct bench *bench)
{
    struct ff_profile *profile = ff_profile_new();
    *bench = (struct bench){.profile = profile};
    uint32_t source = ff_source_add(profile, (struct ff_source){0});
    bench->event = ff_event_add(profile, (struct ff_event){.source = source});
    uint32_t process = ff_process_add(profile, (struct ff_process){source, 100, 0});
    bench->thread = ff_thread_add(profile, (struct ff_thread){.process = process, .tid = 101});
    bench->module = ff_module_add(
        profile, (struct ff_module){.path = ff_profile_intern(profile, FF_TEXT("program"))});
    bench->other_module = ff_module_add(
        profile, (struct ff_module){.path = ff_profile_intern(profile, FF_TEXT("library"))});
    ff_stitcher_init(&bench->stitcher, profile);
}

static inline void end(struct bench *bench)
{
    CHECK(!bench->stitcher.failed);
    ff_stitcher_release(&bench->stitcher);
    ff_profile_free(bench->profile);
}

/* The stack of MADE, innermost first, up to a function 0. */
static inline struct ff_unwound unwound_of(const struct bench *bench, const struct made *made,
                                           struct ff_activation activations[16])
{
    struct ff_unwound unwound = {.activations = activations};
    for (; made->function; made++)
        activations[unwound.activation_count++] = (struct ff_activation){
            .module = bench->module,
            .function = made->function,
            .has_cfa = made->cfa != 0,
            .cfa = made->cfa,
            .sp = made->sp,
            .has_frame = made->frame != 0,
            .frame = made->frame,
        };
    return unwound;
}

static const struct ff_task task_100 = {100, 101, 0};

static inline void offer_as(struct bench *bench, struct ff_task task, const struct made *made)
{
    struct ff_activation activations[16];
    struct ff_unwound unwound = unwound_of(bench, made, activations);
    ff_stitcher_offer(&bench->stitcher, task, &unwound);
}

static inline void offer(struct bench *bench, const struct made *made)
{
    offer_as(bench, task_100, made);
}

/* As from another recording. */
static inline void lend(struct bench *bench, const struct made *made)
{
    struct ff_activation activations[16];
    struct ff_unwound unwound = unwound_of(bench, made, activations);
    ff_offers_add(&bench->stitcher.offers, task_100, true, 1, activations,
                  unwound.activation_count);
}

/* LEAF tells the truncated sample from others; its own frames are this one. */
static inline void hold(struct bench *bench, uint64_t leaf, const struct made *made)
{
    struct ff_activation activations[16];
    struct ff_unwound unwound = unwound_of(bench, made, activations);
    uint32_t frame = ff_frame_add(bench->profile, (struct ff_frame){.kind = FF_FRAME_NATIVE,
                                                                    .module = bench->module,
                                                                    .line = 12,
                                                                    .place = leaf});
    struct ff_sample sample = {
        .event = bench->event,
        .thread = bench->thread,
        .stack = ff_stack_push(bench->profile, 0, frame),
        .state = FF_STATE_TRUNCATED,
        .count = FF_COUNT_ONE,
        .weight = 5,
    };
    ff_stitcher_hold(&bench->stitcher, task_100, &sample, &unwound);
}

/* The sample with this leaf as text, root first: "[gap]" or places, then the leaf; "!" where a stitched
 * frame does not say so or has more than a function. */
static inline struct ff_text stack_of(const struct bench *bench, uint64_t leaf, char text[256])
{
    const struct ff_profile *profile = bench->profile;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        uint32_t stack = profile->samples.at[i].stack, chain[32], depth = 0;
        if (profile->frames.at[profile->stacks.at[stack].frame].place != leaf)
            continue;
        for (; stack && depth < 32; stack = profile->stacks.at[stack].parent)
            chain[depth++] = profile->stacks.at[stack].frame;
        while (depth > 0) {
            const struct ff_frame *frame = &profile->frames.at[chain[--depth]];
            bool plain = frame->how == FF_HOW_STITCHED && !frame->line && !frame->symbol &&
                         !frame->file && frame->kind == FF_FRAME_NATIVE;
            if (frame->kind == FF_FRAME_MARKER)
                used += (size_t)snprintf(text + used, 256 - used, "%s ",
                                         ff_profile_text(profile, frame->symbol).at);
            else
                used += (size_t)snprintf(text + used, 256 - used, "%llu%s",
                                         (unsigned long long)frame->place,
                                         depth ? (plain ? " " : "! ") : "");
        }
        used += (size_t)snprintf(text + used, 256 - used, "%s",
                                 profile->samples.at[i].state == FF_STATE_STITCHED    ? " stitched"
                                 : profile->samples.at[i].state == FF_STATE_TRUNCATED ? " truncated"
                                                                                      : " other");
    }
    return ff_text(text);
}

static inline void check_stack(const struct bench *bench, uint64_t leaf, const char *expected)
{
    char text[256];
    CHECK_TEXT(stack_of(bench, leaf, text), expected);
}

static inline void check_counts(const struct bench *bench, struct ff_stitch_counts expected)
{
    const struct ff_stitch_counts *found = &bench->stitcher.counts;
    CHECK_NUMBER(found->agreed, expected.agreed);
    CHECK_NUMBER(found->single, expected.single);
    CHECK_NUMBER(found->disagreed, expected.disagreed);
    CHECK_NUMBER(found->none, expected.none);
    CHECK_NUMBER(found->lent, expected.lent);
    CHECK_NUMBER(found->shallow, expected.shallow);
}

#endif
