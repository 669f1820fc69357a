/* SPDX-License-Identifier: MIT
 *
 * Tags of samples: found by key, part of what makes a row distinct, kept by the stream (where a line without tags
 * lacks the field), selected by, folded by.
 */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/input.h"
#include "base/output.h"
#include "fold/folded.h"
#include "profile/select.h"
#include "profile/stream.h"
#include "profile/tags.h"

static const char head[] = "flamefold 1\n"
                           "source\t1\ta\tperf\ton-cpu\t\t0\t0\t0\n"
                           "event\t1\t1\tcpu-clock\tns\n"
                           "process\t1\t1\t7\t0\n"
                           "thread\t1\t1\t8\t0\tcc\t\t\n"
                           "frame\t1\tnative\tsymbol\trecorded\t0\t1\t1\tf\t\t0\n"
                           "stack\t1\t0\t1\n";

static struct ff_profile *load(const char *samples)
{
    char text[1024], path[] = "/tmp/test_tags.XXXXXX";
    struct ff_profile *profile = ff_profile_new();
    struct ff_input input;
    int size = snprintf(text, sizeof text, "%s%send\n", head, samples);
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, text, (size_t)size) == size);
    close(file);
    CHECK(ff_input_open(&input, path, &profile->error) == FF_OK);
    CHECK(ff_stream_read(profile, &input) == FF_OK);
    ff_input_close(&input);
    remove(path);
    return profile;
}

static void test_words(void)
{
    struct ff_text tags = FF_TEXT("api:cuLaunchKernel phase:backward spin");
    CHECK_TEXT(ff_tags_find(tags, FF_TEXT("phase")), "phase:backward");
    CHECK_TEXT(ff_tags_find(tags, FF_TEXT("spin")), "spin");
    CHECK_TEXT(ff_tags_find(tags, FF_TEXT("spi")), "");
    CHECK_TEXT(ff_tags_find(FF_TEXT(""), FF_TEXT("spin")), "");
    CHECK(ff_tags_match(tags, FF_TEXT("api:cu*")));
    CHECK(ff_tags_match(tags, FF_TEXT("spin")));
    CHECK(!ff_tags_match(tags, FF_TEXT("phase")));
    CHECK(!ff_tags_match(FF_TEXT(""), FF_TEXT("*")));
}

/* Rows that differ in tags alone stay two, and the stream gives both back. */
static void test_stream(void)
{
    struct ff_profile *profile = load("sample\t1\t1\t1\tcomplete\tb\t2\t0\t5\tspin\n"
                                      "sample\t1\t1\t1\tcomplete\tb\t3\t0\t7\n"
                                      "sample\t1\t1\t1\tcomplete\tb\t1\t0\t1\tspin\n");
    struct ff_output output;
    CHECK_NUMBER(profile->samples.count, 3);
    CHECK_NUMBER(profile->samples.at[1].count / FF_COUNT_ONE, 3);
    ff_output_memory(&output);
    CHECK(ff_stream_write(profile, &output) == FF_OK);
    struct ff_text text = {output.buffer, output.used};
    CHECK(
        ff_text_find_text(text, FF_TEXT("\tb\t3\t0\t7\t\t0\t\nsample\t1\t1\t1\tcomplete\tb\t3\t0\t6"
                                        "\tspin\t0\t\n")) >= 0);
    ff_output_close(&output, &profile->error);
    ff_profile_free(profile);
}

static void test_select(void)
{
    struct ff_profile *profile = load("sample\t1\t1\t1\tcomplete\tb\t2\t0\t5\tphase:data spin\n"
                                      "sample\t1\t1\t1\tcomplete\tb\t3\t0\t7\n");
    struct ff_selection selection = {0};
    CHECK(ff_selection_add(&selection, "tag", "phase:*", &profile->error) == FF_OK);
    CHECK(ff_select(profile, &selection) == FF_OK);
    CHECK_NUMBER(profile->samples.count, 2);
    CHECK_NUMBER(profile->samples.at[1].weight, 5);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_NOT_SELECTED), 3);
    ff_profile_free(profile);
}

static void folds(const char *by, const char *expected)
{
    struct ff_profile *profile = load("sample\t1\t1\t1\tcomplete\tb\t2\t0\t5\tphase:data spin\n"
                                      "sample\t1\t1\t1\tcomplete\tb\t3\t0\t7\n");
    struct ff_fold_options options = {0};
    struct ff_tree *tree = NULL;
    struct ff_output output;
    CHECK(ff_fold_options_roots(&options, ff_text(by), &profile->error) == FF_OK);
    CHECK(ff_tree_build(&tree, profile, &options) == FF_OK);
    ff_output_memory(&output);
    CHECK(ff_folded_write(tree, &output) == FF_OK);
    CHECK_TEXT(((struct ff_text){output.buffer, output.used}), expected);
    ff_output_close(&output, &profile->error);
    ff_tree_free(tree);
    ff_profile_free(profile);
}

static void test_fold(void)
{
    struct ff_fold_options options = {0};
    struct ff_error error = {0};
    folds("tag", "[no tag];f 3\nphase:data spin;f 2\n");
    folds("tag:phase,tag:spin", "[no phase];[no spin];f 3\nphase:data;spin;f 2\n");
    CHECK(ff_fold_options_roots(&options, FF_TEXT("comm:x"), &error) == FF_USAGE);
    CHECK(ff_fold_options_roots(&options, FF_TEXT("tag:"), &error) == FF_USAGE);
}

int main(void)
{
    test_words();
    test_stream();
    test_select();
    test_fold();
    return check_result();
}
