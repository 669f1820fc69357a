/* SPDX-License-Identifier: MIT
 *
 * flamegraph.pl's pictures by hand: places from its formula, colours whose generator values are known
 * ("main" 0.778600, "foo" 0.310776), and what its sorting of lines does to siblings.
 */
#include "check.h"

#include "draw/colors.h"
#include "draw/perl.h"

static struct ff_output output;
static struct ff_perl_result result;
static struct ff_error error;

static enum ff_status draw(const char *text, struct ff_perl_options options)
{
    struct ff_text view = ff_text(text);
    error = (struct ff_error){0};
    ff_output_memory(&output);
    return ff_perl_write(&view, 1, &options, NULL, &output, &result, &error);
}

static bool drawn(const char *part)
{
    bool found =
        ff_text_find_text((struct ff_text){output.buffer, output.used}, ff_text(part)) >= 0;
    if (!found)
        printf("missing: %s\n", part);
    return found;
}

static void done(void)
{
    ff_output_close(&output, &error);
}

static void test_colors(void)
{
    /* 205 + 50v, 230v, 55v, cut. */
    CHECK_NUMBER(ff_classic_color(FF_CLASSIC_HOT, FF_TEXT("main"), false),
                 243 << 16 | 179 << 8 | 42);
    CHECK_NUMBER(ff_classic_color(FF_CLASSIC_HOT, FF_TEXT("foo"), false), 220 << 16 | 71 << 8 | 17);
    CHECK_NUMBER(ff_classic_color(FF_CLASSIC_MEM, FF_TEXT("foo"), false), 205 << 8 | 65);
    CHECK_NUMBER(ff_classic_color(FF_CLASSIC_ORANGE, FF_TEXT("foo"), false), 210 << 16 | 110 << 8);
    /* "abc": 97 % 10 = 7, 98 % 11 = 10, 99 % 12 = 3: 1 - (7/9 + 0.7 + 0.49 * 3/11) / 3.19; v2 of "cba":
     * 9, 10, 1: 1 - (1 + 0.7 + 0.49 / 11) / 3.19. */
    CHECK_NUMBER(ff_classic_color(FF_CLASSIC_HOT, FF_TEXT("abc"), true),
                 (205 + 22) << 16 | 113 << 8 | 24);
    CHECK_NUMBER(ff_classic_color(FF_CLASSIC_HOT, FF_TEXT("lib`abc"), true) >> 8 & 255, 113);
    CHECK_NUMBER(ff_classic_parse(FF_TEXT("purple")), FF_CLASSIC_PURPLE);
    CHECK_NUMBER(ff_classic_parse(FF_TEXT("mauve")), -1);
    static const struct {
        const char *name;
        enum ff_classic palette, as;
    } rows[] = {
        {"Ljava/util/Map", FF_CLASSIC_JAVA, FF_CLASSIC_GREEN},
        {"a::b", FF_CLASSIC_JAVA, FF_CLASSIC_YELLOW},
        {"a:::b", FF_CLASSIC_JAVA, FF_CLASSIC_GREEN},
        {"f_[i]", FF_CLASSIC_JAVA, FF_CLASSIC_AQUA},
        {"f_[k]", FF_CLASSIC_JAVA, FF_CLASSIC_ORANGE},
        {"f", FF_CLASSIC_JAVA, FF_CLASSIC_RED},
        {"x/y_[j]", FF_CLASSIC_JS, FF_CLASSIC_GREEN},
        {"y_[j]", FF_CLASSIC_JS, FF_CLASSIC_AQUA},
        {"/a/b.js:1", FF_CLASSIC_JS, FF_CLASSIC_GREEN},
        {"a:b", FF_CLASSIC_JS, FF_CLASSIC_AQUA},
        {"Perl_run", FF_CLASSIC_PERL, FF_CLASSIC_GREEN},
        {"a_[w]", FF_CLASSIC_CHAIN, FF_CLASSIC_AQUA},
        {"a", FF_CLASSIC_CHAIN, FF_CLASSIC_BLUE},
        {"a", FF_CLASSIC_WAKEUP, FF_CLASSIC_AQUA},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_NUMBER(ff_classic_color(rows[i].palette, ff_text(rows[i].name), false),
                     ff_classic_color(rows[i].as, ff_text(rows[i].name), false));
    CHECK_NUMBER(ff_classic_difference(5, 10), 0xff6969); /* 210 * 5 / 10 */
    CHECK_NUMBER(ff_classic_difference(-10, 10), 0x0000ff);
    CHECK_NUMBER(ff_classic_difference(0, 10), 0xffffff);
}

/* "b.cold" sorts between "b" and "b;c", so b is drawn twice, 40 % each: 1180 pixels of 100 counts. */
static void test_split(void)
{
    CHECK_NUMBER(draw("a;b;c 40\na;b 40\na;b.cold 20\n", (struct ff_perl_options){0}), FF_OK);
    CHECK(
        drawn("<title>all (100 samples, 100%)</title><rect x=\"10.0\" y=\"85\" width=\"1180.0\""));
    CHECK(drawn("<title>b (40 samples, 40.00%)</title><rect x=\"10.0\" y=\"53\" width=\"472.0\""));
    CHECK(drawn("<title>b.cold (20 samples, 20.00%)</title><rect x=\"482.0\""));
    CHECK(drawn("<title>b (40 samples, 40.00%)</title><rect x=\"718.0\" y=\"53\" width=\"472.0\""));
    CHECK(drawn("<title>c (40 samples, 40.00%)</title><rect x=\"718.0\" y=\"37\" width=\"472.0\""));
    CHECK_NUMBER(result.boxes, 6);
    done();
}

static void test_difference(void)
{
    CHECK_NUMBER(draw("a;b 10 40\na 100 60\n", (struct ff_perl_options){0}), FF_OK);
    CHECK(drawn("<title>b (40 samples, 40.00%; +30.00%)</title>"));
    CHECK(drawn("<title>a (100 samples, 100.00%; -40.00%)</title>"));
    CHECK(drawn("fill=\"rgb(255,52,52)\"")); /* 210 * (40 - 30) / 40 */
    CHECK(drawn("fill=\"rgb(0,0,255)\""));
    done();
}

static void test_lines(void)
{
    CHECK_NUMBER(draw("a;b 1.5\nno count\na;<x> 98.5\n\nc 12\r\n", (struct ff_perl_options){0}),
                 FF_OK);
    CHECK_NUMBER(result.lines, 5);
    CHECK_NUMBER(result.ignored, 3);
    CHECK(drawn("<title>b (2 samples, 2.00%)</title>")); /* 1.5, half to even */
    CHECK(drawn("<title>&lt;x&gt; (98 samples, 98.00%)</title>"));
    done();
    CHECK_NUMBER(draw("c;b;a 100\n", (struct ff_perl_options){.reversed = true}), FF_OK);
    CHECK(drawn("<title>a (100 samples, 100.00%)</title><rect x=\"10.0\" y=\"69\""));
    done();
    CHECK_NUMBER(draw("x\n", (struct ff_perl_options){0}), FF_BAD_INPUT);
    CHECK(drawn("ERROR"));
    done();
    CHECK_NUMBER(draw("a 1\n", (struct ff_perl_options){.background = FF_TEXT("mauve")}), FF_USAGE);
    done();
}

static void test_safe(void)
{
    struct ff_perl_options options = {.title = FF_TEXT("</text><script>"),
                                      .count_name = FF_TEXT("<b>"),
                                      .font_type = FF_TEXT("\" onload=\"x"),
                                      .notes = FF_TEXT("--><script>")};
    CHECK_NUMBER(draw("</title><script>;\"'\xff 100\n", options), FF_OK);
    struct ff_text text = {output.buffer, output.used};
    CHECK(ff_text_find_text(text, FF_TEXT("<script")) < 0 || drawn("<!-- NOTES: - -><script> -->"));
    CHECK(ff_text_find_text(text, FF_TEXT("<b>")) < 0);
    CHECK(ff_text_find_text(text, FF_TEXT("\" onload")) < 0);
    done();
}

static void test_map(void)
{
    struct ff_perl_map map = {0};
    ff_perl_map_read(&map, FF_TEXT("main->rgb(1,2,3)\noperator->->rgb(4,5,6)\nbad\nx->rgb(1,2)\n"));
    CHECK_NUMBER(map.count, 2);
    CHECK_NUMBER(ff_perl_map_color(&map, FF_TEXT("main"), 7), 0x010203);
    CHECK_NUMBER(ff_perl_map_color(&map, FF_TEXT("operator->"), 7), 0x040506);
    CHECK_NUMBER(ff_perl_map_color(&map, FF_TEXT("a"), 0x070809), 0x070809);
    ff_output_memory(&output);
    ff_perl_map_write(&map, &output);
    struct ff_text text = {output.buffer, output.used};
    CHECK_TEXT(text, "a->rgb(7,8,9)\nmain->rgb(1,2,3)\noperator->->rgb(4,5,6)\n");
    done();
    ff_perl_map_release(&map);
}

static void test_rules(void)
{
    struct ff_colors colors = {0};
    error = (struct ff_error){0};
    CHECK_NUMBER(ff_colors_parse(&colors, "c",
                                 FF_TEXT("# mine\nname a b* #010203\n\nbucket gil_* #ffffff\n"),
                                 &error),
                 FF_OK);
    CHECK_NUMBER(ff_colors_find(&colors, FF_COLORS_NAME, FF_TEXT("a bc"))->color, 0x010203);
    CHECK_NUMBER(ff_colors_find(&colors, FF_COLORS_BUCKET, FF_TEXT("gil_wait"))->color, 0xffffff);
    CHECK(!ff_colors_find(&colors, FF_COLORS_BUCKET, FF_TEXT("a bc")));
    CHECK_NUMBER(ff_colors_parse(&colors, "c", FF_TEXT("name x red\n"), &error), FF_BAD_INPUT);
    CHECK(strstr(error.message, "c: line 1: found 'name x red'"));
    ff_colors_release(&colors);
}

int main(void)
{
    test_colors();
    test_split();
    test_difference();
    test_lines();
    test_safe();
    test_map();
    test_rules();
    return check_result();
}
