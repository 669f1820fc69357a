/* SPDX-License-Identifier: MIT
 *
 * Python 3.15's profiling.sampling: its dump text and its collapsed text, as Lib/profiling/sampling
 * writes them (dump.py, stack_collector.py).
 */
#include "pyspy_reads.h"

#include "read/folded.h"
#include "read/tachyon_dump.h"

static const char dump[] =
    "Stack dump for PID 27110, thread 27110 (main thread, has GIL, on CPU; most recent call "
    "last):\n"
    "  File \"app/train.py\", line 210, in <module>\n"
    "    File \"x\", line 1, in no_frame\n"
    "  File \"/lib/python3.15/threading.py\", in Thread.join  opcode=CALL\n"
    "  <GC>\n"
    "\n"
    "Stack dump, thread 27303 (interpreter 1; idle; most recent call last):\n"
    "No Python frames\n"
    "\n"
    "Stack dump, thread 27304 (waiting for GIL, has exception; most recent call last):\n"
    "  File \"a, b.py\", line 3, in f\n"
    "    [source file changed after process started]\n"
    "\n"
    "Stack dump (task main; most recent call last):\n"
    "  File \"a.py\", line 4, in g\n";

static void check_fact(const struct ff_profile *profile, uint32_t i, uint32_t tid, const char *name,
                       const char *text)
{
    CHECK(i < profile->facts.count);
    if (i >= profile->facts.count)
        return;
    const struct ff_fact *fact = &profile->facts.at[i];
    CHECK_NUMBER(profile->threads.at[fact->thread].tid, tid);
    CHECK_TEXT(ff_profile_text(profile, fact->name), name);
    CHECK_TEXT(ff_profile_text(profile, fact->text), text);
}

static void check_dump(const char *text)
{
    struct ff_profile *profile = pyspy_read_good(ff_tachyon_dump_read, text);
    CHECK_NUMBER(profile->samples.count, 5);
    pyspy_check_sample(
        profile, 1, 27110, "",
        "<module> (app/train.py:210);Thread.join (/lib/python3.15/threading.py);<GC>");
    pyspy_check_sample(profile, 2, 27303, "", "");
    pyspy_check_sample(profile, 3, 27304, "", "f (a, b.py:3)");
    pyspy_check_sample(profile, 4, 0, "task main", "g (a.py:4)");
    CHECK_NUMBER(profile->processes.at[1].pid, 27110);
    check_fact(profile, 1, 27110, "gil", "held");
    check_fact(profile, 2, 27110, "state", "on-cpu");
    check_fact(profile, 3, 27303, "state", "idle");
    check_fact(profile, 4, 27304, "gil", "waiting");
    check_fact(profile, 5, 27304, "exception", "current");
    CHECK_NUMBER(profile->facts.count, 6);
    CHECK(profile->sources.at[1].tool == FF_TOOL_TACHYON);
    pyspy_check_round_trip(profile);
    pyspy_check_conserved(profile);
    ff_profile_free(profile);
}

/* Colours stand around whole parts. */
static void check_colours(void)
{
    struct ff_profile *profile = pyspy_read_good(
        ff_tachyon_dump_read,
        "\x1b[1;34mStack dump for PID 5, thread 6 (on CPU; most recent call last):\x1b[0m\n"
        "  File \x1b[35m\"a.py\"\x1b[0m, line \x1b[33m3\x1b[0m, in \x1b[36mf\x1b[0m\n"
        "    \x1b[2mx = \x1b[0m\x1b[31m1\x1b[0m\n");
    pyspy_check_sample(profile, 1, 6, "", "f (a.py:3)");
    ff_profile_free(profile);
}

static void check_bad(void)
{
    enum ff_status status;
    struct ff_profile *profile =
        pyspy_read(ff_tachyon_dump_read,
                   FF_TEXT("Stack dump, thread 6 (idle; most recent call last):\n  File \"a\n"
                           "  File \"a\", line x, in f\nhello\n"),
                   &status);
    CHECK(status == FF_BAD_INPUT);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_LINES_BAD), 3);
    CHECK_NUMBER(pyspy_total(profile), 1);
    ff_profile_free(profile);
    pyspy_check_cuts(ff_tachyon_dump_read, dump, 4);
}

static enum ff_status read_collapsed(struct ff_profile *profile, struct ff_input *input,
                                     const char *name)
{
    return ff_folded_read(profile, input, name, FF_FORMAT_TACHYON);
}

static void check_collapsed(void)
{
    struct ff_profile *profile = pyspy_read_good(
        read_collapsed, "tid:27303;train.py:<module>:210;<GC> 40\n"
                        "tid:140319207188160;a:b.py:f.<locals>.<lambda>:3;~:g:0 2\n");
    pyspy_check_sample(profile, 1, 27303, "", "<module> (train.py:210);<GC>");
    pyspy_check_sample(profile, 2, 0, "", "f.<locals>.<lambda> (a:b.py:3);g (~)");
    CHECK_NUMBER(pyspy_total(profile), 42);
    CHECK(profile->sources.at[1].tool == FF_TOOL_TACHYON);
    CHECK(profile->sources.at[1].population == FF_POPULATION_ALL);
    ff_profile_free(profile);
}

int main(void)
{
    check_dump(dump);
    check_colours();
    check_bad();
    check_collapsed();
    return check_result();
}
