/* SPDX-License-Identifier: MIT
 *
 * Pictures of others back to stacks: each picture is written here by hand, in the form of its writer.
 */
#include "check.h"

#include "fold/folded.h"
#include "profile/ledger.h"
#include "read/svg.h"
#include "text_input.h"

static struct ff_profile *profile;

static enum ff_status take(const char *text)
{
    struct ff_input input;
    text_input(&input, "a.svg", ff_text(text));
    profile = ff_profile_new();
    enum ff_status status = ff_svg_foreign_read(profile, &input, "a.svg");
    ff_input_close(&input);
    return status;
}

static void check_folded(const char *expected)
{
    struct ff_tree *tree = NULL;
    struct ff_fold_options options = {0};
    struct ff_output output;
    struct ff_error error = {0};
    CHECK_NUMBER(ff_tree_build(&tree, profile, &options), FF_OK);
    ff_output_memory(&output);
    CHECK_NUMBER(ff_folded_write(tree, &output), FF_OK);
    struct ff_text text = {output.buffer, output.used};
    CHECK_TEXT(text, expected);
    ff_output_close(&output, &error);
    ff_tree_free(tree);
}

static uint64_t ledger(enum ff_ledger_id id)
{
    return ff_ledger_count(profile, 0, id);
}

/* 1180 pixels of 1,000 counts. b was 200 wide, of which 100 are c; 50 at the right of a were pruned. */
static void test_pixels(void)
{
    CHECK_NUMBER(
        take("<svg><rect x=\"0\"/><g id=\"frames\">\n"
             "<g >\n<title>b (200 samples, 20.00%)</title><rect x=\"882.0\" y=\"53\" "
             "width=\"236.0\" height=\"15.0\" fill=\"rgb(1,2,3)\" rx=\"2\" ry=\"2\" />\n</g>\n"
             "<g >\n<title>all (1,000 samples, 100%)</title><rect x=\"10.0\" y=\"85\" "
             "width=\"1180.0\" height=\"15.0\" />\n</g>\n"
             "<g >\n<title>c&lt;&amp;&gt; (x) (100 samples, 10.00%)</title><rect x=\"1000.0\" "
             "y=\"37\" width=\"118.0\" height=\"15.0\" />\n</g>\n"
             "<g >\n<title>a (1,000 samples, 100.00%)</title><rect x=\"10.0\" y=\"69\" "
             "width=\"1180.0\" height=\"15.0\" />\n</g></g></svg>\n"),
        FF_OK);
    check_folded("a 800\na;b 100\na;b;c<&> (x) 100\n");
    CHECK_NUMBER(ledger(FF_LEDGER_BOXES), 4);
    CHECK_NUMBER(ledger(FF_LEDGER_SAMPLES), 1000);
    CHECK_NUMBER(ledger(FF_LEDGER_BOXES_PRUNED), 61); /* 72 of 1180 pixels */
    CHECK_NUMBER(ledger(FF_LEDGER_BOXES_ORPHAN), 0);
    ff_profile_free(profile);
}

/* inferno and py-spy: the root on top, exact counts, another unit. */
static void test_counts(void)
{
    CHECK_NUMBER(
        take("<svg id=\"frames\" x=\"10\" width=\"1180\" total_samples=\"10\">"
             "<g><title>all (10 ns, 100%)</title><rect x=\"0.0000%\" y=\"36\" width=\"100.0000%\" "
             "height=\"15\" fg:x=\"0\" fg:w=\"10\"/><text></text></g>"
             "<g><title>run (w.py:3) (6 ns, 60.00%)</title><rect x=\"0.0000%\" y=\"52\" "
             "width=\"60.0000%\" height=\"15\" fg:x=\"0\" fg:w=\"6\"/></g>"
             "<g><title>x (1 ns, 10.00%)</title><rect x=\"10.0000%\" y=\"68\" width=\"10.0000%\" "
             "height=\"15\" fg:x=\"1\" fg:w=\"1\"/></g>"
             "<g><title>y (3 ns, 30.00%)</title><rect x=\"30.0000%\" y=\"68\" width=\"30.0000%\" "
             "height=\"15\" fg:x=\"3\" fg:w=\"3\"/></g>"
             "<g><title>lost (1 ns, 10.00%)</title><rect x=\"80.0000%\" y=\"68\" "
             "width=\"10.0000%\" height=\"15\" fg:x=\"8\" fg:w=\"1\"/></g></svg>"),
        FF_OK);
    check_folded("[no frames] 4\nrun (w.py:3) 2\nrun (w.py:3);x 1\nrun (w.py:3);y 3\n");
    /* One between x and y, four of the root behind run. */
    CHECK_NUMBER(ledger(FF_LEDGER_BOXES_PRUNED), 5);
    CHECK_NUMBER(ledger(FF_LEDGER_BOXES_ORPHAN), 1);
    CHECK_TEXT(ff_profile_text(profile, profile->events.at[1].unit), "ns");
    ff_profile_free(profile);
}

static void test_bad(void)
{
    CHECK_NUMBER(take("<svg><title>a picture</title><rect x=\"1\"/></svg>"), FF_UNSUPPORTED);
    CHECK(strstr(profile->error.message, "found an SVG without boxes"));
    ff_profile_free(profile);
    static const char *const broken[] = {
        "<title>a (1 samples, 1%)</title><rect x=\"1\" y=\"2\"",
        "<title>a (1 samples, 1%)</title><rect x=\"nan\" y=\"2\" width=\"inf\"/>",
        "<title>a (99999999999999999999 samples, 1%)</title><rect x=\"1\" y=\"2\" width=\"3\"/>",
        "<title>a (, 1%)</title><rect x=\"1\" y=\"2\" width=\"3\"/>",
        "<title>a (1 samples, 1%)",
        "<title>",
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        CHECK(take(broken[i]) != FF_OK);
        CHECK_NUMBER(profile->samples.count, 1);
        ff_profile_free(profile);
    }
}

int main(void)
{
    test_pixels();
    test_counts();
    test_bad();
    return check_result();
}
