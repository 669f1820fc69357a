/* SPDX-License-Identifier: MIT
 *
 * Folded text that is written: order, characters, and whole numbers from split samples.
 */
#include "check.h"

#include "fold/folded.h"
#include "base/memory.h"

static struct ff_profile *profile;
static uint32_t event, thread;

static void start(const char *comm)
{
    profile = ff_profile_new();
    uint32_t source = ff_source_add(profile, (struct ff_source){0});
    event = ff_event_add(profile, (struct ff_event){.source = source});
    uint32_t process = ff_process_add(profile, (struct ff_process){.source = source, .pid = 1});
    thread = ff_thread_add(profile,
                           (struct ff_thread){.process = process,
                                              .tid = 1,
                                              .comm = ff_profile_intern(profile, ff_text(comm))});
}

/* COUNT is in units of 1 / FF_COUNT_ONE; frames are separated by blanks. */
static void sample(struct ff_text frames, uint64_t count)
{
    uint32_t stack = 0;
    while (frames.at && frames.size) {
        uint32_t name = ff_profile_intern(profile, ff_text_cut(&frames, ' '));
        stack = ff_stack_push(
            profile, stack,
            ff_frame_add(profile, (struct ff_frame){.kind = FF_FRAME_TEXT, .symbol = name}));
    }
    ff_sample_add(profile, (struct ff_sample){
                               .event = event, .thread = thread, .stack = stack, .count = count});
}

static void check_lines(struct ff_fold_options options, const char *expected)
{
    struct ff_tree *tree = NULL;
    struct ff_output output;
    struct ff_error error = {0};
    ff_output_memory(&output);
    CHECK_NUMBER(ff_tree_build(&tree, profile, &options), FF_OK);
    CHECK_NUMBER(ff_folded_write(tree, &output), FF_OK);
    CHECK_TEXT(((struct ff_text){output.buffer, output.used}), expected);
    ff_output_close(&output, &error);
    ff_tree_free(tree);
    ff_profile_free(profile);
}

int main(void)
{
    const uint64_t one = FF_COUNT_ONE;
    struct ff_fold_options comm = {0}, none = {.root_count = 1, .roots = {FF_ROOT_NONE}};

    start("my app");
    sample(FF_TEXT("b c"), one);
    sample(FF_TEXT("b.cold"), 2 * one);
    sample(FF_TEXT("b"), 3 * one);
    sample(FF_TEXT("a"), 4 * one);
    sample(FF_TEXT("b c b"), 5 * one);
    check_lines(comm, "my app;a 4\nmy app;b 3\nmy app;b;c 1\nmy app;b;c;b 5\nmy app;b.cold 2\n");

    /* What would break a line or a path becomes harmless; bytes that are no UTF-8 stay. */
    start("c");
    sample(FF_TEXT("x;y a\nb\x7f\0 \xff"), one);
    check_lines(comm, "c;x:y;a?b??;\xff 1\n");

    /* Without a thread's name nothing stands above; without frames the state is all there is. */
    start("");
    sample(FF_TEXT(""), one);
    check_lines(comm, "[no frames] 1\n");
    start("");
    sample(FF_TEXT(""), one);
    check_lines(none, "[no frames] 1\n");
    start("");
    check_lines(comm, "");

    /* Two samples in three parts: 0.67 each, so two of the lines say 1. */
    start("c");
    sample(FF_TEXT("a"), 2 * one / 3);
    sample(FF_TEXT("b"), 2 * one / 3);
    sample(FF_TEXT("d"), 2 * one - 2 * (2 * one / 3));
    check_lines(none, "a 1\nd 1\n"); /* d has the largest remainder, then a before b */

    start("c");
    sample(FF_TEXT("a"), one / 4);
    sample(FF_TEXT("b"), 3 * one + one / 2);
    sample(FF_TEXT("c"), one / 4);
    check_lines(none, "b 4\n");
    return check_result();
}
