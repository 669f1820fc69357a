/* SPDX-License-Identifier: MIT
 *
 * Pictures: hostile names stay text, numbers add up, equal input gives equal bytes.
 */
#include "check.h"

#include "base/memory.h"
#include "draw/escape.h"
#include "draw/layout.h"
#include "draw/legend.h"
#include "draw/number.h"
#include "draw/svg.h"

extern const char ff_text_viewer_js[];
extern const unsigned long ff_text_viewer_js_size;

static struct ff_profile *profile;
static uint32_t event, thread;

static void start(const char *comm)
{
    profile = ff_profile_new();
    uint32_t source = ff_source_add(profile, (struct ff_source){0});
    uint32_t name = ff_profile_intern(profile, FF_TEXT("cpu-clock"));
    event = ff_event_add(profile, (struct ff_event){.source = source, .name = name});
    uint32_t process = ff_process_add(profile, (struct ff_process){.source = source, .pid = 1});
    thread = ff_thread_add(profile,
                           (struct ff_thread){.process = process,
                                              .tid = 1,
                                              .comm = ff_profile_intern(profile, ff_text(comm))});
}

static uint32_t push(uint32_t stack, struct ff_text name)
{
    struct ff_frame frame = {.kind = FF_FRAME_NATIVE, .symbol = ff_profile_intern(profile, name)};
    return ff_stack_push(profile, stack, ff_frame_add(profile, frame));
}

static void sample(uint32_t stack, const char *bucket, uint64_t count)
{
    ff_sample_add(profile, (struct ff_sample){.event = event,
                                              .thread = thread,
                                              .stack = stack,
                                              .bucket = ff_profile_intern(profile, ff_text(bucket)),
                                              .count = count * FF_COUNT_ONE});
}

static struct ff_tree *tree_of(void)
{
    struct ff_tree *tree = NULL;
    struct ff_fold_options options = {0};
    CHECK_NUMBER(ff_tree_build(&tree, profile, &options), FF_OK);
    return tree;
}

static struct ff_output picture(struct ff_svg_options options)
{
    struct ff_output output;
    struct ff_fold_options fold = {0};
    struct ff_tree *tree = tree_of();
    options.profile = profile;
    options.fold = &fold;
    ff_output_memory(&output);
    CHECK_NUMBER(ff_svg_write(tree, &output, &options), FF_OK);
    ff_tree_free(tree);
    ff_profile_free(profile);
    return output;
}

static struct ff_text text_of(const struct ff_output *output)
{
    return (struct ff_text){output->buffer, output->used};
}

static bool has(const struct ff_output *output, struct ff_text part)
{
    return ff_text_find_text(text_of(output), part) >= 0;
}

static uint32_t count_of(struct ff_text text, struct ff_text part)
{
    uint32_t count = 0;
    for (ptrdiff_t at; (at = ff_text_find_text(text, part)) >= 0; count++)
        text = ff_text_from(text, (size_t)at + part.size);
    return count;
}

static void close_output(struct ff_output *output)
{
    struct ff_error error = {0};
    CHECK_NUMBER(ff_output_close(output, &error), FF_OK);
}

static void check_escape(struct ff_text text, struct ff_text expected)
{
    struct ff_output output;
    ff_output_memory(&output);
    ff_escape_text(&output, text);
    CHECK(ff_text_equal(text_of(&output), expected));
    close_output(&output);
}

#define FFFD "\xef\xbf\xbd"

static void test_escape(void)
{
    check_escape(FF_TEXT("a<b> & \"c\" 'd'"),
                 FF_TEXT("a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"));
    check_escape(FF_TEXT("\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5"),
                 FF_TEXT("\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5"));
    check_escape(FF_TEXT("\0\x01\x1b\x7f"), FF_TEXT(FFFD FFFD FFFD FFFD));
    check_escape(FF_TEXT("a\tb\nc\r"), FF_TEXT("a b c "));
    check_escape(FF_TEXT("\xc2\x85"), FF_TEXT(FFFD));                      /* a C1 control */
    check_escape(FF_TEXT("\xff\x80 \xc3"), FF_TEXT(FFFD FFFD " " FFFD));   /* no UTF-8, cut short */
    check_escape(FF_TEXT("\xc0\xbc"), FF_TEXT(FFFD FFFD));                 /* overlong '<' */
    check_escape(FF_TEXT("\xe0\x80\xbc"), FF_TEXT(FFFD FFFD FFFD));        /* the same in three */
    check_escape(FF_TEXT("\xed\xa0\x80"), FF_TEXT(FFFD FFFD FFFD));        /* a lone surrogate */
    check_escape(FF_TEXT("\xef\xbf\xbe\xef\xbf\xbf"), FF_TEXT(FFFD FFFD)); /* U+FFFE, U+FFFF */
    check_escape(FF_TEXT("\xe2\x80\xae\xe2\x81\xa6"), FF_TEXT(FFFD FFFD)); /* U+202E, U+2066 */
    check_escape(FF_TEXT("\xf4\x90\x80\x80"), FF_TEXT(FFFD FFFD FFFD FFFD)); /* over U+10FFFF */
    check_escape(FF_TEXT("\xe2\x82<"), FF_TEXT(FFFD FFFD "&lt;"));

    struct ff_output output;
    ff_output_memory(&output);
    ff_escape_script(&output, FF_TEXT("a]]>b"));
    CHECK_TEXT(text_of(&output), "<![CDATA[a]]]]><![CDATA[>b]]>");
    close_output(&output);

    /* Inlined in an HTML page, the script must not end early either. */
    struct ff_text script = {ff_text_viewer_js, ff_text_viewer_js_size};
    CHECK(script.size > 1000);
    CHECK(ff_text_find_text(script, FF_TEXT("</")) < 0);
    CHECK(ff_text_find_text(script, FF_TEXT("<!--")) < 0);
    CHECK(ff_text_find_text(script, FF_TEXT("innerHTML")) < 0);
}

static void check_number(struct ff_output *output, const char *expected)
{
    CHECK_TEXT(text_of(output), expected);
    output->used = 0;
}

static void test_numbers(void)
{
    struct ff_output output;
    ff_output_memory(&output);
    ff_number_grouped(&output, 0);
    check_number(&output, "0");
    ff_number_grouped(&output, UINT64_MAX);
    check_number(&output, "18,446,744,073,709,551,615");
    ff_number_fixed(&output, 1205, 2);
    check_number(&output, "12.05");
    ff_number_amount(&output, FF_COUNT_ONE / 2 + 1000 * FF_COUNT_ONE, FF_COUNT_ONE);
    check_number(&output, "1,000.5");
    ff_number_amount(&output, 3 * FF_COUNT_ONE - 1, FF_COUNT_ONE);
    check_number(&output, "3.0");
    ff_number_data(&output, FF_COUNT_ONE + FF_COUNT_ONE / 4, FF_COUNT_ONE);
    check_number(&output, "1.250000");
    ff_number_data(&output, UINT64_MAX, 1);
    check_number(&output, "18446744073709551615");
    static const struct {
        uint64_t ns;
        const char *text;
    } times[] = {{0, "0 ns"},
                 {999, "999 ns"},
                 {1250000, "1.25 ms"},
                 {97340000000, "97.3 s"},
                 {1234567000000, "1,234 s"},
                 {45600, "45.6 \xc2\xb5s"}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        ff_number_time(&output, times[i].ns);
        check_number(&output, times[i].text);
    }
    ff_number_short(&output, 1200);
    check_number(&output, "12");
    ff_number_short(&output, 1250);
    check_number(&output, "12.5");
    ff_number_short(&output, 1205);
    check_number(&output, "12.05");
    close_output(&output);
    CHECK_NUMBER(ff_number_share(1, 3, 1000), 333);
    CHECK_NUMBER(ff_number_share(2, 3, 1000), 667);
    CHECK_NUMBER(ff_number_share(UINT64_MAX, UINT64_MAX, 1000), 1000);
    CHECK_NUMBER(ff_number_share(UINT64_MAX / 2, UINT64_MAX, 1000), 500);
    CHECK_NUMBER(ff_number_share(0, 0, 1000), 0);
}

static void test_hostile(void)
{
    static const char script[] = "</script><script>alert(1)</script>";
    start("\"><g onload='alert(1)'>");
    uint32_t stack = push(0, FF_TEXT("</script><a b=\"c'&\">"));
    stack = push(stack, FF_TEXT("]]>"));
    stack = push(stack, FF_TEXT("\xed\xa0\x80\xef\xbf\xbe\xff"));
    char *long_name = ff_alloc(1 << 20, 1);
    memset(long_name, '<', 1 << 20);
    stack = push(stack, (struct ff_text){long_name, 1 << 20});
    sample(stack, "<b onclick=\"x\">", 3);
    struct ff_svg_options options = {.title = FF_TEXT(script),
                                     .subtitle = FF_TEXT("</text><script>")};
    struct ff_output output = picture(options);
    CHECK(has(&output, FF_TEXT("&lt;/script&gt;&lt;a b=&quot;c&#39;&amp;&quot;&gt; (3 samples")));
    CHECK(has(&output, FF_TEXT("]]&gt; (3 samples, 100.00 %)")));
    CHECK(has(&output, FF_TEXT(FFFD FFFD FFFD FFFD FFFD " (3 samples")));
    /* Of each only what the writer itself puts there. */
    CHECK_NUMBER(count_of(text_of(&output), FF_TEXT("<script")), 1);
    CHECK_NUMBER(count_of(text_of(&output), FF_TEXT("</script")), 1);
    CHECK_NUMBER(count_of(text_of(&output), FF_TEXT("]]>")), 1);
    CHECK_NUMBER(count_of(text_of(&output), FF_TEXT("<a")), 0);
    CHECK_NUMBER(count_of(text_of(&output), FF_TEXT("<g onload")), 0);
    CHECK_NUMBER(count_of(text_of(&output), FF_TEXT("<b ")), 0);
    /* Names of namespaces, one in the root and two in the script, and no links. */
    CHECK_NUMBER(count_of(text_of(&output), FF_TEXT("://")), 3);
    CHECK_NUMBER(count_of(text_of(&output), FF_TEXT("http://www.w3.org/")), 3);
    close_output(&output);
    ff_free(long_name);
}

static void test_pruning(void)
{
    start("app");
    char name[24];
    for (int i = 0; i < 6000; i++) {
        snprintf(name, sizeof name, "f%d", i);
        sample(push(push(0, FF_TEXT("main")), ff_text(name)), "", (uint64_t)i % 7 + 1);
    }
    struct ff_tree *tree = tree_of();
    struct ff_layout layout;
    struct ff_layout_options options = {.width = 1000000, .min_width = 0};
    CHECK(ff_layout_make(&layout, tree, &options));
    CHECK_NUMBER(layout.count, 2000);
    CHECK_NUMBER(layout.left_out, tree->node_count - 2000);
    bool inside = true, widest = true;
    for (uint32_t i = 0; i < layout.count; i++) {
        const struct ff_box *box = &layout.boxes[i];
        inside &= box->x + box->width <= options.width;
        widest &= tree->nodes[box->node].total >= 5 * FF_COUNT_ONE;
    }
    CHECK(inside);
    CHECK(widest); /* 857 children have 7 samples, 857 have 6, and 283 of those with 5 have room */
    CHECK_NUMBER(layout.row_count, 4);
    ff_layout_release(&layout);
    options = (struct ff_layout_options){.width = 1000, .min_width = 30};
    CHECK(ff_layout_make(&layout, tree, &options));
    CHECK_NUMBER(layout.count, 3); /* all, app, main */
    ff_layout_release(&layout);
    ff_tree_free(tree);
    ff_profile_free(profile);
}

/* Widths add up exactly: a box ends where the next one begins, amounts may use all 64 bits. */
static void test_geometry(void)
{
    start("app");
    uint32_t a = push(0, FF_TEXT("a")), b = push(0, FF_TEXT("b")), c = push(b, FF_TEXT("c"));
    sample(a, "", UINT64_C(1) << 41);
    sample(b, "", UINT64_C(1) << 40);
    sample(c, "", UINT64_C(1) << 40);
    struct ff_tree *tree = tree_of();
    struct ff_layout layout;
    struct ff_layout_options options = {.width = 100000};
    CHECK(ff_layout_make(&layout, tree, &options));
    CHECK_NUMBER(layout.count, 5);
    CHECK_NUMBER(layout.boxes[2].x, 0);
    CHECK_NUMBER(layout.boxes[2].width, 50000);
    CHECK_NUMBER(layout.boxes[3].x, 50000);
    CHECK_NUMBER(layout.boxes[3].width, 50000);
    CHECK_NUMBER(layout.boxes[4].x, 75000); /* self time stands at the left */
    CHECK_NUMBER(layout.boxes[4].width, 25000);
    ff_layout_release(&layout);
    ff_tree_free(tree);
    ff_profile_free(profile);
}

static void test_legend(void)
{
    start("app");
    sample(push(0, FF_TEXT("a")), "cuda_launch", 1);
    sample(push(0, FF_TEXT("b")), "gil_wait", 1);
    sample(push(0, FF_TEXT("c")), "py_interp", 1);
    sample(push(0, FF_TEXT("a")), "gil_wait", 40);
    sample(push(0, FF_TEXT("d")), "", 37);
    struct ff_tree *tree = tree_of();
    struct ff_legend legend;
    CHECK(ff_legend_make(&legend, tree, &(struct ff_svg_options){0}));
    CHECK_TEXT(legend.rows[0].name, "gil_wait");
    /* 51.25, 46.25, 1.25 and 1.25 %: each to the nearest by itself, so equal ones stay equal. */
    CHECK_NUMBER(legend.rows[0].tenths, 513);
    CHECK_NUMBER(legend.rows[1].tenths, 463);
    CHECK_NUMBER(legend.rows[2].tenths, 13);
    CHECK_NUMBER(legend.rows[3].tenths, 13);
    CHECK_TEXT(legend.rows[1].name, "no bucket");
    /* 40 of 41 are 97.6 %: a belongs to gil_wait. The whole belongs to nobody. */
    CHECK_NUMBER(ff_legend_color(&legend, tree, 2), ff_color_of_bucket(FF_TEXT("gil_wait")));
    CHECK_NUMBER(ff_legend_color(&legend, tree, 0), ff_color_neutral(&tree->nodes[0]));
    ff_legend_release(&legend);
    CHECK(ff_legend_make(&legend, tree, &(struct ff_svg_options){.color = FF_COLOR_KIND}));
    CHECK_NUMBER(legend.count, 1);
    CHECK_NUMBER(legend.rows[0].tenths, 1000);
    CHECK_TEXT(legend.rows[0].name, "native");
    ff_legend_release(&legend);
    ff_tree_free(tree);
    ff_profile_free(profile);
    for (uint32_t color = 0; color < FF_COLOR_COUNT; color++)
        CHECK(ff_color_get(color).light <= 0xffffff);
    CHECK(ff_color_of_bucket(FF_TEXT("cuda_launch")) !=
          ff_color_of_bucket(FF_TEXT("cuda_launch_spin")));
}

static struct ff_output shuffled(uint32_t step)
{
    start("app");
    for (uint32_t i = 0, at = 0; i < 101; i++, at = (at + step) % 101) {
        char name[16];
        snprintf(name, sizeof name, "f%u", (unsigned)at);
        uint32_t stack = push(push(0, at % 2 ? FF_TEXT("odd") : FF_TEXT("even")), ff_text(name));
        sample(stack, at % 3 ? "cuda_launch" : "my own", at + 1);
    }
    return picture((struct ff_svg_options){0});
}

static void test_same_bytes(void)
{
    struct ff_output one = shuffled(1), other = shuffled(37);
    CHECK(one.used > 10000);
    CHECK(ff_text_equal(text_of(&one), text_of(&other)));
    close_output(&one);
    close_output(&other);
}

static void test_limits(void)
{
    start("app");
    struct ff_output output = picture((struct ff_svg_options){.width = 300});
    CHECK(has(&output, FF_TEXT("No samples.")));
    close_output(&output);
    start("app");
    struct ff_tree *tree = tree_of();
    ff_output_memory(&output);
    struct ff_svg_options narrow = {.width = 299};
    CHECK_NUMBER(ff_svg_write(tree, &output, &narrow), FF_USAGE);
    CHECK(strstr(tree->error.message, "299"));
    close_output(&output);
    ff_tree_free(tree);
    ff_profile_free(profile);
}

int main(void)
{
    test_escape();
    test_numbers();
    test_hostile();
    test_pruning();
    test_geometry();
    test_legend();
    test_same_bytes();
    test_limits();
    return check_result();
}
