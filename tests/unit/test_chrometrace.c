/* SPDX-License-Identifier: MIT
 *
 * Chrome traces of py-spy: changes, weights and moments by hand; the captured ones by counting their
 * time stamps.
 */
#include "pyspy_reads.h"

#include "profile/moment.h"
#include "read/chrometrace.h"

#define EVENT(ph, name, file, line, tid, ts)                                                       \
    "{\"args\":{\"filename\":\"" file "\",\"line\":" #line "},\"cat\":\"py-spy\",\"name\":\"" name \
    "\",\"ph\":\"" ph "\",\"pid\":627,\"tid\":" #tid ",\"ts\":" #ts "}"

#define ROOT "thread (676): drafter;2 (b)"
#define TRACE                                                                                                                      \
    "[" EVENT("B", ROOT, "", 0, 140320356406976, 1000) "," EVENT("B", "run", "/a/b.py", 5, 140320356406976, 1000) "," EVENT(       \
        "B", "f", "/a/b.py", 9, 140320356406976,                                                                                   \
        1000) "," EVENT("B", "g", "/a/b.py", 1, 7,                                                                                 \
                        1400) "," EVENT("E", "f", "/a/b.py", 9, 140320356406976,                                                   \
                                        1500) "," EVENT("B", "f", "/a/b.py", 10, 140320356406976,                                  \
                                                        1500) "," EVENT("E", "f", "/a/b.py", 10,                                   \
                                                                        140320356406976,                                           \
                                                                        4000) "," EVENT("E",                                       \
                                                                                        "run",                                     \
                                                                                        "/a/b.py",                                 \
                                                                                        5,                                         \
                                                                                        140320356406976,                           \
                                                                                        4000) "," EVENT("E",                       \
                                                                                                        ROOT,                      \
                                                                                                        "",                        \
                                                                                                        0,                         \
                                                                                                        140320356406976,           \
                                                                                                        4000) "," EVENT("E",       \
                                                                                                                        "g",       \
                                                                                                                        "/a/b.py", \
                                                                                                                        1,         \
                                                                                                                        7,         \
                                                                                                                        4000) "]\n"

static void check_trace(const char *text)
{
    struct ff_profile *profile = pyspy_read_good(ff_chrometrace_read, text);
    CHECK_NUMBER(profile->samples.count, 4);
    /* Rows are added when their end is known: 1000-1500, 1500-4000, 1400-4000. */
    pyspy_check_sample(profile, 1, 676, "drafter;2 (b)", "run (/a/b.py:5);f (/a/b.py:9)");
    pyspy_check_sample(profile, 2, 676, "drafter;2 (b)", "run (/a/b.py:5);f (/a/b.py:10)");
    pyspy_check_sample(profile, 3, 0, "", "g (/a/b.py:1)");
    CHECK_NUMBER(profile->samples.at[1].weight, 500000);
    CHECK_NUMBER(profile->samples.at[2].weight, 2500000);
    CHECK_NUMBER(profile->samples.at[3].weight, 2600000);
    CHECK_NUMBER(profile->sources.at[1].start_ns, 1000000);
    CHECK_NUMBER(profile->sources.at[1].end_ns, 4000000);
    for (uint32_t i = 1; i <= 3; i++)
        CHECK(profile->samples.at[i].moments != 0);
    pyspy_check_round_trip(profile);
    pyspy_check_conserved(profile);
    ff_profile_free(profile);
}

/* Windows of 1 ns keep the times as they were. */
static void check_times(void)
{
    struct ff_profile *profile = ff_profile_new();
    struct ff_input input;
    profile->exact_times = true;
    text_input(&input, "x.json", FF_TEXT(TRACE));
    CHECK(ff_chrometrace_read(profile, &input, "x.json") == FF_OK);
    ff_input_close(&input);
    static const uint64_t times[] = {1000000, 1500000, 1400000};
    for (uint32_t i = 1; i <= 3; i++)
        CHECK_NUMBER(profile->moments.at[profile->samples.at[i].moments].time_ns, times[i - 1]);
    ff_profile_free(profile);
}

/* Two processes whose main threads have one pthread id: py-spy ends the frames of the one when it sees
 * the other, and what both have it does not write again. */
static void check_collision(void)
{
    static const char text[] = "[{\"args\":{\"filename\":\"m.py\",\"line\":1},\"name\":\"main\","
                               "\"ph\":\"B\",\"pid\":1,\"tid\":9,\"ts\":10},"
                               "{\"args\":{\"filename\":\"m.py\",\"line\":2},\"name\":\"f\",\"ph\":"
                               "\"B\",\"pid\":1,\"tid\":9,\"ts\":10},"
                               "{\"args\":{\"filename\":\"m.py\",\"line\":2},\"name\":\"f\",\"ph\":"
                               "\"E\",\"pid\":2,\"tid\":9,\"ts\":12},"
                               "{\"args\":{\"filename\":\"m.py\",\"line\":3},\"name\":\"g\",\"ph\":"
                               "\"B\",\"pid\":2,\"tid\":9,\"ts\":12},"
                               "{\"args\":{\"filename\":\"m.py\",\"line\":3},\"name\":\"g\",\"ph\":"
                               "\"E\",\"pid\":2,\"tid\":9,\"ts\":20},"
                               "{\"args\":{\"filename\":\"m.py\",\"line\":1},\"name\":\"main\","
                               "\"ph\":\"E\",\"pid\":2,\"tid\":9,\"ts\":20}]";
    struct ff_profile *profile = pyspy_read_good(ff_chrometrace_read, text);
    CHECK_NUMBER(profile->samples.count, 3);
    pyspy_check_sample(profile, 1, 0, "", "main (m.py:1);f (m.py:2)");
    pyspy_check_sample(profile, 2, 0, "", "main (m.py:1);g (m.py:3)");
    for (uint32_t i = 1; i <= 2; i++) {
        uint32_t process = profile->threads.at[profile->samples.at[i].thread].process;
        CHECK_NUMBER(profile->processes.at[process].pid, i);
    }
    ff_profile_free(profile);
}

/* After 0.4.3: small tids, and names as events of their own. */
static void check_named(void)
{
    struct ff_profile *profile = pyspy_read_good(
        ff_chrometrace_read,
        "{\"traceEvents\":[{\"args\":{\"filename\":\"\",\"line\":null,\"name\":\"1403: "
        "target-0\"},\"name\":"
        "\"thread_name\",\"ph\":\"M\",\"pid\":5,\"tid\":0,\"ts\":0}," EVENT(
            "B", "f", "a.py", 2, 0, 3) "," EVENT("E", "f", "a.py", 2, 0, 9) "],\"other\":[[1]]}");
    CHECK_NUMBER(profile->samples.count, 2);
    pyspy_check_sample(profile, 1, 0, "target-0", "f (a.py:2)");
    ff_profile_free(profile);
}

static void check_bad(void)
{
    enum ff_status status;
    struct ff_profile *profile = pyspy_read(
        ff_chrometrace_read,
        FF_TEXT("[" EVENT("E", "f", "a.py", 2, 1, 3) "," EVENT("X", "f", "a.py", 2, 1, 3) "," EVENT(
            "B", "f", "a.py", 2, 1, 4) "," EVENT("E", "f", "a.py", 2, 1, 6) "]"),
        &status);
    CHECK(status == FF_OK);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_EVENTS_BAD), 2);
    CHECK_NUMBER(profile->samples.count, 2);
    ff_profile_free(profile);
    pyspy_check_cuts(ff_chrometrace_read, TRACE, 3);
}

/* A change is a run of events with one tid and ts that does not leave the thread without frames; the
 * number of open frames is counted here by the events' letters alone. */
static int check_capture(const char *folder, const char *file)
{
    struct ff_profile *profile = pyspy_read_capture(ff_chrometrace_read, folder, file);
    struct ff_input input;
    struct ff_text text;
    char below[200], path[1000];
    unsigned long long tid, ts, last_tid = 0, last_ts = 0, tids[64];
    long open[64] = {0};
    size_t known = 0, at = 0;
    uint64_t changes = 0;
    if (!profile)
        return 0;
    snprintf(below, sizeof below, "captures/%s/%s", folder, file);
    CHECK(ff_input_open(&input, shared_path(path, sizeof path, below), &profile->error) == FF_OK);
    CHECK(ff_input_bytes(&input, (size_t)input.size, &text, &profile->error) == FF_OK);
    char *copy = ff_alloc(text.size + 1, 1);
    memcpy(copy, text.at, text.size);
    ff_input_close(&input);
    for (const char *p = copy; (p = strstr(p, "\"ph\":\"")); p++) {
        const char *stamp = strstr(p, "\"tid\":");
        if (!stamp || sscanf(stamp, "\"tid\":%llu,\"ts\":%llu", &tid, &ts) != 2)
            break;
        if (tid != last_tid || ts != last_ts)
            changes += last_ts && open[at] > 0;
        for (at = 0; at < known && tids[at] != tid; at++)
            ;
        if (at == known && known < 63)
            tids[known++] = tid;
        open[at] += p[6] == 'B' ? 1 : -1;
        last_tid = tid;
        last_ts = ts;
    }
    ff_free(copy);
    CHECK_NUMBER(pyspy_total(profile), changes);
    CHECK_NUMBER(ff_ledger_grade_count(profile, FF_GRADE_LOSS), 0);
    CHECK_NUMBER(profile->threads.count - 1, known);
    CHECK(pyspy_check_names(profile, folder) > 0);
    pyspy_check_conserved(profile);
    ff_profile_free(profile);
    return 1;
}

int main(void)
{
    int found = 0;
    check_trace(TRACE);
    check_times();
    check_collision();
    check_named();
    check_bad();
    for (size_t i = 0; i < PYSPY_CAPTURES; i++)
        found += check_capture(pyspy_captures[i], "spy.chrometrace.json") +
                 check_capture(pyspy_captures[i], "both.chrometrace.json");
    if (!found)
        SKIP("the shared captures are not here");
    else
        CHECK(found >= 5);
    return check_result();
}
