/* SPDX-License-Identifier: MIT
 *
 * Recordings of static C++ programs (perf.data with 8 KB dumps, plain and compressed) against the
 * stacks that another project's test suite expects of them, addresses of user frames by sample. The
 * program was recorded elsewhere: its file is found by base name and build-id.
 */
#include "recorded.h"

#define FRAME_LIMIT 256

struct expected {
    struct ff_text head; /* comm, pid, tid, time in seconds */
    uint64_t addresses[FRAME_LIMIT];
    uint32_t count;
};

struct comparison {
    struct ff_text text;
    struct expected expected;
    struct recorded_frame ours[FRAME_LIMIT];
    unsigned int samples, with_frames, frames, equal, complete, other_state;
};

/* "\tADDRESS RELATIVE\tfile:line...": of an inlined function, and of the kernel, RELATIVE is 0. The
 * line behind it is the symbol's: "\tSTART SIZE..." or "0 0". A slot of the PLT is one line for both,
 * with the name "<.plt+...>"; returns whether the symbol's line follows. */
static bool take_location(struct expected *expected, struct ff_text line)
{
    bool is_slot = ff_text_find_text(line, FF_TEXT("\t<.plt+")) >= 0;
    struct ff_text numbers = ff_text_cut(&line, '\t'), first = ff_text_cut(&numbers, ' ');
    uint64_t address, relative;
    if (ff_text_hex(first, &address) && ff_text_hex(numbers, &relative) &&
        (address == relative || is_slot) && address && address >> 47 == 0 &&
        expected->count < FRAME_LIMIT)
        expected->addresses[expected->count++] = address;
    return !is_slot;
}

/* "comm\tpid\ttid\ttime", "\tcycles: N", an empty line, locations with their symbols. */
static bool next_expected(struct comparison *comparison)
{
    struct expected *expected = &comparison->expected;
    struct ff_text line = {0};
    bool symbol_follows = false;
    while (comparison->text.size && !line.size)
        line = ff_text_cut(&comparison->text, '\n');
    expected->head = line;
    expected->count = 0;
    while (comparison->text.size &&
           (*comparison->text.at == '\t' || *comparison->text.at == '\n')) {
        line = ff_text_cut(&comparison->text, '\n');
        if (!line.size || ff_text_starts(line, FF_TEXT("\tcycles")))
            continue;
        if (symbol_follows)
            symbol_follows = false;
        else
            symbol_follows = take_location(expected, ff_text_from(line, 1));
    }
    CHECK(!symbol_follows);
    return expected->head.size != 0;
}

/* Moves on to the expected sample of this time; both stand in the order of time. */
static bool find_expected(struct comparison *comparison, const struct ff_perf_sample *sample)
{
    char tail[96];
    snprintf(tail, sizeof tail, "\t%u\t%u\t%llu.%09llu", (unsigned int)sample->pid,
             (unsigned int)sample->tid, (unsigned long long)(sample->time_ns / 1000000000),
             (unsigned long long)(sample->time_ns % 1000000000));
    return next_expected(comparison) && ff_text_ends(comparison->expected.head, ff_text(tail));
}

static void show(const struct comparison *comparison, uint32_t count)
{
    const struct expected *expected = &comparison->expected;
    fprintf(stderr, "  %.*s: expected", FF_TEXT_ARGS(expected->head));
    for (uint32_t i = 0; i < expected->count; i++)
        fprintf(stderr, " %llx", (unsigned long long)expected->addresses[i]);
    fprintf(stderr, "; ours");
    for (uint32_t i = 0; i < count; i++)
        fprintf(stderr, " %llx", (unsigned long long)comparison->ours[i].address);
    fprintf(stderr, "\n");
}

static void each(struct recorded *recorded, void *context)
{
    struct comparison *comparison = context;
    const struct expected *expected = &comparison->expected;
    comparison->samples++;
    CHECK(find_expected(comparison, &recorded->sample));
    uint32_t count = recorded_frames(recorded, comparison->ours, FRAME_LIMIT), same = 0;
    while (same < count && same < expected->count &&
           comparison->ours[same].address == expected->addresses[same])
        same++;
    comparison->with_frames += count != 0;
    comparison->frames += count;
    comparison->complete += count && recorded->unwound.state == FF_STATE_COMPLETE;
    comparison->other_state += count && recorded->unwound.state != FF_STATE_COMPLETE;
    comparison->equal += same == count && same == expected->count;
    if (same < count || same < expected->count)
        show(comparison, count);
}

/* The recordings have no build-ids: the file is named, since a base name alone is not believed. */
static void compare_recording(const char *folder, const char *image, const char *name,
                              struct comparison *comparison)
{
    char path[512], below[160], where[512];
    struct ff_input input;
    struct ff_error error = {0};
    struct recorded recorded = {.each = each, .context = comparison};
    *comparison = (struct comparison){0};
    snprintf(below, sizeof below, "corpora/unwind/%s/%s.expected.txt", folder, name);
    CHECK(ff_input_open(&input, shared_path(path, sizeof path, below), &error) == FF_OK);
    CHECK(ff_input_peek(&input, (size_t)input.size, &comparison->text, &error) == FF_OK);
    snprintf(below, sizeof below, "corpora/unwind/%s/%s", folder, image);
    const char *const symbols[] = {shared_path(where, sizeof where, below), NULL};
    snprintf(below, sizeof below, "corpora/unwind/%s/%s", folder, name);
    recorded_read(&recorded, below, symbols);
    CHECK(!next_expected(comparison));
    printf("%s/%s: %u samples, %u with a user side of %u frames (%u complete, %u not): %u equal\n",
           folder, name, comparison->samples, comparison->with_frames, comparison->frames,
           comparison->complete, comparison->other_state, comparison->equal);
    recorded_release(&recorded);
    ff_input_close(&input);
}

int main(void)
{
    char path[512];
    static struct comparison comparison;
    if (access(shared_path(path, sizeof path, "corpora/unwind"), R_OK) != 0) {
        SKIP("the corpora are not here");
        return check_result();
    }
    /* Numbers of samples: lines of the texts that begin with the name of the program. */
    compare_recording("vector_static_gcc", "vector_static_gcc_v9.1.0", "perf.data", &comparison);
    CHECK_NUMBER(comparison.samples, 45);
    CHECK_NUMBER(comparison.equal, 45);
    CHECK_NUMBER(comparison.other_state, 0);
    compare_recording("vector_static_gcc", "vector_static_gcc_v9.1.0", "perf.data.zstd",
                      &comparison);
    CHECK_NUMBER(comparison.samples, 34);
    CHECK_NUMBER(comparison.equal, 34);
    CHECK_NUMBER(comparison.other_state, 0);
    compare_recording("vector_static_clang", "vector_static_clang_v8.0.1", "perf.data",
                      &comparison);
    CHECK_NUMBER(comparison.samples, 54);
    CHECK_NUMBER(comparison.equal, 54);
    /* One stands in a slot of a static program's PLT, which has no unwind table: a stack of one
     * frame in both. */
    CHECK_NUMBER(comparison.other_state, 1);
    return check_result();
}
