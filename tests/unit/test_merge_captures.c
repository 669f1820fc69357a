/* SPDX-License-Identifier: MIT
 *
 * Merging the real recordings. Expected: the file `threads`, which the program itself wrote, and that
 * no native sample changes its thread or its bucket.
 */
#include "check.h"

#include "flamefold_handle.h"

#include <stdlib.h>

#define THREADS_MAX 64u

struct named {
    uint32_t tid;
    char name[64];
};

struct capture {
    const char *folder;
    bool trampolines;
};

static const char *shared(void)
{
    return getenv("FF_SHARED") ? getenv("FF_SHARED") : "../shared";
}

static uint32_t read_threads(const char *folder, struct named *named)
{
    char path[512], id[64];
    unsigned tid;
    uint32_t count = 0;
    snprintf(path, sizeof path, "%s/captures/%s/threads", shared(), folder);
    FILE *file = fopen(path, "r");
    while (file && count < THREADS_MAX &&
           fscanf(file, "%u %63s %63s", &tid, id, named[count].name) == 3)
        named[count++].tid = tid;
    if (file)
        fclose(file);
    return count;
}

static struct flamefold *load(const struct capture *capture)
{
    struct flamefold *flamefold = flamefold_new();
    char path[512];
    CHECK(flamefold_symbols(flamefold, "build/shared") == FLAMEFOLD_OK);
    if (capture->trampolines) {
        snprintf(path, sizeof path, "%s/captures/%s/perf.map", shared(), capture->folder);
        CHECK(flamefold_symbols(flamefold, path) == FLAMEFOLD_OK);
        CHECK(flamefold_pid_of(flamefold, path, 1536) != FLAMEFOLD_FAILED);
    }
    static const char *const files[] = {"dwarf.data", "spy-native.raw", "dump.txt"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/captures/%s/%s", shared(), capture->folder, files[i]);
        FILE *there = fopen(path, "r");
        if (there && fclose(there) == 0)
            CHECK(flamefold_read(flamefold, path) != FLAMEFOLD_FAILED);
    }
    CHECK(flamefold_symbolize(flamefold) != FLAMEFOLD_FAILED);
    return flamefold;
}

/* Samples of perf by thread and bucket. */
static uint64_t count_of(const struct ff_profile *profile, uint32_t tid, uint32_t bucket)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        bool perf = profile->sources.at[ff_sample_source(profile, sample)].tool == FF_TOOL_PERF;
        if (perf && profile->threads.at[sample->thread].tid == tid && sample->bucket == bucket)
            sum += sample->count;
    }
    return sum;
}

/* A copy of the sample table before merging, classified. */
static void check_totals(struct flamefold *flamefold, const struct ff_sample *before,
                         uint32_t before_count)
{
    const struct ff_profile *profile = flamefold->profile;
    for (uint32_t i = 1; i < before_count; i++) {
        uint32_t tid = profile->threads.at[before[i].thread].tid, bucket = before[i].bucket;
        uint64_t sum = 0;
        bool perf = profile->sources.at[ff_sample_source(profile, &before[i])].tool == FF_TOOL_PERF;
        for (uint32_t j = 1; j < before_count && perf; j++) {
            bool same =
                profile->sources.at[ff_sample_source(profile, &before[j])].tool == FF_TOOL_PERF &&
                profile->threads.at[before[j].thread].tid == tid && before[j].bucket == bucket;
            sum += same ? before[j].count : 0;
        }
        if (perf && count_of(profile, tid, bucket) != sum) {
            CHECK_NUMBER(count_of(profile, tid, bucket), sum);
            fprintf(stderr, "  thread %u, bucket %.*s\n", (unsigned)tid,
                    FF_TEXT_ARGS(ff_profile_text(profile, bucket)));
        }
    }
}

/* The least sure Python frame of a stack; FF_HOW_COUNT: it has none. */
static unsigned class_of(const struct ff_profile *profile, uint32_t stack)
{
    unsigned worst = 0;
    bool any = false;
    for (; stack; stack = profile->stacks.at[stack].parent) {
        const struct ff_frame *frame = &profile->frames.at[profile->stacks.at[stack].frame];
        if (frame->kind != FF_FRAME_PYTHON)
            continue;
        any = true;
        worst = frame->how > worst ? frame->how : worst;
    }
    return any ? worst : FF_HOW_COUNT;
}

static void check_threads(const struct ff_profile *profile, const char *folder)
{
    struct named named[THREADS_MAX];
    uint32_t count = read_threads(folder, named), seen = 0;
    CHECK(count > 0);
    for (uint32_t t = 1; t < profile->threads.count; t++) {
        const struct ff_thread *thread = &profile->threads.at[t];
        uint32_t source = profile->processes.at[thread->process].source;
        for (uint32_t i = 0; i < count && profile->sources.at[source].tool == FF_TOOL_PERF; i++) {
            if (named[i].tid != thread->tid)
                continue;
            struct ff_text role = ff_profile_text(profile, thread->role);
            seen++;
            CHECK_TEXT(ff_profile_text(profile, thread->name), named[i].name);
            CHECK(ff_text_ends(role, FF_TEXT("-*")) || !strchr(named[i].name, '-'));
        }
    }
    CHECK(seen > 0);
}

/* Every sample of a target thread whose stack is whole has named Python frames. */
static void check_targets(const struct ff_profile *profile, bool trampolines)
{
    uint64_t merged = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        const struct ff_thread *thread = &profile->threads.at[sample->thread];
        if (profile->sources.at[ff_sample_source(profile, sample)].tool != FF_TOOL_PERF ||
            !ff_text_starts(ff_profile_text(profile, thread->name), FF_TEXT("target-")) ||
            sample->state != FF_STATE_COMPLETE)
            continue;
        unsigned class = class_of(profile, sample->stack);
        CHECK(trampolines ? class == FF_HOW_EXACT
                          : class == FF_HOW_SITE || class == FF_HOW_CONDITIONAL ||
                                class == FF_HOW_MARGINAL);
        merged += sample->count;
    }
    CHECK(merged > 0);
}

/* A binding: the native function that a Python line of a role calls. */
struct binding {
    uint32_t role, entry, name, file, line;
    uint64_t lines, right, all; /* lines: how many py-spy saw it under */
};

struct bindings {
    struct binding at[512];
    uint32_t count;
};

/* The innermost Python frame of a stack and the first native frame that it calls: a function of
 * libtorch_python. */
static bool find_binding(const struct ff_profile *profile, const struct ff_sample *sample,
                         struct binding *binding)
{
    uint32_t entry = 0;
    *binding = (struct binding){.role = profile->threads.at[sample->thread].role};
    for (uint32_t at = sample->stack; at; at = profile->stacks.at[at].parent) {
        const struct ff_frame *frame = &profile->frames.at[profile->stacks.at[at].frame];
        bool python = ff_text_starts(ff_module_name(profile, frame->module), FF_TEXT("python"));
        if (frame->kind == FF_FRAME_PYTHON) {
            binding->entry = entry;
            binding->name = frame->symbol;
            binding->file = frame->file;
            binding->line = frame->line;
            return entry &&
                   ff_text_starts(ff_profile_text(profile, entry), FF_TEXT("torch::autograd::"));
        }
        if (frame->kind == FF_FRAME_NATIVE && !python)
            entry = frame->symbol;
    }
    return false;
}

static struct binding *binding_of(struct bindings *bindings, const struct binding *like)
{
    for (uint32_t i = 0; i < bindings->count; i++) {
        if (bindings->at[i].role == like->role && bindings->at[i].entry == like->entry)
            return &bindings->at[i];
    }
    if (bindings->count == 512)
        return NULL;
    bindings->at[bindings->count] = *like;
    return &bindings->at[bindings->count++];
}

static bool same_line(const struct binding *a, const struct binding *b)
{
    return a->name == b->name && a->file == b->file && a->line == b->line;
}

/* Where py-spy saw a binding under one line of a role only, perf's samples with it get that line. */
static void check_lines(const struct ff_profile *profile)
{
    static struct bindings bindings;
    struct binding one, *found;
    uint64_t right = 0, all = 0;
    bindings.count = 0;
    for (int perf = 0; perf < 2; perf++) {
        for (uint32_t i = 1; i < profile->samples.count; i++) {
            const struct ff_sample *sample = &profile->samples.at[i];
            uint8_t tool = profile->sources.at[ff_sample_source(profile, sample)].tool;
            if ((tool == FF_TOOL_PERF) != perf || !find_binding(profile, sample, &one))
                continue;
            found = binding_of(&bindings, &one);
            if (found && !perf)
                found->lines += !found->lines || !same_line(found, &one);
            if (found && perf && found->lines == 1) {
                found->all += sample->count;
                found->right += same_line(found, &one) ? sample->count : 0;
            }
        }
    }
    for (uint32_t i = 0; i < bindings.count; i++) {
        all += bindings.at[i].all;
        right += bindings.at[i].right;
        CHECK(bindings.at[i].right * 100 >= bindings.at[i].all * 99);
    }
    CHECK(all >= 150 * FF_COUNT_ONE);
    CHECK(right * 1000 >= all * 995);
}

static void test_capture(const struct capture *capture)
{
    struct flamefold *flamefold = load(capture);
    struct ff_profile *profile = flamefold->profile;
    CHECK(flamefold_classify(flamefold, NULL) == FLAMEFOLD_OK);
    uint32_t count = profile->samples.count;
    struct ff_sample *before = ff_alloc(count, sizeof *before);
    memcpy(before, profile->samples.at, count * sizeof *before);
    CHECK(flamefold_merge(flamefold) != FLAMEFOLD_FAILED);
    check_totals(flamefold, before, count);
    CHECK(flamefold_classify(flamefold, NULL) == FLAMEFOLD_OK);
    check_totals(flamefold, before, count);
    check_threads(profile, capture->folder);
    check_targets(profile, capture->trampolines);
    /* launch-queue-64k launches in its first half and waits in its second; gil-convoy is one loop. */
    if (strcmp(capture->folder, "launch-queue-64k") == 0)
        CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_DRIFTED), 5);
    if (strncmp(capture->folder, "gil-convoy", 10) == 0)
        CHECK_NUMBER(ff_ledger_count(profile, 0, FF_LEDGER_DRIFTED), 0);
    if (!capture->trampolines && !strstr(capture->folder, "launch-queue"))
        check_lines(profile);
    uint32_t samples = profile->samples.count;
    CHECK(flamefold_merge(flamefold) != FLAMEFOLD_FAILED); /* again: nothing changes */
    CHECK_NUMBER(profile->samples.count, samples);
    ff_free(before);
    flamefold_free(flamefold);
}

int main(void)
{
    static const struct capture captures[] = {
        {"gil-convoy", false},       {"launch-queue", false},  {"gil-convoy-64k", false},
        {"launch-queue-64k", false}, {"trampoline-64k", true},
    };
    char path[512];
    snprintf(path, sizeof path, "%s/captures/gil-convoy/threads", shared());
    FILE *there = fopen(path, "r"), *symbols = fopen("build/shared/kallsyms", "r");
    if (there && symbols) {
        for (size_t i = 0; i < sizeof captures / sizeof *captures; i++)
            test_capture(&captures[i]);
    } else {
        SKIP("the recordings or their symbols are not there");
    }
    if (there)
        fclose(there);
    if (symbols)
        fclose(symbols);
    return check_result();
}
