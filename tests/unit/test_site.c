/* SPDX-License-Identifier: MIT
 *
 * Where call sites stand: in frames that were made so, and in recordings with trampolines, where the
 * `py::` caller of each evaluation loop is the truth: a site must belong to one function.
 */
#include "check.h"

#include "flamefold_handle.h"
#include "unwind/site.h"

#include <stdlib.h>

/* 600 calls of 20 instructions in 4 threads. Word 5 is the site; word 3 a pointer to one of three code
 * objects, word 7 one to the thread's own frame, word 9 what the instruction computed, word 11 the
 * place of call again, odd. */
static void test_made(void)
{
    struct ff_site_finder finder = {0};
    for (uint64_t i = 0; i < 600; i++) {
        uint64_t site = i * 7 % 20, thread = i / 20 % 4;
        struct ff_site_observation *row = ff_site_finder_next(&finder);
        *row = (struct ff_site_observation){.pc = 0x1000 + site % 10 * 16,
                                            .sp = 0x7f0000000000 + (thread << 24)};
        for (uint32_t w = 0; w < 16; w++)
            row->words[w] = 1;
        row->words[3] = 0x500000 + site / 7 * 0x100;
        row->words[5] = 0x600000 + site * 12;
        row->words[7] = 0x700000 + thread * 0x1000 + site % 3 * 64;
        row->words[9] = 0x800000 + i * 32;
        row->words[11] = 0x900001 + site * 16;
    }
    struct ff_site_slot slot = ff_site_finder_decide(&finder);
    CHECK_NUMBER(slot.offset, 40);
    CHECK_NUMBER(slot.distinct, 20);
    CHECK_NUMBER(slot.one_call, 1000000);
    CHECK_NUMBER(slot.recurring, 1000000);
    /* without it nothing stands out */
    for (uint32_t i = 0; i < finder.count; i++)
        finder.at[i].words[5] = 1;
    CHECK_NUMBER(ff_site_finder_decide(&finder).offset, 0);
    /* a register that the callees save; 12 is r12 */
    for (uint32_t i = 0; i < finder.count; i++)
        finder.at[i].words[FF_SITE_FRAME + 12] = 0x600000 + i * 7 % 20 * 12;
    slot = ff_site_finder_decide(&finder);
    CHECK_NUMBER(slot.offset, 0);
    CHECK_NUMBER(slot.in_register, 12);
    CHECK_NUMBER(slot.distinct, 20);
    ff_site_finder_release(&finder);
}

static void test_few(void)
{
    struct ff_site_finder finder = {0};
    CHECK_NUMBER(ff_site_finder_decide(&finder).offset, 0);
    for (uint32_t i = 0; i < FF_SITE_LEAST - 1; i++) {
        struct ff_site_observation *row = ff_site_finder_next(&finder);
        *row = (struct ff_site_observation){.pc = i % 10, .sp = 1 << 30};
        row->words[1] = 0x600000 + i % 10 * 2;
    }
    CHECK_NUMBER(ff_site_finder_decide(&finder).offset, 0);
    struct ff_site_observation *row = ff_site_finder_next(&finder);
    *row = finder.at[0];
    CHECK_NUMBER(ff_site_finder_decide(&finder).offset, 8);
    ff_site_finder_release(&finder);
}

static uint64_t fact(const struct ff_profile *profile, const char *name)
{
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact *row = &profile->facts.at[i];
        if (ff_text_equal(ff_profile_text(profile, row->name), ff_text(name)))
            return row->value;
    }
    return UINT64_MAX;
}

/* Samples whose loops' sites have the function that most of the site's have: by pairs of site and
 * caller, counted over complete stacks. */
static void check_purity(const struct ff_profile *profile)
{
    enum { MOST = 4096 };
    static struct pair {
        uint64_t site, count;
        uint32_t function;
    } pairs[MOST];
    uint32_t count = 0;
    uint64_t all = 0, pure = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        for (uint32_t at = sample->stack; at && sample->state == FF_STATE_COMPLETE;
             at = profile->stacks.at[at].parent) {
            const struct ff_frame *frame = &profile->frames.at[profile->stacks.at[at].frame];
            uint32_t caller = profile->stacks.at[profile->stacks.at[at].parent].frame, p = 0;
            uint32_t function = profile->frames.at[caller].symbol;
            if (!frame->site)
                continue;
            while (p < count && (pairs[p].site != frame->site || pairs[p].function != function))
                p++;
            if (p == count && count < MOST)
                pairs[count++] = (struct pair){.site = frame->site, .function = function};
            pairs[p].count += sample->count / FF_COUNT_ONE;
        }
    }
    for (uint32_t p = 0; p < count; p++) {
        bool best = true;
        for (uint32_t q = 0; q < count; q++)
            best &= pairs[q].site != pairs[p].site || pairs[q].count <= pairs[p].count;
        all += pairs[p].count;
        pure += best ? pairs[p].count : 0;
    }
    CHECK(all > 5000);
    CHECK(pure * 1000 >= all * 999);
}

static void test_capture(const char *shared, const char *folder, const char *file, uint32_t offset,
                         unsigned pid)
{
    struct flamefold *flamefold = flamefold_new();
    char path[512], map[512];
    snprintf(path, sizeof path, "%s/captures/%s/%s", shared, folder, file);
    CHECK(flamefold_symbols(flamefold, "build/shared") == FLAMEFOLD_OK);
    if (pid) {
        snprintf(map, sizeof map, "%s/captures/%s/perf.map", shared, folder);
        CHECK(flamefold_symbols(flamefold, map) == FLAMEFOLD_OK);
        CHECK(flamefold_pid_of(flamefold, map, pid) == FLAMEFOLD_OK);
    }
    CHECK(flamefold_read(flamefold, path) != FLAMEFOLD_FAILED);
    CHECK_NUMBER(fact(flamefold->profile, "site-offset"), offset);
    if (pid) {
        CHECK(flamefold_symbolize(flamefold) != FLAMEFOLD_FAILED);
        check_purity(flamefold->profile);
    }
    flamefold_free(flamefold);
}

int main(void)
{
    const char *shared = getenv("FF_SHARED") ? getenv("FF_SHARED") : "../shared";
    char path[512];
    test_made();
    test_few();
    snprintf(path, sizeof path, "%s/captures/gil-convoy/dwarf.data", shared);
    FILE *there = fopen(path, "r"), *symbols = fopen("build/shared/kallsyms", "r");
    if (there && symbols) {
        test_capture(shared, "trampoline-64k", "dwarf.data", 0x68, 1536);
        test_capture(shared, "trampoline-64k", "both.data", 0x68, 1536);
        test_capture(shared, "trampoline", "dwarf.data", 0x68, 1095);
        test_capture(shared, "gil-convoy-64k", "dwarf.data", 0x68, 0);
        test_capture(shared, "gil-convoy", "dwarf.data", 0x68, 0);
        test_capture(shared, "launch-queue-64k", "dwarf.data", 0x68, 0);
        test_capture(shared, "launch-queue", "dwarf.data", 0x68, 0);
        test_capture(shared, "dispatch", "dwarf.data", 0x68, 0);
        test_capture(shared, "sync", "dwarf.data", 0, 0); /* one path: nothing to tell apart */
    } else {
        SKIP("the recordings or their symbols are not there");
    }
    if (there)
        fclose(there);
    if (symbols)
        fclose(symbols);
    return check_result();
}
