/* SPDX-License-Identifier: MIT
 *
 * Folded text of several writers: Austin, differentials, UTF-16; and that files one after the other
 * are their sum.
 */
#include "pyspy_reads.h"

#include "read/folded.h"
#include "read/utf16.h"

static enum ff_status read_austin(struct ff_profile *profile, struct ff_input *input,
                                  const char *name)
{
    return ff_folded_read(profile, input, name, FF_FORMAT_AUSTIN);
}

static enum ff_status read_diff(struct ff_profile *profile, struct ff_input *input,
                                const char *name)
{
    return ff_folded_read(profile, input, name, FF_FORMAT_FOLDED_DIFF);
}

static enum ff_status read_py_spy_diff(struct ff_profile *profile, struct ff_input *input,
                                       const char *name)
{
    return ff_folded_read(profile, input, name, FF_FORMAT_PY_SPY_DIFF);
}

static enum ff_status read_folded(struct ff_profile *profile, struct ff_input *input,
                                  const char *name)
{
    return ff_folded_read(profile, input, name, FF_FORMAT_FOLDED);
}

static void check_austin(void)
{
    struct ff_profile *profile = pyspy_read_good(
        read_austin,
        "# austin: 3.4.1\n# interval: 100\n# mode: wall\n\n"
        "P42;T67890 21\n"
        "P42;T67890;/a/b:c.py:start:1;<frozen zipimport>:__init__:94 101\n"
        "P42;T67890;/a/b:c.py:start:1;<frozen zipimport>:__init__:94 9\n"
        "P42;T0:24691;a.py:f;L12;:GC: 1200,1,-64\n"
        "P42;T0x7f3a5c0a1740;g (a.py);L7;a.py:f;L12 5\n"
        "P42;T0:7ff5a;native@7ff594668bf1:_PyEval_EvalFrameDefault:3057;kernel:do_futex:0 5\n"
        "\n# duration: 1089349\n");
    pyspy_check_sample(profile, 5, 0, "", "_PyEval_EvalFrameDefault;do_futex");
    CHECK_NUMBER(profile->sources.at[1].duration_ns, 1089349000);
    CHECK_NUMBER(profile->samples.count, 6);
    pyspy_check_sample(profile, 1, 67890, "", "");
    pyspy_check_sample(profile, 2, 67890, "",
                       "start (/a/b:c.py:1);__init__ (<frozen zipimport>:94)");
    pyspy_check_sample(profile, 3, 24691, "", "f (a.py:12);:GC:");
    pyspy_check_sample(profile, 4, 0, "", "g (a.py:7);f (a.py:12)");
    CHECK_NUMBER(profile->samples.at[1].weight, 21000);
    CHECK_NUMBER(profile->samples.at[2].weight, 110000);
    CHECK_NUMBER(profile->samples.at[2].count, 2 * FF_COUNT_ONE);
    CHECK_NUMBER(profile->samples.at[3].weight, 1200000);
    CHECK_NUMBER(profile->sources.at[1].rate, 10000);
    CHECK_NUMBER(profile->processes.at[1].pid, 42);
    CHECK_TEXT(ff_profile_text(profile, profile->events.at[1].unit), "ns");
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_METRICS_UNUSED), 2);
    pyspy_check_round_trip(profile);
    pyspy_check_conserved(profile);
    ff_profile_free(profile);
    profile =
        pyspy_read_good(read_austin, "# mode: memory\nP1;T2;a.py:f:1 4096\nP1;T2;a.py:f:1 -5\n");
    CHECK_NUMBER(profile->samples.at[1].weight, 4096);
    CHECK_TEXT(ff_profile_text(profile, profile->events.at[1].unit), "bytes");
    ff_profile_free(profile);
}

static uint64_t count_of(const struct ff_profile *profile, uint32_t source)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < profile->samples.count; i++) {
        const struct ff_sample *sample = &profile->samples.at[i];
        if (profile->events.at[sample->event].source == source)
            sum += sample->count;
    }
    return sum;
}

static void check_diff(void)
{
    struct ff_profile *profile = pyspy_read_good(read_diff, "a;b 1 3\na;c 0 5\na;d 4 2.5  \n");
    CHECK_NUMBER(profile->sources.count, 3);
    CHECK_TEXT(ff_profile_text(profile, profile->sources.at[1].name), "x.json:1");
    CHECK_TEXT(ff_profile_text(profile, profile->sources.at[2].name), "x.json:2");
    CHECK_NUMBER(count_of(profile, 1), 5 * FF_COUNT_ONE);
    CHECK_NUMBER(count_of(profile, 2), 10 * FF_COUNT_ONE + FF_COUNT_ONE / 2);
    CHECK_NUMBER(profile->samples.count, 6);
    ff_profile_free(profile);
    profile = pyspy_read_good(read_py_spy_diff, "thread (7): a;f (a.py:1) 1 3\n");
    pyspy_check_sample(profile, 1, 7, "a", "f (a.py:1)");
    pyspy_check_sample(profile, 2, 7, "a", "f (a.py:1)");
    CHECK_NUMBER(profile->samples.at[2].weight, 3);
    ff_profile_free(profile);
    enum ff_status status;
    profile = pyspy_read(read_diff, FF_TEXT("a;b 1 3\na;c 4\n"), &status);
    CHECK(status == FF_BAD_INPUT);
    ff_profile_free(profile);
}

/* The differentials of the shared corpus have the counts that their two columns add up to. */
static void check_diff_corpus(void)
{
    char path[1000], line[4096];
    uint64_t first = 0, second = 0, left, right;
    FILE *file =
        fopen(shared_path(path, sizeof path, "corpora/folding/diff/results/default.txt"), "r");
    if (!file) {
        SKIP("the shared differentials are not here");
        return;
    }
    while (fgets(line, sizeof line, file)) {
        char *last = strrchr(line, ' ');
        char *before = last;
        while (before && before > line && before[-1] != ' ')
            before--;
        if (!before)
            continue;
        left = strtoull(before, NULL, 10);
        right = strtoull(last, NULL, 10);
        first += left;
        second += right;
    }
    fclose(file);
    struct ff_input input;
    struct ff_profile *profile = ff_profile_new();
    CHECK(ff_input_open(&input, path, &profile->error) == FF_OK);
    CHECK(read_diff(profile, &input, "default.txt") == FF_OK);
    ff_input_close(&input);
    CHECK(first > 0 && second > 0);
    CHECK_NUMBER(count_of(profile, 1) / FF_COUNT_ONE, first);
    CHECK_NUMBER(count_of(profile, 2) / FF_COUNT_ONE, second);
    ff_profile_free(profile);
}

static void check_utf16(void)
{
    static const struct {
        struct ff_text in;
        const char *out;
    } cases[] = {
        {{"\xff\xfe"
          "a\0\r\0\n\0\xe9\0=\xd8\0\xde",
          14},
         "a\r\n\xc3\xa9\xf0\x9f\x98\x80"},
        {{"\xfe\xff"
          "\0a\xd8=\xde\0\x20\xac",
          10},
         "a\xf0\x9f\x98\x80\xe2\x82\xac"},
        {{"\xff\xfe"
          "a\0=\xd8",
          6},
         "a\xef\xbf\xbd"},
        {{"\xff\xfe"
          "\0\xde"
          "b",
          5},
         "\xef\xbf\xbd\xef\xbf\xbd"},
        {{"\xff\xfe", 2}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ff_input input;
        struct ff_error error = {0};
        struct ff_text got;
        text_input(&input, "x", cases[i].in);
        CHECK(ff_utf16_is(cases[i].in));
        CHECK(ff_utf16_convert(&input, &error) == FF_OK);
        CHECK(ff_input_bytes(&input, 100, &got, &error) == FF_OK);
        CHECK_TEXT(got, cases[i].out);
        ff_input_close(&input);
    }
    CHECK(!ff_utf16_is((struct ff_text){"\xff\xfe\0\0", 4}));
    CHECK(!ff_utf16_is(FF_TEXT("")));
}

/* read(A + B) = read(A) + read(B), however A ends. */
static void check_sum(void)
{
    static const char *const parts[] = {"a;b 1\na;c 2\n", "a;b 3\nd 0.25\n",
                                        "d 0.75\r\n\n# x\na;b 9\n"};
    char all[200] = "";
    uint64_t sum = 0;
    for (size_t i = 0; i < 3; i++) {
        struct ff_profile *one = pyspy_read_good(read_folded, parts[i]);
        sum += count_of(one, 1);
        ff_profile_free(one);
        strcat(all, parts[i]);
    }
    struct ff_profile *profile = pyspy_read_good(read_folded, all);
    CHECK_NUMBER(count_of(profile, 1), sum);
    CHECK_NUMBER(sum, 16 * FF_COUNT_ONE);
    CHECK_NUMBER(profile->samples.count, 4);
    CHECK_NUMBER(profile->samples.at[1].count, 13 * FF_COUNT_ONE);
    ff_profile_free(profile);
}

static enum ff_status read_raw(struct ff_profile *profile, struct ff_input *input, const char *name)
{
    return ff_folded_read(profile, input, name, FF_FORMAT_PY_SPY_RAW);
}

/* Recorded with -t: each thread has the name that the program gave it. */
static void check_raw_names(void)
{
    static const char *const files[] = {"spy.raw", "spy-native.raw", "spy-gil.raw", "spy-idle.raw",
                                        "both.raw"};
    unsigned found = 0;
    for (size_t i = 0; i < PYSPY_CAPTURES; i++) {
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            struct ff_profile *profile = pyspy_read_capture(read_raw, pyspy_captures[i], files[k]);
            if (profile)
                found += pyspy_check_names(profile, pyspy_captures[i]);
            ff_profile_free(profile);
        }
    }
    if (!found)
        SKIP("the shared captures are not here");
    else
        CHECK(found > 100);
}

int main(void)
{
    check_austin();
    check_diff();
    check_diff_corpus();
    check_utf16();
    check_sum();
    check_raw_names();
    return check_result();
}
