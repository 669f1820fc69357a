/* SPDX-License-Identifier: MIT
 *
 * What the tests of py-spy's readers share: a reader applied to a text or to a shared file, and the
 * first look at what came out.
 */
#ifndef FF_TESTS_PYSPY_READS_H
#define FF_TESTS_PYSPY_READS_H

#include "check.h"
#include "base/output.h"
#include "profile/profile.h"
#include "profile/stream.h"
#include "text_input.h"

typedef enum ff_status (*pyspy_reader)(struct ff_profile *profile, struct ff_input *input,
                                       const char *name);

static inline struct ff_profile *pyspy_read(pyspy_reader reader, struct ff_text text,
                                            enum ff_status *status)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_input input;
    text_input(&input, "x.json", text);
    *status = reader(profile, &input, "x.json");
    ff_input_close(&input);
    return profile;
}

static inline struct ff_profile *pyspy_read_good(pyspy_reader reader, const char *text)
{
    enum ff_status status;
    struct ff_profile *profile = pyspy_read(reader, ff_text(text), &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(ff_ledger_grade_count(profile, FF_GRADE_LOSS), 0);
    return profile;
}

/* A file of the captures; NULL where it is not there. */
static inline struct ff_profile *pyspy_read_capture(pyspy_reader reader, const char *folder,
                                                    const char *file)
{
    char below[200], path[1000];
    struct ff_input input;
    struct ff_error error = {0};
    snprintf(below, sizeof below, "captures/%s/%s", folder, file);
    if (ff_input_open(&input, shared_path(path, sizeof path, below), &error) != FF_OK)
        return NULL;
    struct ff_profile *profile = ff_profile_new();
    CHECK(reader(profile, &input, file) == FF_OK);
    ff_input_close(&input);
    return profile;
}

/* Samples of a source, whole ones. */
static inline uint64_t pyspy_total(const struct ff_profile *profile)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++)
        sum += profile->samples.at[i].count / FF_COUNT_ONE;
    return sum;
}

/* Samples in = samples out + what the ledger says is lost. */
static inline void pyspy_check_conserved(const struct ff_profile *profile)
{
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_SAMPLES),
                 pyspy_total(profile) + ff_ledger_count(profile, 1, FF_LEDGER_SAMPLES_CUT));
}

/* Writing the stream and reading it again changes nothing. */
static inline void pyspy_check_round_trip(struct ff_profile *profile)
{
    struct ff_output first, second;
    struct ff_input input;
    struct ff_profile *again = ff_profile_new();
    ff_output_memory(&first);
    ff_output_memory(&second);
    CHECK(ff_stream_write(profile, &first) == FF_OK);
    text_input(&input, "stream", (struct ff_text){first.buffer, first.used});
    CHECK(ff_stream_read(again, &input) == FF_OK);
    ff_input_close(&input);
    CHECK(ff_stream_write(again, &second) == FF_OK);
    CHECK(ff_text_equal((struct ff_text){first.buffer, first.used},
                        (struct ff_text){second.buffer, second.used}));
    CHECK_NUMBER(again->facts.count, profile->facts.count);
    CHECK_NUMBER(pyspy_total(again), pyspy_total(profile));
    ff_output_close(&first, &profile->error);
    ff_output_close(&second, &profile->error);
    ff_profile_free(again);
}

/* Cuts TEXT at every byte: it must neither crash nor make up a sample. */
static inline void pyspy_check_cuts(pyspy_reader reader, const char *text, uint64_t most)
{
    size_t size = strlen(text);
    for (size_t cut = 0; cut < size; cut++) {
        enum ff_status status;
        struct ff_profile *profile = pyspy_read(reader, (struct ff_text){text, cut}, &status);
        CHECK(status == FF_OK || status == FF_BAD_INPUT);
        CHECK(pyspy_total(profile) <= most);
        pyspy_check_conserved(profile);
        ff_profile_free(profile);
    }
}

/* Row I's stack, root first, `;` between the frames; its thread's tid and name. */
static inline void pyspy_check_sample(struct ff_profile *profile, uint32_t i, uint32_t tid,
                                      const char *name, const char *stack)
{
    char text[2000] = "", part[4000];
    CHECK(i < profile->samples.count);
    if (i >= profile->samples.count)
        return;
    const struct ff_sample *sample = &profile->samples.at[i];
    for (uint32_t s = sample->stack; s; s = profile->stacks.at[s].parent) {
        struct ff_text frame =
            ff_profile_text(profile, ff_frame_name(profile, profile->stacks.at[s].frame));
        snprintf(part, sizeof part, "%.*s%s%s", (int)frame.size, frame.at, text[0] ? ";" : "",
                 text);
        snprintf(text, sizeof text, "%.1999s", part);
    }
    CHECK_TEXT(ff_text(text), stack);
    CHECK_NUMBER(profile->threads.at[sample->thread].tid, tid);
    CHECK_TEXT(ff_profile_text(profile, profile->threads.at[sample->thread].name), name);
}

static const char *const pyspy_captures[] = {
    "gil-convoy",       "launch-queue",   "trampoline", "gil-convoy-64k",
    "launch-queue-64k", "trampoline-64k", "dispatch",   "sync"};
#define PYSPY_CAPTURES (sizeof pyspy_captures / sizeof *pyspy_captures)

/* Threads that the program itself named, in the capture's file `threads` ("669 0x7f9ee8aa16c0 target-0"),
 * have that name here too. Returns how many of them were found. */
static inline unsigned pyspy_check_names(const struct ff_profile *profile, const char *folder)
{
    char below[200], path[1000], name[100];
    unsigned tid, found = 0;
    snprintf(below, sizeof below, "captures/%s/threads", folder);
    FILE *file = fopen(shared_path(path, sizeof path, below), "r");
    while (file && fscanf(file, "%u %*s %99s", &tid, name) == 2) {
        for (uint32_t i = 1; i < profile->threads.count; i++) {
            if (profile->threads.at[i].tid != tid)
                continue;
            CHECK_TEXT(ff_profile_text(profile, profile->threads.at[i].name), name);
            found++;
        }
    }
    if (file)
        fclose(file);
    return found;
}

#endif
