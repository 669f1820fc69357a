/* SPDX-License-Identifier: MIT
 *
 * speedscope files of py-spy: by hand, and the captured ones against their own numbers of samples.
 */
#include "pyspy_reads.h"

#include "read/json.h"
#include "read/speedscope.h"

#define FRAMES                                                                                     \
    "\"shared\":{\"frames\":[{\"name\":\"main\",\"file\":\"/a/m.py\",\"line\":4,\"col\":null},"    \
    "{\"name\":\"f\",\"file\":\"/a/m.py\",\"line\":9,\"col\":null},"                               \
    "{\"name\":\"0x7f10\",\"file\":\"/lib/libcuda.so.1\",\"line\":0,\"col\":null}]}"
#define SCOPE                                                                                      \
    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"profiles\":[{\"type\":" \
    "\"sampled\",\"name\":\"Thread 669 "                                                           \
    "\\\"target-0\\\"\",\"unit\":\"seconds\",\"startValue\":0.0,"                                  \
    "\"endValue\":0.0612,\"samples\":[[0,1],[0],[0,1],[0,2,1,2]],\"weights\":[0."                  \
    "02040816326530612,"                                                                           \
    "0.02040816326530612,0.02040816326530612,2.040816326530612e-2]},{\"type\":\"sampled\","        \
    "\"name\":"                                                                                    \
    "\"Process 5 Thread 0x7F10 \\\"\\\"\",\"unit\":\"seconds\",\"startValue\":0,\"endValue\":1,"   \
    "\"samples\":[[]],\"weights\":[0.02040816326530612]}]," FRAMES                                 \
    ",\"activeProfileIndex\":null,\"exporter\":\"py-spy@0.4.3\",\"name\":\"py-spy profile\"}\n"

static void check_scope(void)
{
    struct ff_profile *profile = pyspy_read_good(ff_speedscope_read, SCOPE);
    CHECK_NUMBER(profile->samples.count, 5);
    pyspy_check_sample(profile, 1, 669, "target-0", "main (/a/m.py:4);f (/a/m.py:9)");
    pyspy_check_sample(profile, 2, 669, "target-0", "main (/a/m.py:4)");
    pyspy_check_sample(profile, 3, 669, "target-0",
                       "main (/a/m.py:4);[libcuda.so.1];f (/a/m.py:9);[libcuda.so.1]");
    pyspy_check_sample(profile, 4, 0, "", "");
    CHECK_NUMBER(profile->samples.at[1].weight, 2 * 20408163);
    CHECK_NUMBER(profile->samples.at[1].count, 2 * FF_COUNT_ONE);
    CHECK_NUMBER(profile->sources.at[1].rate, 49);
    CHECK(profile->sources.at[1].tool == FF_TOOL_PY_SPY);
    CHECK_TEXT(ff_profile_text(profile, profile->events.at[1].unit), "ns");
    CHECK_NUMBER(profile->processes.at[profile->threads.at[2].process].pid, 5);
    uint32_t stack = profile->samples.at[3].stack;
    CHECK_NUMBER(profile->frames.at[profile->stacks.at[stack].frame].place, 0x7f10);
    stack = profile->stacks.at[profile->stacks.at[stack].parent].parent;
    CHECK_NUMBER(profile->frames.at[profile->stacks.at[stack].frame].place, 0x7f0f);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_BARE_ADDRESSES), 2);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_NO_FRAMES), 1);
    pyspy_check_round_trip(profile);
    pyspy_check_conserved(profile);
    ff_profile_free(profile);
}

/* Before 0.3.8: no unit of time, one profile called py-spy; frames first, as other writers do. */
static void check_old(void)
{
    struct ff_profile *profile = pyspy_read_good(
        ff_speedscope_read,
        "{" FRAMES ",\"profiles\":[{\"type\":\"sampled\",\"name\":\"py-spy\",\"unit\":\"none\","
        "\"startValue\":0,"
        "\"endValue\":2,\"samples\":[[0,1],[0]],\"weights\":[1.0,1.0]}],\"exporter\":\"other\"}");
    CHECK_NUMBER(profile->samples.count, 3);
    pyspy_check_sample(profile, 1, 0, "py-spy", "main (/a/m.py:4);f (/a/m.py:9)");
    CHECK_NUMBER(profile->samples.at[1].weight, 1);
    CHECK_NUMBER(profile->sources.at[1].rate, 0);
    CHECK(profile->sources.at[1].tool == FF_TOOL_UNKNOWN);
    CHECK_TEXT(ff_profile_text(profile, profile->events.at[1].unit), "samples");
    ff_profile_free(profile);
}

/* With -s the outermost frames are processes; the profile's name has the pid. */
static void check_processes(void)
{
    struct ff_profile *profile = pyspy_read_good(
        ff_speedscope_read,
        "{\"profiles\":[{\"type\":\"sampled\",\"name\":\"Process 7 Thread 8 \\\"w \\\"0\\\"; "
        "x\\\"\","
        "\"unit\":\"seconds\",\"samples\":[[0,1,2],[0,1]],\"weights\":[0.01,0.01]}],\"shared\":{"
        "\"frames\":["
        "{\"name\":\"process 5:\\\"python a;b\\\"\",\"file\":\"\",\"line\":0},"
        "{\"name\":\"process 7:\\\"python\\\"\",\"file\":\"\",\"line\":0},"
        "{\"name\":\"f\",\"file\":\"/a.py\",\"line\":3}]},\"exporter\":\"py-spy@0.4.1\"}");
    CHECK_NUMBER(profile->samples.count, 3);
    pyspy_check_sample(profile, 1, 8, "w \"0\"; x", "f (/a.py:3)");
    pyspy_check_sample(profile, 2, 8, "w \"0\"; x", "");
    ff_profile_free(profile);
}

/* With -t, and with -s -t, the thread is a frame as well. py-spy 0.4.3 wrote these names. */
static void check_threads(void)
{
    struct ff_profile *profile = pyspy_read_good(
        ff_speedscope_read,
        "{\"profiles\":[{\"type\":\"sampled\",\"name\":\"Thread 15801 \\\"work;er 1\\\"\","
        "\"unit\":\"seconds\",\"samples\":[[0,3],[0],[1,2,3]],\"weights\":[0.01,0.01,0.01]}],"
        "\"shared\":{\"frames\":["
        "{\"name\":\"thread (15801): work;er 1\",\"file\":\"\",\"line\":0},"
        "{\"name\":\"process 7:\\\"python\\\"\",\"file\":\"\",\"line\":0},"
        "{\"name\":\"thread (15801)\",\"file\":\"\",\"line\":0},"
        "{\"name\":\"f\",\"file\":\"/a.py\",\"line\":3}]},\"exporter\":\"py-spy@0.4.3\"}");
    CHECK_NUMBER(profile->samples.count, 3);
    pyspy_check_sample(profile, 1, 15801, "work;er 1", "f (/a.py:3)");
    pyspy_check_sample(profile, 2, 15801, "work;er 1", "");
    CHECK_NUMBER(profile->samples.at[1].count, 2 * FF_COUNT_ONE);
    ff_profile_free(profile);
}

static void check_bad(void)
{
    enum ff_status status;
    struct ff_profile *profile =
        pyspy_read(ff_speedscope_read,
                   FF_TEXT("{\"profiles\":[{\"type\":\"evented\",\"name\":\"a\",\"unit\":\"none\","
                           "\"events\":[{\"type\":\"O\"}]},"
                           "{\"type\":\"sampled\",\"name\":\"b\",\"samples\":[[0,99],[0],[-1]],"
                           "\"weights\":[1,1,\"x\"]}]," FRAMES "}"),
                   &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_PROFILES_UNREAD), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_SAMPLES_CUT), 1);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_EVENTS_BAD), 2);
    pyspy_check_conserved(profile);
    ff_profile_free(profile);
    pyspy_check_cuts(ff_speedscope_read, SCOPE, 5);
}

static void check_scaled(const char *text, unsigned digits, bool good, uint64_t value)
{
    uint64_t found = 0;
    CHECK(ff_json_scaled(ff_text(text), digits, &found) == good);
    CHECK_NUMBER(found, value);
}

static void check_numbers(void)
{
    check_scaled("0.02040816326530612", 9, true, 20408163);
    check_scaled("2.040816326530612e-2", 9, true, 20408163);
    check_scaled("1e3", 0, true, 1000);
    check_scaled("1.5", 0, true, 2);
    check_scaled("1.4999999999999999999999", 0, true, 1);
    check_scaled("0.0", 9, true, 0);
    check_scaled("18446744073", 9, true, UINT64_C(18446744073000000000));
    check_scaled("1e300", 0, false, 0);
    check_scaled("0e300", 0, true, 0);
    check_scaled("1e-300", 9, true, 0);
    check_scaled("-1", 0, false, 0);
    check_scaled("1e", 0, false, 0);
    check_scaled("1x", 0, false, 0);
    check_scaled("", 0, false, 0);
}

/* In a captured file "samples":[[..],[..]] counts itself: one ']' more than samples. */
static int check_capture(const char *folder)
{
    struct ff_profile *profile =
        pyspy_read_capture(ff_speedscope_read, folder, "spy.speedscope.json");
    char below[200], path[1000];
    struct ff_input input;
    struct ff_text text;
    uint64_t samples = 0;
    if (!profile)
        return 0;
    snprintf(below, sizeof below, "captures/%s/spy.speedscope.json", folder);
    CHECK(ff_input_open(&input, shared_path(path, sizeof path, below), &profile->error) == FF_OK);
    CHECK(ff_input_bytes(&input, (size_t)input.size, &text, &profile->error) == FF_OK);
    for (ptrdiff_t found; (found = ff_text_find_text(text, FF_TEXT("\"samples\":["))) >= 0;) {
        text = ff_text_from(text, (size_t)found + 11);
        ptrdiff_t end = ff_text_find_text(text, FF_TEXT("]]"));
        for (ptrdiff_t i = 0; i <= end; i++)
            samples += text.at[i] == ']';
    }
    ff_input_close(&input);
    CHECK_NUMBER(pyspy_total(profile), samples);
    CHECK_NUMBER(profile->sources.at[1].rate, 49); /* captures/README.md */
    CHECK(pyspy_check_names(profile, folder) > 0);
    CHECK_NUMBER(ff_ledger_grade_count(profile, FF_GRADE_LOSS), 0);
    ff_profile_free(profile);
    return 1;
}

int main(void)
{
    int found = 0;
    check_scope();
    check_old();
    check_processes();
    check_threads();
    check_bad();
    check_numbers();
    for (size_t i = 0; i < PYSPY_CAPTURES; i++)
        found += check_capture(pyspy_captures[i]);
    if (!found)
        SKIP("the shared captures are not here");
    return check_result();
}
